//! Several runs on one page: a table of their figures, their maps or pictures under a divider, their curves together.

use crate::array;
use crate::outline::{FINE, Plane};
use crate::page::{Page, Section, Tone, Verdict};
use crate::run::{Kind, Run};
use crate::signal::Fitted;
use crate::solution::{Solved, View};
use crate::{ReportError, signal, solution};
use rafnet::expr::{larger, smaller};
use rafnet::fit::Signal;
use rafnet::model::Model;
use rafnet::problem::Problem;
use serde_json::{Value, json};

/// Runs whose maps are held on one page.
const MAPPED: usize = 8;
/// Numbers of all maps together: with all their digits, for runs may differ in the last ones alone.
const NUMBERS: usize = 300_000;
/// The longest side of a picture.
const SIDE: usize = 256;

/// The columns of the table: key, head, of which kind of run.
const COLUMNS: [(&str, &str, Kind); 11] = [
    ("error_estimate", "error estimate", Kind::Solve),
    ("relative_l2", "true error", Kind::Solve),
    ("residual", "held-out residual", Kind::Solve),
    ("eigenvalue", "eigenvalue", Kind::Solve),
    ("psnr", "dB", Kind::Fit),
    ("psnr_heldout", "dB between", Kind::Fit),
    ("ssim", "SSIM", Kind::Fit),
    ("mse", "mean square", Kind::Fit),
    ("parameters", "parameters", Kind::Solve),
    ("steps", "steps", Kind::Solve),
    ("seconds", "seconds", Kind::Solve),
];

/// The page of several runs.
pub(crate) fn page(runs: &[Run]) -> Result<Page, ReportError> {
    if runs.len() < 2 {
        return Err(ReportError::Several("there is only one".into()));
    }
    let kind = runs[0].kind();
    if kind == Kind::Model || runs.iter().any(|r| r.kind() != kind) {
        return Err(ReportError::Several(
            "solved problems are compared with solved problems, fits with fits".into(),
        ));
    }
    let mut sections = vec![table(runs)];
    sections.extend(match kind {
        Kind::Solve => maps(runs)?,
        _ => pictures(runs)?,
    });
    sections.extend(curves(runs));
    sections.extend(commands(runs));
    Ok(Page {
        title: format!("{} runs compared", runs.len()),
        about: runs.iter().map(Run::label).collect::<Vec<_>>().join(", "),
        verdict: verdict(runs, kind),
        sections,
    })
}

/// Which run is the best, and by what.
fn verdict(runs: &[Run], kind: Kind) -> Verdict {
    let exact = runs.iter().all(|r| r.figure("relative_l2").is_some());
    let (key, of, sign) = match kind {
        Kind::Solve if exact => ("relative_l2", "the smallest error", 1.0),
        Kind::Solve => ("error_estimate", "the smallest error estimate", 1.0),
        _ if runs.iter().all(|r| r.figure("psnr_heldout").is_some()) => (
            "psnr_heldout",
            "the highest quality between the samples",
            -1.0,
        ),
        _ if runs.iter().any(|r| r.figure("psnr").is_some()) => {
            ("psnr", "the highest quality", -1.0)
        }
        _ => ("mse", "the smallest error", 1.0),
    };
    let known = runs.iter().filter_map(|r| Some((r, r.figure(key)?)));
    let mut known: Vec<(&Run, f64)> = known.collect();
    known.sort_by(|a, b| (sign * a.1).total_cmp(&(sign * b.1)));
    let number = |v: f64| {
        if sign < 0.0 {
            format!("{v:.2} dB")
        } else {
            format!("{v:.1e}")
        }
    };
    let (Some(best), Some(last)) = (known.first(), known.last()) else {
        return Verdict::new(Tone::Poor, "None of these runs has a result to compare.");
    };
    let tone = match kind {
        Kind::Solve => solution::tone(&best.0.result),
        _ => signal::tone(&best.0.result),
    };
    let mut verdict = Verdict::new(
        tone,
        format!("{} has {of}: {}.", best.0.label(), number(best.1)),
    );
    if known.len() > 1 {
        verdict.sentences.push(format!(
            "The other end is {} with {}.",
            last.0.label(),
            number(last.1)
        ));
    }
    let without = runs.len() - known.len();
    if without > 0 {
        verdict.sentences.push(format!(
            "{without} of {} runs have no such figure.",
            runs.len()
        ));
    }
    verdict
}

