//! Gauss–Newton for (c, λ): the equations at points, the conditions, and one row for the mean square of u.
//!
//! ```text
//! r(w) + Σ_α ∂r/∂(D^α w) D^α (w' − w) + ∂r/∂λ (λ' − λ) = 0            every row of equations and conditions
//! mean(u²) + Σ mean(2 u ∂u/∂w (w' − w)) = the mean square asked for     one row
//! ```
//!
//! Each step is one least-squares problem in (c', λ' − λ), by orthogonal factorisation; a step that does not lower the sum of squares is
//! shortened.

use super::form::Unknown;
use super::norm::Norm;
use super::pencil::Units;
use super::tuning::{IDLE_STEP, MEAN_WEIGHT, NEWTON_HALVINGS, NEWTON_STEPS};
use crate::engine::ridges::Layer;
use crate::frozen::{each_function, jets_unless};
use crate::halt::Halt;
use crate::optimise::LeastSquares;
use crate::posed::{Block, JetColumns, Kind, System};
use faer::Mat;

/// What is solved.
pub(super) struct Newton<'a> {
    pub(super) system: &'a System,
    pub(super) units: &'a Units,
    pub(super) unknown: Unknown,
    pub(super) layer: &'a Layer,
    pub(super) blocks: &'a [Block],
    pub(super) norm: &'a Norm,
    /// The mean square that the coarse sum should have.
    pub(super) mean_square: f64,
    /// How far L stands for itself.
    pub(super) tau: f64,
    pub(super) halt: &'a Halt,
}

/// A function in the span of the layer with its λ.
#[derive(Clone, Debug)]
pub(super) struct State {
    pub(super) coefficients: Vec<f64>,
    pub(super) lambda: f64,
    /// The sum of squares of all rows.
    pub(super) merit: f64,
}

