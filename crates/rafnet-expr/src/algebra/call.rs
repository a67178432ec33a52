//! Functions, conditions and choices, folded where an argument is known.

use crate::function::{Binary, Unary};
use crate::node::{Expr, Node};

impl Expr {
    /// A function of this expression.
    ///
    /// ```
    /// use rafnet::expr::{Expr, Unary};
    /// assert_eq!(Expr::number(9.0).apply(Unary::Sqrt), 3.0.into());
    /// ```
    #[must_use]
    pub fn apply(self, function: Unary) -> Self {
        match self.constant() {
            Some(a) => Self::number(function.value(a)),
            None => Self::from_node(Node::Unary(function, self)),
        }
    }

    /// A function of this expression and another.
    ///
    /// ```
    /// use rafnet::expr::{Binary, Expr};
    /// assert_eq!(Expr::number(9.0).apply_with(Binary::Max, 3.0.into()), 9.0.into());
    /// ```
    #[must_use]
    pub fn apply_with(self, function: Binary, other: Expr) -> Self {
        if function == Binary::Power {
            return self.pow(&other);
        }
        if let (Some(a), Some(b)) = (self.constant(), other.constant()) {
            return Self::number(function.value(a, b));
        }
        match function {
            Binary::Min | Binary::Max if self == other => self,
            Binary::And | Binary::Or => junction(function, self, other),
            _ => Self::from_node(Node::Binary(function, self, other)),
        }
    }

    /// `then` where this condition is not 0, `otherwise` elsewhere.
    ///
    /// ```
    /// use rafnet::expr::Expr;
    /// assert_eq!(Expr::number(1.0).choose(2.0.into(), 3.0.into()), 2.0.into());
    /// ```
    #[must_use]
    pub fn choose(self, then: Expr, otherwise: Expr) -> Self {
        match self.constant() {
            Some(condition) if condition != 0.0 => then,
            Some(_) => otherwise,
            None if then == otherwise => then,
            None => Self::from_node(Node::Where(self, then, otherwise)),
        }
    }
}

/// `and` or `or` of two conditions, one of which may be settled.
fn junction(function: Binary, a: Expr, b: Expr) -> Expr {
    let (settled, open) = match (a.constant(), b.constant()) {
        (Some(value), None) => (value, &b),
        (None, Some(value)) => (value, &a),
        _ if a == b => return a,
        _ => return Expr::from_node(Node::Binary(function, a, b)),
    };
    match (function, settled != 0.0) {
        (Binary::And, true) | (Binary::Or, false) => open.clone(),
        (_, truth) => Expr::number(f64::from(u8::from(truth))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::leaf::Leaf;

    #[test]
    fn settled_conditions_disappear() {
        let x = Expr::leaf(Leaf::Coordinate(0));
        let c = x.clone().apply_with(Binary::Less, 1.0.into());
        let (yes, no) = (Expr::number(1.0), Expr::number(0.0));
        let and = |a: &Expr, b: &Expr| a.clone().apply_with(Binary::And, b.clone());
        let or = |a: &Expr, b: &Expr| a.clone().apply_with(Binary::Or, b.clone());
        assert_eq!(and(&c, &yes), c);
        assert_eq!(and(&no, &c), no);
        assert_eq!(or(&c, &no), c);
        assert_eq!(or(&yes, &c), yes);
        assert_eq!(c.clone().choose(x.clone(), x.clone()), x);
        assert_eq!(no.choose(x.clone(), 2.0.into()), 2.0.into());
    }
}
