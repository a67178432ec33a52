//! What goes on from step to step, in a checkpoint and out of it.

use crate::optimise::Adam;
use crate::run::{Checkpoint, CheckpointError};
use crate::solve::trained::tuning::{DOUBLINGS, FIRST_DAMPING, IDLE_LOOKS};

/// More steps than any run takes: 2⁵³, up to which f64 counts.
const MOST_STEPS: f64 = 9_007_199_254_740_992.0;

/// The state between two steps.
pub(super) struct State {
    pub(super) theta: Vec<f64>,
    /// A running mean of the last states: fresh points make each of them a little wrong in its own way.
    pub(super) mean: Vec<f64>,
    /// The last step, part of which the next one starts from.
    pub(super) momentum: Vec<f64>,
    pub(super) damping: f64,
    /// Looks without a better one.
    pub(super) idle: u64,
    /// How often the points were doubled.
    pub(super) doubled: u32,
    pub(super) step: u64,
    /// Steps before the first of these: the warm-up, or what a grown network has behind it.
    pub(super) begun: u64,
    pub(super) adam: Adam<f64>,
}

impl State {
    pub(super) fn new(theta: Vec<f64>, begun: u64) -> Self {
        Self {
            momentum: vec![0.0; theta.len()],
            mean: theta.clone(),
            damping: FIRST_DAMPING,
            idle: 0,
            doubled: 0,
            step: 0,
            begun,
            adam: Adam::new(theta.len()),
            theta,
        }
    }

    pub(super) fn to_vectors(&self) -> Vec<(&'static str, Vec<f64>)> {
        let (m, v, _) = self.adam.state();
        let (idle, begun) = (self.idle as f64, self.begun as f64);
        let numbers = vec![self.damping, idle, f64::from(self.doubled), begun];
        let mut vectors = vec![
            ("theta", self.theta.clone()),
            ("mean", self.mean.clone()),
            ("lm", numbers),
        ];
        if self.momentum.iter().any(|m| *m != 0.0) {
            vectors.push(("momentum", self.momentum.clone()));
        } else {
            vectors.extend([("m", m.to_vec()), ("v", v.to_vec())]);
        }
        vectors
    }

    pub(super) fn restored(checkpoint: &Checkpoint, width: usize) -> Result<Self, CheckpointError> {
        let vector = "lm";
        let numbers = checkpoint.vector(vector, 4)?;
        let count = |number: f64, most: f64, expected: &'static str| {
            let found = number;
            if found < 0.0 || found > most || found.fract() != 0.0 || found.is_nan() {
                return Err(CheckpointError::Number {
                    vector,
                    found,
                    expected,
                });
            }
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a whole number below 2⁵³"
            )]
            Ok(found as u64)
        };
        let doubled = count(
            numbers[2],
            f64::from(DOUBLINGS),
            "how often points were doubled",
        )?;
        // Adam's moments until the first step of Gauss–Newton, then the last step
        let momentum = checkpoint.optional("momentum", width)?;
        let adam = match momentum {
            Some(_) => Adam::new(width),
            None => checkpoint.adam(width)?,
        };
        Ok(Self {
            theta: checkpoint.vector("theta", width)?.to_vec(),
            mean: checkpoint.vector("mean", width)?.to_vec(),
            momentum: momentum.map_or_else(|| vec![0.0; width], <[f64]>::to_vec),
            damping: numbers[0],
            idle: count(numbers[1], IDLE_LOOKS as f64, "a number of looks")?,
            doubled: u32::try_from(doubled).unwrap_or(DOUBLINGS),
            step: checkpoint.step,
            begun: count(numbers[3], MOST_STEPS, "a number of steps")?,
            adam,
        })
    }
}
