//! The figures of a solved problem, for people and for programs.

use crate::interrupt;
use crate::output::Report;
use crate::run_folder::MODEL;
use rafnet::expr::larger;
use rafnet::problem::Problem;
use rafnet::run::Outcome;
use rafnet::solve::{Found, Options, POOR, SolveError, Solved};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::Path;

/// What a report says beside the figures.
pub(super) struct Told<'a> {
    pub(super) seconds: f64,
    pub(super) model: &'a Path,
    /// Whether there is a checkpoint.
    pub(super) saved: bool,
    /// Whether what the search tried is shown.
    pub(super) verbose: bool,
}

/// What a report is made of.
struct Reported<'a> {
    problem: &'a Problem,
    solved: &'a Solved,
    options: &'a Options,
    told: &'a Told<'a>,
    outcome: Outcome,
    /// The largest of all unknowns, where an exact solution is known.
    relative_l2: Option<f64>,
    advice: Option<String>,
}

pub(super) fn report(
    problem: &Problem,
    solved: &Solved,
    options: &Options,
    told: &Told<'_>,
) -> Report {
    let missed = options.target.is_some_and(|t| solved.residual > t);
    let outcome = solved.outcome;
    let poor = matches!(outcome, Outcome::Stalled | Outcome::Contradictory)
        || solved.error_estimate > POOR.max(2.0 * solved.estimate_by_noise);
    let reported = Reported {
        problem,
        solved,
        options,
        told,
        outcome,
        relative_l2: worst(&solved.relative_l2_by),
        advice: poor.then(|| advice(problem, solved)),
    };
    Report {
        text: reported.text(),
        json: reported.json(),
        status: match outcome {
            Outcome::Stopped => interrupt::status(),
            Outcome::Diverged | Outcome::Stalled | Outcome::Contradictory => 1,
            _ => u8::from(missed),
        },
    }
}

fn worst(by: &[Option<f64>]) -> Option<f64> {
    by.iter().flatten().copied().reduce(larger)
}

