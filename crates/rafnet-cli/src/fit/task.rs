//! What is to be fitted and how: a file or a sample, and the options with everything resolved.

use super::config::{self, Config};
use super::signal::{Signal, Taken};
use super::{columns, content, name_of, table};
use crate::choices::Choices;
use crate::output::Failure;
use crate::run_folder::{RESULT, RunFolder};
use rafnet::fit::{Holdout, Kind, Options};
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
    /// Reads the signal and resolves the options; what cannot be used is said here, before the first step.
    pub(super) fn prepare(mut self) -> Result<Prepared, Failure> {
        let started = Instant::now();
        // what cannot be used is said before a file is read
        table::check(self.kind, &self.choices, self.path.is_some())?;
        let holdout = self
            .choices
            .clone()
            .resolve(self.kind, 0, self.threads)?
            .holdout;
        let mut signal = self.signal()?;
        if let (Signal::Table(table), Some(path)) = (&signal, &self.path) {
            columns::check(table, path)?;
        }
        let content = self.path.as_deref().map(content::fingerprint).transpose()?;
        let samples = signal.trained_sizes(holdout).iter().product();
        let mut options = self.choices.resolve(self.kind, samples, self.threads)?;
        if options.displaced > 0.0 && !signal.know_between(options.holdout) {
            options.displaced = 0.0;
        }
        if let Signal::Image(p) = &signal {
            // half a step of the picture, in units of the target
            let steps = p.image.depth().map_or(0.0, |d| f64::from(d.max()));
            options.tolerance = if steps > 0.0 { 1.0 / steps } else { 0.0 };
        }
        if !self.choices.is_paper()? {
            options.first_scale = first_scale(&signal, options.holdout);
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

    fn signal(&mut self) -> Result<Signal, Failure> {
        let paper = self.choices.is_paper()? && self.kind == Kind::Image;
        let size = self.choices.size()?.or(paper.then_some([256, 256]));
        let columns = |name: &str| -> Vec<&str> {
            let text = self.choices.get(name).unwrap_or("");
            text.split(',')
                .map(str::trim)
                .filter(|c| !c.is_empty())
                .collect()
        };
        let taken = Taken {
            size,
            grey: match self.choices.get("grey") {
                Some(text) => text == "true",
                None => paper || self.path.is_none(),
            },
            // the paper's code takes the mean of the channels
            mono: self.choices.get("mono") == Some("true") || self.choices.is_paper()?,
            supervision: self.choices.supervision()?,
            inputs: columns("inputs"),
            outputs: columns("outputs"),
        };
        Signal::open(self.kind, self.path.as_deref(), &taken)
    }
}

/// A factor on the first weights, so that the first waves have as many trained samples as in the paper's signals: pictures of 256 pixels
/// a side, sounds of 300,000 samples. Small pictures keep a quarter, or they would take long to learn.
fn first_scale(signal: &Signal, holdout: Holdout) -> f64 {
    let sizes = signal.trained_sizes(holdout);
    let along = |k: usize| sizes[k] as f64;
    match signal {
        Signal::Image(_) => (along(0).max(along(1)) / 256.0).max(0.25),
        Signal::Audio { .. } => along(0) / 300_000.0,
        Signal::Video(_) | Signal::Table(_) => 1.0,
    }
}

/// `runs/NAME-DATE-TIME`.
pub(super) fn usual_folder(kind: Kind, path: Option<&Path>) -> PathBuf {
    let stem = path
        .and_then(Path::file_stem)
        .map(|s| s.to_string_lossy().into_owned());
    RunFolder::usual(&stem.unwrap_or_else(|| name_of(kind).to_owned()))
}
