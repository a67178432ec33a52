//! Solvers and optimisers: `lsq` behind `Problem::solve`, and Adam.

mod adam;
mod lsq;
mod options;
mod solved;
mod system;

pub use adam::Adam;
pub use options::{Options, Outcome, Progress};
pub use solved::{Found, SolveError, Solved};
