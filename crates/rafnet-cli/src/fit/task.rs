//! One run: from a file to a model with its figures, in a folder of its own.

use super::choices::Choices;
use super::config::by_the_clock;
use super::quality::{self, decibels};
use super::report::Ending;
use super::signal::{Signal, Taken};
use super::{name_of, pictures};
use crate::interrupt;
use crate::output::{Failure, Report};
use crate::progress::{ProgressLine, duration};
use crate::resume::{self, CHECKPOINT};
use crate::run_folder::{RESULT, RunFolder};
use rafnet::Model;
use rafnet::fit::{Fitted, Holdout, Kind, Options, Progress, Supervision, Watch, fit};
use rafnet::solve::{Checkpoint, Outcome};
use serde_json::{Value, json};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Instant;

pub(super) struct Task {
    pub(super) kind: Kind,
    pub(super) path: Option<PathBuf>,
    pub(super) choices: Choices,
    pub(super) threads: usize,
    pub(super) out: PathBuf,
}

impl Task {
    /// Trains, measures, writes.
    pub(super) fn run(mut self, force: bool, resume: bool) -> Result<Report, Failure> {
        let started = Instant::now();
        // what cannot be used is said before a file is read
        let holdout = self
            .choices
            .clone()
            .resolve(self.kind, 0, self.threads)?
            .holdout;
        let mut signal = self.signal()?;
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
        // a checkpoint of another run is refused before anything is written
        let checkpoint = if resume {
            let accepts = |c: &Checkpoint| rafnet::fit::accepts(&signal, &options, c);
            resume::checkpoint(&self.out, "fit", accepts)?
        } else {
            None
        };
        let mut folder = RunFolder::create(self.out.clone(), force, resume)?;
        folder.write("config.toml", self.config().as_bytes())?;
        folder.keep_records_until(checkpoint.as_ref().map_or(0, |c| c.step))?;
        let mut watcher = Watcher {
            folder: &folder,
            records: Vec::new(),
            line: ProgressLine::new(),
            curve: Vec::new(),
            unsaved: None,
            kind: self.kind,
        };
        let fitted = fit(&signal, &options, checkpoint.as_ref(), &mut watcher)
            .map_err(|e| Failure::new(e.to_string(), "see `raf fit --help` for the options"))?;
        let Watcher {
            records,
            mut line,
            curve,
            unsaved,
            ..
        } = watcher;
        line.clear();
        if let Some(failure) = unsaved {
            return Err(failure);
        }
        folder.append_metrics(&records)?;
        self.end(&signal, &options, &fitted, &folder, started, &curve)
    }

    fn end(
        &self,
        signal: &Signal,
        options: &Options,
        fitted: &Fitted,
        folder: &RunFolder,
        started: Instant,
        curve: &[[f64; 2]],
    ) -> Result<Report, Failure> {
        let unfit = |e: rafnet::model::ModelError| {
            Failure::new(e.to_string(), "a smaller `--lr` may keep the fit finite")
        };
        let make = |shift: &[f64]| {
            let (network, parameters) = (fitted.network.clone(), fitted.parameters.clone());
            let parts = signal.parts(network, parameters, options.precision, shift);
            Model::new(parts).map(|m| m.with_threads(self.threads))
        };
        let mut model = make(&[]).map_err(unfit)?;
        if options.supervision != Supervision::Value {
            // derivatives leave a constant open: the signal's own mean is taken
            let shift = pictures::mean_shift(signal, &model)?;
            model = make(&shift).map_err(unfit)?;
        }
        let path = folder.file("model.safetensors");
        model.save(&path).map_err(|e| {
            Failure::new(
                e.to_string(),
                "pass `--out` with a folder that can be written",
            )
        })?;
        let quality = quality::measure(signal, &model, options.holdout, options.seed)?;
        pictures::draw(signal, &model, &quality, curve, folder.path())?;
        let ending = Ending {
            signal,
            options,
            fitted,
            quality: &quality,
            steps: curve.len(),
            seconds: started.elapsed().as_secs_f64(),
            model: path.display().to_string(),
        };
        let missed =
            self.choices.get("target").is_some() && fitted.outcome != Outcome::TargetReached;
        let status = match fitted.outcome {
            Outcome::Stopped => interrupt::STATUS,
            Outcome::Diverged => 1,
            _ if missed => 1,
            _ => 0,
        };
        if fitted.outcome == Outcome::BudgetSpent && fitted.steps < options.steps {
            let config = self.config() + &by_the_clock(fitted.steps, options.time_limit);
            folder.write("config.toml", config.as_bytes())?;
        }
        let (json, text) = (ending.json(self), ending.text(self));
        if !matches!(fitted.outcome, Outcome::Stopped | Outcome::Diverged) {
            folder.write(RESULT, format!("{json}\n").as_bytes())?;
        }
        Ok(Report { text, json, status })
    }

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
        if taken.supervision != Supervision::Value && self.kind != Kind::Image {
            return Err(Failure::new(
                "`--supervise` is for images",
                "leave it out, or raf fit image --supervise gradient",
            ));
        }
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

/// Shows, records and saves while a run goes on.
struct Watcher<'a> {
    folder: &'a RunFolder,
    records: Vec<Value>,
    line: ProgressLine,
    curve: Vec<[f64; 2]>,
    unsaved: Option<Failure>,
    kind: Kind,
}

impl Watch for Watcher<'_> {
    fn progress(&mut self, p: &Progress) -> ControlFlow<()> {
        self.curve.push([p.step as f64, p.loss]);
        let pictured = self.kind != Kind::Table;
        let psnr = |mse: f64| Some(decibels(mse)).filter(|v| pictured && v.is_finite());
        let look = p.look.filter(|l| l.step == p.step);
        let held_out = look.and_then(|l| l.held_out);
        self.records.push(json!({
            "step": p.step, "seconds": p.seconds, "loss": p.loss, "psnr": psnr(p.loss), "psnr_heldout": held_out.and_then(psnr),
            "mse_heldout": held_out,
        }));
        self.line.show(Some(p.step as f64 / p.steps as f64), || {
            let rate = self.curve.len() as f64 / p.seconds.max(1e-9);
            let left = duration((p.steps - p.step) as f64 / rate.max(1e-9));
            let figure = psnr(p.loss)
                .map_or_else(|| format!("loss {:.2e}", p.loss), |d| format!("{d:.2} dB"));
            let between = p.look.and_then(|l| l.held_out).and_then(psnr);
            let between = between.map_or_else(String::new, |d| format!("  between {d:.2} dB"));
            format!(
                "step {} of {}  {figure}{between}  {rate:.1} steps/s  {left} left",
                p.step, p.steps
            )
        });
        if interrupt::asked() || self.unsaved.is_some() {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }

    fn checkpoint(&mut self, checkpoint: &Checkpoint) {
        let written = self
            .folder
            .append_metrics(&std::mem::take(&mut self.records));
        let saved = checkpoint.save(self.folder.file(CHECKPOINT));
        let hint = "make room or pass `--out` with a folder that can be written; the last checkpoint is kept";
        let failed = saved
            .map_err(|e| Failure::new(e.to_string(), hint))
            .and(written);
        self.unsaved = failed.err();
    }
}
