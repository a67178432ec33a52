//! `config.toml` of a run: the problem with every option resolved. `raf solve config.toml` runs it again, to the same bits unless the clock
//! ends it.

use crate::output::Failure;
use crate::run_folder::{RunFolder, unwritable};
use rafnet::solve::Options;
use std::fmt::Write as _;
use std::path::Path;

/// Writes the problem's text with `[solver]` replaced by what was resolved, and the data files beside it.
pub(super) fn write(
    folder: &RunFolder,
    text: &str,
    options: &Options,
    source: &Path,
) -> Result<(), Failure> {
    let mut config = without_options(text);
    let _ = writeln!(config, "\n[solver]");
    for (name, value) in options.listed() {
        let plain = value.parse::<f64>().is_ok_and(f64::is_finite);
        let _ = if plain {
            writeln!(config, "{name} = {value}")
        } else if value == "inf" {
            Ok(())
        } else {
            writeln!(config, "{name} = \"{value}\"")
        };
    }
    if folder.file("config.toml") != source {
        for file in data_files(text) {
            let from = source.parent().unwrap_or(Path::new("")).join(&file);
            let bytes = std::fs::read(&from).map_err(|e| unwritable(&from, &e))?;
            if let Some(parent) = folder.file(&file).parent() {
                std::fs::create_dir_all(parent).map_err(|e| unwritable(parent, &e))?;
            }
            folder.write(&file, &bytes)?;
        }
    }
    folder.write("config.toml", config.as_bytes())
}

/// What is said of a run that the clock ended.
pub(super) fn by_the_clock(steps: Option<u64>, limit: f64) -> Vec<String> {
    let after = steps.map_or_else(String::new, |n| format!(" after step {n}"));
    vec![
        format!(
            "the clock ended this run{after} (time_limit = {limit:?}): run again, it may end elsewhere"
        ),
        "`raf solve --resume` with a longer `--time-limit` goes on with it".to_owned(),
    ]
}

/// Adds what was decided and what is to be known, as comments.
pub(super) fn append_remarks(folder: &RunFolder, remarks: &[String]) -> Result<(), Failure> {
    let path = folder.file("config.toml");
    let mut config = std::fs::read_to_string(&path).map_err(|e| unwritable(&path, &e))?;
    for remark in remarks {
        let _ = writeln!(config, "# {remark}");
    }
    folder.write("config.toml", config.as_bytes())
}

/// The text without its `[network]` and `[solver]`.
fn without_options(text: &str) -> String {
    let mut kept = String::new();
    let mut inside = false;
    for line in text.lines() {
        let head = line.trim_start();
        if head.starts_with('[') {
            let name = head
                .trim_start_matches('[')
                .split(']')
                .next()
                .unwrap_or("")
                .trim();
            inside = matches!(name, "network" | "solver");
        }
        if !inside {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    kept
}

/// The relative paths of data files that a problem names.
fn data_files(text: &str) -> Vec<String> {
    let mut files = Vec::new();
    for line in text.lines() {
        let Some((key, value)) = line.split_once('=') else {
            continue;
        };
        let value = value.trim();
        let quoted = value.strip_prefix('"').and_then(|v| v.split('"').next());
        if let Some(file) = quoted.filter(|f| key.trim() == "file" && Path::new(f).is_relative()) {
            files.push(file.to_owned());
        }
    }
    files
}

#[cfg(test)]
mod tests {
    use super::{data_files, without_options};

    #[test]
    fn only_options_are_taken_out() {
        let text = "name = \"a\"\n[network]\nwidth = 3\n[exact]\nu = \"x\"\n[solver]\nsteps = 4\n[[data]]\nfile = \"p.csv\" # here\n";
        assert_eq!(
            without_options(text),
            "name = \"a\"\n[exact]\nu = \"x\"\n[[data]]\nfile = \"p.csv\" # here\n"
        );
        assert_eq!(data_files(text), ["p.csv"]);
    }
}
