//! Methods that train every weight: [`adam`] as in the paper, [`lm`] and [`lbfgs`] far beyond it.
//!
//! [`setting`] resolves network, points and rates; [`Terms`] is the problem for the engine, one term for each set of points;
//! [`run`] is what the methods share: held-out looks, records, checkpoints, outcomes. [`tuning`] holds the numbers that
//! training was given.

mod adam;
mod answer;
mod lbfgs;
mod lm;
mod record;
mod rule;
mod run;
mod setting;
mod tuning;

#[cfg(test)]
pub(super) use lbfgs::{History, wolfe};
pub(super) use run::Trained;

use super::carried::around_start;
use super::watched::Pulse;
use super::{Method, Options, SolveError};
use crate::halt::Halt;
use crate::network::Network;
use crate::posed::{Terms, with_factors, with_waves};
use crate::problem::Problem;
use crate::run::{Checkpoint, Watch};
use run::Run;
use setting::Setting;
use std::time::Instant;

/// What a run starts from beside the options.
pub(super) enum Start {
    /// The setting's own network, freshly drawn.
    Fresh,
    /// The setting's own network with a narrower one inside that was trained for so many steps: the same function.
    Grown(Network, Vec<f64>, u64),
}

/// How many numbers a method trains.
pub(super) fn n_unknowns(problem: &Problem, options: &Options) -> Result<usize, SolveError> {
    let setting = Setting::new(&with_waves(problem), options)?;
    Ok(setting.network.n_parameters() + problem.sought.len())
}

/// Makes a network zero that has learnt nothing: every layer but the last stays as it was drawn.
fn silence(network: &Network, theta: &mut [f64]) {
    if let Some(last) = network.layout().layers.last() {
        theta[last.weight..].fill(0.0);
    }
}

/// Trains by one method.
pub(super) fn solve(
    problem: &Problem,
    options: &Options,
    method: Method,
    start: Start,
    checkpoint: Option<&Checkpoint>,
    started: Instant,
    watch: &mut dyn Watch,
) -> Result<Trained, SolveError> {
    let options = &Options {
        method,
        ..options.clone()
    };
    let held = with_waves(&with_factors(problem));
    let around = around_start(&held);
    let mut setting = Setting::new(&held, options)?;
    let mut theta = setting.network.init::<f64>(setting.init);
    if around.is_some() {
        silence(&setting.network, &mut theta);
    }
    let held = around.unwrap_or(held);
    let grown = matches!(start, Start::Grown(..));
    if let Start::Grown(narrower, trained, steps) = start {
        let (weights, sought) = trained.split_at(narrower.n_parameters());
        narrower.grow(weights, &setting.network, &mut theta);
        theta.extend(sought);
        setting.warm_up = steps;
    }
    let terms = Terms::new(held, &setting.network, options.device, options.threads())?;
    if theta.len() < terms.n_unknowns() {
        theta.extend(problem.sought.iter().map(|s| s.start));
    }
    terms.close(&mut theta);
    let halt = &Halt::default();
    let pulse = Pulse::new(watch, halt, started, options.time_limit);
    let run = Run::new(terms, setting, options, method, started, pulse)?;
    match method {
        Method::Adam => adam::run(run, theta, checkpoint),
        Method::Lbfgs => lbfgs::run(run, theta, checkpoint),
        _ => lm::run(run, theta, grown, checkpoint),
    }
}