fn table(runs: &[Run]) -> Section {
    let shown: Vec<_> = COLUMNS
        .iter()
        .filter(|(key, _, _)| runs.iter().any(|r| r.figure(key).is_some()))
        .collect();
    let rows = runs.iter().enumerate().map(|(k, run)| {
        let own = [json!(run.label()), json!(run.result["outcome"])];
        let figures = shown.iter().map(|(key, ..)| match run.figure(key) {
            Some(value) => {
                let text = match *key {
                    "psnr" | "psnr_heldout" => format!("{value:.2}"),
                    "ssim" => format!("{value:.4}"),
                    "seconds" => format!("{value:.1}"),
                    "steps" | "parameters" => format!("{value:.0}"),
                    "eigenvalue" => format!("{value:.9}"),
                    _ => format!("{value:.1e}"),
                };
                json!({ "text": text, "value": value, "key": format!("{k}.{key}") })
            }
            None => Value::Null,
        });
        own.into_iter().chain(figures).collect::<Vec<_>>()
    });
    let mut head = vec!["run", "outcome"];
    head.extend(shown.iter().map(|(_, name, _)| *name));
    let data = json!({ "head": head, "rows": rows.collect::<Vec<_>>(), "sortable": true });
    Section::new("table", "The runs", "Click on a head to sort.", data)
}

/// The first unknown of every run on one grid.
fn maps(runs: &[Run]) -> Result<Vec<Section>, ReportError> {
    let mut solved: Vec<(String, Solved)> = Vec::new();
    for run in runs
        .iter()
        .filter(|r| r.model_file().is_file())
        .take(MAPPED)
    {
        solved.push((run.label(), Solved::read(run)?));
    }
    let Some((_, first)) = solved.first() else {
        return Ok(Vec::new());
    };
    let problem = first.problem.clone();
    solved.retain(|(_, s)| {
        s.problem.coordinates == problem.coordinates && s.problem.unknowns == problem.unknowns
    });
    let models: Vec<(&str, &Model)> = solved
        .iter()
        .map(|(name, s)| (name.as_str(), &s.model))
        .collect();
    if models.len() < 2 {
        return Ok(Vec::new());
    }
    Ok(if problem.coordinates.len() == 1 {
        lines(&problem, &models)
    } else {
        map(&problem, &models)
    })
}

fn lines(problem: &Problem, models: &[(&str, &Model)]) -> Vec<Section> {
    const POINTS: usize = 401;
    let [low, high] = problem.domain.bounds()[0];
    let x: Vec<f64> = (0..POINTS)
        .map(|k| low + (high - low) * k as f64 / (POINTS - 1) as f64)
        .collect();
    let mut series = Vec::new();
    for (name, model) in models {
        let Ok(values) = model.eval(&x) else { continue };
        for (u, unknown) in problem.unknowns.iter().enumerate() {
            let y: Vec<f64> = values
                .iter()
                .skip(u)
                .step_by(model.n_outputs())
                .copied()
                .collect();
            series.push(json!({ "name": format!("{unknown}, {name}"), "x": array::f64(&x), "y": array::f64(&y), "points": false }));
        }
    }
    let data = json!({
        "x": { "label": problem.coordinates[0], "log": false }, "y": { "label": problem.unknowns.join(", "), "log": false }, "series": series,
    });
    vec![Section::new("plot", "The solutions", "", data)]
}

fn map(problem: &Problem, models: &[(&str, &Model)]) -> Vec<Section> {
    let Some(view) = View::of(&problem.domain, problem.time).into_iter().next() else {
        return Vec::new();
    };
    let frames = view.n_frames();
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a small positive number"
    )]
    let side = ((NUMBERS as f64 / (frames * models.len()) as f64).sqrt() as usize).clamp(33, 129);
    let bounds = problem.domain.bounds();
    let points: Vec<f64> = (0..frames)
        .flat_map(|f| view.points(bounds, [side, side], f))
        .collect();
    let inside: Vec<bool> = points
        .chunks(bounds.len())
        .map(|x| problem.domain.contains(x))
        .collect();
    let (mut low, mut high, mut shown) = (f64::INFINITY, f64::NEG_INFINITY, Vec::new());
    for (name, model) in models {
        let Ok(values) = model.eval(&points) else {
            continue;
        };
        let values: Vec<f64> = values.iter().step_by(model.n_outputs()).copied().collect();
        for (v, _) in values
            .iter()
            .zip(&inside)
            .filter(|(v, inside)| **inside && v.is_finite())
        {
            (low, high) = (smaller(low, *v), larger(high, *v));
        }
        shown.push(json!({ "name": name, "values": array::f64(&values) }));
    }
    let axis = |k: usize| json!({ "name": problem.coordinates[k], "range": bounds[k], "time": Some(k) == problem.time });
    let slider = view.frames.as_ref().map(|(k, values)| {
        json!({ "name": problem.coordinates[*k], "values": values, "time": Some(*k) == problem.time })
    });
    let plane = Plane {
        domain: &problem.domain,
        axes: view.axes,
        at: &view.at,
        cells: FINE,
    };
    let outline: Vec<Value> = plane.outline().iter().map(|l| array::f32(l)).collect();
    let data = json!({
        "axes": view.axes.map(axis), "size": [side, side], "frames": slider, "low": low, "high": high, "runs": shown,
        "outlines": [outline], "unknown": problem.unknowns[0],
    });
    let text = "Two runs under a divider that can be drawn aside (or moved by the arrow keys), beside them their difference.";
    vec![Section::new("swipe", "Two runs side by side", text, data)]
}

