//! Solvers: `lsq` with frozen features, `lm`, `lbfgs` and `adam` on every weight, and `auto`, which chooses.
//!
//! [`Problem::solve`](crate::Problem::solve) is the entry. Each method ends in a named [`Outcome`].

mod adam;
mod auto;
mod checkpoint;
mod exact;
mod fingerprint;
#[cfg(test)]
mod golden;
mod lsq;
mod muon;
mod options;
mod preset;
mod progress;
mod schedule;
mod solved;
mod system;
mod trained;
mod triangle;

pub use adam::Adam;
pub use checkpoint::{Checkpoint, CheckpointError};
pub use fingerprint::Fingerprint;
pub use muon::Muon;
pub use options::{Method, OptionError, Options};
pub use preset::Preset;
pub use progress::{Outcome, POOR, Progress};
pub use schedule::Schedule;
pub use solved::{Found, Place, SolveError, Solved, Watch};
pub(crate) use trained::{Points, Terms, residual_network, with_factors};
pub(crate) use triangle::triangularise;
