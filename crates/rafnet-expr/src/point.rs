//! The value at one point, straight from the graph: the reference for [`Program`](super::Program).
//!
//! Every operation is made in the order in which a program makes it, so the two agree bit for bit.

use std::collections::HashMap;

use super::algebra::integer_power;
use super::leaf::Leaf;
use super::node::{Expr, Node, Sum};

impl Expr {
    /// The value where the leaves have the values that `at` gives.
    ///
    /// ```
    /// use rafnet::expr::{Leaf, Scope, parse};
    /// let f = parse("x^2 + 3*y", &Scope::new(["x", "y"]))?;
    /// let at = |leaf: &Leaf| if *leaf == Leaf::Coordinate(0) { 2.0 } else { 5.0 };
    /// assert_eq!(f.eval(&at), 19.0);
    /// # Ok::<(), rafnet::expr::ExprError>(())
    /// ```
    pub fn eval(&self, at: &dyn Fn(&Leaf) -> f64) -> f64 {
        value(self, at, &mut HashMap::new())
    }

    /// The value of an expression in the coordinates alone, at a point; NaN where it reads anything else.
    ///
    /// ```
    /// use rafnet::expr::{Scope, parse};
    /// let f = parse("x^2 + 3*y", &Scope::new(["x", "y"]))?;
    /// assert_eq!(f.at(&[2.0, 5.0]), 19.0);
    /// # Ok::<(), rafnet::expr::ExprError>(())
    /// ```
    pub fn at(&self, x: &[f64]) -> f64 {
        self.eval(&|leaf| match leaf {
            Leaf::Coordinate(k) => x[*k],
            _ => f64::NAN,
        })
    }
}

fn value(expr: &Expr, at: &dyn Fn(&Leaf) -> f64, memo: &mut HashMap<u128, f64>) -> f64 {
    if let Some(known) = memo.get(&expr.fingerprint()) {
        return *known;
    }
    let mut inner = |expr: &Expr| value(expr, at, memo);
    let result = match expr.node() {
        Node::Constant(constant) => *constant,
        Node::Leaf(leaf) => at(leaf),
        Node::Sum(sum) => sum_value(sum, &mut inner),
        Node::Product(factors) => product_value(factors, &mut inner),
        Node::Unary(function, a) => function.value(inner(a)),
        Node::Binary(function, a, b) => function.value(inner(a), inner(b)),
        Node::Where(c, a, b) => {
            if inner(c) == 0.0 {
                inner(b)
            } else {
                inner(a)
            }
        }
    };
    memo.insert(expr.fingerprint(), result);
    result
}

/// ((c₁ t₁ + c₂ t₂) + …) + c.
fn sum_value(sum: &Sum, inner: &mut dyn FnMut(&Expr) -> f64) -> f64 {
    let scaled = sum.terms.iter().map(|(c, term)| c * inner(term));
    let total = scaled.reduce(|a, b| a + b).unwrap_or(0.0);
    if sum.constant == 0.0 {
        total
    } else {
        total + sum.constant
    }
}

/// (f₁^n₁ f₂^n₂ …) / (the powers with negative exponents).
fn product_value(factors: &[(Expr, i32)], inner: &mut dyn FnMut(&Expr) -> f64) -> f64 {
    let (mut above, mut below) = (None, None);
    for (base, exponent) in factors {
        let power = integer_power(inner(base), exponent.abs());
        let part = if *exponent > 0 {
            &mut above
        } else {
            &mut below
        };
        *part = Some(part.map_or(power, |product: f64| product * power));
    }
    match (above, below) {
        (above, Some(below)) => above.unwrap_or(1.0) / below,
        (above, None) => above.unwrap_or(1.0),
    }
}
