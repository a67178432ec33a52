//! Who watches a solution: shows how it goes, records its steps and saves it on the way.

use crate::interrupt;
use crate::output::Failure;
use crate::progress::{ProgressLine, duration};
use crate::resume;
use crate::run_folder::{Metrics, Reserve, RunFolder};
use rafnet::expr::smaller;
use rafnet::run::{Checkpoint, Watch};
use rafnet::solve::Progress;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::ops::ControlFlow;

/// Shows, records and saves while a run goes on.
pub(super) struct Watcher {
    pub(super) folder: RunFolder,
    pub(super) metrics: Metrics,
    /// Room for the model; given back when the run has ended.
    pub(super) reserve: Reserve,
    pub(super) line: ProgressLine,
    recorded: u64,
    pace: Pace,
    /// Seconds after which it ends.
    limit: f64,
    pub(super) last: Option<Progress>,
    /// The best of all stages so far.
    best: f64,
    /// Whether the last step of all was taken.
    pub(super) complete: bool,
    /// Why a record or a checkpoint could not be written: the run is then stopped.
    pub(super) unsaved: Option<Failure>,
}

impl Watcher {
    /// Goes on after so many steps that are recorded, for so many seconds at most.
    pub(super) fn new(folder: RunFolder, recorded: u64, limit: f64) -> Result<Self, Failure> {
        Ok(Self {
            metrics: Metrics::open(&folder, recorded)?,
            reserve: Reserve::take(folder.path(), 0)?,
            folder,
            line: ProgressLine::new(),
            recorded,
            pace: Pace::default(),
            limit,
            last: None,
            best: f64::INFINITY,
            complete: false,
            unsaved: None,
        })
    }
}

impl Watch for Watcher {
    fn progress(&mut self, p: &Progress) -> ControlFlow<()> {
        self.best = self.best.min(p.best);
        let best = self.best;
        let p = &Progress { best, ..*p };
        if p.step > self.recorded {
            self.recorded = p.step;
            self.last = Some(*p);
            let recorded = self.metrics.record(&self.folder, p.step, || record(p));
            self.unsaved = recorded.err().or(self.unsaved.take());
        }
        self.pace.note(p);
        self.complete = p.steps.is_some_and(|steps| p.step >= steps);
        self.line
            .show(p.steps.map(|n| p.step as f64 / n as f64), || {
                said(p, self.pace.rate(p), self.limit)
            });
        if interrupt::asked() || self.unsaved.is_some() {
            return p.stop();
        }
        p.go_on()
    }

    fn checkpoint(&mut self, checkpoint: &Checkpoint) {
        // where there is no room the last checkpoint is kept, and the room is left to the model
        if self.unsaved.is_some() {
            return;
        }
        let saved = self.metrics.write(&self.folder);
        let saved = saved.and_then(|()| resume::save(checkpoint, &self.folder));
        self.unsaved = saved.err();
        let largest = checkpoint.vectors.iter().map(|(_, v)| v.len()).max();
        self.reserve.at_least(largest.unwrap_or(0));
    }
}

/// The line of a step.
pub(super) fn record(p: &Progress) -> Value {
    let finite = |v: f64| v.is_finite().then_some(v);
    json!({
        "step": p.step, "seconds": p.seconds, "width": p.width, "loss": p.loss, "relative_l2": p.error,
        "residual": finite(p.residual), "best": finite(p.best),
    })
}

/// Steps a second of late: the steps of a warm-up take a fraction of those after it.
#[derive(Default)]
struct Pace {
    /// Seconds and step, the older first.
    seen: Vec<(f64, u64)>,
}

/// Over how many seconds a rate is taken, at least.
const LATE: f64 = 3.0;

impl Pace {
    fn note(&mut self, p: &Progress) {
        let news = self.seen.last().is_none_or(|(t, _)| p.seconds > t + 0.2);
        if news {
            self.seen.push((p.seconds, p.step));
        }
        // one that is old enough stays
        let old = self.seen.iter().filter(|(t, _)| p.seconds - t > LATE);
        let old = old.count().saturating_sub(1);
        self.seen.drain(..old);
    }

    fn rate(&self, p: &Progress) -> f64 {
        let (seconds, step) = self.seen.first().copied().unwrap_or((0.0, 0));
        p.step.saturating_sub(step) as f64 / (p.seconds - seconds).max(1e-9)
    }
}

fn said(p: &Progress, rate: f64, limit: f64) -> String {
    let mut line = match p.steps {
        Some(steps) => {
            let left = steps.saturating_sub(p.step) as f64 / rate;
            let left = smaller(left, (limit - p.seconds).max(0.0));
            let left = if left.is_finite() {
                format!("  {} left", duration(left))
            } else {
                String::new()
            };
            format!("step {} of {steps}  {rate:.1} steps/s{left}", p.step)
        }
        None => format!("{}  {} functions", duration(p.seconds), p.width),
    };
    if let Some(loss) = p.loss {
        let _ = write!(line, "  loss {loss:.2e}");
    }
    if let Some(error) = p.error {
        let _ = write!(line, "  error {error:.1e}");
    }
    for (name, value) in [("held-out residual", p.residual), ("best", p.best)] {
        if value.is_finite() {
            let _ = write!(line, "  {name} {value:.1e}");
        }
    }
    line
}
