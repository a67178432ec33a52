//! One run: from a file to a model with its figures, in a folder of its own.

use super::choices::Choices;
use super::quality::{self, Quality};
use super::signal::{Signal, Taken};
use super::{name_of, named, pictures};
use crate::interrupt;
use crate::output::{Failure, Report};
use crate::progress::{ProgressLine, duration};
use crate::run_folder::RunFolder;
use rafnet::Model;
use rafnet::fit::{Fitted, Holdout, Kind, Options, Progress, Samples, Supervision, Watch, fit};
use rafnet::solve::{Checkpoint, Outcome};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Instant;

const CHECKPOINT: &str = "checkpoint.safetensors";
/// What a finished run leaves for a repeated command.
pub(super) const RESULT: &str = "result.json";

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
        let mut options = self.choices.resolve(self.kind, self.threads)?;
        let signal = self.signal()?;
        if let Signal::Image(p) = &signal {
            // half a step of the picture, in units of the target
            let steps = p.image.depth().map_or(0.0, |d| f64::from(d.max()));
            options.tolerance = if steps > 0.0 { 1.0 / steps } else { 0.0 };
        }
        if !self.choices.is_paper()? {
            options.first_scale = first_scale(&signal, options.holdout);
        }
        let mut folder = RunFolder::create(self.out.clone(), force, resume)?;
        folder.write("config.toml", self.config().as_bytes())?;
        let checkpoint = folder.file(CHECKPOINT);
        let checkpoint = if resume && checkpoint.exists() {
            let hint = "delete the checkpoint to start the run anew";
            let found = Checkpoint::load(checkpoint);
            Some(found.map_err(|e| Failure::new(e.to_string(), hint))?)
        } else {
            None
        };
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
        let lossless = quality.lossless == Some(true);
        let outcome = match fitted.outcome {
            Outcome::TargetReached if lossless => "lossless".to_owned(),
            Outcome::BudgetSpent if fitted.steps == options.steps => "all steps taken".to_owned(),
            other => other.name().to_owned(),
        };
        let seconds = started.elapsed().as_secs_f64();
        let missed =
            self.choices.get("target").is_some() && fitted.outcome != Outcome::TargetReached;
        let status = match fitted.outcome {
            Outcome::Stopped => interrupt::STATUS,
            Outcome::Diverged => 1,
            _ if missed => 1,
            _ => 0,
        };
        let per_step = fitted.step_seconds / curve.len().max(1) as f64;
        let best_heldout = fitted.looks.iter().filter_map(|l| l.held_out);
        let best_heldout = best_heldout
            .min_by(f64::total_cmp)
            .map(|mse| -10.0 * (mse / 4.0).log10());
        let json = json!({
            "outcome": outcome, "kind": name_of(self.kind), "file": self.file(),
            "activation": self.choices.get("activation"), "psnr": quality.psnr, "ssim": quality.ssim, "mse": quality.mse,
            "lossless": quality.lossless, "psnr_heldout": quality.psnr_heldout, "mse_heldout": quality.mse_heldout,
            "psnr_heldout_best": best_heldout.filter(|_| self.kind != Kind::Table),
            "psnr_bicubic": quality.psnr_bicubic, "psnr_frames": quality.frames.map(|f| f[0]),
            "psnr_frames_deviation": quality.frames.map(|f| f[1]), "steps": fitted.steps, "seconds": seconds,
            "seconds_per_step": per_step, "parameters": fitted.parameters.len(), "model": path.display().to_string(),
            "seed": options.seed, "device": "cpu", "precision": self.choices.get("precision"),
            "version": env!("CARGO_PKG_VERSION"),
        });
        let text = self.text(signal, &quality, &json, fitted, seconds);
        if !matches!(fitted.outcome, Outcome::Stopped | Outcome::Diverged) {
            folder.write(RESULT, format!("{json}\n").as_bytes())?;
        }
        Ok(Report { text, json, status })
    }

    fn text(
        &self,
        signal: &Signal,
        quality: &Quality,
        json: &Value,
        fitted: &Fitted,
        seconds: f64,
    ) -> String {
        let mut text = String::new();
        let sizes: Vec<String> = signal
            .sizes()
            .iter()
            .rev()
            .map(ToString::to_string)
            .collect();
        let _ = writeln!(
            text,
            "{:<22} {} ({})",
            "signal",
            self.file(),
            sizes.join(" x ")
        );
        let _ = writeln!(
            text,
            "{:<22} {}",
            "outcome",
            json["outcome"].as_str().unwrap_or("")
        );
        let mut row = |name: &str, value: Option<String>| {
            if let Some(value) = value {
                let _ = writeln!(text, "{name:<22} {value}");
            }
        };
        let db = |v: Option<f64>| v.map(|v| format!("{v:.2} dB"));
        row("quality", db(quality.psnr));
        row("SSIM", quality.ssim.map(|s| format!("{s:.6}")));
        row("mean square error", Some(format!("{:.3e}", quality.mse)));
        row(
            "lossless",
            quality.lossless.map(|l| {
                if l {
                    "yes, bit for bit".into()
                } else {
                    "no".into()
                }
            }),
        );
        row("between the samples", db(quality.psnr_heldout));
        row(
            "held-out error",
            quality
                .mse_heldout
                .filter(|_| quality.psnr_heldout.is_none())
                .map(|m| format!("{m:.3e}")),
        );
        row("  bicubic there", db(quality.psnr_bicubic));
        row(
            "frames",
            quality
                .frames
                .map(|[m, d]| format!("{m:.2} dB, deviation {d:.2}")),
        );
        row(
            "network",
            Some(format!(
                "{}, {} parameters",
                json["activation"].as_str().unwrap_or(""),
                fitted.parameters.len()
            )),
        );
        row(
            "time",
            Some(format!(
                "{} for {} steps, {:.0} ms a step",
                duration(seconds),
                fitted.steps,
                1e3 * json["seconds_per_step"].as_f64().unwrap_or(0.0)
            )),
        );
        row("model", json["model"].as_str().map(str::to_owned));
        if fitted.outcome == Outcome::Stopped {
            let _ = writeln!(
                text,
                "\nraf fit --resume {} goes on from here",
                self.out.display()
            );
        }
        if fitted.outcome == Outcome::Diverged {
            let _ = writeln!(
                text,
                "\nthe loss was not finite after step {}; a smaller `--lr` may help",
                fitted.steps
            );
        }
        text
    }

    fn file(&self) -> String {
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

    /// Everything resolved: `raf fit config.toml` runs it again, to the same bits.
    fn config(&self) -> String {
        let mut text = format!("kind = \"{}\"\n", name_of(self.kind));
        if let Some(path) = &self.path {
            let absolute = std::path::absolute(path).unwrap_or_else(|_| path.clone());
            let _ = writeln!(
                text,
                "path = {}",
                toml::Value::from(absolute.display().to_string())
            );
        }
        let _ = writeln!(text, "\n[fit]");
        for (name, value) in &self.choices.0 {
            let _ = writeln!(
                text,
                "{} = {}",
                name.replace('-', "_"),
                toml::Value::from(value.as_str())
            );
        }
        text
    }
}

