//! Plane waves that an equation carries, read off its symbol.
//!
//! A [`symbol`] says which waves solve linear equations with constant coefficients ([`zeros`] of its determinant, by [`roots`] of polynomials);
//! [`modes`] are those that fit between walls; [`strips`](mod@strips) are the lines along which narrow data travel.

mod modes;
mod roots;
mod strips;
mod symbol;
mod zeros;

pub(crate) use modes::Walls;
pub(crate) use strips::strips;
pub(crate) use symbol::Symbol;
