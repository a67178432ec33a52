//! One run: trains, measures, draws and writes.

use super::task::Prepared;
use super::watcher::{Watcher, record};
use super::{failure, pictures};
use crate::interrupt;
use crate::output::{Failure, Report, said_only};
use crate::progress::ProgressLine;
use crate::report::{PAGE, beside};
use crate::resume;
use crate::run_folder::{self, MODEL, Metrics, RESULT, Reserve, RunFolder, by_the_clock};
use rafnet::fit::Trained;
use rafnet::run::{Checkpoint, Outcome};
use serde_json::{Value, json};
use std::fmt::Write as _;

impl Prepared {
    /// Trains, measures, writes.
    pub(super) fn run(self, force: bool, resume: bool) -> Result<Report, Failure> {
        let Self {
            task,
            signal,
            options,
            ..
        } = &self;
        let refused = |e| failure::fit(task.kind, e);
        // a checkpoint of another run is refused before anything is written
        let checkpoint = if resume {
            let accepts = |c: &Checkpoint| signal.accepts(options, c);
            resume::checkpoint(&task.out, "fit", accepts)?
        } else {
            None
        };
        let moved = resume::moved(checkpoint.as_ref(), options.device);
        let reserved = signal.check(options).map_err(refused)?;
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
            timed: options.time_limit.is_finite(),
        };
        let trained = signal.train(options, checkpoint.as_ref(), &mut watcher);
        let Watcher {
            metrics,
            reserve,
            mut line,
            last,
            unsaved,
            ..
        } = watcher;
        drop(reserve);
        line.clear();
        if trained.is_err() && last.is_none() {
            folder.abandon();
        }
        let trained = trained.map_err(refused)?;
        let saved = trained.model.save(folder.own(MODEL));
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
        self.end(trained, moved, &folder)
    }

    /// Measures, draws and reports. The model is there: what cannot be drawn is no reason to keep the figures back.
    fn end(
        &self,
        trained: Trained,
        moved: Option<String>,
        folder: &RunFolder,
    ) -> Result<Report, Failure> {
        let (signal, options) = (&self.signal, &self.options);
        let fit = trained.measured(signal, options);
        let mut fit = fit.map_err(|e| failure::fit(self.task.kind, e))?;
        let curve = run_folder::curve(folder.path(), |record| {
            Some([record["step"].as_f64()?, record["loss"].as_f64()?])
        });
        said_only(pictures::draw(signal, &fit, &curve, folder));
        fit.seconds = self.started.elapsed().as_secs_f64();
        let missed =
            self.task.choices.get("target").is_some() && fit.outcome != Outcome::TargetReached;
        let status = match fit.outcome {
            Outcome::Stopped => interrupt::status(),
            Outcome::Diverged => 1,
            _ if missed => 1,
            _ => 0,
        };
        let mut remarks = Vec::from_iter(moved);
        if fit.expired {
            remarks.extend(by_the_clock("fit", Some(fit.steps), options.time_limit));
        }
        if !remarks.is_empty() {
            let remarks = remarks.iter().map(|remark| format!("# {remark}\n"));
            let config = self.config() + &remarks.collect::<String>();
            said_only(folder.write("config.toml", config.as_bytes()));
        }
        let model = folder.file(MODEL).display().to_string();
        let (json, text) = (self.json(&fit, &model), self.text(&fit, &model));
        let (mut text, mut json) = (text, json);
        let finished = !matches!(fit.outcome, Outcome::Stopped | Outcome::Diverged);
        let keep = |json: &Value| {
            if finished {
                said_only(folder.write(RESULT, format!("{json}\n").as_bytes()));
            }
        };
        let page = self.task.with_page.then(|| folder.file(PAGE));
        json["report"] = json!(page.as_ref().map(|page| page.display().to_string()));
        keep(&json);
        if let Some(page) = page {
            if beside(folder, &json) {
                let _ = writeln!(text, "{:<22} {}", "page", page.display());
            } else {
                json["report"] = json!(null);
                keep(&json);
            }
        }
        Ok(Report { text, json, status })
    }
}
