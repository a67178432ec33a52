//! A slab: boxes side by side, their rows, and Newton's method over all of them.
//!
//! ```text
//! equations      at Chebyshev points of every box                                      divided by the largest entry of their rows, each
//! conditions     on the faces of boxes that lie in the boundary                        unknown in units of its size
//! start          u (and u_t) of the slab before, on the faces that begin it
//! joins          u (and u_n) of two neighbours, on the face that they share: their difference is zero
//! ```
//!
//! Rows of one box are condensed at once, in parallel, to what they leave [`Open`]; fronts join what is left.

use super::functions::Functions;
use super::open::{Factored, Open};
use super::pieced::Pieced;
use super::rows::{Beginning, Cut, joins};
use super::{Bounds, Posed};
use crate::expr::largest;
use crate::halt::Crew;
use crate::optimise::{Condensed, each, n_kept};
use crate::posed::{Block, JetColumns, Residual};
use faer::Mat;

/// Most Newton steps, and most halvings of one.
const MOST_STEPS: usize = 20;
const MOST_HALVINGS: i32 = 6;
/// Newton ends when the sum of squares is this near to what the linearised rows foretold, or a full step lowers it by less than that.
const FORETOLD: f64 = 1.1;
const IDLE: f64 = 0.5;
/// What condensing the rows of a piece costs, over the cube of its columns.
const OWN_WORK: f64 = 6.0;

/// Boxes with their points.
pub(super) struct Slab<'a> {
    pub(super) posed: &'a Posed,
    pub(super) functions: &'a Functions,
    /// The cells of the cut, and the boxes around what of them lies in the domain.
    pub(super) cells: Vec<Bounds>,
    pub(super) boxes: Vec<Bounds>,
    /// The points of every box.
    pub(super) blocks: Vec<Vec<Block>>,
    pub(super) joins: Vec<Join>,
    /// How large each unknown is.
    pub(super) sizes: Vec<f64>,
    /// By how much more the equations of each box weigh.
    pub(super) contrasts: Vec<f64>,
    pub(super) crew: Crew<'a>,
    pub(super) open: Open,
}

/// What two neighbours share: rows over the columns of both, which should be zero.
pub(super) struct Join {
    /// Ascending; one that closes on itself is there once.
    pub(super) pieces: Vec<usize>,
    pub(super) entries: Mat<f64>,
    /// The rows of slopes and fluxes, and what they are for a function that changes by its size over the domain.
    pub(super) slopes: Vec<usize>,
    pub(super) gentle: f64,
    /// Points on the face: as many rows for each slope.
    pub(super) points: usize,
    /// What a jump of one in every row of a slope makes far from the face, in units of the unknown's size.
    pub(super) reach: f64,
}

impl<'a> Slab<'a> {
    /// Of no use once it is ended.
    pub(super) fn new(
        posed: &'a Posed,
        functions: &'a Functions,
        cells: Vec<Bounds>,
        beginning: &Beginning<'_>,
        sizes: Vec<f64>,
        crew: Crew<'a>,
    ) -> Self {
        let frame = |cell: &Bounds| posed.region.frame(cell).unwrap_or_else(|| cell.clone());
        let boxes: Vec<Bounds> = cells.iter().map(frame).collect();
        let cut = Cut::new(posed, &cells, &boxes);
        let blocks = |p: usize| cut.blocks(functions, p, beginning);
        let blocks = each(boxes.len(), crew, &blocks);
        let joins = joins(posed, functions, [&cells, &boxes], &sizes, crew);
        let contrasts = posed.contrasts(&boxes);
        Self {
            posed,
            functions,
            cells,
            boxes,
            blocks,
            joins,
            sizes,
            contrasts,
            crew,
            open: Open::everything(posed, functions),
        }
    }

    /// The same with conditions that weigh so much less.
    pub(super) fn with_conditions_weighing(mut self, weight: f64) -> Self {
        let problem = &self.posed.system.problem;
        let of_condition =
            problem.equations.len()..problem.equations.len() + problem.conditions.len();
        let blocks = self.blocks.iter_mut().flatten();
        blocks
            .filter(|b| of_condition.contains(&b.residual))
            .for_each(|b| b.weight *= weight);
        self
    }

