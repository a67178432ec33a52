//! Fits: a network that reproduces the samples of a signal.
//!
//! [`image()`], [`audio()`], [`video()`], [`table()`] and [`array()`] go from a file or from numbers to a [`Fit`]: a model in the signal's own units with its
//! quality. Below them a [`Signal`] is data in memory, [`Signal::options`] reads options by name and text as `raf fit` does, [`Signal::fit`] trains and measures.
//! These need the feature `signal` (on by default), which brings the codecs along. Below that:
//!
//! ```text
//! minimise  mean over samples and channels of (φ(x_i) − y_i)²        by Adam or Muon, all samples at a step or a part of them
//! ```
//!
//! [`Samples`] is any sampled signal; [`Options`] says which network and how long, [`Options::usual`] what is good for
//! a kind of signal, [`Recipe`] which networks have names; [`fit`] trains. A [`Watch`](crate::run::Watch)er hears of every step,
//! may end the run, and is handed checkpoints from which [`fit`] goes on exactly. `batch` decides which samples a step sees,
//! `supervision` whether values or derivatives are given.

mod asked;
mod batch;
mod defaults;
mod fingerprint;
mod option;
mod options;
mod recipe;
#[cfg(feature = "signal")]
mod signal;
mod supervision;
mod train;

pub use crate::run::{Look, Progress};
pub use batch::Holdout;
pub use option::{FIT_OPTIONS, FitOption, OptionError};
pub use options::{Kind, Optimiser, Options};
pub use recipe::{Recipe, UnknownRecipe};
#[cfg(feature = "signal")]
pub use signal::{
    ColumnError, Fit, Quality, Scaled, Signal, Sound, Trained, array, audio, decibels, image,
    table, video,
};
pub use supervision::Supervision;
pub use train::{Fitted, accepts, fit};

use crate::engine::EngineError;
use crate::model::ModelError;
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
    /// An option that cannot be taken.
    #[error(transparent)]
    Option(#[from] OptionError),
    /// The network makes no model, or one that cannot be evaluated.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// A file or an array that cannot be used.
    #[cfg(feature = "signal")]
    #[error(transparent)]
    Signal(#[from] rafnet_signal::Error),
    /// A table's column that cannot be fitted.
    #[cfg(feature = "signal")]
    #[error(transparent)]
    Column(#[from] ColumnError),
}
