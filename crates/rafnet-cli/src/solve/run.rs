//! One run: from a problem to a folder with its model, its pictures and its figures.

use super::config;
use super::options::options;
use super::source::{named, with_values};
use super::watcher::{Watcher, record};
use super::{Arguments, list, pictures, report};
use crate::interrupt;
use crate::output::{Failure, Report, said_only, warn};
use crate::report::{PAGE, beside};
use crate::resume::{self, CHECKPOINT};
use crate::run_folder::{self, MODEL, RESULT, RunFolder};
use crate::threads;
use rafnet::engine::EngineError;
use rafnet::problem::Problem;
use rafnet::run::Outcome;
use rafnet::solve::{Options, SolveError, Solved};
use serde_json::json;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// For so long pictures are drawn of a run that was stopped, and of one whose time is over: who waits for its end waits no longer.
const OF_A_STOPPED_RUN: Duration = Duration::from_millis(300);
const OF_AN_EXPIRED_RUN: Duration = Duration::from_millis(800);

/// What is solved, and what was asked of it.
pub(super) struct Run {
    /// What to type to solve it again: the problem as it was named, or the run's own file, which has what else was asked.
    pub(super) source: String,
    pub(super) problem: Problem,
    pub(super) options: Options,
    /// What should be said of a run that goes on with another device.
    moved: Option<String>,
    /// Whether what the search tried is shown.
    pub(super) verbose: bool,
    /// Whether it leaves a page.
    with_page: bool,
}

pub(super) fn one(arguments: &Arguments) -> Result<Report, Failure> {
    let resumed = arguments.resume.as_ref();
    let config = resumed.map(|folder| folder.join("config.toml"));
    let Some(name) = config.as_ref().or(arguments.problem.as_ref()) else {
        return Ok(list());
    };
    let problem = with_values(named(name)?, &arguments.set)?;
    for warning in problem.warnings() {
        warn(&warning);
    }
    let given = &arguments.given.choices;
    let options = options(&problem, given)?;
    // a checkpoint of another run is refused before anything is written
    let checkpoint = match resumed {
        Some(folder) => resume::checkpoint(folder, "solve", |c| problem.accepts(&options, c))?,
        None => None,
    };
    let moved = resume::moved(checkpoint.as_ref(), options.device);
    // before the copies of an earlier run are removed, one of which this may be
    let data = config::data(problem.text(), name)?;
    let out = out(arguments, &problem);
    let folder = RunFolder::create(out, arguments.force, resumed.is_some())?;
    folder.forget(arguments.force, resumed.is_some())?;
    config::write(&folder, &problem.name, (problem.text(), &data), &options)?;
    interrupt::listen();
    let nothing_else = arguments.set.is_empty() && given.0.iter().all(|(n, _)| n == "time-limit");
    let run = Run {
        source: if nothing_else {
            name.display().to_string()
        } else {
            folder.path().join("config.toml").display().to_string()
        },
        problem,
        options,
        moved,
        verbose: arguments.verbose,
        with_page: !arguments.no_report,
    };
    let mut watcher = Watcher::new(
        folder,
        checkpoint.as_ref().map_or(0, |c| c.step),
        run.options.time_limit,
    )?;
    let (problem, options) = (&run.problem, &run.options);
    let solved = problem.solve_from(options, checkpoint.as_ref(), &mut watcher);
    run.end(solved, watcher)
}

/// The folder: that of the run that is gone on with, the one that was named, or one of its own.
fn out(arguments: &Arguments, problem: &Problem) -> PathBuf {
    let named = arguments.resume.clone().or_else(|| arguments.out.clone());
    let in_file = problem.options.iter().find(|(name, _)| name == "out");
    named
        .or_else(|| in_file.map(|(_, out)| PathBuf::from(out)))
        .unwrap_or_else(|| RunFolder::usual(&problem.name))
}

