//! Those who watch a run.

use super::{Checkpoint, Fingerprint};
use std::ops::ControlFlow;

/// Someone who watches a run and hears `P` of it.
pub trait Watch<P> {
    /// Hears of progress and says whether to go on.
    fn progress(&mut self, progress: &P) -> ControlFlow<()>;

    /// Is handed the state of a run every few seconds and when it is ended early.
    fn checkpoint(&mut self, _checkpoint: &Checkpoint) {}
}

/// A callback as a watcher.
pub(crate) struct Callback<F>(pub(crate) F);

impl<P, F: FnMut(&P) -> ControlFlow<()>> Watch<P> for Callback<F> {
    fn progress(&mut self, progress: &P) -> ControlFlow<()> {
        (self.0)(progress)
    }
}

/// A watcher who is handed checkpoints that say what run they are of.
pub(crate) struct Stamped<'a, P> {
    pub(crate) watch: &'a mut dyn Watch<P>,
    pub(crate) run: Fingerprint,
}

impl<P> Watch<P> for Stamped<'_, P> {
    fn progress(&mut self, progress: &P) -> ControlFlow<()> {
        self.watch.progress(progress)
    }

    fn checkpoint(&mut self, checkpoint: &Checkpoint) {
        self.watch.checkpoint(&Checkpoint {
            run: self.run.clone(),
            ..checkpoint.clone()
        });
    }
}
