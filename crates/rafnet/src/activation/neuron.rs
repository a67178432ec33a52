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

use crate::basis::{Basis, rational};
use crate::simd::{Real, Vector};

/// A neuron's terms: γ_p, α_p, β_p, and the rational function's own coefficients.
#[derive(Clone, Copy, Debug)]
pub struct Neuron<'a, T> {
    /// γ_p
    pub bases: &'a [Basis],
    /// α_p
    pub alpha: &'a [T],
    /// β_p
    pub beta: &'a [T],
    /// The rational function's coefficients, empty without one.
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
    pub const NOTHING: Self = Self { alpha: false, beta: false };
}

impl<T: Real> Neuron<'_, T> {
    /// [σ, σ′, σ″, σ‴] at z.
    #[inline(always)]
    pub fn tower<V: Vector<Element = T>>(&self, z: V) -> [V; 4] {
        let mut sigma = [V::zero(); 4];
        for (p, &basis) in self.bases.iter().enumerate() {
            let beta = V::splat(self.beta[p]);
            let gamma = basis.tower(beta.mul(z), self.shape);
            let mut factor = V::splat(self.alpha[p]);
            for (sum, g) in sigma.iter_mut().zip(gamma) {
                *sum = factor.mul_add(g, *sum);
                factor = factor.mul(beta);
            }
        }
        sigma
    }

    /// [σ, σ′, σ″, σ‴] at z, handing (p, ᾱ_p, β̄_p) of every wanted term to `add` on the way: one look at each γ serves both.
    #[inline(always)]
    pub fn tower_and_gradient<V: Vector<Element = T>>(
        &self,
        z: V,
        h: [V; 3],
        wanted: &[Wanted],
        mut add: impl FnMut(usize, V, V),
    ) -> [V; 4] {
        let mut sigma = [V::zero(); 4];
        for (p, &basis) in self.bases.iter().enumerate() {
            let (alpha, beta) = (V::splat(self.alpha[p]), V::splat(self.beta[p]));
            let y = beta.mul(z);
            let gamma = basis.tower(y, self.shape);
            let mut factor = alpha;
            for (sum, g) in sigma.iter_mut().zip(gamma) {
                *sum = factor.mul_add(g, *sum);
                factor = factor.mul(beta);
            }
            if wanted[p] == Wanted::NOTHING {
                continue;
            }
            let [g0, g1, g2, g3] = gamma;
            let (h1, h2) = (h[1].mul(beta), h[2].mul(beta).mul(beta));
            let for_alpha = h2.mul_add(g2, h1.mul_add(g1, h[0].mul(g0)));
            // αβ̄ = H₀ zγ′ + H₁(γ′ + yγ″) + H₂β(2γ″ + yγ‴)
            let first = y.mul_add(g2, g1).mul(h[1]);
            let second = y.mul_add(g3, g2.add(g2)).mul(h[2].mul(beta));
            let for_beta = h[0].mul(z).mul_add(g1, first).add(second).mul(alpha);
            add(p, for_alpha, for_beta);
        }
        sigma
    }

    /// The gradient of the k-th coefficient of the rational function in term `p`.
    #[inline(always)]
    pub fn shape_gradient<V: Vector<Element = T>>(&self, p: usize, k: usize, z: V, h: [V; 3]) -> V {
        let beta = V::splat(self.beta[p]);
        let [g0, g1, g2, _] = rational::sensitivity(k, beta.mul(z), self.shape);
        let sum = h[0].mul(g0).add(h[1].mul(beta).mul(g1)).add(h[2].mul(beta).mul(beta).mul(g2));
        sum.mul(V::splat(self.alpha[p]))
    }
}
