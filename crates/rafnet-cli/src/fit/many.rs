//! Many runs at once: files × activations × seeds, a folder each, one table and one picture of all.
//!
//! A run that finished is not repeated when the command is: its `result.json` says what it found. That holds for the same run only, by
//! everything that decides its bits; a folder with another one is refused before anything runs, unless `--force` replaces it.

use super::Arguments;
use super::summary::summarise;
use super::task::{Holds, Task};
use crate::interrupt;
use crate::output::{Failure, Report, say};
use crate::report::of_several;
use crate::run_folder::{Lock, RunFolder, fingerprint, unwritable};
use crate::threads;
use rafnet::fit::Kind;
use serde_json::Value;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

pub(super) fn run(
    arguments: &Arguments,
    kind: Kind,
    paths: &[Option<PathBuf>],
) -> Result<Report, Failure> {
    let choices = &arguments.given.choices;
    let out = arguments.out.clone();
    let out = out.unwrap_or_else(|| RunFolder::usual(&format!("fit-{}", kind.name())));
    let first: u64 = choices
        .get("seed")
        .and_then(|s| s.parse().ok())
        .unwrap_or(0);
    let jobs = usize::try_from(arguments.jobs).unwrap_or(1);
    let threads = (threads::meant(arguments.threads)? / jobs).max(1);
    let mut tasks = Vec::new();
    for path in paths {
        for activation in choices.each("activation") {
            for seed in first..first + arguments.seeds {
                let mut choices = choices.clone();
                choices.set("seed", seed.to_string());
                if let Some(activation) = activation {
                    choices.set("activation", activation);
                }
                let stem = file_label(path.as_deref(), paths);
                let stem = stem.unwrap_or_else(|| kind.name().to_owned());
                let activation = activation.map_or("usual".into(), label);
                let task = Task {
                    kind,
                    path: path.clone(),
                    choices,
                    threads,
                    with_page: !arguments.no_report,
                    out: out.join(format!("{stem}-{activation}-{seed}")),
                };
                // what cannot be used is said before anything runs
                task.check()?;
                tasks.push(task);
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
    let mut report = summarise(&out, &names, &results);
    if !arguments.no_report
        && results.iter().flatten().count() > 1
        && let Some(page) = of_several(&out)
    {
        report.json["report"] = serde_json::json!(page.display().to_string());
        let _ = writeln!(report.text, "{}", page.display());
    }
    Ok(report)
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
