//! A training run that is under way: its checkpoint, the seconds it took so far and the figure of every step, so that hours are not lost.

use crate::record::write;
use rafnet::run::Checkpoint;
use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Where the state of one run is kept until it has ended.
pub(crate) struct State {
    checkpoint: PathBuf,
    /// Numbers: the seconds, then a figure for each step.
    figures: PathBuf,
    /// Seconds before it was stopped.
    before: Cell<f64>,
    started: Instant,
}

impl State {
    /// Of these two files; the time begins now.
    pub(crate) fn at(path: &Path) -> Self {
        Self {
            figures: path.with_extension("figures"),
            checkpoint: path.with_extension("safetensors"),
            before: Cell::new(0.0),
            started: Instant::now(),
        }
    }

    /// What a run goes on with: a checkpoint that it accepts and the figures of its steps, or nothing.
    pub(crate) fn resumed(
        &self,
        accepts: impl Fn(&Checkpoint) -> bool,
    ) -> (Option<Checkpoint>, Vec<f64>) {
        match self.load().filter(|(checkpoint, ..)| accepts(checkpoint)) {
            Some((checkpoint, seconds, figures)) => {
                self.before.set(seconds);
                (Some(checkpoint), figures)
            }
            None => (None, Vec::new()),
        }
    }

    /// What the run took so far, before it was stopped too.
    pub(crate) fn seconds(&self) -> f64 {
        self.before.get() + self.started.elapsed().as_secs_f64()
    }

    /// The checkpoint with the seconds until then and one figure for each of its steps, if there is one.
    fn load(&self) -> Option<(Checkpoint, f64, Vec<f64>)> {
        let checkpoint = Checkpoint::load(&self.checkpoint).ok()?;
        let bytes = std::fs::read(&self.figures).ok()?;
        let numbers = bytes
            .chunks_exact(8)
            .map(|b| b.try_into().map(f64::from_le_bytes));
        let numbers = numbers.collect::<Result<Vec<f64>, _>>().ok()?;
        let (seconds, figures) = numbers.split_first()?;
        let steps = usize::try_from(checkpoint.step).ok()?;
        // the figures are written first, and may be of later steps
        let figures = figures.get(..steps)?.to_vec();
        Some((checkpoint, *seconds, figures))
    }

    /// Keeps a state. What cannot be kept is computed again some day: no reason to end a run.
    pub(crate) fn save(&self, checkpoint: &Checkpoint, figures: &[f64]) {
        let numbers = [self.seconds()].into_iter().chain(figures.iter().copied());
        let bytes: Vec<u8> = numbers.flat_map(f64::to_le_bytes).collect();
        if write(&self.figures, &bytes).is_ok() {
            let _ = checkpoint.save(&self.checkpoint);
        }
    }

    /// The run has ended.
    pub(crate) fn clear(&self) {
        let _ = std::fs::remove_file(&self.checkpoint);
        let _ = std::fs::remove_file(&self.figures);
    }
}
