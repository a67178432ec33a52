//! What an expression depends on, and how.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::leaf::{Jet, Leaf};
use super::node::{Expr, Node};

/// How an expression depends on some of its leaves.
///
/// ```
/// use rafnet::expr::{Dependence, Scope, parse};
/// let scope = Scope::new(["x"]).unknowns(["u"]);
/// assert_eq!(parse("sin(x)*u_xx - 1", &scope)?.dependence_on_unknowns(), Dependence::Affine);
/// assert_eq!(parse("u*u_x", &scope)?.dependence_on_unknowns(), Dependence::Nonlinear);
/// # Ok::<(), rafnet::expr::ExprError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Dependence {
    /// They do not occur.
    Absent,
    /// A sum of terms of degree at most one in them, with coefficients free of them.
    Affine,
    /// Anything else, or a form that is not seen to be affine without expanding it.
    Nonlinear,
}

impl Expr {
    /// Every leaf, in the order of [`Leaf`].
    pub fn leaves(&self) -> Vec<Leaf> {
        let mut found = BTreeSet::new();
        self.visit(&mut |expr| {
            if let Node::Leaf(leaf) = expr.node() {
                found.insert(leaf.clone());
            }
        });
        found.into_iter().collect()
    }

    /// Every unknown and derivative of an unknown, ascending.
    pub fn jets(&self) -> Vec<Jet> {
        let leaves = self.leaves().into_iter();
        leaves
            .filter_map(|leaf| match leaf {
                Leaf::Jet(jet) => Some(jet),
                _ => None,
            })
            .collect()
    }

    /// The highest order of a derivative of any unknown; a normal derivative counts as order 1. `None` without unknowns.
    pub fn order(&self) -> Option<usize> {
        self.leaves().iter().filter_map(order_of_leaf).max()
    }

    /// The highest order of a derivative of one unknown; `None` when it does not occur.
    pub fn order_of(&self, unknown: usize) -> Option<usize> {
        let leaves = self.leaves().into_iter();
        leaves
            .filter(|leaf| leaf.unknown() == Some(unknown))
            .filter_map(|leaf| order_of_leaf(&leaf))
            .max()
    }

    /// The coordinates that occur as themselves (not those that unknowns are differentiated by), ascending.
    pub fn coordinates(&self) -> Vec<usize> {
        let leaves = self.leaves().into_iter();
        leaves
            .filter_map(|leaf| match leaf {
                Leaf::Coordinate(axis) => Some(axis),
                _ => None,
            })
            .collect()
    }

    /// How the expression depends on the unknowns, with all their derivatives.
    pub fn dependence_on_unknowns(&self) -> Dependence {
        self.dependence(&|leaf| leaf.unknown().is_some())
    }

    /// How the expression depends on the leaves that `chosen` picks.
    pub fn dependence(&self, chosen: &dyn Fn(&Leaf) -> bool) -> Dependence {
        dependence(self, chosen, &mut HashMap::new())
    }

    /// The number of distinct nodes: what evaluation costs, roughly.
    pub fn count_nodes(&self) -> usize {
        let mut count = 0;
        self.visit(&mut |_| count += 1);
        count
    }

    /// The number of distinct nodes and of the links between them: what a derivative costs, roughly.
    pub(crate) fn size(&self) -> usize {
        let mut size = 0;
        self.visit(&mut |expr| size += 1 + expr.node().children().count());
        size
    }

    /// Calls `look` once for every distinct node.
    pub(super) fn visit(&self, look: &mut dyn FnMut(&Expr)) {
        let mut seen = HashSet::new();
        let mut waiting = vec![self];
        while let Some(expr) = waiting.pop() {
            if seen.insert(expr.fingerprint()) {
                look(expr);
                waiting.extend(expr.node().children());
            }
        }
    }
}

fn order_of_leaf(leaf: &Leaf) -> Option<usize> {
    match leaf {
        Leaf::Jet(jet) => Some(jet.order()),
        Leaf::NormalDerivative(_) => Some(1),
        _ => None,
    }
}

fn dependence(
    expr: &Expr,
    chosen: &dyn Fn(&Leaf) -> bool,
    memo: &mut HashMap<u128, Dependence>,
) -> Dependence {
    use Dependence::{Absent, Affine, Nonlinear};
    if let Some(known) = memo.get(&expr.fingerprint()) {
        return *known;
    }
    let node = expr.node();
    let below: Vec<Dependence> = node
        .children()
        .map(|child| dependence(child, chosen, memo))
        .collect();
    let strongest = below.iter().copied().max().unwrap_or(Absent);
    let result = match node {
        Node::Leaf(leaf) if chosen(leaf) => Affine,
        Node::Sum(_) => strongest,
        _ if strongest == Absent => Absent,
        Node::Where(..) if below[0] == Absent => strongest,
        Node::Product(factors) => {
            let mut involved = factors.iter().zip(&below).filter(|(_, d)| **d != Absent);
            match (involved.next(), involved.next()) {
                (Some(((_, 1), one)), None) => *one,
                _ => Nonlinear,
            }
        }
        _ => Nonlinear,
    };
    memo.insert(expr.fingerprint(), result);
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ExprError, Scope, parse};

    #[test]
    fn affine_is_told_from_nonlinear() -> Result<(), ExprError> {
        let scope = Scope::new(["x"]).unknowns(["u"]);
        for (text, expected) in [
            ("x^2 + 1", Dependence::Absent),
            ("u_xx*x + u/(1 + x^2) - sin(x)", Dependence::Affine),
            ("2*(u + x*(u_x - 3))", Dependence::Affine),
            ("where(x > 0, u, 2*u)", Dependence::Affine),
            ("where(u > 0, 1, 2)", Dependence::Nonlinear), // every partial derivative is 0
            ("floor(u)", Dependence::Nonlinear),
            ("1/u", Dependence::Nonlinear),
            ("u*u_x", Dependence::Nonlinear),
            ("u^2", Dependence::Nonlinear),
            ("exp(u)", Dependence::Nonlinear),
        ] {
            assert_eq!(
                parse(text, &scope)?.dependence_on_unknowns(),
                expected,
                "{text}"
            );
        }
        let switch = Expr::leaf(Leaf::jet(0, &[])).choose(1.0.into(), 2.0.into());
        assert_eq!(switch.dependence_on_unknowns(), Dependence::Nonlinear);
        Ok(())
    }

    #[test]
    fn orders_leaves_and_coordinates() -> Result<(), ExprError> {
        let scope = Scope::new(["x", "y", "t"]).time("t").unknowns(["u", "v"]);
        let e = parse("u_t - y*u_xy + v", &scope)?;
        assert_eq!(e.order(), Some(2));
        assert_eq!(
            (e.order_of(0), e.order_of(1), e.order_of(2)),
            (Some(2), Some(0), None)
        );
        assert_eq!(e.coordinates(), [1]);
        assert_eq!(
            e.jets(),
            [Jet::new(0, &[0, 1]), Jet::new(0, &[2]), Jet::new(1, &[])]
        );
        assert_eq!(parse("x", &scope)?.order(), None);
        Ok(())
    }
}
