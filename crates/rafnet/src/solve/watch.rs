//! Those who watch a run, and what a search that they may stop ends with.

use super::{Checkpoint, Fingerprint, Options, Progress, SolveError};
use crate::problem::Problem;
use std::ops::ControlFlow;
use std::time::Instant;

/// Someone who watches a run.
pub trait Watch {
    /// Hears of progress and says whether to go on.
    fn progress(&mut self, progress: &Progress) -> ControlFlow<()>;

    /// Is handed the state of a trained run every few seconds and when it is stopped.
    fn checkpoint(&mut self, _checkpoint: &Checkpoint) {}
}

/// A callback as a watcher.
pub(super) struct Callback<F>(pub(super) F);

impl<F: FnMut(&Progress) -> ControlFlow<()>> Watch for Callback<F> {
    fn progress(&mut self, progress: &Progress) -> ControlFlow<()> {
        (self.0)(progress)
    }
}

/// A watcher who is handed checkpoints that say what run they are of.
pub(super) struct Stamped<'a> {
    pub(super) watch: &'a mut dyn Watch,
    pub(super) run: Fingerprint,
}

impl Watch for Stamped<'_> {
    fn progress(&mut self, progress: &Progress) -> ControlFlow<()> {
        self.watch.progress(progress)
    }

    fn checkpoint(&mut self, checkpoint: &Checkpoint) {
        self.watch.checkpoint(&Checkpoint {
            run: self.run.clone(),
            ..checkpoint.clone()
        });
    }
}

impl Problem {
    /// What a search finds; where that is nothing, why: it was stopped, its time was over, or else `nothing`.
    pub(super) fn searched<T>(
        &self,
        options: &Options,
        watch: &mut dyn Watch,
        nothing: SolveError,
        search: impl FnOnce(
            &mut dyn FnMut(&Progress) -> ControlFlow<()>,
        ) -> Result<Option<T>, SolveError>,
    ) -> Result<T, SolveError> {
        let (started, mut stopped) = (Instant::now(), false);
        let found = search(&mut |p: &Progress| {
            let flow = watch.progress(p);
            stopped |= flow.is_break();
            flow
        })?;
        let (problem, limit) = (self.name.clone(), options.time_limit);
        found.ok_or_else(|| {
            if stopped {
                SolveError::Stopped { problem }
            } else if started.elapsed().as_secs_f64() > limit {
                SolveError::NoTime { problem, limit }
            } else {
                nothing
            }
        })
    }
}
