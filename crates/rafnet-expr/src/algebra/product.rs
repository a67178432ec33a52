//! Products: Π fᵢ^nᵢ with like factors merged, the coefficient kept apart.
//!
//! Numerator and denominator numbers are multiplied up separately and divided once, so that `2*x/3` has the
//! coefficient fl(2/3), whatever stands between. A power of a product is opened only for n = ±1: (xy)² as x²y² would
//! overflow where xy does not.

use std::collections::HashMap;

use super::power::integer_power;
use super::root::{Combined, base_under_root, combine};
use crate::node::{Expr, Node};

/// Exponents up to this size are kept as integers; larger ones are left to the power function.
pub(crate) const LARGEST_EXPONENT: i32 = 1 << 20;

/// Coefficients are drawn out of powers only when their power stays this far from overflow and underflow.
const MODERATE: std::ops::Range<f64> = 1e-100..1e100;

impl Expr {
    /// The product of the factors.
    ///
    /// ```
    /// use rafnet::expr::{Expr, Leaf};
    /// let x = Expr::leaf(Leaf::Coordinate(0));
    /// assert_eq!(Expr::product([x.clone(), 2.0.into(), x.clone()]), x.powi(2).scaled(2.0));
    /// ```
    pub fn product(factors: impl IntoIterator<Item = Expr>) -> Self {
        Self::product_of_powers(factors.into_iter().map(|factor| (factor, 1)))
    }

    /// This expression to an integer power.
    #[must_use]
    pub fn powi(&self, exponent: i32) -> Self {
        Self::product_of_powers([(self.clone(), exponent)])
    }

    /// Π base^exponent.
    pub(crate) fn product_of_powers(factors: impl IntoIterator<Item = (Expr, i32)>) -> Self {
        let mut gather = Gather {
            numerator: 1.0,
            denominator: 1.0,
            factors: Vec::new(),
            place: HashMap::new(),
        };
        for (base, exponent) in factors {
            gather.push(&base, exponent);
        }
        gather.finish()
    }
}

/// A product under construction.
struct Gather {
    numerator: f64,
    denominator: f64,
    factors: Vec<(Expr, i32)>,
    place: HashMap<u128, usize>,
}

impl Gather {
    fn push(&mut self, base: &Expr, exponent: i32) {
        if exponent == 0 {
            return;
        }
        if let Node::Constant(value) = base.node() {
            self.push_number(*value, exponent);
            return;
        }
        if let Some((coefficient, term)) = base.as_scaled() {
            let size = integer_power(coefficient.abs(), exponent.abs());
            if exponent.abs() == 1 || MODERATE.contains(&size) {
                self.push_number(coefficient, exponent);
                self.push(term, exponent);
                return;
            }
        }
        match base.node() {
            Node::Product(inner) if opens(inner, exponent) => {
                for (factor, n) in inner {
                    self.push(factor, n * exponent);
                }
            }
            _ => self.merge(base, exponent),
        }
    }

    fn push_number(&mut self, value: f64, exponent: i32) {
        let part = if exponent > 0 {
            &mut self.numerator
        } else {
            &mut self.denominator
        };
        *part *= integer_power(value, exponent.abs());
    }

    fn merge(&mut self, base: &Expr, exponent: i32) {
        let place = *self
            .place
            .entry(base.fingerprint())
            .or_insert(self.factors.len());
        match self.factors.get_mut(place) {
            Some((_, total)) if (*total + exponent).abs() <= LARGEST_EXPONENT => *total += exponent,
            _ => self.factors.push((base.clone(), exponent)),
        }
    }

    /// Cancels roots against powers of what is under them.
    fn combine_roots(&mut self) {
        for at in 0..self.factors.len() {
            let (root, m) = self.factors[at].clone();
            let Some(base) = base_under_root(&root) else {
                continue;
            };
            let Some(&place) = self.place.get(&base.fingerprint()) else {
                continue;
            };
            match combine(base, self.factors[place].1, &root, m) {
                Some(Combined::Exponents(n, m)) => {
                    self.factors[place].1 = n;
                    self.factors[at].1 = m;
                }
                Some(Combined::Single(both)) => {
                    self.factors[place].1 = 0;
                    self.factors[at] = (both, 1);
                }
                None => {}
            }
        }
    }

    fn finish(mut self) -> Expr {
        self.combine_roots();
        self.factors.retain(|(_, exponent)| *exponent != 0);
        // Merging may have made an exponent ±1, which opens the product or the coefficient it stands on.
        let opened = |(base, n): &(Expr, i32)| match base.node() {
            Node::Constant(_) => true,
            Node::Product(_) => n.abs() == 1,
            _ => n.abs() == 1 && base.as_scaled().is_some(),
        };
        let coefficient = self.numerator / self.denominator;
        if self.factors.iter().any(opened) {
            return Expr::product_of_powers(self.factors).scaled(coefficient);
        }
        self.factors.sort_by_key(|(_, exponent)| *exponent < 0); // stable: numerators first
        let bare = match self.factors.as_slice() {
            [] => return Expr::number(coefficient),
            [(base, 1)] => base.clone(),
            _ => Expr::from_node(Node::Product(self.factors)),
        };
        bare.scaled(coefficient)
    }
}

/// Whether (Π fᵢ^nᵢ)^exponent is written as Π fᵢ^(nᵢ exponent).
fn opens(inner: &[(Expr, i32)], exponent: i32) -> bool {
    match inner {
        [(_, n)] => n
            .checked_mul(exponent)
            .is_some_and(|n| n.abs() <= LARGEST_EXPONENT),
        _ => exponent.abs() == 1,
    }
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "these values are exact")]
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
    fn like_powers_merge_and_cancel() {
        assert_eq!(x() * y() / x(), y());
        assert_eq!(x().powi(2).powi(3), x().powi(6));
        assert_eq!(x().powi(-1).powi(-1), x());
        assert_eq!((x() * y()).powi(3) * (x() * y()).powi(-2), x() * y());
    }

    #[test]
    fn a_power_of_a_product_is_not_opened() {
        let square = (x() * y()).powi(2);
        let at = |leaf: &Leaf| {
            if *leaf == Leaf::Coordinate(0) {
                1e200
            } else {
                1e-200
            }
        };
        assert_eq!(square.eval(&at), 1.0, "x²y² would be ∞·0");
        let small = x().scaled(1e-200).powi(2);
        assert!(
            (small.eval(&at) - 1.0).abs() < 1e-15,
            "1e-400·x² would be 0"
        );
    }

    #[test]
    fn the_coefficient_is_divided_once() {
        let third = Expr::product_of_powers([(3.0.into(), 1), (x(), 1), (10.0.into(), -1)]);
        assert_eq!(
            third,
            x().scaled(0.3),
            "3·(1/10) would be 0.30000000000000004"
        );
    }
}
