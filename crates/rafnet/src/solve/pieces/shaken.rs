//! How far a solution moves when its rows are missed by as much as they are, the other way round: what they hardly hold moves far.
//!
//! ```text
//! J δ = η,      η_i = ± max( rms of the misfits of the piece's rows, ε )        signs at random, twice; joins hold
//! ```
//!
//! Newton's method leaves what rows hardly hold where it was, and the levels of a nonlinear problem start from each other's solutions:
//! they agree in it then, and their agreement says nothing. (A front that boundary values hold by a part in e⁴⁰ stands where the first level
//! put it.) Linear solutions may agree by chance: on a line, around something narrow, a few pieces of two levels have errors of one kind.

use super::open::Factored;
use super::pieced::Pieced;
use super::slab::Slab;
use crate::activation::random;
use crate::expr::larger;
use crate::posed::rms;
use rand::RngExt;

impl Slab<'_> {
    /// What is to be added to a solution then, for each of two draws. `None` where nothing finite comes out, or when it is ended.
    pub(super) fn shaken(&self, solution: &Pieced, seed: u64) -> Option<[Pieced; 2]> {
        let width = self.width();
        let condensed = |p: usize| {
            let jets = self.jets(p, &solution.coefficients[p]);
            let (mut rows, _) = self.scaled_rows(p, &jets, None);
            let misfits: Vec<f64> = rows.col(width + 1).iter().copied().collect();
            let size = larger(rms(&misfits), f64::EPSILON);
            let mut random = random(seed ^ p as u64);
            for i in 0..rows.nrows() {
                for side in [width, width + 1] {
                    rows[(i, side)] = if random.random::<bool>() { size } else { -size };
                }
            }
            self.over_open(p, rows)
        };
        let condensed = self.each(&condensed);
        if self.crew.halt.is_raised() {
            return None;
        }
        let factored = Factored::new(self, condensed);
        if self.crew.halt.is_raised() {
            return None;
        }
        let moved = [[1.0, 0.0], [0.0, 1.0]].map(|draw| factored.solve(&draw));
        let finite = moved.iter().flatten().flatten().all(|c| c.is_finite());
        finite.then(|| {
            moved.map(|coefficients| Pieced {
                coefficients,
                ..solution.clone()
            })
        })
    }
}
