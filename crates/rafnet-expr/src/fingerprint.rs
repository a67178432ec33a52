//! Fingerprints: 128 bits that stand for the structure of an expression.
//!
//! Two expressions are taken as equal when their fingerprints are. This makes equality, and with it every memo table,
//! O(1) on a shared graph without a global table of nodes. Terms and factors enter as an unordered collection, by the
//! sum of their own fingerprints: x·y and y·x are equal, and so merge, although each is printed as it was written. Each word goes through a bijection of the state, so a
//! collision is only ever a coincidence: among n expressions its chance is n²/2¹²⁹, that is 10⁻²⁷ for a million.

use super::leaf::Leaf;
use super::node::Expr;

/// The multiplier of the 128-bit PCG generator (O'Neill 2014): odd, and with good spectral properties.
const MULTIPLIER: u128 = 0x2360_ED05_1FC6_5DA4_4385_DF64_9FCC_F645;

/// A fingerprint under construction.
pub(crate) struct Fingerprint(u128);

impl Fingerprint {
    /// Starts one; `tag` tells the kinds of node apart.
    pub(crate) fn new(tag: u64) -> Self {
        let mut start = Self(MULTIPLIER);
        start.word(tag);
        start
    }

    /// Takes in a word.
    pub(crate) fn word(&mut self, word: u64) {
        self.0 = (self.0 ^ u128::from(word)).wrapping_mul(MULTIPLIER);
        self.0 ^= self.0 >> 67;
    }

    /// Takes in a count or an index.
    pub(crate) fn index(&mut self, index: usize) {
        self.word(index as u64);
    }

    /// Takes in a number, bit by bit.
    pub(crate) fn number(&mut self, number: f64) {
        self.word(number.to_bits());
    }

    /// Takes in an expression.
    pub(crate) fn expr(&mut self, expr: &Expr) {
        self.0 = (self.0 ^ expr.fingerprint()).wrapping_mul(MULTIPLIER);
        self.0 ^= self.0 >> 67;
    }

    /// Takes in expressions with a word each, in no order.
    pub(crate) fn unordered<'a>(&mut self, parts: impl Iterator<Item = (u64, &'a Expr)>) {
        let mut total = 0u128;
        for (word, expr) in parts {
            let mut part = Self::new(word);
            part.expr(expr);
            total = total.wrapping_add(part.finish());
        }
        self.0 = (self.0 ^ total).wrapping_mul(MULTIPLIER);
        self.0 ^= self.0 >> 67;
    }

    /// Takes in a leaf.
    pub(crate) fn leaf(&mut self, leaf: &Leaf) {
        let (tag, index) = match leaf {
            Leaf::Coordinate(k) => (0, *k),
            Leaf::Jet(jet) => (1, jet.unknown()),
            Leaf::Parameter(k) => (2, *k),
            Leaf::Column(k) => (3, *k),
            Leaf::NormalDerivative(k) => (4, *k),
            Leaf::Normal(k) => (5, *k),
        };
        self.word(tag);
        self.index(index);
        if let Leaf::Jet(jet) = leaf {
            self.index(jet.order());
            for &axis in jet.axes() {
                self.index(axis);
            }
        }
    }

    /// The fingerprint.
    pub(crate) fn finish(self) -> u128 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn order_and_grouping_of_words_matter() {
        let of = |words: &[u64]| {
            let mut state = Fingerprint::new(0);
            for &word in words {
                state.word(word);
            }
            state.finish()
        };
        let all: HashSet<u128> = (0..64)
            .flat_map(|a| (0..64).map(move |b| (a, b)))
            .map(|(a, b)| of(&[a, b]))
            .collect();
        assert_eq!(all.len(), 64 * 64);
        assert_ne!(of(&[1]), of(&[1, 0]));
    }
}
