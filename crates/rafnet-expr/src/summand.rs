//! What is known in an expression: its largest parts without unknowns, sums taken apart.
//!
//! ```text
//! u_xx + 3 sin x − (1 + b(x)) u_x + c(x) u²        sin x    b(x)    c(x)
//! ```
//!
//! A part that only scales or moves what varies is left out: numbers, and numbers in front.

use std::collections::HashSet;

use super::leaf::Leaf;
use super::node::{Expr, Node};

/// How a known part enters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// It is added to what is unknown.
    Source,
    /// What is unknown is multiplied by it, or it stands in a function with it.
    Coefficient,
}

/// A known part of an expression.
#[derive(Clone, Debug, PartialEq)]
pub struct KnownPart {
    /// It, without unknowns, no number and no sum.
    pub expr: Expr,
    /// How it enters.
    pub role: Role,
}

impl Expr {
    /// The largest parts in which no leaf occurs that `unknown` picks, sums taken apart, each once, in the order in which they stand.
    ///
    /// ```
    /// use rafnet::expr::{Role, Scope, parse};
    /// let scope = Scope::new(["x"]).unknowns(["u"]);
    /// let parts = parse("u_xx + 3*sin(x) - (1 + x^2)*u", &scope)?.known_parts(&|leaf| leaf.unknown().is_some());
    /// let texts: Vec<String> = parts.iter().map(|p| p.expr.display(&scope).to_string()).collect();
    /// assert_eq!(texts, ["sin(x)", "x^2"]);
    /// assert_eq!((parts[0].role, parts[1].role), (Role::Source, Role::Coefficient));
    /// # Ok::<(), rafnet::expr::ExprError>(())
    /// ```
    pub fn known_parts(&self, unknown: &dyn Fn(&Leaf) -> bool) -> Vec<KnownPart> {
        let mut search = Search {
            unknown,
            seen: HashSet::new(),
            parts: Vec::new(),
        };
        search.look(self, Role::Source);
        search.parts
    }
}

struct Search<'a> {
    unknown: &'a dyn Fn(&Leaf) -> bool,
    seen: HashSet<u128>,
    parts: Vec<KnownPart>,
}

impl Search<'_> {
    fn is_known(&self, expr: &Expr) -> bool {
        !expr.leaves().iter().any(self.unknown)
    }

    fn look(&mut self, expr: &Expr, role: Role) {
        if !self.seen.insert(expr.fingerprint()) {
            return;
        }
        match expr.node() {
            Node::Sum(sum) => sum.terms.iter().for_each(|(_, term)| self.look(term, role)),
            _ if self.is_known(expr) => self.take(expr, role),
            Node::Product(factors) => self.product(factors),
            node => {
                let below: Vec<Expr> = node.children().cloned().collect();
                below
                    .iter()
                    .for_each(|part| self.look(part, Role::Coefficient));
            }
        }
    }

    /// The known factors as one part, unless they are a sum, and what is known in the unknown ones.
    fn product(&mut self, factors: &[(Expr, i32)]) {
        let (known, others): (Vec<_>, Vec<_>) = factors.iter().partition(|(f, _)| self.is_known(f));
        let known = Expr::product(known.into_iter().map(|(f, n)| f.powi(*n)));
        if known.constant().is_none() {
            self.look(&known, Role::Coefficient);
        }
        for (factor, _) in others {
            self.look(factor, Role::Coefficient);
        }
    }

    fn take(&mut self, expr: &Expr, role: Role) {
        if expr.constant().is_none() {
            let expr = expr.clone();
            self.parts.push(KnownPart { expr, role });
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{ExprError, Scope, parse};

    #[test]
    fn parts_of_equations() -> Result<(), ExprError> {
        let scope = Scope::new(["x", "y"]).unknowns(["u"]);
        for (text, expected) in [
            ("u_xx + u_yy", vec![]),
            ("u_xx - 1", vec![]),
            ("u_xx + 3*sin(x) + sin(x)*u", vec!["sin(x)"]),
            ("sin(x)*(y + cos(y))*u_x", vec!["sin(x)*(y + cos(y))"]),
            ("exp(x*u)", vec!["x"]),
            ("where(x > 0, u, y)", vec!["0 < x", "y"]),
            ("2*(u + exp(x) - 3)", vec!["exp(x)"]),
        ] {
            let parts = parse(text, &scope)?.known_parts(&|leaf| leaf.unknown().is_some());
            let found: Vec<String> = parts
                .iter()
                .map(|p| p.expr.display(&scope).to_string())
                .collect();
            assert_eq!(found, expected, "{text}");
        }
        Ok(())
    }
}
