//! Symbolic derivatives.
//!
//! Two kinds share one set of rules and differ only in what they make of a leaf:
//!
//! ```text
//! total    d/dx_k     x_k ↦ 1,  u_a ↦ u_{a,k} (the jet is raised),  everything else ↦ 0
//! partial  ∂/∂leaf    that leaf ↦ 1,  everything else ↦ 0
//! ```
//!
//! Every node is differentiated once (a memo by node), so shared parts stay shared. Piecewise functions are
//! differentiated piece by piece: |a|′ = sign(a) a′, sign′ = floor′ = 0, and at a kink the piece that holds there.
//! Oracle: forward differentiation of another tree, with running error bounds, in `tests/expr/calculus.rs`.

mod rules;

use super::leaf::Leaf;
use super::node::Expr;
use rules::Rules;

/// How many parts may be written for one derivative of what a user gave.
pub const LARGEST_DERIVATIVE: usize = 2_000_000;

impl Expr {
    /// The total derivative by coordinate `axis`: unknowns are functions of the coordinates, so their jets are raised.
    ///
    /// Parameters, data columns, normals and normal derivatives count as constants; the parser refuses to
    /// differentiate the last three.
    ///
    /// ```
    /// use rafnet::expr::{Scope, parse};
    /// let scope = Scope::new(["x", "y"]).unknowns(["u"]);
    /// let flux = parse("x*u*u_x", &scope)?;
    /// assert_eq!(flux.derivative(0), parse("u*u_x + x*u_x^2 + x*u*u_xx", &scope)?);
    /// # Ok::<(), rafnet::expr::ExprError>(())
    /// ```
    #[must_use]
    pub fn derivative(&self, axis: usize) -> Self {
        let raise = |leaf: &Leaf| raised(leaf, axis);
        Rules::new(&raise, usize::MAX).whole(self)
    }

    /// The total derivative by coordinate `axis`, given up as soon as more than `limit` parts were written for it: the derivative of a
    /// product of n factors has n², and that of the derivative n³.
    ///
    /// ```
    /// use rafnet::expr::{Scope, parse};
    /// let product = parse("prod(i, 1, 100, sin(i*x))", &Scope::new(["x"]))?;
    /// assert!(product.derivative_within(0, 100_000).is_ok());
    /// assert!(product.derivative_within(0, 1_000).is_err());
    /// # Ok::<(), rafnet::expr::ExprError>(())
    /// ```
    ///
    /// # Errors
    /// [`Outgrown`] when it has more parts.
    pub fn derivative_within(&self, axis: usize, limit: usize) -> Result<Self, Outgrown> {
        let raise = |leaf: &Leaf| raised(leaf, axis);
        Rules::new(&raise, limit).derivative(self)
    }

    /// Whether the second derivatives along each coordinate stay within [`LARGEST_DERIVATIVE`]: solvers take them without a limit.
    ///
    /// # Errors
    /// [`Outgrown`] if they are not.
    pub fn check_second_derivatives(&self) -> Result<(), Outgrown> {
        self.coordinates().into_iter().try_for_each(|k| {
            let first = self.derivative_within(k, LARGEST_DERIVATIVE)?;
            first.derivative_within(k, LARGEST_DERIVATIVE).map(|_| ())
        })
    }

    /// The partial derivative by a leaf, all others held fixed: the coefficients of Newton's rows.
    ///
    /// ```
    /// use rafnet::expr::{Leaf, Scope, parse};
    /// let scope = Scope::new(["x"]).unknowns(["u"]);
    /// let residual = parse("u^2*u_x", &scope)?;
    /// assert_eq!(residual.partial(&Leaf::jet(0, &[])), parse("2*u*u_x", &scope)?);
    /// # Ok::<(), rafnet::expr::ExprError>(())
    /// ```
    #[must_use]
    pub fn partial(&self, leaf: &Leaf) -> Self {
        let seed = |other: &Leaf| (other == leaf).then(|| Self::number(1.0));
        Rules::new(&seed, usize::MAX).whole(self)
    }
}

/// A derivative that was given up: it has more parts than the limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the derivative has more than {limit} parts")]
pub struct Outgrown {
    /// The limit.
    pub limit: usize,
}

/// The derivative of a leaf by a coordinate: jets are raised.
fn raised(leaf: &Leaf, axis: usize) -> Option<Expr> {
    match leaf {
        Leaf::Coordinate(k) if *k == axis => Some(Expr::number(1.0)),
        Leaf::Jet(jet) => Some(Expr::leaf(Leaf::Jet(jet.raised(axis)))),
        _ => None,
    }
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "these values are exact")]
mod tests {
    use super::*;
    use crate::function::Unary;

    fn x() -> Expr {
        Expr::leaf(Leaf::Coordinate(0))
    }

    fn at(value: f64) -> impl Fn(&Leaf) -> f64 {
        move |_| value
    }

    #[test]
    fn powers_are_right_at_zero() {
        assert_eq!(x().powi(2).derivative(0).eval(&at(0.0)), 0.0);
        assert_eq!(x().powi(2).derivative(0).derivative(0), 2.0.into());
        let root = x().pow(&1.5.into()).derivative(0);
        assert_eq!(root.eval(&at(0.0)), 0.0);
        let y = Expr::leaf(Leaf::Coordinate(1));
        let mixed = x().pow(&y);
        let origin = |leaf: &Leaf| {
            if *leaf == Leaf::Coordinate(0) {
                0.0
            } else {
                2.0
            }
        };
        assert_eq!(mixed.derivative(1).eval(&origin), 0.0, "not 0·(−∞)");
        assert_eq!(mixed.derivative(0).eval(&origin), 0.0);
    }

    #[test]
    fn jumps_have_slope_zero_and_kinks_a_side() {
        for f in [Unary::Sign, Unary::Floor] {
            assert!(x().apply(f).derivative(0).is_zero());
        }
        let abs = x().apply(Unary::Abs).derivative(0);
        assert_eq!([-2.0, 0.0, 2.0].map(|v| abs.eval(&at(v))), [-1.0, 0.0, 1.0]);
    }

    #[test]
    fn sharing_survives_differentiation() {
        // f ↦ sin(f)·exp(f), thirty times: 2³⁰ leaves as a tree, a line of nodes as a graph.
        let mut f = x();
        for _ in 0..30 {
            f = f.clone().apply(Unary::Sin) * f.apply(Unary::Exp);
        }
        let second = f.derivative(0).derivative(0);
        assert!(second.count_nodes() < 2000, "{}", second.count_nodes());
    }
}
