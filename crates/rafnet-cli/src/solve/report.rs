//! The figures of a solved problem, for people and for programs.

use super::config::Target;
use crate::interrupt;
use crate::output::Report;
use rafnet::problem::Problem;
use rafnet::solve::{Found, Options, Outcome, SolveError, Solved};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::Path;

pub(super) fn report(
    problem: &Problem,
    solved: &Solved,
    seconds: f64,
    options: &Options,
    model: &Path,
    target: Target,
    saved: bool,
) -> Report {
    let worst = |by: &[Option<f64>]| by.iter().flatten().copied().reduce(f64::max);
    let l2 = worst(&solved.relative_l2_by);
    let linf = worst(&solved.relative_linf_by);
    let figure = |v: f64| format!("{v:.1e}");
    let mut text = format!(
        "{}: {} after {seconds:.1} s\n",
        problem.name,
        solved.outcome.name()
    );
    let mut line = |name: &str, value: String| {
        let _ = writeln!(text, "  {name:<18} {value}");
    };
    line("error estimate", figure(solved.error_estimate));
    if let Some(l2) = l2 {
        let note = "against the exact solution, which the solver never sees";
        line("relative L2", format!("{}   {note}", figure(l2)));
    }
    line(
        "held-out residual",
        format!("{}   of its own terms", figure(solved.residual)),
    );
    for found in &solved.found {
        line(
            &found.name,
            format!("{} ± {:.1e}", found.value, found.sigma),
        );
    }
    for report in &solved.reports {
        line(&report.name, rounded(report.value, report.error_estimate));
    }
    let size = solved.model.parts().network.n_parameters();
    line("method", format!("{}, {size} parameters", solved.method));
    for decision in &solved.decisions {
        line("", decision.clone());
    }
    line("model", model.display().to_string());
    if solved.outcome == Outcome::Stopped {
        let _ = writeln!(
            text,
            "\n{}",
            how_to_go_on(model.parent().unwrap_or(model), saved)
        );
    }
    let finite = |v: Option<f64>| v.filter(|v| v.is_finite());
    let [equation, boundary, initial, data] = solved.rms;
    let by_name = |of: fn(&Found) -> f64| -> serde_json::Map<String, Value> {
        let pairs = solved.found.iter().map(|f| (f.name.clone(), json!(of(f))));
        pairs.collect()
    };
    let missed = target == Target::Asked && solved.outcome != Outcome::TargetReached;
    let status = match solved.outcome {
        Outcome::Stopped => interrupt::status(),
        Outcome::Diverged => 1,
        _ => u8::from(missed),
    };
    let reports = solved.reports.iter();
    let reports = reports.map(|r| json!({ "name": r.name, "value": finite(Some(r.value)), "error_estimate": finite(Some(r.error_estimate)) }));
    let reports: Vec<Value> = reports.collect();
    let json = json!({
        "outcome": solved.outcome.name(), "relative_l2": finite(l2), "relative_linf": finite(linf), "relative_l2_by": solved.relative_l2_by,
        "residual_rms": finite(equation), "boundary_rms": finite(boundary), "initial_rms": finite(initial), "data_rms": finite(data),
        "error_estimate": finite(Some(solved.error_estimate)), "residual": finite(Some(solved.residual)),
        "seconds": seconds, "method": solved.method, "parameters": size, "points": solved.points, "eigenvalue": null,
        "found": by_name(|f| f.value), "found_sigma": by_name(|f| f.sigma), "reports": reports, "steps": solved.steps,
        "best_relative_l2": solved.best_relative_l2, "best_moving_average": solved.best_moving_average,
        "model": model, "seed": options.seed, "device": options.device.name(), "precision": "f64",
        "version": env!("CARGO_PKG_VERSION"), "decisions": solved.decisions,
    });
    Report { text, json, status }
}

/// A number to the second digit of its error.
fn rounded(value: f64, error: f64) -> String {
    if !(error.is_finite() && error > 0.0 && value.is_finite()) {
        return format!("{value}");
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
