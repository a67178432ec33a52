//! `metrics.jsonl`: one line a record, thinned so that it stays small however long a run is.
//!
//! Up to step [`MOST`] every step is there, up to twice that every second, then every fourth and so on, and always the last. Which
//! steps are kept depends on the last step alone, so that a resumed run has the records of an unbroken one.

use super::{RunFolder, unwritable};
use crate::output::Failure;
use serde_json::Value;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::time::{Duration, Instant};

/// The most lines, but for the last step's.
pub(crate) const MOST: u64 = 10_000;
/// Lines wait so long before they are written.
const WAIT: Duration = Duration::from_secs(1);
/// The file's name.
pub(super) const NAME: &str = "metrics.jsonl";

pub(crate) struct Metrics {
    file: File,
    /// One step of so many is recorded.
    every: u64,
    waiting: String,
    written: Instant,
}

impl Metrics {
    /// Goes on after a step (0 for a new run): what was recorded later is dropped, for it will be recorded again.
    pub(crate) fn open(folder: &RunFolder, last: u64) -> Result<Self, Failure> {
        let every = stride(last);
        let failed = |e| unwritable(folder.path(), &e);
        keep(folder, |step| step <= last && step.is_multiple_of(every)).map_err(failed)?;
        Ok(Self {
            file: append(folder.path()).map_err(failed)?,
            every,
            waiting: String::new(),
            written: Instant::now(),
        })
    }

    /// Records a step if it is one of those that are kept.
    ///
    /// An error (a full disk, say) is a reason to end the run while there is room to save it.
    pub(crate) fn record(
        &mut self,
        folder: &RunFolder,
        step: u64,
        line: impl FnOnce() -> Value,
    ) -> Result<(), Failure> {
        let every = stride(step);
        if every > self.every {
            self.write(folder)?;
            let thinned = keep(folder, |step| step.is_multiple_of(every));
            let file = thinned.and_then(|()| append(folder.path()));
            self.file = file.map_err(|e| unwritable(folder.path(), &e))?;
            self.every = every;
        }
        if step.is_multiple_of(every) {
            self.add(&line());
        }
        if self.written.elapsed() > WAIT {
            return self.write(folder);
        }
        Ok(())
    }

    /// Records the last step, whichever it is.
    pub(crate) fn finish(
        mut self,
        folder: &RunFolder,
        step: u64,
        line: impl FnOnce() -> Value,
    ) -> Result<(), Failure> {
        if !step.is_multiple_of(self.every) {
            self.add(&line());
        }
        self.write(folder)
    }

    /// Writes what waits: before a checkpoint, so that every step up to it is there.
    pub(crate) fn write(&mut self, folder: &RunFolder) -> Result<(), Failure> {
        self.written = Instant::now();
        let lines = std::mem::take(&mut self.waiting);
        let written = self.file.write_all(lines.as_bytes());
        written.map_err(|e| unwritable(folder.path(), &e))
    }

    fn add(&mut self, line: &Value) {
        self.waiting.push_str(&line.to_string());
        self.waiting.push('\n');
    }
}

/// A curve out of the records of a run, whoever wrote them: a resumed run's is whole.
pub(crate) fn curve(folder: &Path, point: impl Fn(&Value) -> Option<[f64; 2]>) -> Vec<[f64; 2]> {
    let text = std::fs::read_to_string(folder.join(NAME)).unwrap_or_default();
    let records = text.lines().filter_map(|l| serde_json::from_str(l).ok());
    records.filter_map(|r| point(&r)).collect()
}

/// The power of two by which the steps up to this one are thinned.
pub(crate) fn stride(step: u64) -> u64 {
    step.div_ceil(MOST).max(1).next_power_of_two()
}

fn append(folder: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.create(true).append(true).open(folder.join(NAME))
}

/// Drops the records of all other steps, and lines that were cut off.
fn keep(folder: &RunFolder, is_kept: impl Fn(u64) -> bool) -> io::Result<()> {
    let whole = match std::fs::read_to_string(folder.file(NAME)) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(()),
        whole => whole?,
    };
    let step = |line: &str| serde_json::from_str::<Value>(line).ok()?["step"].as_u64();
    let kept: String = whole
        .split_inclusive('\n')
        .filter(|line| line.ends_with('\n') && step(line).is_some_and(&is_kept))
        .collect();
    if kept == whole {
        return Ok(());
    }
    folder.put(NAME, kept.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::{MOST, Metrics, RunFolder, stride};
    use serde_json::json;
    use std::path::PathBuf;

    fn folder(name: &str) -> PathBuf {
        std::env::temp_dir().join(format!("raf-metrics-{name}-{}", std::process::id()))
    }

    fn recorded(path: &std::path::Path, from: u64, to: u64) {
        let folder = RunFolder::create(path.to_owned(), true, false).expect("a folder");
        let mut metrics = Metrics::open(&folder, from).expect("metrics");
        for step in from + 1..=to {
            let line = || json!({ "step": step, "loss": 1.0 / step as f64 });
            metrics.record(&folder, step, line).expect("a record");
        }
        let line = || json!({ "step": to, "loss": 1.0 / to as f64 });
        metrics.finish(&folder, to, line).expect("an end");
    }

    /// 38 MB a minute were written before: now the lines are bounded, and a run that went on from a checkpoint has the same ones.
    #[test]
    fn records_are_bounded_and_the_same_after_a_resume() {
        let (straight, broken) = (folder("straight"), folder("broken"));
        let end = 5 * MOST + 3;
        recorded(&straight, 0, end);
        // killed in a thinner part than that of its checkpoint, and again
        for (from, to) in [(0, MOST + 7), (MOST - 5, 3 * MOST), (2 * MOST + 1, end)] {
            recorded(&broken, from, to);
        }
        let [a, b] = [&straight, &broken]
            .map(|f| std::fs::read_to_string(f.join("metrics.jsonl")).expect("lines"));
        assert!(
            a == b,
            "{} and {} lines",
            a.lines().count(),
            b.lines().count()
        );
        let steps: Vec<u64> = a
            .lines()
            .map(|l| serde_json::from_str::<serde_json::Value>(l).expect("JSON")["step"].as_u64())
            .map(|s| s.expect("a step"))
            .collect();
        let expected: Vec<u64> = (1..=end).filter(|s| s % 8 == 0 || *s == end).collect();
        assert_eq!(steps, expected);
        assert!(steps.len() as u64 <= MOST + 1);
        for path in [straight, broken] {
            std::fs::remove_dir_all(path).expect("our folder");
        }
    }

    #[test]
    fn strides_are_powers_of_two() {
        let at = |step| stride(step);
        assert_eq!([at(0), at(1), at(MOST), at(MOST + 1)], [1, 1, 1, 2]);
        assert_eq!([at(2 * MOST), at(2 * MOST + 1), at(5 * MOST)], [2, 4, 8]);
    }
}
