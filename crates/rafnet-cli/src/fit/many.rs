//! Many runs at once: files × activations × seeds, a folder each, one table and one picture of all.
//!
//! A run that finished is not repeated when the command is: its `result.json` says what it found. That holds for the same run only, by
//! everything that decides its bits; a folder with another one is refused before anything runs, unless `--force` replaces it.

use super::choices::Choices;
use super::task::{Holds, Task};
use super::{Arguments, kinds, name_of};
use crate::interrupt;
use crate::output::{Failure, Report, said_only, say};
use crate::run_folder::{self, Lock, RunFolder, unwritable};
use crate::threads;
use rafnet::fit::Kind;
use rafnet::model::AtomicFile;
use rafnet_plot::{self as picture, Curve, Plot, Scale};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The columns of `summary.csv`.
const COLUMNS: [&str; 8] = [
    "file",
    "activation",
    "seed",
    "psnr",
    "ssim",
    "psnr_heldout",
    "seconds",
    "parameters",
];

pub(super) fn run(
    arguments: &Arguments,
    kind: Kind,
    paths: &[Option<PathBuf>],
    choices: &Choices,
) -> Result<Report, Failure> {
    let out = arguments.out.clone();
    let out = out.unwrap_or_else(|| RunFolder::usual(&format!("fit-{}", name_of(kind))));
    let activations: Vec<Option<&String>> = match arguments.activation.len() {
        0 => vec![None],
        _ => arguments.activation.iter().map(Some).collect(),
    };
    let first: u64 = choices
        .get("seed")
        .and_then(|s| s.parse().ok())
        .unwrap_or(0);
    let jobs = usize::try_from(arguments.jobs).unwrap_or(1);
    let threads = (threads::meant(arguments.threads)? / jobs).max(1);
    let mut tasks = Vec::new();
    for path in paths {
        for activation in &activations {
            for seed in first..first + arguments.seeds {
                let mut choices = choices.clone();
                choices.set("seed", seed.to_string());
                if let Some(activation) = activation {
                    choices.set("activation", activation.as_str());
                }
                // what cannot be used is said before anything runs
                kinds::check(kind, &choices, path.is_some())?;
                choices.clone().resolve(kind, 0, threads)?;
                let stem = file_label(path.as_deref(), paths);
                let stem = stem.unwrap_or_else(|| name_of(kind).to_owned());
                let activation = activation.map_or("usual".into(), |a| label(a));
                tasks.push(Task {
                    kind,
                    path: path.clone(),
                    choices,
                    threads,
                    out: out.join(format!("{stem}-{activation}-{seed}")),
                });
            }
        }
    }
    let names: Vec<PathBuf> = tasks.iter().map(|t| t.out.clone()).collect();
    std::fs::create_dir_all(&out).map_err(|e| unwritable(&out, &e))?;
    let _lock = Lock::take(&out)?;
    if !arguments.force {
        refuse_others(&tasks)?;
    }
    let results = all(tasks, jobs, arguments.force)?;
    Ok(summarise(&out, &names, &results))
}

/// Refuses folders that hold other runs than those that are asked for.
fn refuse_others(tasks: &[Task]) -> Result<(), Failure> {
    let begun = |task: &&Task| task.out.join("config.toml").exists();
    for task in tasks.iter().filter(begun) {
        let task = task.clone().prepare()?;
        if let Holds::Another(difference) = task.holds() {
            let folder = task.task.out.display();
            return Err(Failure::new(
                format!("`{folder}` holds another run: {difference}"),
                "pass `--force` to replace it, or `--out` with another folder",
            ));
        }
    }
    Ok(())
}

/// A file's part of a folder's name: its stem, with a fingerprint of the whole path if another file has the same stem.
fn file_label(path: Option<&Path>, all: &[Option<PathBuf>]) -> Option<String> {
    let path = path?;
    let stem = path.file_stem();
    let others = all.iter().flatten().filter(|other| *other != path);
    let shared = others.into_iter().any(|other| other.file_stem() == stem);
    let stem = stem.unwrap_or_default().to_string_lossy();
    Some(if shared {
        format!("{stem}-{:08x}", fingerprint(&path.to_string_lossy()))
    } else {
        stem.into_owned()
    })
}

