//! Constraints: means, integrals and values at points, whose rows sum over points.
//!
//! ```text
//! R_k = Σ_i w_i r(x_i)          ∂R_k/∂θ = Σ_i w_i Σ_α ∂r/∂(D^α u) ∂(D^α u)(x_i)/∂θ          a pullback over the points of row k
//! ```

use super::Terms;
use super::looks::{evaluate, stream_of};
use crate::domain::DomainError;
use crate::engine::EngineError;
use crate::posed::{Averaged, Block, System, streams_of};

/// A constraint with its points, which stay.
pub(super) struct Coupled {
    /// Which residual of the system.
    residual: usize,
    block: Block,
    /// The block's points, row by row.
    points: Vec<f64>,
    pub(super) weight: f64,
}

/// Points on the edge that the number of times is taken from.
const EDGE: usize = 48;

/// All constraints of a system.
pub(super) fn all(system: &System, seed: u64) -> Result<Vec<Coupled>, DomainError> {
    let problem = &system.problem;
    let before = problem.equations.len() + problem.conditions.len() + problem.data.len();
    let one = |(k, constraint)| {
        let block = system.constrained(before + k, constraint, EDGE, &system.draw(seed))?;
        let d = system.known.dimension;
        let points = (0..block.sites.n * d).map(|at| block.sites.coordinates[at % d][at / d]);
        Ok(Coupled {
            residual: before + k,
            points: points.collect(),
            block,
            weight: 1.0,
        })
    };
    problem.constraints.iter().enumerate().map(one).collect()
}

impl Coupled {
    pub(super) fn n_rows(&self) -> usize {
        self.block.n_rows()
    }

    /// How many points a row sums over, and the weight of each point.
    fn sums(&self) -> (usize, Vec<f64>) {
        match &self.block.averaged {
            Some(Averaged { weights, per_row }) => (*per_row, weights.clone()),
            None => (1, vec![1.0; self.block.sites.n]),
        }
    }
}

impl Terms {
    /// r and its partial derivatives at the points of constraint `c`.
    fn coupled_response(&mut self, c: usize, theta: &[f64]) -> Result<Vec<Vec<f64>>, EngineError> {
        let (p, sought) = (self.n_parameters(), self.sought(theta));
        let Coupled {
            residual,
            block,
            points,
            ..
        } = &self.coupled[c];
        let residual = &self.system.residuals[*residual];
        let d = self.system.known.dimension;
        let jets = evaluate(&mut *self.evaluator, &theta[..p], &residual.jets, points, d)?;
        Ok(residual.respond(block, &jets, &sought))
    }

    /// The plain rows of constraint `c` and, where wanted, a row of their Jacobian after the other.
    pub(super) fn coupled_rows(
        &mut self,
        c: usize,
        theta: &[f64],
        jacobian: Option<&mut [f64]>,
    ) -> Result<Vec<f64>, EngineError> {
        let response = self.coupled_response(c, theta)?;
        let rows = self.coupled[c].block.rows(&response[0]);
        let Some(jacobian) = jacobian else {
            return Ok(rows);
        };
        let (p, width) = (self.n_parameters(), self.n_unknowns());
        let n_jets = self.system.residuals[self.coupled[c].residual].jets.len();
        let (per_row, weights) = self.coupled[c].sums();
        for (k, row) in jacobian.chunks_exact_mut(width).enumerate() {
            let range = k * per_row..(k + 1) * per_row;
            let share = |i: usize| weights[i];
            self.pull(c, theta, &response, range.clone(), &share, &mut row[..p])?;
            for (q, slope) in row[p..].iter_mut().enumerate() {
                let column = &response[1 + n_jets + q];
                *slope = range.clone().map(|i| weights[i] * column[i]).sum();
            }
        }
        Ok(rows)
    }

    /// Adds the constraints' part of the loss to a gradient and returns it.
    pub(super) fn coupled_gradient(
        &mut self,
        theta: &[f64],
        gradient: &mut [f64],
        scratch: &mut [f64],
    ) -> Result<f64, EngineError> {
        let p = self.n_parameters();
        let mut total = 0.0;
        for c in 0..self.coupled.len() {
            let response = self.coupled_response(c, theta)?;
            let rows = self.coupled[c].block.rows(&response[0]);
            let (per_row, weights) = self.coupled[c].sums();
            let factor = self.coupled[c].weight / rows.len().max(1) as f64;
            total += factor * rows.iter().map(|r| r * r).sum::<f64>();
            let share = |i: usize| 2.0 * factor * rows[i / per_row] * weights[i];
            let n = weights.len();
            self.pull(c, theta, &response, 0..n, &share, &mut scratch[..p])?;
            let pairs = gradient[..p].iter_mut().zip(&*scratch);
            pairs.for_each(|(g, s)| *g += s);
            let n_jets = self.system.residuals[self.coupled[c].residual].jets.len();
            for (q, slope) in gradient[p..].iter_mut().enumerate() {
                let column = &response[1 + n_jets + q];
                *slope += (0..n).map(|i| share(i) * column[i]).sum::<f64>();
            }
        }
        Ok(total)
    }

    /// Σ_i share_i ∂r(x_i)/∂θ over some of the points of a constraint.
    fn pull(
        &mut self,
        c: usize,
        theta: &[f64],
        response: &[Vec<f64>],
        range: std::ops::Range<usize>,
        share: &dyn Fn(usize) -> f64,
        into: &mut [f64],
    ) -> Result<(), EngineError> {
        let (p, d) = (self.n_parameters(), self.system.known.dimension);
        let coupled = &self.coupled[c];
        let jets = &self.system.residuals[coupled.residual].jets;
        let streams = streams_of(jets);
        let carried = streams.carried(d).expect("axes of a problem exist");
        let (n, outputs) = (range.len(), self.system.problem.unknowns.len());
        let mut cotangents = vec![0.0; outputs * carried.len() * n];
        for ((u, axes), partial) in jets.iter().zip(&response[1..]) {
            let s = stream_of(axes, &streams, &carried);
            let to = &mut cotangents[(u * carried.len() + s) * n..][..n];
            for (to, i) in to.iter_mut().zip(range.clone()) {
                *to += share(i) * partial[i];
            }
        }
        let points = &coupled.points[range.start * d..range.end * d];
        self.evaluator
            .pullback(&theta[..p], points, &streams, &cotangents, into)
    }
}
