//! Run folders: where a command puts what it makes.
//!
//! ```text
//! config.toml            everything resolved: running it again gives the same bits, unless the clock ended it, as it then says
//! metrics.jsonl          one line a record, thinned in long runs
//! model.safetensors      the whole function
//! checkpoint.safetensors parameters, optimiser and step, while a run goes on
//! *.png                  pictures
//! files.txt              the names of these, so that `--force` removes them and nothing else
//! ```
//!
//! Files appear whole or not at all, but for the metrics, which grow by whole lines. One process at a time has the folder.

mod lock;
mod metrics;
mod reserve;

pub(crate) use lock::Lock;
pub(crate) use metrics::{Metrics, curve};
pub(crate) use reserve::Reserve;

use crate::output::Failure;
use crate::resume::CHECKPOINT;
use rafnet::model::{AtomicFile, Model, ModelError};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// The answer.
pub(crate) const MODEL: &str = Model::FILE;
/// What a finished run leaves for a repeated command.
pub(crate) const RESULT: &str = "result.json";
/// The state and the results of one run, the state first: half removed, it must not be gone on with.
const OF_ONE_RUN: [&str; 4] = [CHECKPOINT, RESULT, MODEL, "convergence.png"];
/// The names of what a run wrote, a line each.
const FILES: &str = "files.txt";

pub(crate) struct RunFolder {
    path: PathBuf,
    /// Whether there was no such folder before.
    is_new: bool,
    _lock: Lock,
}

impl RunFolder {
    /// Makes the folder and takes it; one that holds another run is refused unless that is to be replaced or gone on with.
    pub(crate) fn create(path: PathBuf, replace: bool, resume: bool) -> Result<Self, Failure> {
        let check = || {
            let taken = ["config.toml", MODEL].map(|file| path.join(file).exists());
            if replace || resume || !taken.contains(&true) {
                return Ok(());
            }
            Err(Failure::new(
                format!("`{}` holds another run", path.display()),
                "pass `--force` to replace it, `--resume` to go on with it, or `--out` with another folder",
            ))
        };
        Lock::check(&path)?;
        check()?;
        let is_new = !path.exists();
        std::fs::create_dir_all(&path).map_err(|e| unwritable(&path, &e))?;
        let lock = Lock::take(&path)?;
        // another process may have had it in between
        check()?;
        AtomicFile::remove_leftovers(&path).map_err(|e| unwritable(&path, &e))?;
        Ok(Self {
            path,
            is_new,
            _lock: lock,
        })
    }

