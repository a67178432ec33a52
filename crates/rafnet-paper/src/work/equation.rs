//! An equation solved by one of three tracks, with its error recorded at every step.
//!
//! ```text
//! parity    Adam on the paper's network, 10,000 fresh points a step, the error at every step on 10,000 others; eigenpairs along random
//!           paths, the error every 100 steps
//! trained   Levenberg–Marquardt on the same network
//! open      `auto`: whatever finds it, without the exact solution
//! ```
//!
//! Figures: `last` (mean of the last 100 steps), `best`, `moving_average` (the smallest mean over 100 steps),
//! `relative_l2` and `relative_linf` of the answer on 10,000 fresh points, `residual`, `error_estimate`, `eigenvalue`, `steps`, `step_seconds`: the median of all steps, which a pause does not change.

use crate::cell::Cell;
use crate::record::{Made, rounded};
use crate::state::State;
use crate::{Asked, PaperError, Track, Watch};
use rafnet::Problem;
use rafnet::expr::smaller;
use rafnet::run::{self, Checkpoint, Outcome};
use rafnet::solve::{Options, Progress};
use serde_json::{Value, json};
use std::ops::ControlFlow;

/// Where the equation comes from.
#[derive(Clone, Debug)]
pub(crate) enum Source {
    /// Compiled in.
    Builtin(&'static str),
    /// A problem file's name and text.
    Text(&'static str, String),
}

/// An equation and how it is solved.
#[derive(Clone, Debug)]
pub(crate) struct Equation {
    pub(crate) source: Source,
    pub(crate) track: Track,
    /// Options by the names of `raf solve`.
    pub(crate) options: Vec<(String, String)>,
    pub(crate) seed: u64,
    /// Steps of a trained method, and how many a full budget has.
    pub(crate) steps: Option<u64>,
    pub(crate) full_steps: Option<u64>,
}

/// Seconds between states that are kept.
const KEPT_EVERY: f64 = 30.0;
/// The window of the paper's moving average.
const WINDOW: usize = 100;

impl Equation {
    /// The paper's way, for so many of its steps.
    pub(crate) fn parity(
        source: Source,
        options: Vec<(String, String)>,
        seed: u64,
        [taken, full]: [u64; 2],
    ) -> Self {
        Self {
            track: Track::Parity,
            steps: Some(taken),
            full_steps: Some(full),
            ..Self::open(source, options, seed)
        }
    }

    /// By another optimiser, for so many of a full budget's steps.
    pub(crate) fn trained(
        source: Source,
        options: Vec<(String, String)>,
        seed: u64,
        steps: [u64; 2],
    ) -> Self {
        Self {
            track: Track::Trained,
            ..Self::parity(source, options, seed, steps)
        }
    }

    /// By anything.
    pub(crate) fn open(source: Source, options: Vec<(String, String)>, seed: u64) -> Self {
        Self {
            source,
            track: Track::Open,
            options,
            seed,
            steps: None,
            full_steps: None,
        }
    }

    pub(super) fn settings(&self) -> Value {
        let options = self.options.iter().map(|(k, v)| (k.clone(), json!(v)));
        let (name, text) = match &self.source {
            Source::Builtin(name) => (*name, Value::Null),
            Source::Text(name, text) => (*name, json!(text)),
        };
        json!({
            "problem": name, "text": text, "track": self.track.name(), "seed": self.seed, "steps": self.steps, "full_steps": self.full_steps,
            "options": options.collect::<serde_json::Map<_, _>>(),
        })
    }

    fn problem(&self) -> Result<Problem, PaperError> {
        let made = match &self.source {
            Source::Builtin(name) => Problem::builtin(name),
            Source::Text(name, text) => Problem::from_text(text, &format!("{name}.toml"), None),
        };
        made.map_err(|e| PaperError::run(e.message()))
    }

    fn solve_options(&self, problem: &Problem, asked: &Asked) -> Result<Options, PaperError> {
        let mut options = Options {
            file_is_read: true,
            seed: self.seed,
            steps: self.steps,
            device: asked.device,
            threads: asked.threads,
            time_limit: f64::INFINITY,
            checkpoint: KEPT_EVERY,
            ..Options::default()
        };
        let in_file = problem.options.iter();
        for (name, value) in in_file.chain(&self.options) {
            let set = options.set(name, value);
            set.map_err(|e| PaperError::run(e.to_string()))?;
        }
        Ok(options)
    }

    pub(super) fn perform(
        &self,
        asked: &Asked,
        state: &State,
        watch: &mut dyn Watch,
    ) -> Result<Made, PaperError> {
        let problem = self.problem()?;
        let options = self.solve_options(&problem, asked)?;
        let (checkpoint, errors) = state.resumed(|c| problem.accepts(&options, c).is_ok());
        let mut heard = Heard {
            watch,
            state,
            errors,
            times: Vec::new(),
            stopped: false,
        };
        let solved = problem.solve_from(&options, checkpoint.as_ref(), &mut heard);
        let Heard {
            errors,
            times,
            stopped,
            ..
        } = heard;
        if stopped {
            return Err(PaperError::Stopped);
        }
        state.clear();
        let mut made = Made::default();
        let solved = match solved {
            Ok(solved) => solved,
            Err(error) => {
                made.put("outcome", error.to_string());
                return Ok(made);
            }
        };
        if self.track == Track::Parity {
            put_errors(&mut made, &errors);
        }
        made.put("relative_l2", solved.relative_l2());
        made.put("relative_linf", solved.relative_linf());
        made.put("residual", solved.residual);
        made.put("error_estimate", solved.error_estimate);
        if let Some(first) = solved.eigenvalues.first() {
            made.put("eigenvalue", first.value);
        }
        made.put("method", solved.method);
        made.put("outcome", solved.outcome.name());
        made.put("parameters", solved.model.parts().network.n_parameters());
        made.put("diverged", solved.outcome == Outcome::Diverged);
        if let Some(steps) = solved.steps {
            made.put("steps", steps);
            made.put("step_seconds", median_step(&times).map(rounded));
        }
        Ok(made)
    }
}

/// Records the error of every step, and keeps the state of a run by steps.
struct Heard<'a> {
    watch: &'a mut dyn Watch,
    state: &'a State,
    errors: Vec<f64>,
    /// When each step ended.
    times: Vec<f64>,
    stopped: bool,
}

impl run::Watch for Heard<'_> {
    fn progress(&mut self, p: &Progress) -> ControlFlow<()> {
        // a method that looks now and then says its last look, but for the first steps after it was stopped
        let last = self.errors.last().copied();
        let error = p.error.or(last).filter(|e| e.is_finite());
        self.errors.push(error.unwrap_or(f64::NAN));
        self.times.push(p.seconds);
        let done = p.steps.map_or(0.0, |n| p.step as f64 / n as f64);
        self.stopped = !self.watch.going_on(done, &said(p));
        if self.stopped {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }

    fn checkpoint(&mut self, checkpoint: &Checkpoint) {
        // a method of several stages counts its steps anew in each: only one of a single stage is gone on with
        if self.errors.len() as u64 == checkpoint.step {
            self.state.save(checkpoint, &self.errors);
        }
    }
}

/// The figures of the error at every step; a step at which it was not measured is NaN.
fn put_errors(made: &mut Made, all: &[f64]) {
    made.put_curve("error", all);
    let errors: Vec<f64> = all.iter().copied().filter(|e| e.is_finite()).collect();
    if errors.is_empty() {
        return;
    }
    let window = WINDOW.min(errors.len());
    let means = errors
        .windows(window)
        .map(|w| w.iter().sum::<f64>() / window as f64);
    made.put("moving_average", means.reduce(smaller));
    made.put("best", errors.iter().copied().reduce(smaller));
    // a run that diverged ended without an error, however small those before were
    if all.last().is_some_and(|e| e.is_finite()) {
        let tail = &errors[errors.len() - window..];
        made.put("last", tail.iter().sum::<f64>() / window as f64);
    }
}

/// The median of what lies between times.
fn median_step(times: &[f64]) -> Option<f64> {
    let steps = times.windows(2).map(|t| t[1] - t[0]);
    Cell::from_values(steps.collect()).median()
}

fn said(p: &Progress) -> String {
    let error = p.error.filter(|e| e.is_finite());
    match (error, p.steps) {
        (Some(error), Some(_)) => format!("step {}, error {error:.2e}", p.step),
        (None, Some(_)) => format!("step {}, residual {:.2e}", p.step, p.best),
        _ => format!("residual {:.2e}", p.best),
    }
}

#[cfg(test)]
mod tests {
    use super::{Made, median_step, put_errors};

    /// The best of a run that diverged is that of its numbers; it has no last error, and without numbers no best.
    #[test]
    fn errors_that_are_no_numbers_are_never_the_best() {
        let figures = |errors: &[f64]| {
            let mut made = Made::default();
            put_errors(&mut made, errors);
            ["best", "moving_average", "last"]
                .map(|name| made.figures.get(name).and_then(|v| v.as_f64()))
        };
        assert_eq!(
            figures(&[0.5, 0.25]),
            [Some(0.25), Some(0.375), Some(0.375)]
        );
        assert_eq!(
            figures(&[0.5, 0.25, f64::NAN]),
            [Some(0.25), Some(0.375), None]
        );
        assert_eq!(figures(&[f64::NAN; 3]), [None; 3]);
    }

    #[test]
    fn a_pause_does_not_change_what_a_step_takes() {
        assert_eq!(median_step(&[0.0, 1.0, 2.0, 50.0, 51.0]), Some(1.0));
        assert_eq!(median_step(&[1.0]), None);
    }
}
