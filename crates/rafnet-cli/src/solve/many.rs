//! Several runs of one problem: activations × values of parameters × seeds, a folder each, one table and one picture of all.
//!
//! A run that finished is not repeated when the command is; a folder that holds another run is refused unless `--force` replaces it.

use super::parameter::{Sweep, choices};
use super::{Arguments, one, read};
use crate::interrupt;
use crate::output::{Failure, Report, said_only, say};
use crate::run_folder::{self, RESULT, RunFolder, unwritable};
use rafnet_plot::{Curve, Plot, Scale, panels};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// What a run was asked, so that a repeated command knows it again.
const ASKED: &str = "asked.txt";
/// Activations are those of a trained network.
const TRAINED: &str = "lm";

/// Runs that differ in nothing but their seed.
struct Group {
    label: String,
    folders: Vec<PathBuf>,
    results: Vec<Value>,
}

pub(super) fn run(arguments: &Arguments, sweeps: &[Sweep]) -> Result<Report, Failure> {
    let problem = arguments.problem.clone().unwrap_or_default();
    let (known, text) = read(&problem)?;
    let out = arguments.out.clone();
    let out = out.unwrap_or_else(|| RunFolder::usual(&known.name));
    let in_file = known.options.iter().any(|(name, _)| name == "method");
    let mut arguments = arguments.clone();
    if arguments.activation.len() > 1 && arguments.method.is_none() && !in_file {
        say(&format!(
            "activations are those of a trained network: `--method {TRAINED}`"
        ));
        arguments.method = Some(TRAINED.into());
    }
    let seed = arguments.seed.as_deref().unwrap_or("0");
    let first = seed.parse::<u64>().map_err(|_| {
        let message = format!("`--seed {seed}` cannot be used: expected a whole number from 0");
        Failure::new(message, "see `raf solve --help` for the options")
    })?;
    std::fs::create_dir_all(&out).map_err(|e| unwritable(&out, &e))?;
    let groups = groups(&arguments, sweeps);
    let count = groups.len() as u64 * arguments.seeds;
    let (mut all, mut k) = (Vec::new(), 0);
    for (label, single) in groups {
        let mut group = Group {
            label,
            folders: Vec::new(),
            results: Vec::new(),
        };
        for seed in first..first + arguments.seeds {
            k += 1;
            let folder = out.join(format!("{}-{seed}", plain(&group.label)));
            let single = Arguments {
                seed: Some(seed.to_string()),
                out: Some(folder.clone()),
                ..single.clone()
            };
            if let Some(result) = found(&single, &text, &folder)? {
                say(&told(k, count, &group.label, seed, &result));
                group.folders.push(folder);
                group.results.push(result);
            }
            if interrupt::asked() {
                break;
            }
        }
        all.push(group);
    }
    let made: usize = all.iter().map(|g| g.results.len()).sum();
    said_only(draw(&known.name, &all, &out));
    Ok(report(&all, &out, made as u64 == count))
}

/// A label and the arguments of each group.
fn groups(arguments: &Arguments, sweeps: &[Sweep]) -> Vec<(String, Arguments)> {
    let activations: Vec<Option<&String>> = match arguments.activation.len() {
        0 => vec![None],
        _ => arguments.activation.iter().map(Some).collect(),
    };
    let mut groups = Vec::new();
    for activation in activations {
        for chosen in choices(sweeps) {
            let set: Vec<String> = chosen.iter().map(|(n, v)| format!("{n}={v}")).collect();
            let mut parts: Vec<String> = activation.into_iter().cloned().collect();
            parts.extend(set.iter().cloned());
            let label = if parts.is_empty() {
                "run".into()
            } else {
                parts.join(", ")
            };
            let single = Arguments {
                activation: activation.into_iter().cloned().collect(),
                set,
                seeds: 1,
                ..arguments.clone()
            };
            groups.push((label, single));
        }
    }
    groups
}

