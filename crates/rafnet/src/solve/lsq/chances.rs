//! What a function of a layer is like, drawn before its weights.

use super::recipe::{Inputs, Recipe};
use crate::basis::Basis;

/// Drawn before a function's weights.
pub(super) struct Chances<'a> {
    pub(super) basis: Basis,
    /// A tanh or a Gaussian.
    pub(super) ridge: bool,
    /// A sine whose frequencies come from the data's spectrum.
    pub(super) spectral: bool,
    pub(super) steepness: f64,
    /// Where a ridge sits, with the direction there, and whether it takes that direction.
    pub(super) spot: Option<(&'a [f64], &'a [f64])>,
    pub(super) aligned: bool,
}

impl Chances<'_> {
    /// Whether a frame may turn it, and a set of inputs confine it.
    pub(super) fn free(&self) -> bool {
        let focused = self.spot.is_some() && self.aligned;
        self.basis == Basis::Sine && !self.spectral || self.ridge && !focused
    }
}

impl Inputs {
    /// Draws what a function is like.
    pub(super) fn chances(
        &self,
        basis: Basis,
        recipe: &Recipe,
        uniform: &mut impl FnMut() -> f64,
    ) -> Chances<'_> {
        let [spectral, steepness, spot, focused, aligned] = [(); 5].map(|()| uniform());
        let share = |u: f64| 0.5 * (u + 1.0);
        let ridge = !matches!(basis, Basis::Square | Basis::Sine);
        let focused = share(focused) < recipe.focus && ridge;
        Chances {
            basis,
            ridge,
            spectral: share(spectral) < recipe.spectral,
            // by its logarithm over a decade and a half
            steepness: recipe.steepness * 30f64.powf(0.5 * (steepness - 1.0)),
            spot: focused.then(|| self.spot(share(spot))).flatten(),
            aligned: aligned < 0.5,
        }
    }
}
