//! Where the numbers of an activation start.

use rand::{Rng, SeedableRng};
use rand_distr::{Distribution, StandardNormal, StandardUniform};
use rand_xoshiro::Xoshiro256PlusPlus;

/// The generator behind every initial value: the same seed, the same bits.
pub fn random(seed: u64) -> Xoshiro256PlusPlus {
    Xoshiro256PlusPlus::seed_from_u64(seed)
}

/// A distribution over the neurons of a group.
///
/// ```
/// use rafnet::activation::Initial;
/// // frequencies 2π, 4π, 6π
/// let tau = std::f64::consts::TAU;
/// assert_eq!(Initial::Harmonics(tau).drawn(3, 0), Initial::Values(vec![tau, 2.0 * tau, 3.0 * tau]));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Initial {
    /// The same number everywhere.
    Constant(f64),
    /// Normal with a mean and a standard deviation.
    Normal {
        /// Mean.
        mean: f64,
        /// Standard deviation.
        deviation: f64,
    },
    /// Uniform between two numbers.
    Uniform {
        /// Lower end.
        low: f64,
        /// Upper end.
        high: f64,
    },
    /// The k-th neuron of the group, from 1, starts at k times this number.
    Harmonics(f64),
    /// One number a neuron.
    Values(Vec<f64>),
}

impl Initial {
    /// Whether it takes random numbers.
    pub fn is_random(&self) -> bool {
        matches!(self, Self::Normal { .. } | Self::Uniform { .. })
    }

    /// The value of neuron `k` of its group, from 0.
    pub fn draw(&self, k: usize, random: &mut impl Rng) -> f64 {
        match self {
            Self::Constant(value) => *value,
            Self::Normal { mean, deviation } => {
                let z: f64 = StandardNormal.sample(random);
                mean + deviation * z
            }
            Self::Uniform { low, high } => {
                let u: f64 = StandardUniform.sample(random);
                low + (high - low) * u
            }
            Self::Harmonics(step) => step * (k + 1) as f64,
            Self::Values(values) => values[k],
        }
    }

    /// The distribution with its values drawn, so that they can be held fixed.
    #[must_use]
    pub fn drawn(&self, neurons: usize, seed: u64) -> Self {
        let mut random = random(seed);
        Self::Values((0..neurons).map(|k| self.draw(k, &mut random)).collect())
    }

    /// The numbers that define it.
    pub(super) fn numbers(&self) -> Vec<f64> {
        match self {
            Self::Constant(v) | Self::Harmonics(v) => vec![*v],
            Self::Normal { mean, deviation } => vec![*mean, *deviation],
            Self::Uniform { low, high } => vec![*low, *high],
            Self::Values(values) => values.clone(),
        }
    }
}
