//! `lsq`: one wide hidden layer, its weights drawn and frozen, the output layer solved exactly.
//!
//! ```text
//! u(x) = l(x) + g(x) Σ_j c_j γ(w_j·x + b_j)          c by least squares over the rows of equations, conditions and data
//! ```
//!
//! A linear problem is one solve; a nonlinear one, and one with sought parameters, a few (Newton, with backtracking). The scale of
//! the frozen weights is found for each axis by the residual on points that the solve never sees, and features are added while they
//! help. [`rows`] turns a problem into linear rows, [`features`] are the functions, `least_squares` solves.

mod ansatz;
pub mod features;
mod least_squares;
mod newton;
pub mod rows;
mod search;
mod spectrum;

pub use search::{Options, Progress, Solution, solve};
