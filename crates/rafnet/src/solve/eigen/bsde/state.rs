//! What a run keeps from step to step: weights, moments, the moving average; saved and restored as it is.

use crate::expr::{larger, smaller};
use crate::optimise::Adam;
use crate::run::Checkpoint;
use crate::solve::SolveError;

/// The moving average before the first step.
const AT_FIRST: f64 = 100.0;
/// The share of all looks at the end whose λ are compared.
const LAST: f64 = 0.1;

/// What changes from step to step.
pub(super) struct State {
    /// Weights of y, of z, and λ.
    pub(super) theta: Vec<f64>,
    adam: Adam<f64>,
    /// The biased average, and the average.
    pub(super) biased: f64,
    pub(super) average: f64,
    /// λ at every look.
    pub(super) lambdas: Vec<f64>,
    pub(super) step: u64,
}

impl State {
    pub(super) fn new(theta: Vec<f64>) -> Self {
        Self {
            adam: Adam::new(theta.len()).in_tensorflow_form(),
            theta,
            biased: 0.0,
            average: AT_FIRST,
            lambdas: Vec::new(),
            step: 0,
        }
    }

    pub(super) fn restored(checkpoint: &Checkpoint, n: usize) -> Result<Self, SolveError> {
        let numbers = checkpoint.vector("average", 2)?;
        Ok(Self {
            theta: checkpoint.vector("theta", n)?.to_vec(),
            adam: checkpoint.adam(n)?.in_tensorflow_form(),
            biased: numbers[0],
            average: numbers[1],
            lambdas: checkpoint.get("lambdas").unwrap_or_default().to_vec(),
            step: checkpoint.step,
        })
    }

    pub(super) fn saved(&self) -> Checkpoint {
        let vector = |name: &str, values: &[f64]| (name.to_owned(), values.to_vec());
        let (m, v, _) = self.adam.state();
        let mut vectors = vec![
            vector("theta", &self.theta),
            vector("m", m),
            vector("v", v),
            vector("average", &[self.biased, self.average]),
        ];
        if !self.lambdas.is_empty() {
            vectors.push(vector("lambdas", &self.lambdas));
        }
        Checkpoint {
            method: "bsde".into(),
            step: self.step,
            vectors,
            ..Checkpoint::default()
        }
    }

    pub(super) fn lambda(&self) -> f64 {
        self.theta[self.theta.len() - 1]
    }

    /// One step of Adam, before it is counted.
    pub(super) fn adam(&mut self, rate: f64, gradient: &[f64]) {
        self.adam.step(rate, &mut self.theta, gradient);
    }

    /// The mean square of one more batch, before its step is counted.
    pub(super) fn average(&mut self, decay: f64, batch: f64) {
        self.biased = decay * self.biased + (1.0 - decay) * batch;
        let n = (self.step + 1) as f64;
        self.average = self.biased / (1.0 - decay.powf(n));
    }

    /// How far λ moved over the last looks.
    pub(super) fn spread(&self) -> f64 {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a number of looks"
        )]
        let looks = ((LAST * self.lambdas.len() as f64) as usize).max(2);
        let last = self.lambdas.iter().rev().take(looks);
        let (low, high) = last.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), l| {
            (smaller(low, *l), larger(high, *l))
        });
        if high >= low {
            high - low
        } else {
            f64::INFINITY
        }
    }
}
