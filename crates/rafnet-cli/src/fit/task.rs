//! One run: from a file to a model with its figures, in a folder of its own.

use super::choices::Choices;
use super::config::{self, Config, by_the_clock};
use super::quality;
use super::report::Ending;
use super::signal::{Signal, Taken};
use super::watcher::{Watcher, record};
use super::{columns, content, kinds, name_of, pictures};
use crate::interrupt;
use crate::output::{Failure, Report, said_only};
use crate::progress::ProgressLine;
use crate::resume;
use crate::run_folder::{self, MODEL, Metrics, RESULT, Reserve, RunFolder};
use rafnet::Model;
use rafnet::fit::{Fitted, Holdout, Kind, Options, Samples, Supervision, fit};
use rafnet::model::ModelError;
use rafnet::solve::{Checkpoint, Outcome};
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
    signal: Signal,
    options: Options,
    started: Instant,
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
        kinds::check(self.kind, &self.choices, self.path.is_some())?;
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

    /// Trains, measures, writes.
    pub(super) fn run(self, force: bool, resume: bool) -> Result<Report, Failure> {
        let Self {
            task,
            signal,
            options,
            ..
        } = &self;
        // a checkpoint of another run is refused before anything is written
        let checkpoint = if resume {
            let accepts = |c: &Checkpoint| rafnet::fit::accepts(signal, options, c);
            resume::checkpoint(&task.out, "fit", accepts)?
        } else {
            None
        };
        let reserved = self.first_model()?;
        let folder = RunFolder::create(task.out.clone(), force, resume)?;
        folder.forget(force, resume)?;
        folder.write("config.toml", self.config().as_bytes())?;
        let mut watcher = Watcher {
            metrics: Metrics::open(&folder, checkpoint.as_ref().map_or(0, |c| c.step))?,
            reserve: Reserve::take(folder.path(), reserved)?,
            folder: &folder,
            line: ProgressLine::new(),
            steps: 0,
            last: None,
            unsaved: None,
            kind: task.kind,
        };
        let fitted = fit(signal, options, checkpoint.as_ref(), &mut watcher)
            .map_err(|e| Failure::new(e.to_string(), "see `raf fit --help` for the options"))?;
        let Watcher {
            metrics,
            reserve,
            mut line,
            steps,
            last,
            unsaved,
            ..
        } = watcher;
        drop(reserve);
        line.clear();
        let model = self.model(&fitted)?;
        let saved = model.save(folder.file(MODEL));
        if let Some(failure) = unsaved {
            return Err(folder.stopped(&failure, saved, "raf fit"));
        }
        saved.map_err(|e| {
            Failure::new(
                e.to_string(),
                "pass `--out` with a folder that can be written",
            )
        })?;
        if let Some(p) = last {
            let line = || record(&p, task.kind);
            said_only(metrics.finish(&folder, p.step, line));
        }
        self.end(&fitted, &model, &folder, steps)
    }

    /// Makes the model of the first weights, so that what it would refuse is known before the first step. Returns how many
    /// parameters it has.
    fn first_model(&self) -> Result<usize, Failure> {
        let (signal, options) = (&self.signal, &self.options);
        let network = options.network(signal.dimension(), signal.channels());
        let (network, parameters) = network.map_err(|e| {
            let hint = "see `raf fit --help` for the options";
            Failure::new(e.to_string(), hint)
        })?;
        let n = parameters.len();
        let parts = signal.parts(network, parameters, options.precision, &[]);
        Model::new(parts).map_err(|e| unfit(&e))?;
        Ok(n)
    }

    /// What was fitted, as a function in the signal's own units.
    fn model(&self, fitted: &Fitted) -> Result<Model, Failure> {
        let (signal, options) = (&self.signal, &self.options);
        let make = |shift: &[f64]| {
            let (network, parameters) = (fitted.network.clone(), fitted.parameters.clone());
            let parts = signal.parts(network, parameters, options.precision, shift);
            let model = Model::new(parts).map_err(|e| unfit(&e))?;
            Ok::<Model, Failure>(model.with_threads(self.task.threads))
        };
        let model = make(&[])?;
        if options.supervision == Supervision::Value {
            return Ok(model);
        }
        // derivatives leave a constant open: the signal's own mean is taken
        make(&pictures::mean_shift(signal, &model)?)
    }

    /// Measures, draws and reports. The model is there: what cannot be drawn is no reason to keep the figures back.
    fn end(
        &self,
        fitted: &Fitted,
        model: &Model,
        folder: &RunFolder,
        steps: usize,
    ) -> Result<Report, Failure> {
        let (signal, options) = (&self.signal, &self.options);
        let quality = quality::measure(signal, model, options.holdout, options.seed)?;
        let curve = run_folder::curve(folder.path(), |record| {
            Some([record["step"].as_f64()?, record["loss"].as_f64()?])
        });
        said_only(pictures::draw(
            signal,
            model,
            &quality,
            &curve,
            folder.path(),
        ));
        let ending = Ending {
            signal,
            options,
            fitted,
            quality: &quality,
            steps,
            seconds: self.started.elapsed().as_secs_f64(),
            model: folder.file(MODEL).display().to_string(),
        };
        let missed =
            self.task.choices.get("target").is_some() && fitted.outcome != Outcome::TargetReached;
        let status = match fitted.outcome {
            Outcome::Stopped => interrupt::status(),
            Outcome::Diverged => 1,
            _ if missed => 1,
            _ => 0,
        };
        if fitted.outcome == Outcome::BudgetSpent && fitted.steps < options.steps {
            let config = self.config() + &by_the_clock(fitted.steps, options.time_limit);
            said_only(folder.write("config.toml", config.as_bytes()));
        }
        let (json, text) = (ending.json(&self.task), ending.text(&self.task));
        if !matches!(fitted.outcome, Outcome::Stopped | Outcome::Diverged) {
            said_only(folder.write(RESULT, format!("{json}\n").as_bytes()));
        }
        Ok(Report { text, json, status })
    }
}

/// A model that the parts do not make: of a table's names, or of numbers that are not finite.
fn unfit(error: &ModelError) -> Failure {
    let hint = match error {
        ModelError::NotFinite { .. } => "a smaller `--lr` may keep the fit finite",
        ModelError::Name { .. } => {
            "rename the column, or choose others with `--inputs` and `--outputs`"
        }
        _ => "check the names and the sizes of the numbers in the file",
    };
    Failure::new(error.to_string(), hint)
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
        Signal::Image(_) => (f64::max(along(0), along(1)) / 256.0).max(0.25),
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
