//! Constructors that keep expressions small and in normal form.
//!
//! What they may do: fold constants, drop 0 and 1, merge like terms and like integer powers, flatten sums of sums and
//! products of products, cancel roots against powers of their base. What they must not: change a value where it is defined (beyond rounding), or make NaN of it.
//! So `x/x` becomes 1 and `0*x` becomes 0, which adds points but alters none, while `sqrt(x)^2`, `(x^2)^0.5` and
//! `(x*y)^2` stay as they are. The property tests in `tests/expr/calculus.rs` hold this against another evaluator.

mod call;
mod operators;
mod power;
mod product;
mod root;
mod sum;

pub(crate) use power::{fold_power, integer_power};