/// The result of a run: now, or when it was finished before; none where it was stopped.
fn found(single: &Arguments, text: &str, folder: &Path) -> Result<Option<Value>, Failure> {
    let given: Vec<String> = single
        .given()
        .iter()
        .map(|(n, v)| format!("{n} = {v}"))
        .collect();
    let asked = format!("{}\n{}\n\n{text}", given.join("\n"), single.set.join("\n"));
    let before = std::fs::read_to_string(folder.join(ASKED)).ok();
    let result = std::fs::read_to_string(folder.join(RESULT)).ok();
    let result = result.and_then(|r| serde_json::from_str::<Value>(&r).ok());
    if let (Some(result), true, false) = (result, before.as_ref() == Some(&asked), single.force) {
        return Ok(Some(result));
    }
    // one that was begun with the same arguments is made again
    let again = before.as_ref() == Some(&asked);
    let single = Arguments {
        force: single.force || again,
        ..single.clone()
    };
    let report = one(&single)?;
    if report.json["outcome"] == "stopped" {
        return Ok(None);
    }
    std::fs::write(folder.join(ASKED), asked).map_err(|e| unwritable(folder, &e))?;
    Ok(Some(report.json))
}

fn told(k: u64, count: u64, label: &str, seed: u64, result: &Value) -> String {
    let error = ["relative_l2", "error_estimate"]
        .iter()
        .find_map(|n| Some((*n, result[*n].as_f64()?)));
    let error = error.map_or(String::new(), |(n, e)| {
        format!("  {} {e:.1e}", n.replace('_', " "))
    });
    format!("{k} of {count}  {label}, seed {seed}{error}")
}

/// What a folder may be called.
fn plain(label: &str) -> String {
    let plain = |c: char| {
        if c.is_ascii_alphanumeric() || "-.=".contains(c) {
            c
        } else {
            '-'
        }
    };
    let mut name: String = label
        .replace(", ", "-")
        .chars()
        .map(plain)
        .take(60)
        .collect();
    if name.len() < label.len() || label.chars().any(|c| c != plain(c) && c != ',' && c != ' ') {
        let sum = label.bytes().fold(0x811c_9dc5, |hash: u32, byte| {
            (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
        });
        let _ = write!(name, "-{sum:08x}");
    }
    name
}

/// The error over the steps and over the seconds, for each group its median between its least and its greatest.
fn draw(problem: &str, groups: &[Group], out: &Path) -> Result<(), Failure> {
    let of = |figure| {
        groups
            .iter()
            .flat_map(|g| &g.folders)
            .any(|folder| along(folder, figure).len() > 1)
    };
    let exact = of("relative_l2");
    let figure = if exact { "relative_l2" } else { "best" };
    let mut shown: Vec<(String, [Vec<f64>; 2], [Vec<f64>; 3])> = Vec::new();
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
        let ranked = |column: usize, share: usize| -> Vec<f64> {
            let at = |k: usize| {
                let mut values: Vec<f64> = curves.iter().map(|c| c[k][column]).collect();
                values.sort_by(f64::total_cmp);
                values[share * (values.len() - 1) / 2]
            };
            (0..length).map(at).collect()
        };
        shown.push((
            group.label.clone(),
            [ranked(0, 1), ranked(1, 1)],
            [ranked(2, 0), ranked(2, 1), ranked(2, 2)],
        ));
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

fn report(groups: &[Group], out: &Path, complete: bool) -> Report {
    let widest = groups
        .iter()
        .map(|g| g.label.chars().count())
        .max()
        .unwrap_or(0)
        .max(10);
    let mut text = format!(
        "{:<widest$} {:>6} {:>26} {:>26} {:>8} {:>9}\n",
        "", "seeds", "relative L2", "residual", "steps", "seconds"
    );
    for group in groups {
        let cell = |name: &str, digits: Option<usize>| spread(&group.results, name, digits);
        let _ = writeln!(
            text,
            "{:<widest$} {:>6} {:>26} {:>26} {:>8} {:>9}",
            group.label,
            group.results.len(),
            cell("relative_l2", None),
            cell("residual", None),
            cell("steps", Some(0)),
            cell("seconds", Some(1)),
        );
    }
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
        status: if complete { 0 } else { interrupt::status() },
    }
}

/// The median of a figure, and its range where there are several.
fn spread(results: &[Value], name: &str, digits: Option<usize>) -> String {
    let mut values: Vec<f64> = results.iter().filter_map(|r| r[name].as_f64()).collect();
    values.sort_by(f64::total_cmp);
    let write = |v: f64| match digits {
        Some(digits) => format!("{v:.digits$}"),
        None => format!("{v:.1e}"),
    };
    match (values.first(), values.last()) {
        (Some(low), Some(high)) if low < high && digits.is_none() => {
            format!(
                "{} ({} to {})",
                write(values[(values.len() - 1) / 2]),
                write(*low),
                write(*high)
            )
        }
        (Some(_), Some(_)) => write(values[(values.len() - 1) / 2]),
        _ => "-".into(),
    }
}
