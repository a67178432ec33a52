//! Roots and fractional powers against whole powers of the same base.
//!
//! ```text
//! b^n ∛b^m = b^⌊t/3⌋ ∛b^(t mod 3),  t = 3n + m        b^n (b^c)^m = b^(n + c m)
//! ```
//!
//! Only where the signs differ: the slope of x√x is √x + x/(2√x), which is 0/0 at 0 where √x + √x/2 is right.

use crate::function::{Binary, Unary};
use crate::node::{Expr, Node};

/// What a root and a power of its base become together.
pub(super) enum Combined {
    /// The exponents of the base and of the root.
    Exponents(i32, i32),
    /// One expression for both.
    Single(Expr),
}

/// The base under a root or a fractional power.
pub(super) fn base_under_root(expr: &Expr) -> Option<&Expr> {
    match expr.node() {
        Node::Unary(Unary::Sqrt | Unary::Cbrt, base) => Some(base),
        Node::Binary(Binary::Power, base, exponent) if exponent.constant().is_some() => Some(base),
        _ => None,
    }
}

/// base^n · root^m, when they cancel in part.
pub(super) fn combine(base: &Expr, n: i32, root: &Expr, m: i32) -> Option<Combined> {
    let degree = match root.node() {
        Node::Unary(Unary::Sqrt, _) => 2,
        Node::Unary(Unary::Cbrt, _) => 3,
        Node::Binary(Binary::Power, _, exponent) => {
            let fraction = exponent.constant()? * f64::from(m);
            let cancels = f64::from(n) * fraction < 0.0;
            let total = Expr::number(f64::from(n) + fraction);
            return cancels.then(|| Combined::Single(base.pow(&total)));
        }
        _ => return None,
    };
    let total = n.checked_mul(degree)?.checked_add(m)?;
    let cancels = (n < 0) != (m < 0) && n != 0 && m != 0;
    cancels.then_some(Combined::Exponents(total / degree, total % degree))
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "these values are exact")]
mod tests {
    use crate::{ExprError, Leaf, Scope, parse};

    #[test]
    fn slopes_at_the_branch_point_are_right() -> Result<(), ExprError> {
        let scope = Scope::new(["x"]);
        for text in [
            "x*sqrt(x)",
            "x*cbrt(x)",
            "x*x^0.7",
            "x^2/sqrt(x)",
            "x^3*x^-0.5",
        ] {
            let slope = parse(text, &scope)?.derivative(0);
            assert_eq!(slope.eval(&|_: &Leaf| 0.0), 0.0, "{text}: {slope:?}");
        }
        Ok(())
    }

    #[test]
    fn roots_cancel_against_their_base() -> Result<(), ExprError> {
        let scope = Scope::new(["x", "y"]);
        for (text, shown) in [
            ("x/sqrt(x)", "sqrt(x)"),
            ("x/sqrt(x)^3", "1/sqrt(x)"),
            ("x^2/cbrt(x)", "x*cbrt(x)^2"),
            ("(x^2 + y^2)/sqrt(x^2 + y^2)", "sqrt(x^2 + y^2)"),
            ("x*sqrt(x)", "x*sqrt(x)"),
            ("x^2.5/x", "x^1.5"),
            ("x^2.5/x^0.5", "x^2.5/sqrt(x)"),
        ] {
            assert_eq!(
                parse(text, &scope)?.display(&scope).to_string(),
                shown,
                "{text}"
            );
        }
        Ok(())
    }
}
