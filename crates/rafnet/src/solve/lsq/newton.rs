//! One layer's best coefficients: a solve for linear problems, Newton with backtracking for the others.

use super::features::Layer;
use super::least_squares::LeastSquares;
use super::rows::{Block, JetColumns, Residual, jets_of, linearise, respond};
use crate::expr::Leaf;
use crate::problem::Problem;
use faer::Mat;

/// A function in the span of a layer, with the sought parameters.
#[derive(Clone)]
pub(super) struct State {
    pub(super) layer: Layer,
    /// N numbers for each unknown.
    pub(super) coefficients: Vec<f64>,
    pub(super) sought: Vec<f64>,
}

/// What Newton starts from.
pub(super) enum Start<'a> {
    /// The problem's guess, or zero (the lift).
    Guess,
    /// An earlier solution, in whatever features.
    From(&'a State),
}

/// The compiled problem.
pub(super) struct System<'a> {
    pub(super) problem: &'a Problem,
    pub(super) residuals: Vec<Residual>,
}

/// Most Newton steps.
const MOST_STEPS: usize = 25;
/// Solves of a linear problem: the second works on what rounding left of the first.
const REFINEMENTS: usize = 2;
/// Most halvings of a step.
const MOST_HALVINGS: i32 = 12;

impl System<'_> {
    fn unknowns(&self) -> usize {
        self.problem.unknowns.len()
    }

    fn nonlinear(&self) -> bool {
        self.residuals.iter().any(|r| r.nonlinear)
    }

    /// The jets at the start.
    fn jets(&self, start: &Start<'_>, block: &Block) -> JetColumns {
        let residual = &self.residuals[block.residual];
        match start {
            Start::From(state) => jets_of(&state.layer, &state.coefficients, residual, block),
            Start::Guess => {
                let empty = Layer {
                    bases: Vec::new(),
                    weights: Vec::new(),
                    biases: Vec::new(),
                };
                let mut jets = jets_of(&empty, &[], residual, block);
                for ((unknown, axes), column) in residual.jets().iter().zip(&mut jets) {
                    let Some(guess) = &self.problem.guess[*unknown] else {
                        continue;
                    };
                    let derivative = axes.iter().fold(guess.clone(), |e, &a| e.derivative(a));
                    for (i, value) in column.iter_mut().enumerate() {
                        *value = derivative.eval(&|leaf| match leaf {
                            Leaf::Coordinate(k) => block.sites.coordinates[*k][i],
                            _ => f64::NAN,
                        });
                    }
                }
                jets
            }
        }
    }

    /// Fits a layer to the rows, starting Newton from a given function. `None` where nothing finite comes out.
    pub(super) fn fit(&self, layer: &Layer, blocks: &[Block], start: &Start<'_>) -> Option<State> {
        let unknowns = self.unknowns();
        let mut sought = match start {
            Start::From(state) => state.sought.clone(),
            Start::Guess => self.problem.sought.iter().map(|s| s.start).collect(),
        };
        let mut jets: Vec<JetColumns> = blocks.iter().map(|b| self.jets(start, b)).collect();
        let mut scales: Vec<f64> = Vec::new();
        let mut best: Option<(State, f64)> = None;
        for _ in 0..if self.nonlinear() {
            MOST_STEPS
        } else {
            REFINEMENTS
        } {
            let rows: Vec<_> = blocks
                .iter()
                .zip(&jets)
                .map(|(b, j)| {
                    linearise(layer, &self.residuals[b.residual], b, unknowns, j, &sought)
                })
                .collect();
            if scales.is_empty() {
                scales = balance(blocks, &rows.iter().map(|r| &r.matrix).collect::<Vec<_>>());
            }
            let merit_before = best
                .as_ref()
                .map_or_else(|| self.merit(blocks, &jets, &sought, &scales), |b| b.1);
            let height: usize = rows.iter().map(|r| r.matrix.nrows()).sum();
            let width = rows.first().map_or(0, |r| r.matrix.ncols());
            let (mut matrix, mut sides) = (
                Mat::<f64>::zeros(height, width),
                Mat::<f64>::zeros(height, 2),
            );
            let mut at = 0;
            for (rows, &scale) in rows.iter().zip(&scales) {
                let n = rows.matrix.nrows();
                for j in 0..width {
                    for i in 0..n {
                        matrix[(at + i, j)] = rows.matrix[(i, j)] * scale;
                    }
                }
                for i in 0..n {
                    (0..2).for_each(|k| sides[(at + i, k)] = rows.sides[(i, k)] * scale);
                }
                at += n;
            }
            drop(rows);
            let factored = LeastSquares::new(matrix, sides.as_ref());
            let mut accepted = None;
            for halving in 0..=MOST_HALVINGS {
                let step = 0.5f64.powi(halving);
                let all = factored.solve(&[1.0, -step]);
                if all.iter().any(|v| !v.is_finite()) {
                    return best.map(|b| b.0);
                }
                let (coefficients, found) = all.split_at(unknowns * layer.len());
                let next: Vec<JetColumns> = blocks
                    .iter()
                    .map(|b| jets_of(layer, coefficients, &self.residuals[b.residual], b))
                    .collect();
                let merit = self.merit(blocks, &next, found, &scales);
                if !self.nonlinear() || merit < merit_before * (1.0 - 0.1 * step) {
                    let state = State {
                        layer: layer.clone(),
                        coefficients: coefficients.to_vec(),
                        sought: found.to_vec(),
                    };
                    accepted = Some((state, merit, next));
                    break;
                }
                if best.is_some() && merit <= merit_before {
                    let state = State {
                        layer: layer.clone(),
                        coefficients: coefficients.to_vec(),
                        sought: found.to_vec(),
                    };
                    return Some(state); // nothing to gain any more
                }
            }
            let Some((state, merit, next)) = accepted else {
                break;
            };
            sought.clone_from(&state.sought);
            jets = next;
            best = Some((state, merit));
        }
        best.map(|b| b.0)
    }

    /// The weighted sum of squares of the true residuals.
    fn merit(&self, blocks: &[Block], jets: &[JetColumns], sought: &[f64], scales: &[f64]) -> f64 {
        let mut sum = 0.0;
        for ((block, jets), scale) in blocks.iter().zip(jets).zip(scales) {
            let r = &respond(&self.residuals[block.residual], block, jets, sought)[0];
            if block.averaged {
                let mean = r.iter().sum::<f64>() / r.len() as f64;
                sum += (mean * scale).powi(2);
            } else {
                sum += r.iter().map(|r| (r * scale).powi(2)).sum::<f64>();
            }
        }
        if sum.is_finite() { sum } else { f64::INFINITY }
    }
}

/// Each block of rows gets norm one, times its weight.
fn balance(blocks: &[Block], matrices: &[&Mat<f64>]) -> Vec<f64> {
    let scale = |(block, matrix): (&Block, &&Mat<f64>)| {
        let norm = matrix.norm_l2();
        if norm > 0.0 && norm.is_finite() {
            block.weight / norm
        } else {
            block.weight
        }
    };
    blocks.iter().zip(matrices).map(scale).collect()
}
