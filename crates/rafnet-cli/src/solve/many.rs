//! Several runs of one problem: activations × values of parameters × seeds, a folder each, one table and one picture of all.
//!
//! With `--shard I/N` every N-th of them, so that many processes can share the work; the same command without it makes what is left,
//! and the table. A run that finished is not repeated when the command is; a folder that holds another run is refused unless `--force` replaces it.

use super::Arguments;
use super::comparison::{Group, draw, report};
use super::options::{options, refused};
use super::parameter::{Sweep, choices};
use super::run::one;
use super::shard::Shard;
use super::source::{named, with_values};
use crate::interrupt;
use crate::output::{Failure, Report, said_only, say};
use crate::report::of_several;
use crate::run_folder::{Lock, RESULT, RunFolder, fingerprint, unwritable};
use serde_json::Value;
use std::fmt::Write as _;
use std::path::Path;

/// What a run was asked, so that a repeated command knows it again.
const ASKED: &str = "asked.txt";
/// Activations are those of a trained network.
const TRAINED: &str = "lm";

pub(super) fn run(
    arguments: &Arguments,
    sweeps: &[Sweep],
    shard: Option<Shard>,
) -> Result<Report, Failure> {
    let problem = arguments.problem.clone().unwrap_or_default();
    let known = named(&problem)?;
    let out = arguments.out.clone();
    let out = out.unwrap_or_else(|| RunFolder::usual(&known.name));
    let in_file = known.options.iter().any(|(name, _)| name == "method");
    let mut arguments = arguments.clone();
    let given = &mut arguments.given.choices;
    if given.all("activation").count() > 1 && given.get("method").is_none() && !in_file {
        say(&format!(
            "an activation is that of a trained network, so these are trained: `--method {TRAINED}`"
        ));
        given.set("method", TRAINED);
    }
    let seed = given.get("seed").unwrap_or("0");
    let first = seed.parse::<u64>();
    let first = first.map_err(|_| refused("seed", seed, "a whole number from 0"))?;
    let groups = groups(&arguments, sweeps);
    // a mistake in the last of them is found before anything runs or is written
    for (_, single) in &groups {
        let problem = with_values(known.clone(), &single.set)?;
        options(&problem, &single.given.choices)?;
    }
    std::fs::create_dir_all(&out).map_err(|e| unwritable(&out, &e))?;
    // of several shards each holds the folders of its runs alone
    let _lock = match shard {
        None => Some(Lock::take(&out)?),
        Some(_) => None,
    };
    let part = shard.unwrap_or(Shard::WHOLE);
    let count = groups.len() as u64 * arguments.seeds;
    let mine = (0..count).filter(|&k| part.has(k)).count() as u64;
    let (mut all, mut k) = (Vec::new(), 0);
    for (label, single) in groups {
        let mut group = Group {
            label,
            folders: Vec::new(),
            results: Vec::new(),
        };
        for seed in first..first + arguments.seeds {
            if interrupt::asked() {
                break;
            }
            k += 1;
            if !part.has(k - 1) {
                continue;
            }
            let folder = out.join(format!("{}-{seed}", plain(&group.label)));
            let mut single = single.clone();
            single.given.choices.set("seed", seed.to_string());
            single.out = Some(folder.clone());
            if let Some(result) = found(&single, known.text(), &folder)? {
                say(&told(k, count, &group.label, seed, &result));
                group.folders.push(folder);
                group.results.push(result);
            }
        }
        if shard.is_none() || !group.results.is_empty() {
            all.push(group);
        }
    }
    let made: usize = all.iter().map(|g| g.results.len()).sum();
    if shard.is_none() {
        said_only(draw(&known.name, &all, &out));
    }
    let mut report = report(&all, &out, made as u64 == mine);
    if !arguments.no_report
        && shard.is_none()
        && made > 1
        && let Some(page) = of_several(&out)
    {
        report.json["report"] = serde_json::json!(page.display().to_string());
        let _ = writeln!(report.text, "{}", page.display());
    }
    Ok(report)
}

/// A label and the arguments of each group.
fn groups(arguments: &Arguments, sweeps: &[Sweep]) -> Vec<(String, Arguments)> {
    let mut groups = Vec::new();
    for activation in arguments.given.choices.each("activation") {
        for chosen in choices(sweeps) {
            let set: Vec<String> = chosen.iter().map(|(n, v)| format!("{n}={v}")).collect();
            let mut parts: Vec<String> = activation.map(str::to_owned).into_iter().collect();
            parts.extend(set.iter().cloned());
            let label = if parts.is_empty() {
                "run".into()
            } else {
                parts.join(", ")
            };
            let mut single = Arguments {
                set,
                seeds: 1,
                ..arguments.clone()
            };
            if let Some(activation) = activation {
                single.given.choices.set("activation", activation);
            }
            groups.push((label, single));
        }
    }
    groups
}

/// The result of a run: now, or when it was finished before; none where it was stopped.
fn found(single: &Arguments, text: &str, folder: &Path) -> Result<Option<Value>, Failure> {
    let given = single.given.choices.0.iter();
    let given: Vec<String> = given.map(|(n, v)| format!("{n} = {v}")).collect();
    let asked = format!("{}\n{}\n\n{text}", given.join("\n"), single.set.join("\n"));
    let before = std::fs::read_to_string(folder.join(ASKED)).ok();
    let result = std::fs::read_to_string(folder.join(RESULT)).ok();
    let result = result.and_then(|r| serde_json::from_str::<Value>(&r).ok());
    if let (Some(result), true, false) = (result, before.as_ref() == Some(&asked), single.force) {
        return Ok(Some(result));
    }
    // one that was begun with the same arguments is gone on with
    let begun = folder.join("config.toml").exists();
    let again = begun && before.as_ref() == Some(&asked) && !single.force;
    let single = if again {
        Arguments {
            problem: None,
            out: None,
            set: Vec::new(),
            resume: Some(folder.into()),
            ..single.clone()
        }
    } else {
        single.clone()
    };
    if !begun || single.force {
        std::fs::create_dir_all(folder).map_err(|e| unwritable(folder, &e))?;
        std::fs::write(folder.join(ASKED), asked).map_err(|e| unwritable(folder, &e))?;
    }
    let report = one(&single)?;
    if report.json["outcome"] == "stopped" {
        return Ok(None);
    }
    Ok(Some(report.json))
}

fn told(k: u64, count: u64, label: &str, seed: u64, result: &Value) -> String {
    let error = ["relative_l2", "error_estimate"]
        .iter()
        .find_map(|n| Some((*n, result[*n].as_f64()?)));
    let error = error.map_or(String::new(), |(n, e)| {
        format!("  {} {e:.1e}", n.replace('_', " "))
    });
    let outcome = result["outcome"].as_str().unwrap_or_default();
    format!("{k} of {count}  {label}, seed {seed}{error}  {outcome}")
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
        let _ = write!(name, "-{:08x}", fingerprint(label));
    }
    name
}
