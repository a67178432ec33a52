//! `lsq`: one wide hidden layer, its weights drawn and frozen, the output layer solved exactly.
//!
//! ```text
//! u(x) = l(x) + g(x) Σ_j c_j γ(w_j·x + b_j)          c by least squares over the rows of equations, conditions and data
//! ```
//!
//! A linear problem is one solve; a nonlinear one, and one with sought parameters, a few (Newton, with backtracking). What to draw
//! is found by the residual on points that the solve never sees: [ways](crate::posed) to meet the boundary values, then a [`recipe`] for the
//! weights ([`first`], [`causal`], [`starts`], [`corners`]; in many dimensions [`groups`]), then how many of them ([`widen`]), for `auto` along which axes ([`turn`]). [`features`] are the functions, [`balance`] weighs the rows, [`LeastSquares`](crate::optimise) solves, [`newton`] iterates; where nothing
//! is found, [`contradiction`] asks whether there is anything, and where something is, [`branches`] whether there is more. [`tuning`] holds the numbers that the search was given.

mod across;
mod answer;
mod attempt;
mod balance;
mod branches;
mod causal;
mod chances;
mod contradiction;
mod corners;
mod deflated;
mod drawn;
mod features;
mod finish;
mod first;
mod groups;
mod hot;
mod modes;
mod newton;
mod recipe;
mod roots;
mod rows;
mod search;
mod standard_errors;
mod start;
mod starts;
mod strips;
mod symbol;
mod tuning;
mod turn;
mod widen;
mod zeros;

pub(super) use features::{each_function, jets_of, jets_unless};
pub(super) use finish::Solution;
pub(super) use newton::State;
pub(super) use search::solve;
pub(super) use strips::strips;
pub(super) use symbol::Symbol;
pub(super) use tuning::DIFFERENT;