impl Reported<'_> {
    fn text(&self) -> String {
        let Self {
            solved, outcome, ..
        } = self;
        let mut text = format!(
            "{}: {} after {:.1} s\n",
            self.problem.name,
            outcome.name(),
            self.told.seconds
        );
        for (name, value) in self.lines() {
            let _ = writeln!(text, "  {name:<18} {value}");
        }
        for decision in solved.decisions.iter().filter(|_| self.told.verbose) {
            let _ = writeln!(text, "  {:<18} {decision}", "");
        }
        let model = self.told.model;
        let _ = writeln!(text, "  {:<18} {}", "model", model.display());
        if *outcome == Outcome::Stopped {
            let folder = model.parent().unwrap_or(model);
            let _ = writeln!(text, "\n{}", how_to_go_on(folder, self.told.saved));
        }
        text
    }

    /// Figures with their names.
    fn lines(&self) -> Vec<(String, String)> {
        let (solved, options) = (self.solved, self.options);
        let mut lines: Vec<(String, String)> = Vec::new();
        let mut line = |name: &str, value: String| lines.push((name.to_owned(), value));
        let figure = |v: f64| format!("{v:.1e}");
        for pair in &solved.eigenvalues {
            let several = match pair.multiplicity {
                1 => String::new(),
                n => format!("   one of {n} that are equal"),
            };
            let value = rounded(pair.value, pair.error_estimate);
            line("eigenvalue", format!("{value}{several}"));
        }
        let largest = Some(solved.linf_estimate).filter(|e| e.is_finite());
        let largest = largest.map_or_else(String::new, |e| {
            format!("   relative L2; the largest error {}", figure(e))
        });
        let estimate = if solved.error_estimate.is_finite() {
            format!("{}{largest}", figure(solved.error_estimate))
        } else {
            "none: nothing is known of the error".into()
        };
        line("error estimate", estimate);
        if let Some(l2) = self.relative_l2 {
            let note = if solved.others.is_empty() {
                "against the exact solution, which the solver never sees"
            } else {
                "against the exact solution, which the solver never sees and which may be another of those below"
            };
            line("relative L2", format!("{}   {note}", figure(l2)));
        }
        let residual = if solved.residual.is_finite() {
            format!("{}   of its terms", figure(solved.residual))
        } else {
            "none: it is no number at some points".into()
        };
        line("held-out residual", residual);
        for feature in &solved.features {
            line("narrow", feature.sentence.clone());
        }
        if self.told.verbose && !solved.excluded {
            let note = "the texts may have further narrow features: a search through them could not exclude it";
            line("narrow", note.into());
        }
        if let Some(advice) = &self.advice {
            line("what would help", advice.clone());
        }
        for found in &solved.found {
            let note = if found.sigma.is_finite() {
                "   one standard error"
            } else {
                ""
            };
            let value = rounded(found.value, found.sigma);
            line(&found.name, format!("{value}{note}"));
        }
        if let Some((chi_squared, n)) = solved.chi_squared {
            let note = "   about as many where `sigma` is right and the equations hold";
            line(
                "chi squared",
                format!("{chi_squared:.1} of {n} observations{note}"),
            );
        }
        for report in &solved.reports {
            line(&report.name, rounded(report.value, report.error_estimate));
        }
        if !solved.others.is_empty() {
            let files = (1..=solved.others.len()).map(model_file);
            let files = files.collect::<Vec<_>>().join(", ");
            let note = "different ones were seen, and `[guess]` says near which one is sought";
            line(
                "solutions",
                format!("{} {note}; the others: {files}", 1 + solved.others.len()),
            );
        }
        let size = solved.model.parts().parameters.len();
        line("method", format!("{}, {size} parameters", solved.method));
        if solved.method == "lsq" && !options.activation.is_empty() {
            let note = "frozen functions have no activation to choose; `--method lm` trains a network with it";
            line("activation", note.into());
        }
        if solved.method != "lsq" && options.activation.len() > 1 {
            let names: Vec<&str> = options.activation.iter().map(|set| set.name()).collect();
            line("activation", format!("one a layer: {}", names.join(", ")));
        }
        lines
    }

    fn json(&self) -> Value {
        let (solved, options, told) = (self.solved, self.options, self.told);
        let finite = |v: Option<f64>| v.filter(|v| v.is_finite());
        let [equation, boundary, initial, data] = solved.rms;
        let by_name = |of: fn(&Found) -> f64| -> serde_json::Map<String, Value> {
            let pairs = solved.found.iter().map(|f| (f.name.clone(), json!(of(f))));
            pairs.collect()
        };
        let reports = solved.reports.iter();
        let reports = reports.map(|r| json!({ "name": r.name, "value": finite(Some(r.value)), "error_estimate": finite(Some(r.error_estimate)) }));
        let reports: Vec<Value> = reports.collect();
        let eigenvalues = solved.eigenvalues.iter().enumerate().map(|(k, p)| {
            json!({ "value": p.value, "error_estimate": finite(Some(p.error_estimate)), "multiplicity": p.multiplicity,
                "function_estimate": finite(Some(p.function_estimate)), "residual": finite(Some(p.residual)),
                "model": told.model.with_file_name(mode_file(k)) })
        });
        let eigenvalues: Vec<Value> = eigenvalues.collect();
        let features = solved.features.iter().map(|f| {
            let narrowest = f.width.iter().flatten().copied().reduce(rafnet::expr::smaller);
            json!({ "text": f.text, "at": f.at, "width": narrowest, "widths": f.width, "sentence": f.sentence })
        });
        let features: Vec<Value> = features.collect();
        let others = (1..=solved.others.len()).map(|k| told.model.with_file_name(model_file(k)));
        let others: Vec<_> = others.collect();
        let solutions = solved.eigenvalues.is_empty().then(|| solved.solutions());
        let place = solved.worst.as_ref();
        let place = place.map(|place| json!({ "what": place.what, "point": place.point }));
        json!({
            "outcome": self.outcome.name(), "message": self.advice, "worst": place,
            "relative_l2": finite(self.relative_l2), "relative_linf": finite(worst(&solved.relative_linf_by)), "relative_l2_by": solved.relative_l2_by,
            "residual_rms": finite(equation), "boundary_rms": finite(boundary), "initial_rms": finite(initial), "data_rms": finite(data),
            "error_estimate": finite(Some(solved.error_estimate)), "linf_estimate": finite(Some(solved.linf_estimate)), "residual": finite(Some(solved.residual)),
            "seconds": told.seconds, "method": solved.method, "parameters": solved.model.parts().parameters.len(), "points": solved.points,
            "eigenvalue": solved.eigenvalues.first().map(|p| p.value), "eigenvalues": eigenvalues,
            "chi_squared": solved.chi_squared.map(|c| c.0), "observations": solved.chi_squared.map(|c| c.1),
            "found": by_name(|f| f.value), "found_sigma": by_name(|f| f.sigma), "reports": reports, "steps": solved.steps,
            "features": features, "excluded": solved.excluded,
            "best_relative_l2": solved.best_relative_l2, "best_moving_average": solved.best_moving_average,
            "solutions": solutions, "other_models": others, "model": told.model, "seed": options.seed, "device": options.device.name(), "precision": "f64",
            "version": env!("CARGO_PKG_VERSION"), "decisions": solved.decisions,
        })
    }
}

