//! Newton's method for a solution beside those that are known.
//!
//! ```text
//! G(u) = F(u) / Π_k ‖u − u_k‖          G' δ = −G   ⇔   δ = d / (1 − m),   d = −F'⁻¹ F,   m = −Σ_k ⟨u − u_k, d⟩ / ‖u − u_k‖²
//! ```
//!
//! G has the zeros of F but for those that are known (K. M. Brown, W. B. Gearhart, "Deflation techniques for the calculation of further
//! solutions of a nonlinear system", 1971; P. E. Farrell, Á. Birkisson, S. W. Funke, "Deflation techniques for finding distinct solutions of
//! nonlinear partial differential equations", 2015), and its step is F's own times a number: with δ = t d, t (F' d + F m) = −F. Near a known
//! solution F is linear, m is nearly 1, and a step goes far away; how far, the curvature of F says, whatever the sizes of the solutions. So nothing is
//! added to 1/‖u − u_k‖, which would be a size.

use super::attempt::{Attempt, Candidate, Way};
use super::tuning::WALK_STEPS;
use crate::frozen::Start;
use crate::frozen::State;
use crate::frozen::jets_unless;
use crate::frozen::scale_rows;
use crate::frozen::{FORETOLD, MOST_HALVINGS};
use crate::halt::Halt;
use crate::optimise::LeastSquares;
use crate::posed::{Block, JetColumns, rms};

/// A step shortened to a share of itself is taken where it lowers ‖G‖ by this share of that, at least.
const LOWERED: f64 = 1e-3;
/// What one step has lowered to this share is near a solution, and Newton's own steps do the rest.
const FALLEN: f64 = 1e-2;
/// A whole step that leaves more than this share has met what the layer can, to rounding.
const IDLE: f64 = 0.5;
/// A start that is so near to a known solution, of its size, says nothing of where to go.
const AT: f64 = 1e-6;

/// Solutions that are known, at the points inside.
struct Known<'a> {
    solutions: &'a [Vec<f64>],
    /// The size of each unknown, for all of its values.
    sizes: Vec<f64>,
}

impl<'a> Known<'a> {
    fn new(solutions: &'a [Vec<f64>], unknowns: usize) -> Self {
        let sizes = solutions.first().map_or(Vec::new(), |first| {
            let n = first.len() / unknowns.max(1);
            let sizes = first.chunks(n.max(1)).flat_map(|values| {
                let size = rms(values);
                vec![if size > 0.0 { size } else { 1.0 }; values.len()]
            });
            sizes.collect()
        });
        Self { solutions, sizes }
    }

    /// ⟨u − u_k, d⟩ and ‖u − u_k‖² of each, in the unknowns' sizes.
    fn products(&self, u: &[f64], d: &[f64]) -> impl Iterator<Item = [f64; 2]> {
        self.solutions.iter().map(move |known| {
            let values = u.iter().zip(known).zip(d).zip(&self.sizes);
            let mut sums = [0.0; 2];
            for (((u, known), d), size) in values {
                let off = (u - known) / size;
                sums[0] += off * d / size;
                sums[1] += off * off;
            }
            sums.map(|sum| sum / u.len() as f64)
        })
    }

    /// m.
    fn slope(&self, u: &[f64], d: &[f64]) -> f64 {
        -self.products(u, d).map(|[dot, off]| dot / off).sum::<f64>()
    }

    /// log Π_k ‖u − u_k‖².
    fn distance(&self, u: &[f64]) -> f64 {
        self.products(u, u).map(|[_, off]| off.ln()).sum()
    }

    fn is_at(&self, u: &[f64]) -> bool {
        self.products(u, u).any(|[_, off]| off < AT * AT)
    }
}

/// x + t y, number by number.
fn moved(x: &[f64], y: &[f64], t: f64) -> Vec<f64> {
    x.iter().zip(y).map(|(x, y)| x + t * y).collect()
}

