//! What a trained run records at every step: loss, error, its best, its mean over 100 steps and the best of that.

use crate::expr::largest;
use crate::run::{Checkpoint, CheckpointError};
use std::collections::VecDeque;

/// Steps of the moving average.
const WINDOW: u64 = 100;

/// The errors of a run so far.
#[derive(Clone, Debug)]
pub(super) struct Record {
    recent: VecDeque<f64>,
    /// Errors that 100 steps give.
    window: usize,
    pub(super) best: f64,
    pub(super) best_average: f64,
}

impl Record {
    /// For an error every so many steps.
    pub(super) fn new(every: u64) -> Self {
        let window = usize::try_from(WINDOW / every).unwrap_or(1).max(1);
        Self {
            recent: VecDeque::with_capacity(window),
            window,
            best: f64::INFINITY,
            best_average: f64::INFINITY,
        }
    }

    /// The errors of all unknowns at a step: the largest counts.
    pub(super) fn add(&mut self, errors: impl Iterator<Item = f64>) {
        let error = largest(errors);
        if self.recent.len() == self.window {
            self.recent.pop_front();
        }
        self.recent.push_back(error);
        self.best = self.best.min(error); // without NaN: a step that has no error is not the best
        if self.recent.len() == self.window {
            // summed anew in a fixed order: a resumed run has the same bits
            let average = self.recent.iter().sum::<f64>() / self.window as f64;
            self.best_average = self.best_average.min(average);
        }
    }

    /// The last error.
    pub(super) fn last(&self) -> f64 {
        self.recent.back().copied().unwrap_or(f64::INFINITY)
    }

    /// As numbers, for a checkpoint.
    pub(super) fn to_numbers(&self) -> Vec<f64> {
        [self.best, self.best_average]
            .into_iter()
            .chain(self.recent.iter().copied())
            .collect()
    }

    /// From what [`to_numbers`](Self::to_numbers) left in a checkpoint.
    pub(super) fn restored(checkpoint: &Checkpoint, every: u64) -> Result<Self, CheckpointError> {
        let fresh = Self::new(every);
        let vector = "record";
        let numbers = checkpoint.get(vector);
        match numbers.ok_or(CheckpointError::Missing { vector })? {
            [best, best_average, recent @ ..] if recent.len() <= fresh.window => Ok(Self {
                recent: recent.iter().copied().collect(),
                best: *best,
                best_average: *best_average,
                ..fresh
            }),
            others => Err(CheckpointError::Length {
                vector,
                found: others.len(),
                expected: format!("2 to {}", 2 + fresh.window),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Record;

    /// A run that has diverged keeps its best, and without a step before has none.
    #[test]
    fn no_best_error_comes_from_nan() {
        let mut record = Record::new(50);
        record.add([0.125, f64::NAN].into_iter());
        assert!(record.best.is_infinite() && record.best_average.is_infinite());
        for error in [0.5, 0.25, f64::NAN, f64::NAN] {
            record.add([0.125, error].into_iter());
        }
        let found = [record.best, record.best_average].map(f64::to_bits);
        assert_eq!(found, [0.25, 0.375].map(f64::to_bits));
        assert!(record.last().is_nan());
    }
}
