//! Solvers and optimisers: [`lsq`] behind `Problem::solve`, and Adam.

mod adam;
pub mod lsq;
mod solved;

pub use adam::Adam;
pub use lsq::{Options, Progress};
pub use solved::{SolveError, Solved};
