//! Eigenvalue problems: operator(u) = λ u, with u of a given mean square.
//!
//! Linear ones over frozen functions: [`layer`] draws them, [`pencil`] is the least-squares inverse of operator − s, [`krylov`] finds the
//! eigenvalues of largest size of that, [`attempt`] judges them at points that no solve has seen, [`search`] looks for the layer and
//! [`estimate`] compares what several layers say.
//!
//! Nonlinear ones, and those of positive functions, by Gauss–Newton over the same layers: [`form`] writes the equations of u or of its
//! logarithm, [`norm`] takes the mean square, [`newton`] solves, [`ground`] searches.
//!
//! [`lm`] trains every weight of a network, and λ with them; [`bsde`] is the paper's own way: two networks trained along random paths.
//!
//! [`tuning`] holds the numbers that these searches were given; those of [`bsde`] stand in its files.

mod answer;
mod attempt;
mod bsde;
mod corners;
mod estimate;
mod form;
mod ground;
mod krylov;
mod layer;
mod lm;
mod newton;
mod norm;
mod pencil;
mod search;
mod single;
mod tuning;
mod units;

pub use bsde::RandomPaths;
