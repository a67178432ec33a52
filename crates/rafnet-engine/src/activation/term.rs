//! One term α γ(βz) of a neuron's mix: which basis function, and which of its numbers are trained.

use super::{ActivationError, Initial};
use crate::basis::Basis;

/// Whether training moves a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Training {
    /// It is a parameter of the network.
    Trained,
    /// It keeps its initial value.
    Fixed,
}

/// A number for each neuron of a group.
#[derive(Clone, Debug, PartialEq)]
pub struct Coefficient {
    /// Where it starts.
    pub initial: Initial,
    /// Whether it moves.
    pub training: Training,
}

impl Coefficient {
    /// A trained number that starts from a distribution.
    pub fn trained(initial: Initial) -> Self {
        Self {
            initial,
            training: Training::Trained,
        }
    }
    /// A number that stays.
    pub fn fixed(value: f64) -> Self {
        Self {
            initial: Initial::Constant(value),
            training: Training::Fixed,
        }
    }
    /// Whether it is a parameter of the network.
    pub fn is_trained(&self) -> bool {
        self.training == Training::Trained
    }
}

/// How β is given.
#[derive(Clone, Debug, PartialEq)]
pub enum Scale {
    /// β = 1.
    One,
    /// β itself.
    Frequency(Coefficient),
    /// The width s of a bump, β = 1/(√2 s); only |s| matters.
    Width(Coefficient),
}

/// Widths below this are taken as this: s enters squared, and training may pass through zero.
const LEAST_WIDTH: f64 = 1e-6;

impl Scale {
    /// The coefficient behind β, if there is one.
    pub fn coefficient(&self) -> Option<&Coefficient> {
        match self {
            Self::One => None,
            Self::Frequency(c) | Self::Width(c) => Some(c),
        }
    }
    /// β from the stored number.
    pub fn beta(&self, stored: f64) -> f64 {
        match self {
            Self::One => 1.0,
            Self::Frequency(_) => stored,
            Self::Width(_) => 1.0 / (std::f64::consts::SQRT_2 * stored.abs().max(LEAST_WIDTH)),
        }
    }
    /// dβ/d(stored number): 1 for a frequency, −β/s for a width.
    pub fn beta_slope(&self, stored: f64) -> f64 {
        match self {
            Self::One => 0.0,
            Self::Frequency(_) => 1.0,
            Self::Width(_) => -self.beta(stored) / stored.signum() / stored.abs().max(LEAST_WIDTH),
        }
    }
    /// Its name in messages.
    const fn name(&self) -> &'static str {
        match self {
            Self::One | Self::Frequency(_) => "frequency",
            Self::Width(_) => "width",
        }
    }
}

/// One term α γ(βz).
#[derive(Clone, Debug, PartialEq)]
pub struct Term {
    /// γ
    pub basis: Basis,
    /// α
    pub alpha: Coefficient,
    /// β
    pub scale: Scale,
}

impl Term {
    /// γ(z): α = β = 1, nothing trained (the rational function trains its own coefficients).
    pub fn plain(basis: Basis) -> Self {
        Self {
            basis,
            alpha: Coefficient::fixed(1.0),
            scale: Scale::One,
        }
    }
    /// γ(βz) with a fixed frequency.
    pub fn with_frequency(basis: Basis, beta: Initial) -> Self {
        let beta = Coefficient {
            initial: beta,
            training: Training::Fixed,
        };
        Self {
            scale: Scale::Frequency(beta),
            ..Self::plain(basis)
        }
    }
    /// A fixed bump exp(−z²/2s²).
    pub fn gaussian(width: f64) -> Self {
        Self {
            scale: Scale::Width(Coefficient::fixed(width)),
            ..Self::plain(Basis::Gaussian)
        }
    }

    /// How many α, frequencies and widths `neurons` neurons with this term train.
    pub fn n_trained(&self, neurons: usize) -> usize {
        let trained = |c: &Coefficient| if c.is_trained() { neurons } else { 0 };
        trained(&self.alpha) + self.scale.coefficient().map_or(0, trained)
    }

    pub(super) fn check(&self, neurons: usize) -> Result<(), ActivationError> {
        let named = [
            ("coefficient", Some(&self.alpha)),
            (self.scale.name(), self.scale.coefficient()),
        ];
        for (what, coefficient) in named.into_iter().filter_map(|(w, c)| c.map(|c| (w, c))) {
            let basis = self.basis;
            if !coefficient.is_trained() && coefficient.initial.is_random() {
                return Err(ActivationError::FixedAtRandom { what, basis });
            }
            if let Initial::Values(values) = &coefficient.initial
                && values.len() != neurons
            {
                return Err(ActivationError::WrongCount {
                    basis,
                    expected: neurons,
                    found: values.len(),
                });
            }
            let bad = |v: &f64| !v.is_finite() || (what == "width" && *v == 0.0);
            if let Some(value) = coefficient.initial.numbers().into_iter().find(bad) {
                return Err(ActivationError::BadValue {
                    what,
                    basis,
                    value: value.to_string(),
                });
            }
        }
        Ok(())
    }
}
