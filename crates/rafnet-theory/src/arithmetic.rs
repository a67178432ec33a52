//! The two operations that polynomials need, in two kinds of neurons.
//!
//! A *stage* of a network carries every value on or multiplies two of them. With x and x² a stage is one layer: a value costs one
//! neuron, a product two, and both are exact. With ReLU alone a value costs two neurons, and a square is the sawtooth sum of
//! Yarotsky (2017, Proposition 2), on t = |z|/Z in [0, 1]:
//!
//! ```text
//! g(t) = 2 relu(t) − 4 relu(t − ½)        t² ≈ f_m(t) = t − Σ_{s=1..m} g^∘s(t) / 4ˢ        0 ≤ f_m − t² ≤ 4^−(m+1)
//! ```
//!
//! so a stage has 1 + m layers, each product needs up to six neurons in each of them, and it is never exact.

use super::draft::Draft;
use super::wire::{UNIT, Wire};
use rafnet::basis::Basis;

/// Carrying and multiplying, one stage on.
pub(super) trait Arithmetic {
    fn carry(&mut self, wire: &Wire) -> Wire;
    fn product(&mut self, a: &Wire, b: &Wire) -> Wire;
}

impl Arithmetic for Draft {
    fn carry(&mut self, wire: &Wire) -> Wire {
        Self::carry(self, wire)
    }
    fn product(&mut self, a: &Wire, b: &Wire) -> Wire {
        Self::product(self, a, b)
    }
}

/// The same with ReLU neurons only.
pub(super) struct ReluDraft {
    pub(super) draft: Draft,
    /// m: how often the sawtooth is folded.
    pub(super) folds: u32,
}

impl ReluDraft {
    /// relu(z) − relu(−z) = z
    fn step(&mut self, wire: &Wire) -> Wire {
        let up = self.draft.add(Basis::Relu, wire);
        let down = self.draft.add(Basis::Relu, &wire.scaled(-1.0));
        Wire {
            error: wire.settled(),
            size: wire.most + wire.settled(),
            ..up.minus(&down).within(wire.most)
        }
    }

    /// z² for |z| ≤ most, one stage on.
    fn square(&mut self, z: &Wire, most: f64) -> Wire {
        let up = self.draft.add(Basis::Relu, &z.scaled(1.0 / most));
        let down = self.draft.add(Basis::Relu, &z.scaled(-1.0 / most));
        let mut tooth = up.plus(&down).within(1.0); // g^∘(s−1)
        let mut sum = tooth.clone(); // f_(s−1)
        let mut weight = 1.0;
        for _ in 0..self.folds {
            weight /= 4.0;
            let whole = self.draft.add(Basis::Relu, &tooth);
            let half = self.draft.add(Basis::Relu, &tooth.shifted(-0.5));
            let kept = self.draft.add(Basis::Relu, &sum);
            tooth = whole.scaled(2.0).minus(&half.scaled(4.0)).within(1.0);
            sum = kept.minus(&tooth.scaled(weight)).within(1.0);
        }
        sum.scaled(most * most)
    }
}

impl Arithmetic for ReluDraft {
    fn carry(&mut self, wire: &Wire) -> Wire {
        (0..=self.folds).fold(wire.clone(), |wire, _| self.step(&wire))
    }

    fn product(&mut self, a: &Wire, b: &Wire) -> Wire {
        let most = (a.most + b.most + a.settled() + b.settled()).max(f64::MIN_POSITIVE);
        let first = self.square(&a.plus(b), most);
        let second = self.square(&a.minus(b), most);
        // of two approximations from above the larger error remains; each fold rounds a sum of four terms of size ≤ 7
        let sawtooth = most * most * 0.25_f64.powi(1 + self.folds.cast_signed());
        let rounding = most * most * 64.0 * UNIT;
        Wire {
            error: a.most * b.error
                + b.most * a.error
                + a.error * b.error
                + 0.25 * sawtooth
                + rounding,
            size: most * most,
            ..first.minus(&second).scaled(0.25).within(a.most * b.most)
        }
    }
}