/// A factor on the first weights, so that the first waves have as many trained samples as in the paper's signals: pictures of 256 pixels
/// a side, sounds of 300,000 samples. Small pictures keep a quarter, or they would take long to learn.
fn first_scale(signal: &Signal, holdout: Holdout) -> f64 {
    let sizes = signal.sizes();
    let along = |k: usize| match holdout {
        Holdout::Grid(every) => sizes[k].div_ceil(every) as f64,
        _ => sizes[k] as f64,
    };
    match signal {
        Signal::Image(_) => (f64::max(along(0), along(1)) / 256.0).max(0.25),
        Signal::Audio { .. } => along(0) / 300_000.0,
        Signal::Video(_) | Signal::Table(_) => 1.0,
    }
}

/// What [`Task::config`] wrote.
pub(super) fn read_config(path: &Path) -> Result<(Kind, Option<PathBuf>, Choices), Failure> {
    let unusable = |why: String| {
        Failure::new(
            format!("`{}` is no run of `raf fit`: {why}", path.display()),
            "pass the folder that `raf fit` wrote, or start anew with raf fit image",
        )
    };
    let text = std::fs::read_to_string(path).map_err(|e| unusable(e.to_string()))?;
    let config: toml::Table = text
        .parse()
        .map_err(|e: toml::de::Error| unusable(e.message().to_owned()))?;
    let kind = config.get("kind").and_then(|k| k.as_str());
    let kind = kind.ok_or_else(|| unusable("it has no `kind`".into()))?;
    let fit = config.get("fit").and_then(|f| f.as_table());
    let fit = fit.ok_or_else(|| unusable("it has no `[fit]`".into()))?;
    let mut choices = Choices::default();
    for (name, value) in fit {
        let text = value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned);
        choices.set(&name.replace('_', "-"), text);
    }
    let file = config
        .get("path")
        .and_then(|p| p.as_str())
        .map(PathBuf::from);
    Ok((named(kind)?, file, choices))
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
        let psnr = |mse: f64| {
            (self.kind != Kind::Table)
                .then(|| -10.0 * (mse / 4.0).log10())
                .filter(|v| v.is_finite())
        };
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
