//! A training run that is under way: its checkpoint, and the figure of every step before it, so that hours are not lost.

use crate::record::write;
use rafnet::run::Checkpoint;
use std::path::{Path, PathBuf};

/// Where the state of one run is kept until it has ended.
pub(crate) struct State {
    checkpoint: PathBuf,
    figures: PathBuf,
}

impl State {
    /// Of these two files.
    pub(crate) fn at(path: &Path) -> Self {
        Self {
            figures: path.with_extension("figures"),
            checkpoint: path.with_extension("safetensors"),
        }
    }

    /// What a run goes on with: a checkpoint that it accepts and the figures of its steps, or nothing.
    pub(crate) fn resumed(
        &self,
        accepts: impl Fn(&Checkpoint) -> bool,
    ) -> (Option<Checkpoint>, Vec<f64>) {
        let kept = self.load().filter(|(checkpoint, _)| accepts(checkpoint));
        kept.map_or((None, Vec::new()), |(c, figures)| (Some(c), figures))
    }

    /// The checkpoint with one figure for each of its steps, if there is one.
    fn load(&self) -> Option<(Checkpoint, Vec<f64>)> {
        let checkpoint = Checkpoint::load(&self.checkpoint).ok()?;
        let bytes = std::fs::read(&self.figures).ok()?;
        let numbers = bytes
            .chunks_exact(8)
            .map(|b| b.try_into().map(f64::from_le_bytes));
        let mut figures = numbers.collect::<Result<Vec<f64>, _>>().ok()?;
        let steps = usize::try_from(checkpoint.step).ok()?;
        // the figures are written first, and may be of later steps
        (figures.len() >= steps).then(|| {
            figures.truncate(steps);
            (checkpoint, figures)
        })
    }

    /// Keeps a state. What cannot be kept is computed again some day: no reason to end a run.
    pub(crate) fn save(&self, checkpoint: &Checkpoint, figures: &[f64]) {
        let bytes: Vec<u8> = figures.iter().flat_map(|v| v.to_le_bytes()).collect();
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
