//! Fits: a network that reproduces the samples of a signal.
//!
//! ```text
//! minimise  mean over samples and channels of (φ(x_i) − y_i)²        by Adam or Muon, all samples at a step or a part of them
//! ```
//!
//! [`Samples`] is any sampled signal; [`Options`] says which network and how long, [`Options::usual`] what is good for
//! a kind of signal, [`Recipe`] which networks have names; [`fit`] trains. A [`Watch`](crate::run::Watch)er hears of every step,
//! may end the run, and is handed checkpoints from which [`fit`] goes on exactly. `batch` decides which samples a step sees,
//! `supervision` whether values or derivatives are given.

mod batch;
mod defaults;
mod fingerprint;
mod options;
mod recipe;
mod supervision;
mod train;

pub use crate::run::{Look, Progress};
pub use batch::Holdout;
pub use options::{Kind, Optimiser, Options};
pub use recipe::{Recipe, UnknownRecipe};
pub use supervision::Supervision;
pub use train::{Fitted, accepts, fit};

use crate::engine::EngineError;
use crate::network::NetworkError;
use crate::run::CheckpointError;

/// A sampled signal on a regular grid, or a table (a grid of one axis).
pub trait Samples: Sync {
    /// Samples along each axis; their product is the number of samples.
    fn sizes(&self) -> Vec<usize>;
    /// Coordinates of a sample.
    fn dimension(&self) -> usize;
    /// Channels of a sample.
    fn channels(&self) -> usize;
    /// Where sample `index` lies, and what is given there: [`Supervision::columns`] numbers.
    fn sample(&self, index: usize, point: &mut [f64], given: &mut [f64]);
    /// The same for a place beside the sample, `offset` in spacings of the trained samples along each axis: what a smooth signal through
    /// them has there. Never looks at samples that are held out.
    fn beside(&self, index: usize, offset: &[f64], point: &mut [f64], given: &mut [f64]) {
        let _ = offset;
        self.sample(index, point, given);
    }
}

/// Why there is no fit.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FitError {
    /// The network cannot be made.
    #[error(transparent)]
    Network(#[from] NetworkError),
    /// The engine refused.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// A checkpoint that does not fit.
    #[error("the checkpoint cannot be used: {0}")]
    Checkpoint(#[from] CheckpointError),
    /// Nothing to train on.
    #[error("nothing is left to train on: {why}")]
    NoSamples {
        /// Why.
        why: String,
    },
}
