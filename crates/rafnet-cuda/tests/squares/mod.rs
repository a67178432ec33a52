//! Gauss–Newton steps of a device against those of the singular values, on the rows that the processor's engine makes.

use super::works::{Failure, POISSON, equation};
use faer::linalg::solvers::Svd;
use faer::{Mat, MatRef};
use rafnet_engine::engine::{Cloud, Device, ExprResidual, Objective, Term};
use rafnet_engine::expr::{Scope, parse};
use std::sync::Arc;

/// An equation at some points and means over groups of points, with a parameter on which nothing depends.
pub(crate) struct Problem {
    objective: Objective<f64>,
    parameters: Vec<f64>,
    start: Vec<f64>,
    clouds: Vec<Cloud<f64>>,
    weights: [f64; 2],
    closed: Vec<usize>,
    /// Points of a mean.
    group: usize,
}

/// Numbers without pattern between 0 and 1.
fn numbers(n: usize, step: f64) -> Vec<f64> {
    (0..n).map(|k| (k as f64 * step + 0.1).fract()).collect()
}

impl Problem {
    pub(crate) fn new(width: usize, points: usize, means: usize) -> Result<Self, Failure> {
        let group = 25;
        let (mut objective, parameters) = equation(width, POISSON)?;
        let scope = Scope::new(["x", "y"]).unknowns(["u"]);
        let mean = ExprResidual::new(&[parse("u - u_x*y", &scope)?], 2, 1, 0);
        objective
            .terms
            .push(Term::new(Arc::new(mean)).summed(group));
        let of_means = Cloud {
            points: numbers(2 * means * group, 0.754_877_666),
            weights: numbers(means * group, 0.569_840_29),
            ..Cloud::default()
        };
        let of_points = Cloud {
            points: numbers(2 * points, 0.618_033_988_75),
            ..Cloud::default()
        };
        let start = numbers(parameters.len(), 0.324_717_957);
        Ok(Self {
            objective,
            start: start.iter().map(|v| 1e-2 * (v - 0.5)).collect(),
            clouds: vec![of_points, of_means],
            weights: [1.0, 0.3],
            closed: vec![3, parameters.len() / 2],
            parameters,
            group,
        })
    }

    /// Rows and residuals as the processor has them.
    fn rows(&self) -> Result<(Vec<f64>, Vec<f64>), Failure> {
        let mut engine = Device::CPU.engine(self.objective.clone(), 2)?;
        let (mut residuals, mut rows) = (Vec::new(), Vec::new());
        let width = self.parameters.len();
        for (k, cloud) in self.clouds.iter().enumerate() {
            let n = cloud.points.len() / 2 / [1, self.group][k];
            let (mut r, mut j) = (vec![0.0; n], vec![0.0; n * width]);
            engine.residuals_and_jacobian(&self.parameters, &cloud.of_term(k), &mut r, &mut j)?;
            for row in j.chunks_exact_mut(width) {
                self.closed.iter().for_each(|c| row[*c] = 0.0);
            }
            let scale = (self.weights[k] / n as f64).sqrt();
            residuals.extend(r.iter().map(|v| scale * v));
            rows.extend(j.iter().map(|v| scale * v));
        }
        Ok((residuals, rows))
    }

    /// The steps of a device are those that they should be, up to rounding times the condition of what is factorised: the Gram matrix's for
    /// Cholesky, its root for reflections.
    pub(crate) fn check(&self, device: Device) -> Result<(), Failure> {
        let (residual, rows) = self.rows()?;
        let (n, width) = (residual.len(), self.parameters.len());
        let j = MatRef::from_row_major_slice(&rows, n, width);
        let start = Mat::from_fn(width, 1, |i, _| self.start[i]);
        let r = Mat::from_fn(n, 1, |i, _| residual[i]);
        let ahead = &r + j * &start;
        let smaller = n.min(width);
        let mean = rows.iter().map(|v| v * v).sum::<f64>() / smaller as f64;
        let of = Svd::new_thin(j).map_err(|_| "no singular values")?;
        let s: Vec<f64> = (0..smaller).map(|i| of.S()[i]).collect();
        let along = of.U().transpose() * &ahead;
        let mut engine = device.engine(self.objective.clone(), 1)?;
        let squares = engine.squares(&self.clouds, &self.weights, &self.closed)?;
        let mut squares = squares.ok_or("the device leaves this to the host")?;
        let loss = squares.loss(&self.parameters)?;
        let expected: f64 = residual.iter().map(|v| v * v).sum();
        let off = (loss / expected - 1.0).abs();
        assert!(off < 1e-12, "the loss is {off:e} off");
        let dampings = [1.0, 1e-3, 1e-7, 1e-14, 1e-16];
        let steps = squares.steps(&self.parameters, &dampings, &self.start)?;
        for (damping, step) in dampings.into_iter().zip(steps) {
            let lambda = damping * mean;
            let inside = Mat::from_fn(smaller, 1, |i, _| {
                -along[(i, 0)] * s[i] / (s[i] * s[i] + lambda)
            });
            let best = of.V() * &inside;
            let step = step.ok_or("no step")?;
            let step = Mat::from_fn(width, 1, |i, _| step[i] - self.start[i]);
            // ‖J e‖² + λ‖e‖² is what the step is worse by than the best one
            let off = &step - &best;
            let worse = (j * &off).squared_norm_l2() + lambda * off.squared_norm_l2();
            let condition = (s[0] * s[0] + lambda) / lambda;
            let condition = if damping > 1e-13 {
                condition
            } else {
                condition.sqrt()
            };
            let rounding = 10.0 * ((n + width) as f64).sqrt() * f64::EPSILON * condition;
            let lost = (worse / ahead.squared_norm_l2()).sqrt();
            println!(
                "{n} × {width}, damping {damping:e}: {lost:.1e} of the residual, bound {rounding:.1e}"
            );
            assert!(lost < rounding, "{n} × {width}, damping {damping:e}");
            if damping >= 1e-3 {
                let off = off.norm_l2() / best.norm_l2();
                assert!(
                    off < rounding,
                    "{n} × {width}, damping {damping:e}: {off:e}"
                );
            }
        }
        Ok(())
    }
}
