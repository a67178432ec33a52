//! Sums: c + Σ cᵢ tᵢ with like terms merged, in the order in which the terms first appeared.

use std::collections::HashMap;

use crate::node::{Expr, Node, Sum, one_spelling};

impl Expr {
    /// The sum of the terms.
    ///
    /// ```
    /// use rafnet::expr::{Expr, Leaf};
    /// let x = Expr::leaf(Leaf::Coordinate(0));
    /// assert_eq!(Expr::sum([x.clone(), 1.0.into(), x.clone()]), x.scaled(2.0) + 1.0.into());
    /// ```
    pub fn sum(terms: impl IntoIterator<Item = Expr>) -> Self {
        Self::linear(0.0, terms.into_iter().map(|term| (1.0, term)))
    }

    /// This expression times a number.
    #[must_use]
    pub fn scaled(&self, factor: f64) -> Self {
        Self::linear(0.0, [(factor, self.clone())])
    }

    /// constant + Σ coefficient · term.
    pub(crate) fn linear(constant: f64, terms: impl IntoIterator<Item = (f64, Expr)>) -> Self {
        let mut gather = Gather::new(constant);
        for (coefficient, term) in terms {
            gather.push(coefficient, &term);
        }
        gather.finish()
    }
}

/// A sum under construction.
struct Gather {
    constant: f64,
    terms: Vec<(f64, Expr)>,
    place: HashMap<u128, usize>,
}

impl Gather {
    fn new(constant: f64) -> Self {
        Self {
            constant,
            terms: Vec::new(),
            place: HashMap::new(),
        }
    }

    fn push(&mut self, coefficient: f64, term: &Expr) {
        if coefficient == 0.0 {
            return;
        }
        match term.node() {
            Node::Constant(value) => self.constant += coefficient * value,
            Node::Sum(sum) if is_unit(coefficient) => {
                self.constant += coefficient * sum.constant;
                for (inner, term) in &sum.terms {
                    self.push(coefficient * inner, term);
                }
            }
            _ => match term.as_scaled() {
                Some((inner, term)) => self.push(coefficient * inner, term),
                None => self.merge(coefficient, term),
            },
        }
    }

    fn merge(&mut self, coefficient: f64, term: &Expr) {
        let place = *self
            .place
            .entry(term.fingerprint())
            .or_insert(self.terms.len());
        match self.terms.get_mut(place) {
            Some((total, _)) => *total += coefficient,
            None => self.terms.push((coefficient, term.clone())),
        }
    }

    fn finish(mut self) -> Expr {
        self.terms.retain(|(coefficient, _)| *coefficient != 0.0);
        for (coefficient, _) in &mut self.terms {
            *coefficient = one_spelling(*coefficient);
        }
        // Merging may have made a coefficient ±1, which frees the terms of the sum it stands before.
        if self.terms.iter().any(is_loose) {
            return Expr::linear(self.constant, self.terms);
        }
        match self.terms.as_slice() {
            [] => Expr::number(self.constant),
            [(c, term)] if is_unit(*c) && *c > 0.0 && self.constant == 0.0 => term.clone(),
            _ => Expr::from_node(Node::Sum(Sum {
                constant: one_spelling(self.constant),
                terms: self.terms,
            })),
        }
    }
}

/// Whether the coefficient is exactly 1 or −1.
#[expect(clippy::float_cmp, reason = "exactly 1 is meant")]
fn is_unit(coefficient: f64) -> bool {
    coefficient.abs() == 1.0
}

fn is_loose((coefficient, term): &(f64, Expr)) -> bool {
    is_unit(*coefficient) && matches!(term.node(), Node::Sum(_))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::leaf::Leaf;

    fn x() -> Expr {
        Expr::leaf(Leaf::Coordinate(0))
    }

    fn y() -> Expr {
        Expr::leaf(Leaf::Coordinate(1))
    }

    #[test]
    fn like_terms_merge_and_cancel() {
        assert_eq!(x() - x(), Expr::number(0.0));
        assert_eq!(x() + y() - x(), y());
        assert_eq!(Expr::sum([x(), x(), x()]), x().scaled(3.0));
    }

    #[test]
    fn sums_flatten_under_a_unit_coefficient_only() {
        let inner = x() + y() + 1.0.into();
        assert_eq!(x() - inner.clone(), Expr::linear(-1.0, [(-1.0, y())]));
        let doubled = inner.scaled(2.0);
        assert_eq!(doubled.as_scaled().map(|(c, _)| c), Some(2.0));
        assert_eq!(doubled.scaled(1.5) - doubled, inner, "3(…) − 2(…) is (…)");
    }
}
