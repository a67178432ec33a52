//! Several runs in one table and one picture.

use crate::interrupt;
use crate::output::{Failure, Report};
use crate::run_folder;
use crate::spread::Spread;
use rafnet_plot::{Curve, Plot, Scale, panels};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Runs that differ in nothing but their seed.
pub(super) struct Group {
    pub(super) label: String,
    pub(super) folders: Vec<PathBuf>,
    pub(super) results: Vec<Value>,
}

/// A group's label, its steps and seconds, and the least, the median and the greatest error there.
type Shown = (String, [Vec<f64>; 2], [Vec<f64>; 3]);

/// The error over the steps and over the seconds, for each group its median between its least and its greatest.
pub(super) fn draw(problem: &str, groups: &[Group], out: &Path) -> Result<(), Failure> {
    let of = |figure| {
        groups
            .iter()
            .flat_map(|g| &g.folders)
            .any(|folder| along(folder, figure).len() > 1)
    };
    let exact = of("relative_l2");
    let figure = if exact { "relative_l2" } else { "best" };
    let mut shown: Vec<Shown> = Vec::new();
    for group in groups {
        let curves: Vec<Vec<[f64; 3]>> = group
            .folders
            .iter()
            .map(|folder| along(folder, figure))
            .collect();
        let length = curves.iter().map(Vec::len).min().unwrap_or(0);
        if length < 2 {
            continue;
        }
        let over = |column: usize| {
            let at = |k: usize| Spread::of(curves.iter().map(|c| c[k][column]));
            Spread::curves(&(0..length).filter_map(at).collect::<Vec<_>>())
        };
        let [_, steps, _] = over(0);
        let [_, seconds, _] = over(1);
        shown.push((group.label.clone(), [steps, seconds], over(2)));
    }
    if shown.is_empty() {
        return Ok(());
    }
    let label = if exact {
        "relative L2 error"
    } else {
        "best held-out residual"
    };
    let by = |axis: usize| -> Vec<Curve<'_>> {
        shown
            .iter()
            .map(|(name, x, [low, median, high])| {
                Curve::new(name, &x[axis], median).with_band(low, high)
            })
            .collect()
    };
    let (steps, seconds) = (by(0), by(1));
    let plot = |curves, along| Plot {
        curves,
        title: problem,
        labels: [along, label],
        scales: [Scale::Linear, Scale::Logarithmic],
    };
    let plots = [plot(&steps[..], "step"), plot(&seconds[..], "seconds")];
    panels(&out.join("comparison.png"), "", 2, &plots).map_err(|e| {
        Failure::new(
            e.to_string(),
            "pass `--out` with a folder that can be written",
        )
    })
}

/// Step, seconds and figure of a run's records.
fn along(folder: &Path, figure: &str) -> Vec<[f64; 3]> {
    let steps = run_folder::curve(folder, |r| Some([r["step"].as_f64()?, r[figure].as_f64()?]));
    let seconds = run_folder::curve(folder, |r| {
        Some([r["seconds"].as_f64()?, r[figure].as_f64()?])
    });
    steps
        .iter()
        .zip(&seconds)
        .map(|(a, b)| [a[0], b[0], a[1]])
        .collect()
}

