//! Generalised band-limited functions by Maurey's sampling (the paper's Theorem 5).
//!
//! ```text
//! f(x) = Re ∫_{[−M,M]^d} F(w) K(w·x) dw on [0, 1]^d        C_F = ∫ |F|,   θ = arg F
//! f_n(x) = Σ_{j≤n} (C_F/n) Re e^(iθ_j) K(w_j·x)             w_j drawn from |F|/C_F
//! E‖f − f_n‖² = (E‖g‖² − ‖f‖²)/n ≤ C_F² D_K²/n              g(x) = C_F Re e^(iθ) K(w·x),  |K| ≤ D_K
//! ```
//!
//! For K(t) = e^(it) each term is one sine neuron, sin(w·x + θ + π/2), exactly. Any other (real) kernel becomes a Chebyshev series on
//! [−dM, dM], six neurons a term. For an error ε the paper's split takes ε₀ = ε/(4 C_F) and n = ⌈1/ε₀²⌉ terms (its stated width
//! must read 16 C_F² μ(B)/ε², the number of terms being 1/ε₀²).

mod build;
mod frequencies;

use super::formula::numbered;
use super::{Formula, TheoryError, sampling};
use frequencies::NODES;
use std::f64::consts::PI;

/// K
#[derive(Clone, Debug)]
pub enum Kernel {
    /// e^(it)
    Wave,
    /// A real analytic function, a text in t.
    Text(Box<Formula>),
}

impl Kernel {
    /// `wave` or a text in `t`.
    ///
    /// # Errors
    /// [`TheoryError`] for a text that is no function of t.
    pub fn read(text: &str) -> Result<Self, TheoryError> {
        match text {
            "wave" => Ok(Self::Wave),
            _ => Formula::in_variables(text, &["t"]).map(|f| Self::Text(Box::new(f))),
        }
    }
}

/// How many terms are drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Terms {
    /// This many.
    Count(usize),
    /// ⌈1/ε₀²⌉ for this ε.
    Tolerance(f64),
}

/// F, θ, K and M.
#[derive(Clone, Debug)]
pub struct BandLimited {
    density: Formula,
    phase: Option<Formula>,
    kernel: Kernel,
    band: f64,
}

/// What sampling can be expected to do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Expectation {
    /// C_F
    pub mass: f64,
    /// E‖g‖²
    pub mean_square: f64,
    /// ‖f‖²
    pub norm_square: f64,
}

impl Expectation {
    /// √(E‖f − f_n‖²)
    pub fn error(&self, terms: usize) -> f64 {
        ((self.mean_square - self.norm_square).max(0.0) / terms as f64).sqrt()
    }
}

impl BandLimited {
    /// A density in w1 … wd (or w), a phase in the same names, a kernel, and the band [−M, M].
    ///
    /// # Errors
    /// [`TheoryError`] for more than three dimensions, unknown names, or a band that is not positive.
    ///
    /// ```
    /// use rafnet_theory::{BandLimited, Kernel};
    /// let f = BandLimited::new("1/36", 2, None, Kernel::Wave, 3.0)?; // sin(3x)/(3x) · sin(3y)/(3y)
    /// assert!((f.value(&[0.5, 0.25]) - 0.604383329598471).abs() < 1e-14);
    /// # Ok::<(), rafnet_theory::TheoryError>(())
    /// ```
    pub fn new(
        density: &str,
        dimension: usize,
        phase: Option<&str>,
        kernel: Kernel,
        band: f64,
    ) -> Result<Self, TheoryError> {
        if !(1..=NODES.len()).contains(&dimension) {
            return Err(TheoryError::number("the dimension", dimension, "1 to 3"));
        }
        if !(band > 0.0 && band.is_finite()) {
            return Err(TheoryError::number("the band M", band, "a positive number"));
        }
        let names = numbered("w", dimension);
        let made = Self {
            density: Formula::in_variables(density, &names)?,
            phase: phase
                .map(|text| Formula::in_variables(text, &names))
                .transpose()?,
            kernel,
            band,
        };
        let samples = sampling::points(&vec![[-band, band]; dimension]);
        let values = made.density.values(&samples);
        if let Some(i) = values.iter().position(|v| !v.is_finite()) {
            return Err(TheoryError::Pole {
                text: density.into(),
                at: format!("w = {:?}", &samples[i * dimension..(i + 1) * dimension]),
                low: -band,
                high: band,
            });
        }
        if values.iter().all(|v| *v == 0.0) {
            return Err(TheoryError::number(
                "the density",
                0,
                "a function that is not zero everywhere",
            ));
        }
        Ok(made)
    }

    fn dimension(&self) -> usize {
        self.density.dimension()
    }

    /// θ at frequencies: the phase, and π where the density is negative.
    fn phases(&self, w: &[f64], density: &[f64]) -> Vec<f64> {
        let given = self.phase.as_ref().map(|p| p.values(w));
        let given = given.unwrap_or_else(|| vec![0.0; density.len()]);
        let turned = given.iter().zip(density);
        turned
            .map(|(theta, f)| theta + if *f < 0.0 { PI } else { 0.0 })
            .collect()
    }

    /// Re e^(iθ) K(t)
    fn kernel_values(&self, t: &[f64], theta: &[f64]) -> Vec<f64> {
        match &self.kernel {
            Kernel::Wave => t.iter().zip(theta).map(|(t, a)| (t + a).cos()).collect(),
            Kernel::Text(text) => {
                let values = text.values(t);
                values.iter().zip(theta).map(|(k, a)| k * a.cos()).collect()
            }
        }
    }
}
