//! Those who watch a run.

use super::{Checkpoint, Fingerprint, Progress};
use crate::engine::Device;
use std::ops::ControlFlow;

/// Someone who watches a run.
pub trait Watch {
    /// Hears of progress and says whether to go on.
    fn progress(&mut self, progress: &Progress) -> ControlFlow<()>;

    /// Is handed the state of a run every few seconds and when it is ended early.
    fn checkpoint(&mut self, _checkpoint: &Checkpoint) {}
}

/// A callback as a watcher.
pub(crate) struct Callback<F>(pub(crate) F);

impl<F: FnMut(&Progress) -> ControlFlow<()>> Watch for Callback<F> {
    fn progress(&mut self, progress: &Progress) -> ControlFlow<()> {
        (self.0)(progress)
    }
}

/// A watcher who is handed checkpoints that say what run they are of, and on what device.
pub(crate) struct Stamped<'a> {
    pub(crate) watch: &'a mut dyn Watch,
    pub(crate) run: Fingerprint,
    pub(crate) device: Device,
}

impl Watch for Stamped<'_> {
    fn progress(&mut self, progress: &Progress) -> ControlFlow<()> {
        self.watch.progress(progress)
    }

    fn checkpoint(&mut self, checkpoint: &Checkpoint) {
        self.watch.checkpoint(&Checkpoint {
            run: self.run.clone(),
            device: self.device.name().to_owned(),
            ..checkpoint.clone()
        });
    }
}
