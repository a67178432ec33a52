//! One activation over several seeds: medians and spreads.

use crate::spread::Spread;
use rafnet::ntk::{Linearised, Spectrum, TermWeight};

/// One kernel.
pub(super) struct Seeded {
    pub(super) seed: u64,
    pub(super) spectrum: Spectrum,
    pub(super) terms: Vec<TermWeight>,
    pub(super) n_points: usize,
    pub(super) n_columns: usize,
    /// Of the spectrum's matrices.
    pub(super) bytes: usize,
    /// [t, loss relative to the start], where asked for.
    pub(super) curve: Vec<[f64; 2]>,
    /// The rate of every frequency from 0, where asked for.
    pub(super) rates: Option<Vec<f64>>,
}

/// One activation.
pub(super) struct Compared {
    pub(super) activation: String,
    pub(super) seeds: Vec<Seeded>,
}

impl Compared {
    pub(super) fn new(activation: String, seeds: Vec<Seeded>) -> Self {
        Self { activation, seeds }
    }

    /// Of the condition number; infinite where the kernel is singular.
    pub(super) fn condition_number(&self) -> Spread {
        self.over(|s| s.spectrum.condition_number().unwrap_or(f64::INFINITY))
    }

    pub(super) fn effective_rank(&self) -> Spread {
        self.over(|s| s.spectrum.effective_rank())
    }

    /// The median of the largest, of the second and so on.
    pub(super) fn eigenvalues(&self) -> Vec<f64> {
        let n = self.seeds[0].spectrum.eigenvalues.len();
        (0..n)
            .map(|k| self.over(|s| s.spectrum.eigenvalues[k]).median)
            .collect()
    }

    /// The median rate of every frequency, where asked for.
    pub(super) fn rates(&self) -> Option<Vec<f64>> {
        let n = self.seeds[0].rates.as_ref()?.len();
        let rate = |s: &Seeded, k: usize| s.rates.as_ref().map_or(f64::NAN, |r| r[k]);
        Some((0..n).map(|k| self.over(|s| rate(s, k)).median).collect())
    }

    /// At how many seeds the smallest eigenvalue is below rounding.
    pub(super) fn singular(&self) -> usize {
        let singular = |s: &&Seeded| s.spectrum.numerically_singular();
        self.seeds.iter().filter(singular).count()
    }

    fn over(&self, figure: impl Fn(&Seeded) -> f64) -> Spread {
        Spread::of(self.seeds.iter().map(figure)).expect("a seed")
    }
}

/// The linearised loss relative to the start, at times from a tenth of the fastest direction's to 1e12 of it; what is below ε² is
/// smaller than the rounding of the residuals, and left out.
pub(super) fn curve(linearised: &Linearised) -> Vec<[f64; 2]> {
    let fastest = linearised.eigenvalues.first().copied().unwrap_or(0.0);
    let start = linearised.loss(0.0);
    if fastest <= 0.0 || start <= 0.0 {
        return Vec::new();
    }
    let times = (-4..=48).map(|k| 10f64.powf(f64::from(k) / 4.0) / fastest);
    times
        .map(|t| [t, linearised.loss(t) / start])
        .take_while(|[_, loss]| *loss >= f64::EPSILON * f64::EPSILON)
        .collect()
}
