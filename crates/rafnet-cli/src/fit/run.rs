//! One run: trains, measures, draws and writes.

use super::report::Ending;
use super::task::Prepared;
use super::watcher::{Watcher, record};
use super::{pictures, quality};
use crate::interrupt;
use crate::output::{Failure, Report, said_only};
use crate::progress::ProgressLine;
use crate::resume;
use crate::run_folder::{self, MODEL, Metrics, RESULT, Reserve, RunFolder, by_the_clock};
use rafnet::Model;
use rafnet::fit::{Fitted, Samples, Supervision, fit};
use rafnet::model::ModelError;
use rafnet::run::{Checkpoint, Outcome};

impl Prepared {
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
        let saved = model.save(folder.own(MODEL));
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
        said_only(pictures::draw(signal, model, &quality, &curve, folder));
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
            let remarks = by_the_clock("fit", Some(fitted.steps), options.time_limit);
            let remarks = remarks.map(|remark| format!("# {remark}\n"));
            let config = self.config() + &remarks.concat();
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
