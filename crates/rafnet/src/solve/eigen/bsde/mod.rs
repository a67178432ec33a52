//! `bsde`: the paper's stochastic method for periodic semilinear eigenvalue problems −Δu + g(x, u) = λu.
//!
//! Two networks of periodic inputs, y for u and z for √2 ∇u, and λ are trained together so that the semigroup of λ − L leaves y
//! unchanged along random paths: [`drift`] is g, [`paths`] are drawn, [`walk`] goes along them, [`loss`] is what a batch says,
//! [`setting`] the experiment's numbers, [`state`] what goes on from step to step, [`train`] the run.

mod drift;
#[cfg(test)]
mod golden;
mod loss;
mod paths;
mod setting;
mod state;
mod train;
mod walk;

pub use train::RandomPaths;
