//! What runs of `solve` and `fit` share.
//!
//! A [`Watch`]er hears of [`Progress`], may stop the run and is handed [`Checkpoint`]s. A checkpoint holds the run's state and its [`Fingerprint`], so that no
//! other run takes it up. An [`Outcome`] says how a run ended, a [`Preset`] what it started from.

mod budget;
mod checkpoint;
mod fingerprint;
mod outcome;
mod preset;
mod progress;
mod steps;
mod watch;

pub(crate) use budget::Budget;
pub use checkpoint::{Checkpoint, CheckpointError};
pub use fingerprint::Fingerprint;
pub use outcome::Outcome;
pub use preset::Preset;
pub use progress::{Look, Progress};
pub(crate) use steps::Pace;
pub use watch::Watch;
pub(crate) use watch::{Callback, Stamped};