impl Way {
    /// Where the walk from a start, or from the guess, ends beside solutions that are known: near another one or nowhere. `None` where nothing finite comes
    /// out, where it would begin at one of those that are known, or when it is ended.
    pub(super) fn beside(
        &self,
        candidate: Candidate,
        blocks: &[Block],
        start: Option<&Start>,
        known: &[Vec<f64>],
        halt: &Halt,
    ) -> Option<Attempt> {
        let layer = self.inputs.draw(candidate.n, &candidate.recipe);
        let (system, unknowns) = (&self.system, self.system.problem.unknowns.len());
        let known = Known::new(known, unknowns);
        let of_block = |b: &Block| match start {
            Some(start) => system.started(start, b, halt),
            None => system.guessed(b),
        };
        let mut jets: Vec<JetColumns> = blocks.iter().map(of_block).collect();
        let jets_at = |coefficients: &[f64]| -> Vec<JetColumns> {
            let of_block = |b: &Block| {
                let residual = &system.residuals[b.residual];
                jets_unless(halt, &layer, coefficients, residual, b)
            };
            blocks.iter().map(of_block).collect()
        };
        let mut state = State {
            layer: layer.clone(),
            coefficients: Vec::new(),
            sought: Vec::new(),
            sigma: Vec::new(),
        };
        let (mut scales, mut values) = (Vec::new(), Vec::new());
        for step in 0..WALK_STEPS {
            let mut rows = system.rows(&layer, blocks, &jets, &[], halt);
            if step == 0 {
                let width = unknowns * layer.len();
                scales = system.balance(blocks, &rows, width, 0.0).ok()?;
            }
            scale_rows(blocks, &mut rows, &scales);
            let factored = LeastSquares::new(rows, 2, halt);
            let foretold = factored.misfit(&[1.0, -1.0]).powi(2);
            if step == 0 {
                // the start need not lie in the layer's span
                state.coefficients = factored.solve(&[1.0, 0.0]);
                jets = jets_at(&state.coefficients);
                values = self.values(&state, halt);
                if known.is_at(&values) {
                    return None;
                }
            }
            let newton = factored.solve(&[0.0, -1.0]);
            if halt.is_raised() || newton.iter().any(|v| !v.is_finite()) {
                return None;
            }
            let whole = State {
                coefficients: moved(&state.coefficients, &newton, 1.0),
                ..state.clone()
            };
            // all of these are linear in the coefficients
            let off = moved(&self.values(&whole, halt), &values, -1.0);
            let ahead = jets_at(&whole.coefficients);
            let jets_after = |t: f64| -> Vec<JetColumns> {
                let between = |(x, y): (&Vec<f64>, &Vec<f64>)| {
                    x.iter().zip(y).map(|(x, y)| x + t * (y - x)).collect()
                };
                let of_block =
                    |(x, y): (&JetColumns, &JetColumns)| x.iter().zip(y).map(between).collect();
                jets.iter().zip(&ahead).map(of_block).collect()
            };
            let squares = |jets: &[JetColumns]| system.merit(blocks, jets, &[], &scales);
            let here = squares(&jets);
            let before = here.ln() - known.distance(&values);
            let length = 1.0 / (1.0 - known.slope(&values, &off));
            let shorter = (0..=MOST_HALVINGS).map(|halving| 0.5f64.powi(halving));
            let taken = shorter.into_iter().find_map(|share| {
                let t = share * length;
                let (next, values) = (jets_after(t), moved(&values, &off, t));
                let squares = squares(&next);
                let after = squares.ln() - known.distance(&values);
                let lower = after < before + 2.0 * (1.0 - LOWERED * share).ln();
                lower.then_some((t, next, values, squares))
            });
            let Some((t, next, there, squares)) = taken.filter(|_| !halt.is_raised()) else {
                break;
            };
            state.coefficients = moved(&state.coefficients, &newton, t);
            (jets, values) = (next, there);
            let own = (0.5..2.0).contains(&t);
            let idle = own && squares > IDLE * IDLE * here;
            if squares <= FORETOLD * foretold || squares < FALLEN * FALLEN * here || idle {
                break;
            }
        }
        let judged = self.judged_searching(candidate, state, halt);
        halt.unless(judged)
    }
}