    /// The same with what pieces decide alone decided before they are joined. Not where the functions do not resolve the solution yet:
    /// some that the equation allows are not among them there, and what is in the way of a join must give way to it.
    pub(super) fn condensed(self) -> Self {
        Self {
            open: self.open.little(),
            ..self
        }
    }

    pub(super) fn width(&self) -> usize {
        self.functions.len() * self.posed.unknowns()
    }

    /// How many rows the pieces have of their own.
    pub(super) fn rows(&self) -> usize {
        self.blocks.iter().flatten().map(Block::n_rows).sum()
    }

    /// Whether there is memory for the fronts.
    pub(super) fn require_memory(&self) -> Result<(), rafnet_memory::NotEnough> {
        let joins = self.joins.iter().map(|j| &j.pieces[..]);
        let kept = n_kept(self.boxes.len(), self.open.columns(), joins);
        rafnet_memory::require(fronts(self.boxes.len()), &[kept, 2, 8])
    }

    /// The best coefficients, from given jets at every block, and the work; `None` where nothing finite comes out, when it is
    /// ended or `go_on` says no.
    pub(super) fn fit(
        &self,
        start: &(dyn Fn(usize, &Residual, &Block) -> JetColumns + Sync),
        go_on: &mut dyn FnMut() -> bool,
    ) -> Option<(Pieced, f64)> {
        let system = &self.posed.system;
        let nonlinear = self
            .blocks
            .iter()
            .flatten()
            .any(|b| system.residuals[b.residual].nonlinear);
        let first = |p: usize| {
            let of_block = |b: &Block| start(p, &system.residuals[b.residual], b);
            self.blocks[p]
                .iter()
                .map(of_block)
                .collect::<Vec<JetColumns>>()
        };
        let ended = || self.crew.halt.is_raised();
        let mut jets = self.each(&first);
        let mut scales: Vec<Vec<f64>> = Vec::new();
        let mut best: Option<(Vec<Vec<f64>>, f64)> = None;
        let mut work = 0.0;
        for _ in 0..if nonlinear { MOST_STEPS } else { 1 } {
            if !go_on() || ended() {
                return None;
            }
            let known = (!scales.is_empty()).then_some(&scales);
            let condense = |p: usize| self.piece_rows(p, &jets[p], known.map(|s| &s[p][..]));
            let (condensed, now): (Vec<Condensed>, Vec<Vec<f64>>) =
                self.each(&condense).into_iter().unzip();
            if ended() {
                return None;
            }
            scales = now;
            let factored = Factored::new(self, condensed);
            if ended() {
                return None;
            }
            work += factored.fronts.work
                + OWN_WORK * self.boxes.len() as f64 * (self.width() as f64).powi(3);
            if !nonlinear {
                let found = factored.solve(&[1.0, -1.0]);
                let finite = found.iter().flatten().all(|v| v.is_finite());
                best = finite.then_some((found, 0.0));
                break;
            }
            let before = best.as_ref().map_or(f64::INFINITY, |b| b.1);
            let (found, merit, next, whole) = self.step(&factored, &scales, before)?;
            let foretold = factored.fronts.misfit(&[1.0, -1.0]).powi(2);
            let done = whole && (merit <= FORETOLD * foretold || merit > IDLE * before);
            if merit < before {
                best = Some((found, merit));
                jets = next;
            }
            if done || !whole {
                break;
            }
        }
        let (coefficients, _) = best.filter(|_| !ended())?;
        let pieced = Pieced {
            functions: self.functions.clone(),
            boxes: self.boxes.clone(),
            cells: self.cells.clone(),
            coefficients,
        };
        Some((pieced, work))
    }