impl Newton<'_> {
    /// What a row of a block weighs.
    fn weight(&self, block: &Block) -> f64 {
        let residual = &self.system.residuals[block.residual];
        if residual.kind == Kind::Equation {
            return 1.0 / (self.units.operator * (block.sites.n as f64).sqrt());
        }
        let first = self.system.problem.unknowns.len();
        self.units.weight(block.residual - first, block)
    }

    fn jets(&self, coefficients: &[f64]) -> Vec<JetColumns> {
        let of = |block: &Block| {
            let residual = &self.system.residuals[block.residual];
            jets_unless(self.halt, self.layer, coefficients, residual, block)
        };
        self.blocks.iter().map(of).collect()
    }

    /// The sum of squares of a state.
    pub(super) fn merit(&self, coefficients: &[f64], lambda: f64) -> f64 {
        let mut sum = 0.0;
        for (block, jets) in self.blocks.iter().zip(self.jets(coefficients)) {
            let residual = &self.system.residuals[block.residual];
            let r = residual
                .respond(block, &jets, &[lambda, self.tau])
                .swap_remove(0);
            sum += self.weight(block).powi(2) * r.iter().map(|r| r * r).sum::<f64>();
        }
        let mean = self.norm.mean(self.unknown, self.layer, coefficients);
        sum + (MEAN_WEIGHT * (mean / self.mean_square - 1.0)).powi(2)
    }

    /// From a state to the nearest solution; `None` where nothing finite comes out, or when it is ended.
    pub(super) fn solve(&self, start: &State) -> Option<State> {
        let mut state = start.clone();
        state.merit = self.merit(&state.coefficients, state.lambda);
        for _ in 0..NEWTON_STEPS {
            let (full, rise) = self.step(&state)?;
            if self.halt.is_raised() {
                return None;
            }
            let mut taken = None;
            for k in 0..NEWTON_HALVINGS {
                let t = 0.5f64.powi(k);
                let mix = |(a, b): (&f64, &f64)| a + t * (b - a);
                let coefficients: Vec<f64> =
                    state.coefficients.iter().zip(&full).map(mix).collect();
                let lambda = state.lambda + t * rise;
                let merit = self.merit(&coefficients, lambda);
                if merit.is_finite() && merit < state.merit {
                    taken = Some(State {
                        coefficients,
                        lambda,
                        merit,
                    });
                    break;
                }
            }
            let Some(next) = taken else {
                break;
            };
            let stalled = next.merit > IDLE_STEP * state.merit;
            state = next;
            if stalled {
                break;
            }
        }
        state
            .merit
            .is_finite()
            .then_some(state)
            .filter(|_| !self.halt.is_raised())
    }

    /// The full step: c' and λ' − λ.
    fn step(&self, state: &State) -> Option<(Vec<f64>, f64)> {
        let (n, unknowns) = (self.layer.len(), self.system.problem.unknowns.len());
        let columns = n * unknowns + 1;
        let rows: usize = self.blocks.iter().map(|b| b.sites.n).sum::<usize>() + 1;
        let mut joint = LeastSquares::room(rows, columns, 1);
        let mut at = 0;
        for (block, jets) in self.blocks.iter().zip(self.jets(&state.coefficients)) {
            let residual = &self.system.residuals[block.residual];
            let response = residual.respond(block, &jets, &[state.lambda, self.tau]);
            let weight = self.weight(block);
            let count = block.sites.n;
            each_function(self.layer, residual, block, self.halt, |j, k, column| {
                let to = slice(&mut joint, residual.jets[k].0 * n + j, at, count);
                for ((to, partial), v) in to.iter_mut().zip(&response[1 + k]).zip(column) {
                    *to += weight * partial * v;
                }
            });
            let by_lambda = &response[1 + residual.jets.len()];
            let to = slice(&mut joint, columns - 1, at, count);
            to.iter_mut()
                .zip(by_lambda)
                .for_each(|(to, p)| *to = weight * p);
            // J w − r
            let to = slice(&mut joint, columns, at, count);
            for (i, to) in to.iter_mut().enumerate() {
                let terms = jets.iter().zip(&response[1..]);
                let along: f64 = terms.map(|(jet, partial)| jet[i] * partial[i]).sum();
                *to = weight * (along - response[0][i]);
            }
            at += count;
        }
        self.mean_row(state, &mut joint, at);
        let solution = LeastSquares::new(joint, 1, self.halt).solve(&[1.0]);
        let (coefficients, rise) = solution.split_at(columns - 1);
        let finite = solution.iter().all(|v| v.is_finite());
        finite.then(|| (coefficients.to_vec(), rise[0]))
    }

    /// The row of the mean square.
    fn mean_row(&self, state: &State, joint: &mut Mat<f64>, at: usize) {
        let n = self.layer.len();
        let side = joint.ncols() - 1;
        let weight = MEAN_WEIGHT / self.mean_square;
        let (block, weights) = (&self.norm.block, &self.norm.weights);
        let (mut mean, mut along) = (0.0, 0.0);
        for (u, value) in self.norm.values().iter().enumerate() {
            let w = jets_unless(self.halt, self.layer, &state.coefficients, value, block);
            let w = &w[0];
            // ∂u²/∂w
            let slopes: Vec<f64> = w
                .iter()
                .zip(weights)
                .map(|(w, weight)| {
                    let square = self.unknown.value(*w).powi(2);
                    mean += weight * square;
                    weight
                        * match self.unknown {
                            Unknown::Itself => 2.0 * w,
                            Unknown::Logarithm => 2.0 * square,
                        }
                })
                .collect();
            along += slopes.iter().zip(w).map(|(s, w)| s * w).sum::<f64>();
            each_function(self.layer, value, block, self.halt, |j, _, column| {
                let sum: f64 = slopes.iter().zip(column).map(|(s, v)| s * v).sum();
                joint[(at, u * n + j)] = weight * sum;
            });
        }
        joint[(at, side)] = weight * (along + self.mean_square - mean);
    }
}

/// Rows of a column.
fn slice(joint: &mut Mat<f64>, column: usize, at: usize, count: usize) -> &mut [f64] {
    let column = joint.col_mut(column).try_as_col_major_mut();
    let column = column.expect("columns are contiguous").as_slice_mut();
    &mut column[at..at + count]
}