/// The fits of pictures, and what they were fitted to.
fn pictures(runs: &[Run]) -> Result<Vec<Section>, ReportError> {
    let mut shown: Vec<Value> = Vec::new();
    let mut size = None;
    for run in runs
        .iter()
        .filter(|r| r.model_file().is_file())
        .take(MAPPED)
    {
        let Ok(Fitted {
            signal: Signal::Image(image),
            model,
            ..
        }) = Fitted::read(run)?
        else {
            continue;
        };
        let own = [image.width(), image.height(), image.channels().count()];
        if size.is_some_and(|size| size != own) {
            continue;
        }
        let picture = signal::small(&image, &model, SIDE);
        let Some((of, target, fit)) = picture else {
            continue;
        };
        if size.is_none() {
            shown.push(json!({ "name": "the picture", "bytes": target, "size": of }));
        }
        size = Some(own);
        shown.push(json!({ "name": run.label(), "bytes": fit, "size": of }));
    }
    let Some([_, _, channels]) = size.filter(|_| shown.len() > 2) else {
        return Ok(Vec::new());
    };
    let channels = if channels < 3 { 1 } else { 3 };
    let data = json!({ "pictures": shown, "channels": channels });
    let text = "Two pictures under a divider that can be drawn aside (or moved by the arrow keys).";
    Ok(vec![Section::new(
        "swipe",
        "Two fits side by side",
        text,
        data,
    )])
}

/// The best figure so far of every run, over seconds and steps.
fn curves(runs: &[Run]) -> Vec<Section> {
    let of = |key: &str| {
        runs.iter()
            .filter(|r| r.metrics.iter().filter(|m| m[key].is_number()).count() > 1)
            .count()
    };
    let choices = [
        ("relative_l2", "relative L2 error", true),
        ("best", "best held-out residual", true),
        ("psnr", "dB at the batch", false),
        ("loss", "loss", true),
    ];
    let chosen = choices.into_iter().find(|(key, ..)| of(key) == runs.len());
    let chosen = chosen.or_else(|| choices.into_iter().find(|(key, ..)| of(key) > 0));
    let Some((key, label, log)) = chosen else {
        return Vec::new();
    };
    let over = |along: &str, key_along: &str| {
        let series = runs.iter().filter_map(|run| {
            let points = run.metrics.iter().filter_map(|m| Some((m[key_along].as_f64()?, m[key].as_f64()?)));
            let (x, y): (Vec<f64>, Vec<f64>) = points.unzip();
            (x.len() > 1).then(|| json!({ "name": run.label(), "x": array::f64(&x), "y": array::f64(&y), "points": false }))
        });
        let data = json!({ "x": { "label": along, "log": false }, "y": { "label": label, "log": log }, "series": series.collect::<Vec<_>>() });
        Section::new("plot", format!("Over the {along}: {label}"), "", data)
    };
    vec![over("seconds", "seconds"), over("steps", "step")]
}

fn commands(runs: &[Run]) -> Option<Section> {
    let verb = match runs[0].kind() {
        Kind::Solve => "solve",
        Kind::Fit => "fit",
        Kind::Model => return None,
    };
    let repeat = runs.iter().map(|r| {
        let config = crate::words::quoted(&r.path.join("config.toml"));
        json!([r.label(), format!("raf {verb} {config}")])
    });
    let all: Vec<String> = runs.iter().map(|r| crate::words::quoted(&r.path)).collect();
    let page = json!(["this page again", format!("raf report {}", all.join(" "))]);
    let commands: Vec<Value> = repeat.chain([page]).collect();
    let data = json!({ "commands": commands, "config": "", "rows": [] });
    Some(Section::new("settings", "How to repeat it", "", data))
}
