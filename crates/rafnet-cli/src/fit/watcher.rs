//! Who watches a fit: shows how it goes, records its steps and saves it on the way.

use crate::interrupt;
use crate::output::{Failure, say};
use crate::progress::{ProgressLine, duration};
use crate::resume;
use crate::run_folder::{Metrics, Reserve, RunFolder};
use rafnet::fit::{Kind, Progress, decibels};
use rafnet::run::{Checkpoint, Watch};
use serde_json::{Value, json};
use std::ops::ControlFlow;

/// Shows, records and saves while a run goes on.
pub(super) struct Watcher<'a> {
    pub(super) folder: &'a RunFolder,
    pub(super) metrics: Metrics,
    /// Room for the model; given back when the run has ended.
    pub(super) reserve: Reserve,
    pub(super) line: ProgressLine,
    /// Steps taken by this process.
    pub(super) steps: usize,
    pub(super) last: Option<Progress>,
    /// Why a record or a checkpoint could not be written: the run is then stopped.
    pub(super) unsaved: Option<Failure>,
    pub(super) kind: Kind,
    /// Whether a clock ends the run.
    pub(super) timed: bool,
}

/// Steps after which it is known how long a run takes, and seconds that are long for someone who waits.
const KNOWN: usize = 4;
const LONG: f64 = 600.0;

impl Watcher<'_> {
    /// Says once that a run takes long, and what would be shorter.
    fn say_how_long(&mut self, p: &Progress) {
        let Some(steps) = p.steps.filter(|_| self.steps == KNOWN && !self.timed) else {
            return;
        };
        let left = (steps - p.step) as f64 * p.seconds / KNOWN as f64;
        if left > LONG {
            self.line.clear();
            let smaller = if self.kind == Kind::Image {
                ", `--size 128x128` fits a smaller picture"
            } else {
                ""
            };
            say(&format!(
                "this takes about {}; `--time-limit 120` ends a run with the best so far{smaller}; Ctrl-C saves what there is",
                duration(left)
            ));
        }
    }
}

impl Watch for Watcher<'_> {
    fn progress(&mut self, p: &Progress) -> ControlFlow<()> {
        self.steps += 1;
        self.last = Some(*p);
        self.say_how_long(p);
        let line = || record(p, self.kind);
        let recorded = self.metrics.record(self.folder, p.step, line);
        self.unsaved = recorded.err().or(self.unsaved.take());
        let (steps, loss) = (p.steps.unwrap_or(p.step), p.loss.unwrap_or(f64::NAN));
        self.line.show(Some(p.step as f64 / steps as f64), || {
            let psnr = |mse: f64| psnr(mse, self.kind);
            let rate = self.steps as f64 / p.seconds.max(1e-9);
            let left = duration((steps - p.step) as f64 / rate.max(1e-9));
            let figure =
                psnr(loss).map_or_else(|| format!("loss {loss:.2e}"), |d| format!("{d:.2} dB"));
            let between = p.look.and_then(|l| l.held_out).and_then(psnr);
            let between = between.map_or_else(String::new, |d| format!("  between {d:.2} dB"));
            format!(
                "step {} of {steps}  {figure}{between}  {rate:.1} steps/s  {left} left",
                p.step
            )
        });
        if interrupt::asked() || self.unsaved.is_some() {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }

    fn checkpoint(&mut self, checkpoint: &Checkpoint) {
        // where there is no room the last checkpoint is kept, and the room is left to the model
        if self.unsaved.is_some() {
            return;
        }
        let saved = self.metrics.write(self.folder);
        let saved = saved.and_then(|()| resume::save(checkpoint, self.folder));
        self.unsaved = saved.err();
    }
}

/// The mean square as dB, where that means something.
fn psnr(mse: f64, kind: Kind) -> Option<f64> {
    Some(decibels(mse)).filter(|v| kind != Kind::Table && v.is_finite())
}

/// The line of a step.
pub(super) fn record(p: &Progress, kind: Kind) -> Value {
    let look = p.look.filter(|l| l.step == p.step);
    let held_out = look.and_then(|l| l.held_out);
    json!({
        "step": p.step, "seconds": p.seconds, "loss": p.loss, "psnr": p.loss.and_then(|mse| psnr(mse, kind)),
        "psnr_heldout": held_out.and_then(|mse| psnr(mse, kind)), "mse_heldout": held_out,
    })
}