    /// Removes what would be taken for the new run's: a later `--resume` would go on with the old state. Of a run that is replaced everything
    /// goes that it has on its list.
    pub(crate) fn forget(&self, replace: bool, resume: bool) -> Result<(), Failure> {
        let listed = self.listed();
        let old: Vec<&str> = match () {
            () if replace => {
                let listed = listed.lines().filter(|name| is_name(name));
                OF_ONE_RUN
                    .into_iter()
                    .chain(listed)
                    .chain([FILES])
                    .collect()
            }
            () if resume => vec![RESULT], // until it is finished again
            () => Vec::new(),
        };
        for name in old {
            match std::fs::remove_file(self.path.join(name)) {
                Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
                    return Err(unwritable(&self.path, &e));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Takes the folder away again, if it was made for this run and nothing came of it.
    pub(crate) fn abandon(&self) {
        if self.is_new {
            let listed = self.listed();
            let begun = ["config.toml", FILES, metrics::NAME, lock::NAME];
            for name in listed.lines().filter(|name| is_name(name)).chain(begun) {
                let _ = std::fs::remove_file(self.file(name));
            }
            // where something else is in it, it stays
            let _ = std::fs::remove_dir(&self.path);
        }
    }

    /// `runs/NAME-DATE-TIME`.
    pub(crate) fn usual(name: &str) -> PathBuf {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        let seconds = since.map_or(0, |d| d.as_secs());
        let usual = PathBuf::from(format!("runs/{}-{}", plain(name), stamp(seconds)));
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

    /// Where a file goes that the run writes: it is put on the run's list first.
    pub(crate) fn own(&self, name: &str) -> PathBuf {
        if !self.listed().lines().any(|listed| listed == name) {
            let mut options = std::fs::OpenOptions::new();
            let list = options.create(true).append(true).open(self.file(FILES));
            // where this cannot be written the file itself cannot either
            let _ = list.and_then(|mut list| writeln!(list, "{name}"));
        }
        self.file(name)
    }

    /// The names of what the run wrote and is still there.
    pub(crate) fn names(&self) -> Vec<String> {
        let listed = self.listed();
        let there = listed.lines().filter(|name| self.file(name).exists());
        there.map(ToOwned::to_owned).collect()
    }

    fn listed(&self) -> String {
        std::fs::read_to_string(self.file(FILES)).unwrap_or_default()
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// What is said of a run that was stopped for want of room (`failure`), and whether its model could be saved.
    pub(crate) fn stopped(
        &self,
        failure: &Failure,
        saved: Result<(), ModelError>,
        command: &str,
    ) -> Failure {
        let (message, folder) = (&failure.message, self.path.display());
        match saved {
            Ok(()) => Failure::new(
                format!("{message}; the run was stopped and its model saved in `{folder}`"),
                format!("make room, then go on with `{command} --resume {folder}`"),
            ),
            Err(error) => Failure::new(
                format!("{message}; the run was stopped, and its model is lost: {error}"),
                "make room, or pass `--out` with a folder that can be written",
            ),
        }
    }

    /// Writes a file whole.
    pub(crate) fn write(&self, name: &str, bytes: &[u8]) -> Result<(), Failure> {
        self.put(name, bytes)
            .map_err(|e| unwritable(&self.path, &e))
    }

    fn put(&self, name: &str, bytes: &[u8]) -> std::io::Result<()> {
        let mut file = AtomicFile::create(self.own(name))?;
        file.write_all(bytes)?;
        file.commit()
    }
}

/// FNV-1a: the same text, the same number, in every version.
pub(crate) fn fingerprint(text: &str) -> u32 {
    text.bytes().fold(0x811c_9dc5, |hash: u32, byte| {
        (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    })
}

/// What is said of a run that the clock ended; `command` is the one to type.
pub(crate) fn by_the_clock(command: &str, steps: Option<u64>, limit: f64) -> [String; 2] {
    let after = steps.map_or_else(String::new, |n| format!(" after step {n}"));
    [
        format!(
            "the clock ended this run{after} (time_limit = {limit:?}): run again, it may end elsewhere"
        ),
        format!("`raf {command} --resume` with a longer `--time-limit` goes on with it"),
    ]
}

/// Whether it names a file of the folder itself.
fn is_name(listed: &str) -> bool {
    Path::new(listed).file_name() == Some(listed.as_ref())
}

pub(crate) fn unwritable(path: &Path, error: &std::io::Error) -> Failure {
    Failure::new(
        format!("cannot write into `{}`: {error}", path.display()),
        "pass `--out` with a folder that can be written and has room",
    )
}

/// The name without what a file's name cannot hold on some system, or should not.
fn plain(name: &str) -> String {
    let is_plain = |c: char| !c.is_control() && !r#"/\:*?"<>|"#.contains(c);
    let plain = |c: char| if is_plain(c) { c } else { '-' };
    name.chars().map(plain).take(100).collect()
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
    use super::{is_name, plain, stamp};

    #[test]
    fn dates_by_the_calendar() {
        assert_eq!(stamp(0), "19700101-000000");
        assert_eq!(stamp(951_782_400), "20000229-000000");
        assert_eq!(stamp(1_709_251_199), "20240229-235959");
        assert_eq!(stamp(4_107_542_400), "21000301-000000");
    }

    #[test]
    fn only_files_of_the_folder_are_removed() {
        assert!(is_name("u.png") && is_name("Wärme-error.png"));
        for path in ["", ".", "..", "../u.png", "/u.png", "a/u.png", "u.png/"] {
            assert!(!is_name(path), "{path}");
        }
    }

    #[test]
    fn a_name_is_no_path() {
        assert_eq!(plain("../../esc\u{1b}[2J"), "..-..-esc-[2J");
        assert_eq!(plain("Wärme 2.0"), "Wärme 2.0");
    }
}