/// The file of an eigenfunction, from 0: the first is the run's model.
pub(super) fn mode_file(k: usize) -> String {
    match k {
        0 => MODEL.to_owned(),
        _ => format!("mode-{}.safetensors", k + 1),
    }
}

/// The file of a solution, from 0: the first is the run's model.
pub(super) fn model_file(k: usize) -> String {
    match k {
        0 => MODEL.to_owned(),
        _ => format!("model-{}.safetensors", k + 1),
    }
}

/// A number to the second digit of its error.
fn rounded(value: f64, error: f64) -> String {
    if !(error.is_finite() && error > 0.0 && value.is_finite()) {
        return format!("{value}   (no error known)");
    }
    let digits = (1.0 - error.log10().floor()).clamp(0.0, 17.0);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "clamped"
    )]
    let digits = digits as usize;
    format!("{value:.digits$} ± {error:.1e}")
}

/// Where an answer is worst, and what may help there.
fn advice(problem: &Problem, solved: &Solved) -> String {
    if let Some(remark) = &solved.remark {
        return remark.clone();
    }
    let hint = match solved.steps {
        Some(_) if solved.expired => "give it more `--steps` or more `--time-limit`",
        None if solved.expired => "give it more `--time-limit`",
        _ if solved.method == "lsq" && !problem.data.is_empty() => {
            "check the observations and their `sigma` against the equation"
        }
        _ => {
            "name what is steep or singular there under `[features]`, or start nearer with `[guess]`"
        }
    };
    let Some(place) = &solved.worst else {
        return hint.to_owned();
    };
    let coordinates = problem.coordinates.iter().zip(&place.point).take(6);
    let at: Vec<String> = coordinates
        .map(|(name, x)| format!("{name} = {x:.3}"))
        .collect();
    let what = &place.what;
    format!("worst is {what} near {}; {hint}", at.join(", "))
}

/// What `--resume` would do: a search over frozen features is made again from its beginning, training goes on.
fn how_to_go_on(folder: &Path, saved: bool) -> String {
    let command = format!("`raf solve --resume {}`", folder.display());
    if saved {
        format!("stopped; {command} goes on with the training exactly where it stopped")
    } else {
        format!(
            "stopped; {command} makes the search again from its beginning, to the answer of an unbroken run"
        )
    }
}

/// What is said when there is no solution to save.
pub(super) fn without_solution(
    error: &SolveError,
    options: &Options,
    folder: &Path,
    saved: bool,
) -> Report {
    let stopped = matches!(error, SolveError::Stopped { .. });
    let (outcome, status) = match error {
        SolveError::Stopped { .. } => (Outcome::Stopped, interrupt::status()),
        SolveError::NoTime { .. } => (Outcome::BudgetSpent, 1),
        _ => (Outcome::Diverged, 1),
    };
    Report {
        text: if stopped {
            format!("{error}\n\n{}\n", how_to_go_on(folder, saved))
        } else {
            format!("{error}\n")
        },
        json: json!({ "outcome": outcome.name(), "message": error.to_string(), "seed": options.seed,
            "device": options.device.name(), "precision": "f64", "version": env!("CARGO_PKG_VERSION") }),
        status,
    }
}
