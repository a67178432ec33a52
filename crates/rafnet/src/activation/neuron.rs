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

impl<T: Real> Neuron<'_, T> {
    /// [σ, σ′, σ″, σ‴] at z, up to derivative `ORDER`; the entries beyond stay zero.
    #[inline(always)]
    pub fn tower<V: Vector<Element = T>, const ORDER: usize>(&self, z: V) -> [V; 4] {
        let mut sigma = [V::zero(); 4];
        for (p, &basis) in self.bases.iter().enumerate() {
            let (alpha, beta) = (V::splat(self.alpha[p]), V::splat(self.beta[p]));
            add::<V, ORDER>(
                &mut sigma,
                alpha,
                beta,
                basis.tower::<V, ORDER>(beta.mul(z), self.shape),
            );
        }
        sigma
    }

    /// [σ, σ′, σ″, σ‴] at z up to `ORDER`, handing (p, ᾱ_p, β̄_p) of every wanted term to `take` on the way: one look at each γ
    /// serves both. With `ORDER` 1 only values are carried, so H₁ = H₂ = 0.
    #[inline(always)]
    pub fn tower_and_gradient<V: Vector<Element = T>, const ORDER: usize>(
        &self,
        z: V,
        h: [V; 3],
        wanted: &[Wanted],
        mut take: impl FnMut(usize, V, V),
    ) -> [V; 4] {
        let mut sigma = [V::zero(); 4];
        for (p, &basis) in self.bases.iter().enumerate() {
            let (alpha, beta) = (V::splat(self.alpha[p]), V::splat(self.beta[p]));
            let y = beta.mul(z);
            let gamma = basis.tower::<V, ORDER>(y, self.shape);
            add::<V, ORDER>(&mut sigma, alpha, beta, gamma);
            let wanted = wanted[p];
            if wanted == Wanted::NOTHING {
                continue;
            }
            let [g0, g1, g2, g3] = gamma;
            let mut for_alpha = h[0].mul(g0);
            if ORDER > 1 {
                for_alpha = h[1].mul(beta).mul_add(g1, for_alpha);
                for_alpha = h[2].mul(beta).mul(beta).mul_add(g2, for_alpha);
            }
            let mut for_beta = V::zero();
            if wanted.beta {
                for_beta = h[0].mul(z).mul(g1);
                if ORDER > 1 {
                    for_beta = y.mul_add(g2, g1).mul_add(h[1], for_beta);
                    for_beta = y.mul_add(g3, g2.add(g2)).mul(beta).mul_add(h[2], for_beta);
                }
                for_beta = for_beta.mul(alpha);
            }
            take(p, for_alpha, for_beta);
        }
        sigma
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
        let beta = V::splat(self.beta[p]);
        let [g0, g1, g2, _] = self.bases[p].sensitivity::<V, ORDER>(k, beta.mul(z), self.shape);
        let sum = h[0]
            .mul(g0)
            .add(h[1].mul(beta).mul(g1))
            .add(h[2].mul(beta).mul(beta).mul(g2));
        sum.mul(V::splat(self.alpha[p]))
    }
}

/// σ⁽ᵏ⁾ += α βᵏ γ⁽ᵏ⁾ for k up to `ORDER`.
#[inline(always)]
fn add<V: Vector, const ORDER: usize>(sigma: &mut [V; 4], alpha: V, beta: V, gamma: [V; 4]) {
    let mut factor = alpha;
    for (sum, g) in sigma.iter_mut().zip(gamma).take(ORDER + 1) {
        *sum = factor.mul_add(g, *sum);
        factor = factor.mul(beta);
    }
}
