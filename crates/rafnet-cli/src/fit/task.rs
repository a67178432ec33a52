//! What is to be fitted and how: a file or a sample, and the options with everything resolved.

use super::config::{self, Config};
use super::{content, failure};
use crate::choices::Choices;
use crate::output::Failure;
use crate::run_folder::{RESULT, RunFolder};
use crate::threads::devices;
use rafnet::fit::{FitOption, Kind, Options, Signal};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::time::Instant;

#[derive(Clone)]
pub(super) struct Task {
    pub(super) kind: Kind,
    pub(super) path: Option<PathBuf>,
    pub(super) choices: Choices,
    pub(super) threads: usize,
    pub(super) out: PathBuf,
    /// Whether the run leaves a page.
    pub(super) with_page: bool,
}

/// A task whose signal is read and whose options are resolved.
pub(super) struct Prepared {
    pub(super) task: Task,
    /// The fingerprint of the file's content.
    pub(super) content: Option<String>,
    pub(super) signal: Signal,
    pub(super) options: Options,
    pub(super) started: Instant,
}

/// What a folder holds.
pub(super) enum Holds {
    /// Nothing that a run left.
    Nothing,
    /// This very run, not finished.
    Begun,
    /// This very run and what it found.
    Finished(Value),
    /// A run that differs in something.
    Another(String),
}

impl Task {
    /// Says what cannot be used before a file is read.
    pub(super) fn check(&self) -> Result<(), Failure> {
        let given = self.choices.pairs();
        FitOption::check(self.kind, self.path.is_some(), &given)
            .and_then(|()| Options::asked(self.kind, 0, &given, &devices()).map(|_| ()))
            .map_err(failure::option)
    }

    /// Reads the signal and resolves the options; what cannot be used is said here, before the first step.
    pub(super) fn prepare(mut self) -> Result<Prepared, Failure> {
        let started = Instant::now();
        self.check()?;
        let given = self.choices.pairs();
        let signal = Signal::open(self.kind, self.path.as_deref(), &given);
        let signal = signal.map_err(|e| failure::fit(self.kind, e))?;
        let content = self.path.as_deref().map(content::fingerprint).transpose()?;
        let options = Options {
            threads: self.threads,
            ..signal
                .options(&given, &devices())
                .map_err(failure::option)?
        };
        let usual = self.kind.usual_activation().name();
        let activation = self.choices.get("activation").unwrap_or(usual).to_owned();
        self.choices.set("activation", activation);
        for (name, text) in options.listed() {
            self.choices.set(name, text);
        }
        Ok(Prepared {
            task: self,
            content,
            signal,
            options,
            started,
        })
    }
}

impl Prepared {
    /// What the run's folder holds, compared with this run by everything that decides its bits.
    pub(super) fn holds(&self) -> Holds {
        let folder = &self.task.out;
        if !folder.join("config.toml").exists() {
            return Holds::Nothing;
        }
        let wanted = Config {
            kind: self.task.kind,
            path: None,
            choices: self.task.choices.clone(),
            content: self.content.clone(),
        };
        let difference = match config::read(&folder.join("config.toml")) {
            Ok(found) => wanted.difference(&found),
            Err(_) => Some("no run of `raf fit`".into()),
        };
        if let Some(difference) = difference {
            return Holds::Another(difference);
        }
        let text = std::fs::read_to_string(folder.join(RESULT)).ok();
        let result: Option<Value> = text.and_then(|t| serde_json::from_str(&t).ok());
        let version = env!("CARGO_PKG_VERSION");
        match result.filter(|r| r["version"] == version) {
            Some(result) => Holds::Finished(result),
            None => Holds::Begun,
        }
    }
}

impl Task {
    pub(super) fn file(&self) -> String {
        self.path
            .as_ref()
            .map_or_else(|| "embedded sample".to_owned(), |p| p.display().to_string())
    }
}

/// `runs/NAME-DATE-TIME`.
pub(super) fn usual_folder(kind: Kind, path: Option<&Path>) -> PathBuf {
    let stem = path
        .and_then(Path::file_stem)
        .map(|s| s.to_string_lossy().into_owned());
    RunFolder::usual(&stem.unwrap_or_else(|| kind.name().to_owned()))
}
