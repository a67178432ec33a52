//! Eigenvalue problems: operator(u) = λ u, with u of a given mean square.
//!
//! Linear ones over frozen functions: [`layer`] draws them, [`pencil`] is the least-squares inverse of operator − s, [`krylov`] finds the
//! eigenvalues of largest size of that, [`attempt`] judges them at points that no solve has seen, [`search`] looks for the layer and
//! [`estimate`] compares what several layers say.

mod answer;
mod attempt;
mod corners;
mod estimate;
mod krylov;
mod layer;
mod pencil;
mod search;
mod units;

pub use answer::Eigenpair;
