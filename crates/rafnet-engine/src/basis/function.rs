//! Basis functions as types: a kernel is compiled once for each, with its formula inside the loop and nothing else.
//!
//! A `match` over all functions inside a loop over registers makes the compiler keep the registers for the worst of them;
//! one call that is not inlined in one arm spills everything around it. So the choice is made once for a run of points:
//! [`Basis::visit`] hands the function over as a type.

use super::Basis;
use super::rational::COEFFICIENTS;
use crate::simd::Vector;

/// For each coefficient of a function's own ∂γ, ∂γ′ and ∂γ″.
pub(crate) type Sensitivities<V> = [[V; 3]; COEFFICIENTS];

/// A basis function that is known when a kernel is compiled.
pub(crate) trait Function: Copy {
    /// [γ, γ′, γ″, γ‴] over a register, at least up to derivative `ORDER`; `shape` holds the function's own coefficients.
    fn tower<V: Vector, const ORDER: usize>(self, y: V, shape: &[V::Element]) -> [V; 4];

    /// `∂γ/∂shape[k]` for every k, with two derivatives in y if `ORDER` is above 1; only asked of functions that have coefficients.
    #[inline(always)]
    fn sensitivities<V: Vector, const ORDER: usize>(
        self,
        _y: V,
        _shape: &[V::Element],
    ) -> Sensitivities<V> {
        [[V::zero(); 3]; COEFFICIENTS]
    }
}

/// What is done with a function once it is known.
pub(crate) trait Visitor {
    /// What comes of it.
    type Output;
    /// Does it; mark it `#[inline(always)]`.
    fn visit<F: Function>(self, function: F) -> Self::Output;
}

impl Basis {
    /// [γ, γ′, γ″, γ‴] over a register, at least up to derivative `ORDER`; `shape` holds the function's own coefficients.
    #[inline(always)]
    pub fn tower<V: Vector, const ORDER: usize>(self, y: V, shape: &[V::Element]) -> [V; 4] {
        self.visit(Tower::<V, ORDER> { y, shape })
    }

    /// `∂γ/∂shape[k]` for every k, with two derivatives in y if `ORDER` is above 1.
    #[inline(always)]
    pub(crate) fn sensitivities<V: Vector, const ORDER: usize>(
        self,
        y: V,
        shape: &[V::Element],
    ) -> Sensitivities<V> {
        self.visit(Sensitive::<V, ORDER> { y, shape })
    }
}

struct Tower<'a, V: Vector, const ORDER: usize> {
    y: V,
    shape: &'a [V::Element],
}

impl<V: Vector, const ORDER: usize> Visitor for Tower<'_, V, ORDER> {
    type Output = [V; 4];
    #[inline(always)]
    fn visit<F: Function>(self, function: F) -> [V; 4] {
        function.tower::<V, ORDER>(self.y, self.shape)
    }
}

struct Sensitive<'a, V: Vector, const ORDER: usize> {
    y: V,
    shape: &'a [V::Element],
}

impl<V: Vector, const ORDER: usize> Visitor for Sensitive<'_, V, ORDER> {
    type Output = Sensitivities<V>;
    #[inline(always)]
    fn visit<F: Function>(self, function: F) -> Sensitivities<V> {
        function.sensitivities::<V, ORDER>(self.y, self.shape)
    }
}
