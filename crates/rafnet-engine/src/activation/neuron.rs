//! One neuron's function and what a loss feels of it.
//!
//! ```text
//! σ(z)  = Σ_p α_p γ_p(β_p z)        σ⁽ᵏ⁾(z) = Σ_p α_p β_pᵏ γ_p⁽ᵏ⁾(β_p z)
//! ```
//!
//! A layer carries the value and derivatives of z at a point, h = σ(z):
//! h_v = σ(z_v), h_k = σ′ z_k, h_s = σ′ z_s + σ″ q_s. For *any* number θ in σ, with g = ∂σ/∂θ, the loss therefore changes by
//!
//! ```text
//! θ̄ = H₀ g + H₁ g′ + H₂ g″      H₀ = h̄_v    H₁ = Σ_k h̄_k z_k + Σ_s h̄_s z_s    H₂ = Σ_s h̄_s q_s
//! α_p:  g = γ(βz)        g′ = βγ′             g″ = β²γ″
//! β_p:  g = αzγ′(βz)     g′ = α(γ′ + βzγ″)    g″ = α(2βγ″ + β²zγ‴)
//! z_v:  g = σ′           g′ = σ″              g″ = σ‴
//! ```
//!
//! so the three sums H are formed once and every parameter costs three multiplications.

use crate::basis::Basis;
use crate::simd::{Real, Vector};

/// A neuron's terms: γ_p, α_p, β_p, and the coefficients that a function has of its own.
#[derive(Clone, Copy, Debug)]
pub struct Neuron<'a, T> {
    /// γ_p
    pub bases: &'a [Basis],
    /// α_p
    pub alpha: &'a [T],
    /// β_p
    pub beta: &'a [T],
    /// The rational function's coefficients or a text's names, empty without either.
    pub shape: &'a [T],
}

/// What a term's gradient is wanted for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// ᾱ
    pub alpha: bool,
    /// β̄
    pub beta: bool,
}

impl Wanted {
    /// Neither.
    pub const NOTHING: Self = Self {
        alpha: false,
        beta: false,
    };
}

/// A term's α and β in every lane of a register, and its formulas.
#[derive(Clone, Copy)]
pub(crate) struct Mixed<V> {
    alpha: V,
    beta: V,
}

impl<V: Vector> Mixed<V> {
    #[inline(always)]
    pub(crate) fn new(alpha: V::Element, beta: V::Element) -> Self {
        Self {
            alpha: V::splat(alpha),
            beta: V::splat(beta),
        }
    }

    /// βz
    #[inline(always)]
    pub(crate) fn argument(self, z: V) -> V {
        self.beta.mul(z)
    }

    /// σ⁽ᵏ⁾ += α βᵏ γ⁽ᵏ⁾ for k up to `ORDER`.
    #[inline(always)]
    pub(crate) fn add<const ORDER: usize>(self, sigma: &mut [V; 4], gamma: [V; 4]) {
        let mut factor = self.alpha;
        for (sum, g) in sigma.iter_mut().zip(gamma).take(ORDER + 1) {
            *sum = factor.mul_add(g, *sum);
            factor = factor.mul(self.beta);
        }
    }

    /// ᾱ, from γ at βz. With `ORDER` 1 only values are carried, so H₁ = H₂ = 0.
    #[inline(always)]
    pub(crate) fn for_alpha<const ORDER: usize>(self, h: [V; 3], gamma: [V; 4]) -> V {
        let mut sum = h[0].mul(gamma[0]);
        if ORDER > 1 {
            sum = h[1].mul(self.beta).mul_add(gamma[1], sum);
            sum = h[2].mul(self.beta).mul(self.beta).mul_add(gamma[2], sum);
        }
        sum
    }

    /// β̄, from γ at βz.
    #[inline(always)]
    pub(crate) fn for_beta<const ORDER: usize>(self, z: V, h: [V; 3], gamma: [V; 4]) -> V {
        let [_, g1, g2, g3] = gamma;
        let mut sum = h[0].mul(z).mul(g1);
        if ORDER > 1 {
            let y = self.argument(z);
            sum = y.mul_add(g2, g1).mul_add(h[1], sum);
            let bend = y.mul_add(g3, g2.add(g2));
            sum = bend.mul(self.beta).mul_add(h[2], sum);
        }
        sum.mul(self.alpha)
    }

    /// The gradient of a coefficient of γ's own, from g = ∂γ at βz.
    #[inline(always)]
    pub(crate) fn for_shape<const ORDER: usize>(self, h: [V; 3], g: [V; 3]) -> V {
        let mut sum = h[0].mul(g[0]);
        if ORDER > 1 {
            sum = sum
                .add(h[1].mul(self.beta).mul(g[1]))
                .add(h[2].mul(self.beta).mul(self.beta).mul(g[2]));
        }
        sum.mul(self.alpha)
    }
}

impl<T: Real> Neuron<'_, T> {
    #[inline(always)]
    fn term<V: Vector<Element = T>>(&self, p: usize) -> Mixed<V> {
        Mixed::new(self.alpha[p], self.beta[p])
    }

    /// [σ, σ′, σ″, σ‴] at z, up to derivative `ORDER`; the entries beyond stay zero.
    #[inline(always)]
    pub fn tower<V: Vector<Element = T>, const ORDER: usize>(&self, z: V) -> [V; 4] {
        let mut sigma = [V::zero(); 4];
        for (p, &basis) in self.bases.iter().enumerate() {
            let term = self.term(p);
            let gamma = basis.tower::<V, ORDER>(term.argument(z), self.shape);
            term.add::<ORDER>(&mut sigma, gamma);
        }
        sigma
    }

    /// (ᾱ_p, β̄_p) of term `p` at z.
    #[inline(always)]
    pub fn term_gradient<V: Vector<Element = T>, const ORDER: usize>(
        &self,
        p: usize,
        z: V,
        h: [V; 3],
    ) -> (V, V) {
        let term = self.term(p);
        let gamma = self.bases[p].tower::<V, ORDER>(term.argument(z), self.shape);
        (
            term.for_alpha::<ORDER>(h, gamma),
            term.for_beta::<ORDER>(z, h, gamma),
        )
    }

    /// The gradient of the k-th of the coefficients that the function of term `p` has of its own.
    #[inline(always)]
    pub fn shape_gradient<V: Vector<Element = T>, const ORDER: usize>(
        &self,
        p: usize,
        k: usize,
        z: V,
        h: [V; 3],
    ) -> V {
        let term = self.term(p);
        let y = term.argument(z);
        let g = self.bases[p].sensitivities::<V, ORDER>(y, self.shape)[k];
        term.for_shape::<ORDER>(h, g)
    }
}
