//! What comes out of a run: u = s y as a model, λ, and how sure either is.
//!
//! ```text
//! s = ±1 / √mean(y²)
//! ```

use super::RandomPaths;
use crate::domain::{Draw, Sampler};
use crate::engine::Streams;
use crate::model::{Model, Output, Parts, Region};
use crate::network::Network;
use crate::posed::Distance;
use crate::problem::Problem;
use crate::run::Outcome;
use crate::solve::as_model::made;
use crate::solve::eigen::bsde::loss::{Loss, sign};
use crate::solve::eigen::bsde::state::State;
use crate::solve::event::Event;
use crate::solve::figures::Evidence;
use crate::solve::solved::{Eigenpair, Solved};
use crate::solve::{Options, SolveError};

/// Points at which the answer is normalised.
const POINTS: usize = 1 << 14;

impl RandomPaths {
    /// What came out. The average of few batches is what the experiment has; the answer is normalised at many points.
    pub(super) fn told(mut self, outcome: Outcome) -> Result<Solved, SolveError> {
        let lattice = Draw::new(Sampler::Lattice, self.options.seed);
        let many = self.problem.domain.interior(POINTS, &lattice);
        let many = many.unwrap_or_else(|_| self.validation.clone());
        let y = values(&mut self.loss, &self.state, &many)?;
        let mean = y.iter().map(|y| y * y).sum::<f64>() / y.len() as f64;
        let s = scale(&y, mean);
        let lambdas = &self.state.lambdas;
        let tenths = lambdas.chunks(lambdas.len().div_ceil(10).max(1));
        let tenths = tenths.filter_map(<[f64]>::last);
        let on_the_way: Vec<String> = tenths.map(|l| format!("{l:.4}")).collect();
        let model = of_network(
            &self.problem,
            self.network,
            &self.state.theta,
            s,
            &self.options,
        )?;
        let mismatch = self.figures.mismatch.sqrt();
        let pair = Eigenpair {
            value: self.state.lambda(),
            error_estimate: self.state.spread().max(mismatch),
            multiplicity: 1,
            function_estimate: mismatch,
            residual: mismatch,
            model: model.clone(),
        };
        // the largest error is not looked at along random paths
        let likely = Distance {
            l2: mismatch,
            linf: f64::INFINITY,
        };
        let evidence = Evidence::of_residual(mismatch, likely);
        Ok(Solved {
            method: "bsde",
            outcome,
            points: self.setting.paths * self.setting.path_steps,
            events: vec![Event::note(
                "bsde",
                format!("λ on the way: {}", on_the_way.join(", ")),
            )],
            steps: Some(self.state.step),
            ..Solved::measured_up_to_sign(model, evidence, &self.problem, &self.options)?
        }
        .with_eigenvalues(vec![pair]))
    }
}

/// u = s y as a model.
fn of_network(
    problem: &Problem,
    network: Network,
    theta: &[f64],
    s: f64,
    options: &Options,
) -> Result<Model, SolveError> {
    let output = Output::new(&problem.unknowns[0]).with_scale(s);
    let parameters = theta[..network.n_parameters()].to_vec();
    let names = problem.coordinates.iter().map(String::as_str);
    let parts = Parts::new(names, vec![output], network, parameters)
        .with_region(Region::new(problem.domain.bounds().to_vec()));
    made(parts, options)
}

/// y at points.
pub(super) fn values(
    loss: &mut Loss,
    state: &State,
    points: &[f64],
) -> Result<Vec<f64>, SolveError> {
    let dimension = loss.y.objective().network.inputs().dimension;
    let mut y = vec![0.0; points.len() / dimension];
    let of_y = &state.theta[..loss.sizes[0]];
    loss.y.evaluate(of_y, points, &Streams::value(), &mut y)?;
    Ok(y)
}

/// s with the moving average, as on validation.
pub(super) fn scale(y: &[f64], average: f64) -> f64 {
    sign(y) / average.sqrt()
}
