//! `raf ntk --along RUN`: a trained run repeated, with its kernel and its error by frequency after 1, 2, 4, 8, … steps.
//!
//! A run is a function of its `config.toml`, so the parameters on the way are found by running it again. The error is split into waves
//! over the box around the domain; without an exact solution it is the difference to the end of the run.

mod report;

use super::asked::set;
use super::{Arguments, files, free_folder, refused};
use crate::choices::Choices;
use crate::interrupt;
use crate::output::{Failure, Report};
use crate::progress::ProgressLine;
use crate::run_folder::RunFolder;
use rafnet::Model;
use rafnet::domain::{Draw, Sampler};
use rafnet::ntk::{Mode, Settings, Spectrum, Tangent, Waves};
use rafnet::problem::Problem;
use rafnet::run::{Checkpoint, Watch};
use rafnet::solve::{Method, Options, Progress};
use serde_json::{Value, json};
use std::ops::ControlFlow;
use std::path::Path;

/// Points at which the error is split into waves.
const POINTS: usize = 4_096;
/// Periods across the domain unless told.
const PERIODS: usize = 8;

/// A state on the way.
struct Moment {
    step: u64,
    spectrum: Spectrum,
    /// Root mean square of the error.
    error: f64,
    by_frequency: Vec<f64>,
    rates: Vec<f64>,
}

pub(super) fn run(arguments: &Arguments, run: &Path, mode: Mode) -> Result<Report, Failure> {
    let config = run.join("config.toml");
    let problem = crate::solve::named(&config)?;
    let mut options = crate::solve::options(&problem, &Choices::default())?;
    if !matches!(options.method, Method::Adam | Method::Lbfgs | Method::Lm) {
        let message = format!("the run in `{}` has no steps to look at", run.display());
        let hint = "pass a run of `raf solve` with `--method adam`, `lbfgs` or `lm`";
        return Err(Failure::new(message, hint));
    }
    let model = Model::load(run.join("model.safetensors")).map_err(|e| {
        let hint = "pass `--along` with the folder of a run that has ended";
        Failure::new(e.to_string(), hint)
    })?;
    let waves = waves(&problem, arguments.fourier)?;
    let at = arguments.at.as_ref();
    let points = at
        .map(|path| files::points(&problem, "--at", path))
        .transpose()?;
    if let Some(threads) = &arguments.threads {
        set(&mut options, "threads", threads)?;
    }
    let mut looked = crate::threads::options();
    if let Some(points) = &arguments.points {
        set(&mut looked, "points", points)?;
    }
    let settings = Settings {
        points: looked.points.unwrap_or(100),
        seed: options.seed,
        threads: options.threads(),
        device: options.device,
        ..Settings::default()
    };
    let out = free_folder(&problem, arguments)?;
    interrupt::listen();
    let states = repeated(&problem, &mut options)?;
    let mut moments = Vec::new();
    let (seen, against) = errors(&problem, &model)?;
    for (step, theta) in &states {
        let model = with_parameters(&problem, &model, theta)?;
        let error = seen.of(&model)?;
        let tangent = Tangent::of_model(&problem, &settings, &model);
        let tangent = match &points {
            Some(points) => tangent.and_then(|t| t.at(points)),
            None => tangent,
        };
        let mut tangent = tangent.map_err(refused)?;
        moments.push(Moment {
            step: *step,
            spectrum: tangent.spectrum(mode).map_err(refused)?,
            error: (error.iter().map(|e| e * e).sum::<f64>() / error.len() as f64).sqrt(),
            by_frequency: waves.content(&seen.points, &error),
            rates: tangent.rates(&waves).map_err(refused)?,
        });
    }
    let folder = RunFolder::create(out, arguments.force, false)?;
    let picture = report::draw(&problem.name, &moments, &folder)?;
    Ok(Report {
        text: report::text(&problem.name, &moments, against, &picture),
        json: json!({
            "outcome": "done", "problem": problem.name, "run": run, "mode": mode.name(), "error_against": against,
            "periods": (0..waves.n_shells()).collect::<Vec<usize>>(), "along": moments.iter().map(report::object).collect::<Vec<Value>>(),
            "pictures": { "frequencies": picture }, "seed": options.seed, "device": options.device.name(), "precision": "f64",
            "version": env!("CARGO_PKG_VERSION"),
        }),
        status: 0,
    })
}

