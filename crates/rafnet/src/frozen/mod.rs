//! Functions in the span of one drawn layer: their columns, the rows of a problem over them, and the coefficients that fit these best.
//!
//! ```text
//! u(x) = l(x) + g(x) Σ_j c_j γ(w_j·x + b_j)          weights and biases are drawn and frozen, c is solved for
//! ```
//!
//! [`features`] are the functions at points, with derivatives; [`rows`] the linearised problem, [`balance`] what each weighs, [`newton`] the
//! iteration from a [`start`], [`standard_errors`] how well sought parameters are known. `lsq` searches for such layers, `eigen` solves for an
//! eigenvalue with them, `pieces` has one on each box.

mod balance;
mod features;
mod newton;
mod rows;
mod standard_errors;
mod start;
mod tuning;

pub(crate) use balance::scale_rows;
pub(crate) use features::{each_function, jets_of, jets_unless};
pub(crate) use newton::Weighing;
pub(crate) use start::{Start, State};
pub(crate) use tuning::{FORETOLD, MOST_HALVINGS};