pub(super) fn report(groups: &[Group], out: &Path, complete: bool) -> Report {
    let widest = groups
        .iter()
        .map(|g| g.label.chars().count())
        .max()
        .unwrap_or(0)
        .max(10);
    let mut text = format!(
        "{:<widest$} {:>6} {:>26} {:>26} {:>8} {:>9}  ended\n",
        "", "seeds", "true error", "estimated error", "steps", "seconds"
    );
    for group in groups {
        let cell = |name: &str, digits: Option<usize>| {
            spread(group.results.iter().map(|r| &r[name]), digits)
        };
        let _ = writeln!(
            text,
            "{:<widest$} {:>6} {:>26} {:>26} {:>8} {:>9}  {}",
            group.label,
            group.results.len(),
            cell("relative_l2", None),
            cell("error_estimate", None),
            cell("steps", Some(0)),
            cell("seconds", Some(1)),
            ends(&group.results),
        );
    }
    text.push_str(&quantities(groups, widest));
    let picture = out.join("comparison.png");
    let picture = picture.is_file().then(|| picture.display().to_string());
    if let Some(picture) = &picture {
        let _ = writeln!(text, "\n{picture}");
    }
    if !complete {
        let _ = writeln!(
            text,
            "some runs are not finished; the same command makes them"
        );
    }
    let runs: Vec<Value> = groups
        .iter()
        .flat_map(|g| {
            g.results.iter().map(|r| {
                let mut run = r.clone();
                run["label"] = json!(g.label);
                run
            })
        })
        .collect();
    Report {
        text,
        json: json!({
            "outcome": if complete { "done" } else { "stopped" }, "runs": runs, "picture": picture,
            "version": env!("CARGO_PKG_VERSION"),
        }),
        status: if complete {
            u8::from(groups.iter().flat_map(|g| &g.results).any(missed))
        } else {
            interrupt::status()
        },
    }
}

/// Whether a run did not reach what it was to reach.
fn missed(result: &Value) -> bool {
    let outcome = result["outcome"].as_str().unwrap_or_default();
    ["stalled", "contradictory", "diverged"].contains(&outcome)
}

/// How runs ended: those that missed something first, each end once.
fn ends(results: &[Value]) -> String {
    let mut ends: Vec<&str> = Vec::new();
    let (bad, good): (Vec<&Value>, Vec<&Value>) = results.iter().partition(|r| missed(r));
    for end in bad
        .iter()
        .chain(&good)
        .filter_map(|r| r["outcome"].as_str())
    {
        if !ends.contains(&end) {
            ends.push(end);
        }
    }
    ends.join(", ")
}

/// A second table, of what runs report and of parameters that they found; empty where they have none.
fn quantities(groups: &[Group], widest: usize) -> String {
    let reported = |r: &Value| -> Vec<(String, Value)> {
        let reports = r["reports"].as_array().into_iter().flatten();
        let mut all: Vec<(String, Value)> = reports
            .filter_map(|q| Some((q["name"].as_str()?.to_owned(), q["value"].clone())))
            .collect();
        let found = r["found"].as_object().into_iter().flatten();
        all.extend(found.map(|(name, value)| (name.clone(), value.clone())));
        all
    };
    let mut names: Vec<String> = Vec::new();
    for (name, _) in groups.iter().flat_map(|g| &g.results).flat_map(reported) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let mut text = String::new();
    if names.is_empty() {
        return text;
    }
    let wide = |name: &String| name.chars().count().max(12);
    let _ = write!(text, "\n{:<widest$}", "");
    for name in &names {
        let _ = write!(text, "  {name:>0$}", wide(name));
    }
    for group in groups {
        let _ = write!(text, "\n{:<widest$}", group.label);
        for name in &names {
            let values = group.results.iter().flat_map(reported);
            let values: Vec<Value> = values.filter(|(n, _)| n == name).map(|(_, v)| v).collect();
            let cell = match Spread::of(values.iter().filter_map(Value::as_f64)) {
                Some(s) => format!("{:.5e}", s.median),
                None => "-".into(),
            };
            let _ = write!(text, "  {cell:>0$}", wide(name));
        }
    }
    text.push('\n');
    text
}

/// The median of a figure, and its range where there are several.
fn spread<'a>(values: impl Iterator<Item = &'a Value>, digits: Option<usize>) -> String {
    let write = |v: f64| match digits {
        Some(digits) => format!("{v:.digits$}"),
        None => format!("{v:.1e}"),
    };
    let Some(s) = Spread::of(values.filter_map(Value::as_f64)) else {
        return "-".into();
    };
    let median = write(s.median);
    if s.least < s.greatest && digits.is_none() {
        return format!("{median} ({} to {})", write(s.least), write(s.greatest));
    }
    median
}
