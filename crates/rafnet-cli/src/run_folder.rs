//! Run folders: where a command puts what it makes.
//!
//! ```text
//! config.toml            everything resolved: running it again gives the same bits, unless the clock ended it, as it then says
//! metrics.jsonl          one line a record
//! model.safetensors      the whole function
//! checkpoint.safetensors parameters, optimiser and step, while a run goes on
//! *.png                  pictures
//! ```
//!
//! Files appear whole or not at all, but for the metrics, which grow by whole lines.

use crate::output::Failure;
use crate::resume::CHECKPOINT;
use rafnet::model::AtomicFile;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// The state and the results of one run, the state first: half removed, it must not be gone on with.
const OF_ONE_RUN: [&str; 4] = [CHECKPOINT, RESULT, "model.safetensors", "convergence.png"];

/// What a finished run leaves for a repeated command.
pub(crate) const RESULT: &str = "result.json";

pub(crate) struct RunFolder {
    path: PathBuf,
    metrics: File,
}

impl RunFolder {
    /// Makes the folder; one that holds another run is refused unless that is to be replaced or gone on with.
    pub(crate) fn create(path: PathBuf, replace: bool, resume: bool) -> Result<Self, Failure> {
        let taken = ["config.toml", "model.safetensors"].map(|file| path.join(file).exists());
        if !replace && !resume && taken.contains(&true) {
            return Err(Failure::new(
                format!("`{}` holds another run", path.display()),
                "pass `--force` to replace it, `--resume` to go on with it, or `--out` with another folder",
            ));
        }
        std::fs::create_dir_all(&path).map_err(|e| unwritable(&path, &e))?;
        let old: &[&str] = match () {
            () if replace => &OF_ONE_RUN,
            () if resume => &[RESULT], // until it is finished again
            () => &[],
        };
        forget(&path, old).map_err(|e| unwritable(&path, &e))?;
        let metrics = append(&path).map_err(|e| unwritable(&path, &e))?;
        let mut folder = Self { path, metrics };
        if !resume {
            folder.keep_records_until(0)?;
        }
        Ok(folder)
    }

    /// Drops the records of steps after `last`: a run that goes on from there writes them again.
    pub(crate) fn keep_records_until(&mut self, last: u64) -> Result<(), Failure> {
        let failed = |e| unwritable(&self.path, &e);
        let whole = std::fs::read_to_string(self.file("metrics.jsonl")).map_err(failed)?;
        let is_kept = |line: &&str| {
            let record: Option<serde_json::Value> = serde_json::from_str(line).ok();
            record
                .and_then(|r| r["step"].as_u64())
                .is_some_and(|s| s <= last)
        };
        let kept: String = whole
            .lines()
            .filter(is_kept)
            .flat_map(|l| [l, "\n"])
            .collect();
        if kept != whole {
            self.write("metrics.jsonl", kept.as_bytes())?;
            self.metrics = append(&self.path).map_err(failed)?;
        }
        Ok(())
    }

    /// `runs/NAME-DATE-TIME`.
    pub(crate) fn usual(name: &str) -> PathBuf {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        let seconds = since.map_or(0, |d| d.as_secs());
        let usual = PathBuf::from(format!("runs/{name}-{}", stamp(seconds)));
        // two runs of one second get a number
        (1..1000)
            .map(|k| match k {
                1 => usual.clone(),
                k => PathBuf::from(format!("{}-{k}", usual.display())),
            })
            .find(|path| !path.exists())
            .unwrap_or(usual)
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Writes a file whole.
    pub(crate) fn write(&self, name: &str, bytes: &[u8]) -> Result<(), Failure> {
        let write = || {
            let mut file = AtomicFile::create(self.file(name))?;
            file.write_all(bytes)?;
            file.commit()
        };
        write().map_err(|e| unwritable(&self.path, &e))
    }

    /// Adds lines to the metrics.
    pub(crate) fn append_metrics(&self, lines: &[serde_json::Value]) -> Result<(), Failure> {
        let mut text = String::new();
        for line in lines {
            text.push_str(&line.to_string());
            text.push('\n');
        }
        (&self.metrics)
            .write_all(text.as_bytes())
            .map_err(|e| unwritable(&self.path, &e))
    }

    /// Adds a line to the metrics. That it cannot be written is no reason to end a run.
    pub(crate) fn record(&mut self, line: &serde_json::Value) {
        let _ = writeln!(self.metrics, "{line}");
    }
}

/// Removes what would be taken for the new run's: a later `--resume` would go on with the old state.
fn forget(path: &Path, names: &[&str]) -> std::io::Result<()> {
    for name in names {
        match std::fs::remove_file(path.join(name)) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

fn append(path: &Path) -> std::io::Result<File> {
    OpenOptions::new()
        .create(true)
        .append(true)
        .open(path.join("metrics.jsonl"))
}

pub(crate) fn unwritable(path: &Path, error: &std::io::Error) -> Failure {
    Failure::new(
        format!("cannot write into `{}`: {error}", path.display()),
        "pass `--out` with a folder that can be written and has room",
    )
}

/// YYYYMMDD-HHMMSS in UTC, by the civil calendar from days since 1970.
fn stamp(seconds: u64) -> String {
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    // years from 1 March, so that the leap day is the last; eras of 400 years have 146,097 days
    let shifted = days + 719_468;
    let (era, day) = (shifted / 146_097, shifted % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let date = day - (153 * month + 2) / 5 + 1;
    let (month, year) = if month < 10 {
        (month + 3, era * 400 + year)
    } else {
        (month - 9, era * 400 + year + 1)
    };
    let (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60);
    format!("{year:04}{month:02}{date:02}-{hour:02}{minute:02}{second:02}")
}

#[cfg(test)]
mod tests {
    use super::stamp;

    #[test]
    fn dates_by_the_calendar() {
        assert_eq!(stamp(0), "19700101-000000");
        assert_eq!(stamp(951_782_400), "20000229-000000");
        assert_eq!(stamp(1_709_251_199), "20240229-235959");
        assert_eq!(stamp(4_107_542_400), "21000301-000000");
    }
}