/// An activation's part of a folder's name: its name, or of a text what a file may be called, with a fingerprint of the whole.
fn label(activation: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-';
    if activation.chars().all(is_plain) {
        return activation.to_owned();
    }
    let plain: String = activation
        .chars()
        .filter(|c| is_plain(*c))
        .take(24)
        .collect();
    format!("{plain}-{:08x}", fingerprint(activation))
}

/// FNV-1a: the same text, the same number, in every version.
fn fingerprint(text: &str) -> u32 {
    text.bytes().fold(0x811c_9dc5, |hash: u32, byte| {
        (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    })
}

/// Runs the tasks, `jobs` at a time; the results come in the tasks' order.
fn all(tasks: Vec<Task>, jobs: usize, force: bool) -> Result<Vec<Option<Value>>, Failure> {
    let (count, next) = (tasks.len(), AtomicUsize::new(0));
    let waiting: Vec<Mutex<Option<Task>>> =
        tasks.into_iter().map(|t| Mutex::new(Some(t))).collect();
    let done: Vec<Mutex<Option<Value>>> = (0..count).map(|_| Mutex::new(None)).collect();
    let failed: Mutex<Option<Failure>> = Mutex::new(None);
    std::thread::scope(|scope| {
        for _ in 0..jobs.min(count) {
            scope.spawn(|| {
                loop {
                    let i = next.fetch_add(1, Ordering::SeqCst);
                    let task = waiting.get(i).and_then(|t| t.lock().ok()?.take());
                    let over = interrupt::asked() || failed.lock().is_ok_and(|f| f.is_some());
                    let Some(task) = task.filter(|_| !over) else {
                        return;
                    };
                    let name = task.out.display().to_string();
                    match run_one(task, force) {
                        // it was asked to end, and is to be gone on with
                        Ok(value) if value["outcome"] == "stopped" => {}
                        Ok(value) => {
                            let psnr = value["psnr"]
                                .as_f64()
                                .map_or_else(String::new, |p| format!("  {p:.2} dB"));
                            say(&format!("{} of {count}  {name}{psnr}", i + 1));
                            if let Ok(mut place) = done[i].lock() {
                                *place = Some(value);
                            }
                        }
                        Err(failure) => {
                            if let Ok(mut place) = failed.lock() {
                                place.get_or_insert(failure);
                            }
                        }
                    }
                }
            });
        }
    });
    if let Some(failure) = failed.into_inner().unwrap_or(None) {
        return Err(failure);
    }
    Ok(done
        .into_iter()
        .map(|d| d.into_inner().unwrap_or(None))
        .collect())
}

/// What a run found: now, or when it was finished before.
fn run_one(task: Task, force: bool) -> Result<Value, Failure> {
    let task = task.prepare()?;
    let resume = match task.holds() {
        Holds::Finished(result) if !force => return Ok(result),
        Holds::Begun => !force,
        _ => false,
    };
    Ok(task.run(force, resume)?.json)
}

fn summarise(out: &Path, names: &[PathBuf], results: &[Option<Value>]) -> Report {
    let cell = |value: &Value| match value {
        Value::Null => String::new(),
        Value::String(text) if text.contains([',', '"']) => {
            format!("\"{}\"", text.replace('"', "\"\""))
        }
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let mut csv = COLUMNS.join(",") + "\n";
    let found: Vec<&Value> = results.iter().flatten().collect();
    for result in &found {
        let row: Vec<String> = COLUMNS.iter().map(|c| cell(&result[*c])).collect();
        csv += &(row.join(",") + "\n");
    }
    let path = out.join("summary.csv");
    let write = || {
        let mut file = AtomicFile::create(&path)?;
        file.write_all(csv.as_bytes())?;
        file.commit()
    };
    said_only(write().map_err(|e| unwritable(out, &e)));
    said_only(comparison(out, names, results));
    let mut text = format!(
        "{:<24} {:<16} {:>6} {:>10} {:>10} {:>9}\n",
        "file", "activation", "seed", "dB", "between", "seconds"
    );
    for result in &found {
        let number = |key: &str, digits: usize| {
            result[key]
                .as_f64()
                .map_or_else(|| "-".to_owned(), |v| format!("{v:.digits$}"))
        };
        let name = cell(&result["file"]);
        let short = Path::new(&name)
            .file_name()
            .map_or(name.clone(), |n| n.to_string_lossy().into_owned());
        let _ = writeln!(
            text,
            "{short:<24} {:<16} {:>6} {:>10} {:>10} {:>9}",
            cell(&result["activation"]),
            cell(&result["seed"]),
            number("psnr", 2),
            number("psnr_heldout", 2),
            number("seconds", 1)
        );
    }
    let _ = writeln!(text, "\n{}", path.display());
    let missing = results.len() - found.len();
    if missing > 0 {
        let _ = writeln!(
            text,
            "{missing} of {} runs are not finished; the same command goes on with them",
            results.len()
        );
    }
    Report {
        text,
        json: json!({
            "outcome": if missing > 0 { "stopped" } else { "done" }, "summary": path.display().to_string(), "runs": found,
            "version": env!("CARGO_PKG_VERSION"),
        }),
        status: if missing > 0 { interrupt::status() } else { 0 },
    }
}

/// One curve for each activation: the median over its runs, between its least and its best.
fn comparison(out: &Path, names: &[PathBuf], results: &[Option<Value>]) -> Result<(), Failure> {
    let mut groups: Vec<(String, Vec<Vec<[f64; 2]>>)> = Vec::new();
    for (folder, result) in names.iter().zip(results) {
        let Some(result) = result else { continue };
        let label = result["activation"].as_str().unwrap_or("").to_owned();
        let curve = run_folder::curve(folder, |record| {
            Some([record["step"].as_f64()?, record["psnr"].as_f64()?])
        });
        match groups.iter_mut().find(|g| g.0 == label) {
            Some(group) => group.1.push(curve),
            None => groups.push((label, vec![curve])),
        }
    }
    let mut shown: Vec<(String, Vec<f64>, [Vec<f64>; 3])> = Vec::new();
    for (label, curves) in groups {
        let length = curves.iter().map(Vec::len).min().unwrap_or(0);
        let every = length.div_ceil(500).max(1);
        let places: Vec<usize> = (0..length).step_by(every).collect();
        let x: Vec<f64> = places.iter().map(|k| curves[0][*k][0]).collect();
        let ranked = |share: f64| -> Vec<f64> {
            let at = |k: &usize| {
                let mut values: Vec<f64> = curves.iter().map(|c| c[*k][1]).collect();
                values.sort_by(f64::total_cmp);
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "an index"
                )]
                let place = (share * (values.len() - 1) as f64).round() as usize;
                values[place]
            };
            places.iter().map(at).collect()
        };
        shown.push((label, x, [0.0, 0.5, 1.0].map(ranked)));
    }
    shown.retain(|s| s.1.len() > 1);
    if shown.is_empty() {
        return Ok(());
    }
    let curves: Vec<Curve<'_>> = shown
        .iter()
        .map(|(name, x, [low, median, high])| Curve::new(name, x, median).with_band(low, high))
        .collect();
    let plot = Plot {
        curves: &curves,
        title: "quality over the steps",
        labels: ["step", "dB at the batch"],
        scales: [Scale::Linear; 2],
    };
    let hint = "pass `--out` with a folder that can be written";
    picture::curves(&out.join("comparison.png"), &plot)
        .map_err(|e| Failure::new(e.to_string(), hint))
}
