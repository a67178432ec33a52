//! Solvers: `lsq` with frozen features, `pieces` with many small layers of them, `lm`, `lbfgs` and `adam` on every weight, `bsde` along random
//! paths, and `auto`, which chooses.
//!
//! [`Problem::solve`](crate::Problem::solve) is the entry. Each method ends in a named [`Outcome`](crate::run::Outcome).

mod as_model;
mod auto;
mod carried;
mod eigen;
mod entry;
mod error;
mod event;
mod figures;
mod fingerprint;
#[cfg(test)]
mod golden;
mod json;
mod lsq;
mod method;
mod options;
mod paper_options;
mod pieces;
mod reports;
mod searched;
mod side_by_side;
mod solved;
mod trained;
mod watched;
mod words;

pub use crate::run::Progress;
pub use eigen::RandomPaths;
pub use error::SolveError;
pub use event::{Cut, Event, Layer, NoLevel, Tried};
pub use figures::POOR;
pub use method::Method;
pub use options::{OptionError, Options};
pub use paper_options::{Mode, Resnet, Sharing};
pub use reports::Report;
pub use solved::{Eigenpair, Feature, Found, Place, Solved};
