//! `lsq`: one wide hidden layer, its weights drawn and frozen, the output layer solved exactly.
//!
//! ```text
//! u(x) = l(x) + g(x) Σ_j c_j γ(w_j·x + b_j)          c by least squares over the rows of equations, conditions and data
//! ```
//!
//! A linear problem is one solve; a nonlinear one, and one with sought parameters, a few (Newton, with backtracking). What to draw
//! is found by the residual on points that the solve never sees: [ways](crate::posed) to meet the boundary values, then a [`recipe`] for the
//! weights ([`first`], [`causal`], [`starts`], [`corners`]; in many dimensions [`groups`]), then how many of them ([`widen`]), for `auto` along which axes ([`turn`]).
//! [`frozen`](crate::frozen) has the functions, their rows and Newton's iteration, [`waves`](crate::waves) those that solve the equations by themselves. Where nothing
//! is found, [`contradiction`] asks whether there is anything, and where something is, [`branches`] whether there is more. [`tuning`] holds the numbers that the search was given.

mod across;
mod answer;
mod attempt;
mod branches;
mod causal;
mod chances;
mod contradiction;
mod corners;
mod deflated;
mod drawn;
mod finish;
mod first;
mod groups;
mod hot;
mod recipe;
mod search;
mod starts;
mod tuning;
mod turn;
mod widen;

pub(super) use finish::Solution;
pub(super) use search::solve;
pub(super) use tuning::STALLED;
