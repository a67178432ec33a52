//! Solvers and optimisers: `lsq` behind `Problem::solve`, and Adam.

mod adam;
mod lsq;
mod options;
mod preset;
mod progress;
mod solved;
mod system;

pub use adam::Adam;
pub use options::{Method, OptionError, Options};
pub use preset::Preset;
pub use progress::{Outcome, Progress};
pub use solved::{Found, SolveError, Solved};
