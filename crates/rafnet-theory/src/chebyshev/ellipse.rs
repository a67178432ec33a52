//! The constants of the Chebyshev bound, found in the coefficients.
//!
//! On the ellipse of parameter s, |T_k| ≤ (sᵏ + s⁻ᵏ)/2, so that
//!
//! ```text
//! C_f(s) ≤ Σ_k |c_k| (sᵏ + s⁻ᵏ)/2
//! ```
//!
//! which needs no complex arithmetic and is an equality when all c_k have one sign (exp: C_f = e^((s+1/s)/2)). It is an estimate:
//! coefficients below rounding are not seen. Where the terms of the sum have not fallen at the last coefficient that is seen, the
//! function is not known to be analytic inside the ellipse, and the parameter is refused.

use super::super::TheoryError;
use super::Series;
use rafnet::expr::largest;

/// The share of the largest term to which the last terms must have fallen.
const FALLEN: f64 = 1e-3;

/// An ellipse with the function's bound on it.
///
/// ```
/// use rafnet_theory::Ellipse;
/// let ellipse = Ellipse { s: 2.0, most: 1.0 };
/// assert_eq!(ellipse.bound(4), 0.125); // 2 C_f s⁻ⁿ/(s − 1)
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ellipse {
    /// s > 1
    pub s: f64,
    /// C_f
    pub most: f64,
}

impl Ellipse {
    /// C_f on the ellipse of parameter s, estimated.
    ///
    /// # Errors
    /// [`TheoryError::Number`] for s ≤ 1, [`TheoryError::Ellipse`] for one that is too large.
    pub fn of(series: &Series, text: &str, s: f64) -> Result<Self, TheoryError> {
        if !(s > 1.0 && s.is_finite()) {
            return Err(TheoryError::number(
                "the ellipse's parameter",
                s,
                "a number above 1",
            ));
        }
        Self::seen(series, s).ok_or_else(|| TheoryError::Ellipse {
            text: text.into(),
            s,
            rate: rate(series.all_coefficients()),
        })
    }

    /// The ellipse with the least bound for the series' degree; none where nothing can be said.
    pub fn best(series: &Series) -> Option<Self> {
        let candidates = (1..=240).map(|i| 2.0_f64.powf(f64::from(i) / 24.0));
        let degree = series.degree();
        candidates
            .filter_map(|s| Self::seen(series, s))
            .min_by(|a, b| a.bound(degree).total_cmp(&b.bound(degree)))
    }

    /// The bound of a series with a remark on it: on the ellipse asked for, or on the best one, or the coefficients left out
    /// where no ellipse is seen.
    pub(crate) fn bound_of(
        series: &Series,
        text: &str,
        s: Option<f64>,
    ) -> Result<(f64, String), TheoryError> {
        let found = match s {
            Some(s) => Some(Self::of(series, text, s)?),
            None => Self::best(series),
        };
        let Some(ellipse) = found else {
            let note = "no ellipse is seen; the bound is the sum of the coefficients left out";
            return Ok((series.rest(), note.into()));
        };
        let (s, most) = (ellipse.s, ellipse.most);
        let note = format!("ellipse s = {s:.4}, C_f = {most:.6e} (estimated from the text)");
        Ok((ellipse.bound(series.degree()), note))
    }

    fn seen(series: &Series, s: f64) -> Option<Self> {
        let all = series.all_coefficients();
        let powers = (0..all.len()).map(|k| s.powf(k as f64));
        let terms: Vec<f64> = powers
            .zip(all)
            .map(|(p, c)| c.abs() * 0.5 * (p + 1.0 / p))
            .collect();
        let most = largest(terms.iter().copied());
        // the last two, as every other coefficient of an even or odd function is zero
        let last = largest(terms.iter().rev().take(2).copied());
        let finite = terms.len() <= 2; // degree 1: nothing more can follow
        (most.is_finite() && (finite || last <= FALLEN * most)).then(|| Self {
            s,
            most: terms.iter().sum(),
        })
    }

    /// 2 C_f s⁻ⁿ/(s − 1)
    pub fn bound(&self, degree: usize) -> f64 {
        2.0 * self.most * self.s.powf(-(degree as f64)) / (self.s - 1.0)
    }

    /// The degree that makes the bound at most this: log(2 C_f/((s−1) ε))/log s.
    pub fn degree_for(&self, tolerance: f64) -> usize {
        let n = (2.0 * self.most / ((self.s - 1.0) * tolerance)).ln() / self.s.ln();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "clamped"
        )]
        let n = n.clamp(0.0, 1e6).ceil() as usize;
        n
    }
}

/// How fast the coefficients fall, as a factor a degree.
fn rate(all: &[f64]) -> f64 {
    let largest = largest(all.iter().map(|c| c.abs()));
    let last = all.last().map_or(largest, |c| c.abs());
    (largest / last).powf(1.0 / (all.len().max(2) - 1) as f64)
}