    /// The longest step, from a whole one down by halves, that lowers the sum of squares; whether it is whole.
    #[expect(clippy::type_complexity, reason = "coefficients, sum of squares, jets")]
    fn step(
        &self,
        factored: &Factored,
        scales: &[Vec<f64>],
        before: f64,
    ) -> Option<(Vec<Vec<f64>>, f64, Vec<Vec<JetColumns>>, bool)> {
        let mut last = None;
        for halving in 0..=MOST_HALVINGS {
            let found = factored.solve(&[1.0, -(0.5f64.powi(halving))]);
            if found.iter().flatten().any(|v| !v.is_finite()) {
                return None;
            }
            let at = |p: usize| self.jets(p, &found[p]);
            let jets = self.each(&at);
            if self.crew.halt.is_raised() {
                return None;
            }
            let square = |p: usize| self.squares(p, &jets[p], &scales[p]);
            let own: f64 = self.each(&square).iter().sum();
            let joined: f64 = self
                .joins
                .iter()
                .map(|j| j.square(&found, self.width()))
                .sum();
            let merit = own + joined;
            if merit.is_finite() {
                let lower = merit < before;
                last = Some((found, merit, jets, halving == 0));
                if lower {
                    break;
                }
            }
            if before.is_infinite() {
                break;
            }
        }
        last
    }

    /// Calls `job` for every piece, in parallel; with gaps once it is ended.
    pub(super) fn each<T: Send>(&self, job: &(dyn Fn(usize) -> T + Sync)) -> Vec<T> {
        each(self.boxes.len(), self.crew, job)
    }
}

/// What takes the memory.
pub(super) fn fronts(pieces: usize) -> String {
    format!("a triangle for each of {pieces} pieces")
}

impl Join {
    /// By which share of itself a slope changes, at most.
    pub(super) fn kink(&self, coefficients: &[Vec<f64>], width: usize) -> f64 {
        let &[p, q] = &self.pieces[..] else {
            return 0.0;
        };
        let of_row = |row: &usize| {
            let side = |piece: usize, first: usize| -> f64 {
                let columns = coefficients[piece].iter().enumerate();
                columns
                    .map(|(j, c)| self.entries[(*row, first + j)] * c)
                    .sum()
            };
            let (one, other) = (side(p, 0), side(q, width));
            (one + other).abs() / one.abs().max(other.abs()).max(self.gentle)
        };
        largest(self.slopes.iter().map(of_row))
    }

    /// The sum of squares of the jumps.
    pub(super) fn square(&self, coefficients: &[Vec<f64>], width: usize) -> f64 {
        self.jumps(coefficients, width).iter().map(|j| j * j).sum()
    }

    /// What the jumps of slopes make far from the face, as sources that lie on it would: those that are missing at one end of it and too much at the
    /// other make nothing there.
    pub(super) fn hidden(&self, coefficients: &[Vec<f64>], width: usize) -> f64 {
        let jumps = self.jumps(coefficients, width);
        let sum = |rows: &[usize]| rows.iter().map(|row| jumps[*row]).sum::<f64>().abs();
        self.reach * largest(self.slopes.chunks(self.points).map(sum)) / self.points as f64
    }

    /// The jump of every row.
    fn jumps(&self, coefficients: &[Vec<f64>], width: usize) -> Vec<f64> {
        let values = self.pieces.iter().flat_map(|p| &coefficients[*p]);
        let mut jumps = vec![0.0; self.entries.nrows()];
        for (j, c) in values.enumerate().take(self.pieces.len() * width) {
            jumps
                .iter_mut()
                .zip(self.entries.col(j).iter())
                .for_each(|(jump, e)| *jump += e * c);
        }
        jumps
    }
}

#[cfg(test)]
mod tests {
    use super::Join;
    use faer::Mat;

    /// A slope that is 3 on one side and 1 on the other is a source of 2 at every point of the face; one that is too large at one end of the face
    /// and too small at the other is none.
    #[test]
    fn slopes_that_jump_are_sources() {
        let hidden = |entries| {
            let join = Join {
                pieces: vec![0, 1],
                entries,
                slopes: vec![1, 2],
                gentle: 0.1,
                points: 2,
                reach: 0.5,
            };
            join.hidden(&[vec![3.0], vec![1.0]], 1)
        };
        // the first row is of values, whatever they are
        let rows = |last: f64| {
            let row = [[5.0, 5.0], [1.0, -1.0], [last, -last]];
            Mat::from_fn(3, 4, |i, j| row[i].get(j).copied().unwrap_or(0.0))
        };
        assert!((hidden(rows(1.0)) - 1.0).abs() < 1e-15);
        assert!(hidden(rows(-1.0)).abs() < 1e-15);
        assert!(hidden(rows(f64::NAN)).is_nan());
    }
}