impl Run {
    /// What to say and to keep, whatever came of it.
    fn end(&self, solved: Result<Solved, SolveError>, watcher: Watcher) -> Result<Report, Failure> {
        let Watcher {
            folder,
            metrics,
            reserve,
            mut line,
            complete,
            last,
            unsaved,
            ..
        } = watcher;
        drop(reserve);
        line.clear();
        let saved = folder.file(CHECKPOINT).exists();
        let end_metrics =
            || last.map_or(Ok(()), |p| metrics.finish(&folder, p.step, || record(&p)));
        match (solved, unsaved) {
            (Ok(solved), None) => {
                save(&solved, &folder)?;
                // the answer is there; what stands beside it is no reason to keep it back
                said_only(end_metrics());
                let mut remarks = solved.decisions();
                remarks.extend(self.moved.clone());
                if solved.expired && !complete {
                    let limit = self.options.time_limit;
                    remarks.extend(run_folder::by_the_clock("solve", solved.steps, limit));
                }
                said_only(config::append_remarks(&folder, &remarks));
                Ok(self.report(&solved, &folder, saved))
            }
            (Ok(solved), Some(failure)) => {
                let saved = solved.model.save(folder.own(MODEL));
                Err(folder.stopped(&failure, saved, "raf solve"))
            }
            (Err(SolveError::Stopped { .. }), Some(failure)) => Err(failure),
            (Err(error), _) if error.outcome().is_some() => {
                said_only(end_metrics());
                Ok(report::without_solution(self, &error, &folder, saved))
            }
            (Err(error), _) => {
                if last.is_none() {
                    folder.abandon();
                }
                let hint = if let SolveError::Engine(EngineError::Device { .. }) = error {
                    threads::OF_DEVICES
                } else if error.is_size() {
                    "take fewer `--points` or `--pieces`, a smaller `--width` or `--depth`"
                } else {
                    "run `raf solve --list` for problems that work, and see the format's page for what is supported"
                };
                Err(Failure::new(error.to_string(), hint))
            }
        }
    }

    /// Draws and reports.
    fn report(&self, solved: &Solved, folder: &RunFolder, saved: bool) -> Report {
        let problem = &self.problem;
        let patience = match solved.outcome {
            Outcome::Stopped => Some(OF_A_STOPPED_RUN),
            _ if solved.expired => Some(OF_AN_EXPIRED_RUN),
            _ => None,
        };
        let by = pictures::Drawing {
            folder,
            threads: self.options.threads(),
            until: patience.map(|patience| Instant::now() + patience),
        };
        match pictures::draw(problem, solved, &by) {
            Ok(0) => {}
            Ok(n) => warn(&format!(
                "{n} pictures were left out, for the time was over: `raf plot {} -o FILE.png` draws them",
                folder.path().display()
            )),
            Err(failure) => said_only(Err(failure)),
        }
        let curve = run_folder::curve(folder.path(), |record| {
            Some([record["seconds"].as_f64()?, record["best"].as_f64()?])
        });
        said_only(pictures::curve(problem, &curve, folder));
        let told = report::Told {
            run: self,
            solved,
            folder,
            saved,
        };
        let mut report = told.report();
        let finished = solved.outcome != Outcome::Stopped;
        let keep = |report: &Report| {
            if finished {
                let result = format!("{}\n", report.json);
                said_only(folder.write(RESULT, result.as_bytes()));
            }
        };
        let page = self.with_page.then(|| folder.file(PAGE));
        report.json["report"] = json!(page.as_ref().map(|page| page.display().to_string()));
        keep(&report);
        if let Some(page) = page {
            if beside(folder, &report.json) {
                let _ = writeln!(report.text, "  page           {}", page.display());
            } else {
                report.json["report"] = json!(null);
                keep(&report);
            }
        }
        report.text.push_str(&told.what_next());
        report
    }
}

/// Writes the model, and those of further eigenfunctions and of other solutions.
fn save(solved: &Solved, folder: &RunFolder) -> Result<(), Failure> {
    for (name, _) in solved.models() {
        folder.own(&name);
    }
    solved.save(folder.path()).map_err(|e| {
        let hint = "pass `--out` with a folder that can be written";
        Failure::new(e.to_string(), hint)
    })
}
