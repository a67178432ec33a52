//! Wires: what flows between two layers of a network that is built by hand.
//!
//! ```text
//! value = c + Σ wᵢ hᵢ        over the neurons hᵢ of one layer (layer 0: the inputs)
//! ```
//!
//! A wire also knows two bounds over the box on which the network is to hold: |value| ≤ `most` in exact arithmetic, and how far
//! what floating point computes may be from it (`error`). Summing n terms in any order errs by at most
//! (n + 2) u Σ |wᵢ hᵢ| with u = 2⁻⁵³, the rounding of the weights included; `size` is that sum of absolute values. So every
//! network comes with a bound on its own rounding, and tests hold what is measured against it.

/// u: half the distance from 1 to the next number.
pub(super) const UNIT: f64 = f64::EPSILON / 2.0;

/// An affine function of one layer's neurons.
#[derive(Clone, Debug)]
pub(super) struct Wire {
    pub(super) layer: usize,
    pub(super) constant: f64,
    pub(super) terms: Vec<(usize, f64)>, // (neuron, weight)
    pub(super) most: f64,
    pub(super) size: f64,
    pub(super) error: f64,
}

impl Wire {
    /// One neuron of a layer (or one input, for layer 0).
    pub(super) fn neuron(layer: usize, index: usize, most: f64, error: f64) -> Self {
        Self {
            layer,
            constant: 0.0,
            terms: vec![(index, 1.0)],
            most,
            size: most + error,
            error,
        }
    }

    /// The inputs of a network over a box, one wire a coordinate.
    pub(super) fn inputs(bounds: &[[f64; 2]]) -> Vec<Self> {
        let ends = bounds.iter().enumerate();
        ends.map(|(k, [low, high])| Self::neuron(0, k, low.abs().max(high.abs()), 0.0))
            .collect()
    }

    /// A number.
    pub(super) fn number(layer: usize, value: f64) -> Self {
        Self {
            layer,
            constant: value,
            terms: Vec::new(),
            most: value.abs(),
            size: value.abs(),
            error: 0.0,
        }
    }

    pub(super) fn scaled(&self, factor: f64) -> Self {
        let terms = self.terms.iter().map(|&(i, w)| (i, w * factor));
        Self {
            layer: self.layer,
            constant: self.constant * factor,
            terms: terms.collect(),
            most: self.most * factor.abs(),
            size: self.size * factor.abs(),
            error: self.error * factor.abs(),
        }
    }

    pub(super) fn shifted(&self, by: f64) -> Self {
        self.plus(&Self::number(self.layer, by))
    }

    pub(super) fn plus(&self, other: &Self) -> Self {
        assert_eq!(self.layer, other.layer, "wires of one layer are added");
        let mut terms = self.terms.clone();
        for &(index, weight) in &other.terms {
            match terms.iter_mut().find(|(known, _)| *known == index) {
                Some((_, sum)) => *sum += weight,
                None => terms.push((index, weight)),
            }
        }
        Self {
            layer: self.layer,
            constant: self.constant + other.constant,
            terms,
            most: self.most + other.most,
            size: self.size + other.size,
            error: self.error + other.error,
        }
    }

    pub(super) fn minus(&self, other: &Self) -> Self {
        self.plus(&other.scaled(-1.0))
    }

    /// The same with a tighter bound on its exact value, which the caller knows.
    pub(super) fn within(self, most: f64) -> Self {
        let most = self.most.min(most);
        Self { most, ..self }
    }

    /// The rounding of the sum itself.
    pub(super) fn fresh(&self) -> f64 {
        (self.terms.len() + 2) as f64 * UNIT * self.size
    }

    /// The whole error once the sum has been formed.
    pub(super) fn settled(&self) -> f64 {
        self.error + self.fresh()
    }
}