/// Up to the periods asked for, or up to eight where these are not too many.
fn waves(problem: &Problem, asked: Option<usize>) -> Result<Waves, Failure> {
    let bounds = problem.domain.bounds();
    if let Some(most) = asked {
        return Waves::new(bounds, most).map_err(refused);
    }
    let usual = (1..=PERIODS)
        .rev()
        .find_map(|most| Waves::new(bounds, most).ok());
    usual.map_or_else(|| Waves::new(bounds, 0).map_err(refused), Ok)
}

/// The parameters after 1, 2, 4, 8, … steps and at the end.
fn repeated(problem: &Problem, options: &mut Options) -> Result<Vec<(u64, Vec<f64>)>, Failure> {
    options.checkpoint = 0.0;
    let mut keeper = Keeper {
        line: ProgressLine::new(),
        states: Vec::new(),
        last: None,
    };
    let hint = "run the folder's `config.toml` with `raf solve` to see whether it works";
    let solved = problem.solve_from(options, None, &mut keeper);
    keeper.line.clear();
    solved.map_err(|e| Failure::new(e.to_string(), hint))?;
    let Keeper {
        mut states, last, ..
    } = keeper;
    states.extend(last.filter(|l| states.iter().all(|s| s.0 != l.0)));
    if states.is_empty() {
        return Err(Failure::new("the run took no steps", hint));
    }
    Ok(states)
}

struct Keeper {
    line: ProgressLine,
    states: Vec<(u64, Vec<f64>)>,
    last: Option<(u64, Vec<f64>)>,
}

impl Watch for Keeper {
    fn progress(&mut self, p: &Progress) -> ControlFlow<()> {
        let done = p.steps.map(|n| p.step as f64 / n as f64);
        self.line.show(done, || format!("step {}", p.step));
        if interrupt::asked() {
            return p.stop();
        }
        p.go_on()
    }

    fn checkpoint(&mut self, checkpoint: &Checkpoint) {
        let Some(theta) = checkpoint.get("theta") else {
            return;
        };
        let state = (checkpoint.step, theta.to_vec());
        if checkpoint.step.is_power_of_two() && self.states.iter().all(|s| s.0 != state.0) {
            self.states.push(state.clone());
        }
        self.last = Some(state);
    }
}

fn with_parameters(problem: &Problem, model: &Model, theta: &[f64]) -> Result<Model, Failure> {
    let mut parts = model.parts().clone();
    let n = parts.parameters.len();
    let hint = "the model and the `config.toml` in the folder are of different runs; run it again";
    if theta.len() != n + problem.sought.len() {
        let message = format!("the run has {} parameters, its model {n}", theta.len());
        return Err(Failure::new(message, hint));
    }
    parts.parameters = theta[..n].to_vec();
    for (sought, value) in problem.sought.iter().zip(&theta[n..]) {
        parts = parts.with_constant(&sought.name, *value);
    }
    Model::new(parts).map_err(|e| Failure::new(e.to_string(), hint))
}

/// Where the error of the first unknown is looked at, and what it is taken from.
struct Seen {
    points: Vec<f64>,
    truth: Vec<f64>,
}

fn errors(problem: &Problem, end: &Model) -> Result<(Seen, &'static str), Failure> {
    let few = problem.coordinates.len() <= 20;
    let sampler = if few { Sampler::Sobol } else { Sampler::Random };
    let points = problem.domain.interior(POINTS, &Draw::new(sampler, 0));
    let points = points.map_err(|e| Failure::new(e.to_string(), super::HINT))?;
    let (truth, against) = match &problem.exact[0] {
        Some(exact) => {
            let rows = points.chunks_exact(problem.coordinates.len());
            (rows.map(|x| exact.at(x)).collect(), "exact solution")
        }
        None => (first_unknown(end, &points)?, "end of the run"),
    };
    Ok((Seen { points, truth }, against))
}

impl Seen {
    fn of(&self, model: &Model) -> Result<Vec<f64>, Failure> {
        let values = first_unknown(model, &self.points)?;
        Ok(values.iter().zip(&self.truth).map(|(u, v)| u - v).collect())
    }
}

fn first_unknown(model: &Model, points: &[f64]) -> Result<Vec<f64>, Failure> {
    let values = model.eval(points);
    let values =
        values.map_err(|e| Failure::new(e.to_string(), "check the model with `raf eval`"))?;
    Ok(values.into_iter().step_by(model.n_outputs()).collect())
}
