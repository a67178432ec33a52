//! What held-out points say of a state, and what is said of the best.

use super::Run;
use crate::expr::{larger, largest};
use crate::model::Model;
use crate::network::{Bias, Layer, Network};
use crate::posed::{Distance, Kind, rms};
use crate::problem::Problem;
use crate::run::Outcome;
use crate::solve::as_model::model;
use crate::solve::eigen::form::Unknown;
use crate::solve::eigen::single;
use crate::solve::eigen::tuning::{CAUTION, TRAINED_POINTS};
use crate::solve::figures::Evidence;
use crate::solve::solved::{Eigenpair, Solved};
use crate::solve::{Options, SolveError};
use std::f64::consts::LN_2;

/// What held-out points say of a state.
#[derive(Clone)]
pub(super) struct Look {
    pub(super) theta: Vec<f64>,
    pub(super) residual: f64,
    rms: [Option<f64>; 2],
    values: Vec<f64>,
}

impl Run<'_> {
    /// w at points.
    fn values(&mut self, theta: &[f64], points: &[f64]) -> Result<Vec<f64>, SolveError> {
        let mut w = vec![0.0; points.len() / self.terms.system.known.dimension];
        self.terms.values(theta, points, &mut w)?;
        Ok(w)
    }

    /// A state at held-out points.
    pub(super) fn look(&mut self, theta: &[f64]) -> Result<Look, SolveError> {
        let p = self.network.n_parameters();
        let d = self.terms.system.known.dimension;
        let lambda = theta[p];
        let inside = std::mem::take(&mut self.inside);
        let values = self.values(theta, &inside)?;
        self.inside = inside;
        let values = values.iter().map(|w| self.unknown.value(*w)).collect();
        let (mut residual, mut all) = (0.0, [None; 2]);
        for block in &self.held_out {
            let points: Vec<f64> = (0..block.sites.n * d)
                .map(|at| block.sites.coordinates[at % d][at / d])
                .collect();
            let jets = self.terms.jets(theta, block.residual, &points)?;
            let of = &self.terms.system.residuals[block.residual];
            let off = rms(&of.respond(block, &jets, &[lambda]).swap_remove(0));
            let (unit, place) = match of.kind {
                Kind::Equation => (self.unit + lambda.abs(), 0),
                _ => (1.0, 1),
            };
            residual = larger(residual, off / unit);
            all[place] = Some(larger(all[place].unwrap_or(0.0), off));
        }
        // and the mean square
        let lattice = std::mem::take(&mut self.lattice);
        let w = self.values(theta, &lattice)?;
        self.lattice = lattice;
        let squares = w.iter().map(|w| self.unknown.value(*w).powi(2));
        let mean = squares.sum::<f64>() / w.len() as f64;
        residual = larger(residual, (mean / self.eigen.mean_square - 1.0).abs());
        Ok(Look {
            theta: theta.to_vec(),
            residual: if residual.is_nan() {
                f64::INFINITY
            } else {
                residual
            },
            rms: all,
            values,
        })
    }

    pub(super) fn told(
        self,
        problem: &Problem,
        options: &Options,
        looks: &[Look],
        (steps, outcome): (u64, Outcome),
    ) -> Result<Solved, SolveError> {
        let (best, others) = looks.split_first().expect("the first look");
        let p = self.network.n_parameters();
        let lambda = best.theta[p];
        let share = |other: &Look| (best.residual / other.residual).min(1.0);
        let off = |of: &dyn Fn(&Look) -> f64| {
            let all = others.iter().map(|other| of(other) * share(other));
            CAUTION * largest(all.filter(|v| v.is_finite()))
        };
        let of_function = off(&|look| {
            let pairs = look.values.iter().zip(&best.values);
            let difference: Vec<f64> = pairs.map(|(a, b)| a - b).collect();
            rms(&difference) / rms(&best.values)
        });
        let scale = lambda.abs().max(1.0);
        let of_value = off(&|look| (look.theta[p] - lambda).abs());
        let parameters = best.theta[..p].to_vec();
        let model = match self.unknown {
            Unknown::Itself => model(
                &self.terms.system.problem,
                self.network,
                parameters,
                options,
            )?,
            Unknown::Logarithm => exponential(
                &self.terms.system.problem,
                &self.network,
                parameters,
                options,
            )?,
        };
        let pair = Eigenpair {
            value: lambda,
            error_estimate: larger(of_value, best.residual * scale),
            multiplicity: 1,
            function_estimate: larger(of_function, best.residual),
            residual: best.residual,
            model: model.clone(),
        };
        let likely = Distance {
            l2: pair.function_estimate,
            linf: f64::INFINITY,
        };
        let evidence = Evidence::of_residual(best.residual, likely);
        Ok(Solved {
            method: "lm",
            outcome,
            rms: [best.rms[0], best.rms[1], None, None],
            points: options.points.unwrap_or(TRAINED_POINTS),
            steps: Some(steps),
            ..Solved::measured_up_to_sign(model, evidence, problem, options)?
        }
        .with_eigenvalues(vec![pair]))
    }
}

/// e^w: the output's weights over ln 2, into one neuron 2^z.
fn exponential(
    problem: &Problem,
    network: &Network,
    mut parameters: Vec<f64>,
    options: &Options,
) -> Result<Model, SolveError> {
    let mut layers = network.layers().to_vec();
    let last = layers.len() - 1;
    let own = layers[last - 1].width + 1;
    let first = parameters.len() - own;
    parameters[first..].iter_mut().for_each(|w| *w /= LN_2);
    layers[last] = Layer::dense(single::exponential()?);
    layers.push(Layer::linear(1, Bias::No));
    parameters.push(1.0);
    let network = Network::new(*network.inputs(), layers)?;
    model(problem, network, parameters, options)
}
