//! `raf build bandlimited`: a spectrum, sampled.

use super::kinds::{Extras, Made, done};
use super::values::{number, refused, whole};
use crate::output::Failure;
use rafnet_theory::{BandLimited, Kernel, Terms};

#[derive(clap::Args)]
pub(super) struct BandlimitedOptions {
    /// Density F, a text in w (or w1, w2, …)
    #[arg(long)]
    density: String,
    /// Band M: frequencies in [-M, M]
    #[arg(long, allow_hyphen_values = true)]
    band: String,
    /// Number of coordinates, 1 to 3
    #[arg(long, default_value_t = 1, allow_negative_numbers = true)]
    dimension: i64,
    /// Phase of F, a text in w
    #[arg(long)]
    phase: Option<String>,
    /// Kernel K: `wave` for e^(it), or a text in t
    #[arg(long, default_value = "wave")]
    kernel: String,
    /// Terms drawn
    #[arg(long, default_value_t = 256, allow_negative_numbers = true)]
    terms: i64,
    /// As many terms as the theorem takes for this error
    #[arg(long, conflicts_with = "terms", allow_negative_numbers = true)]
    tolerance: Option<f64>,
}

impl BandlimitedOptions {
    pub(super) fn make(&self, seed: u64) -> Result<Made, Failure> {
        let dimension = whole("the dimension", self.dimension, 1, 3)?;
        let kernel = Kernel::read(&self.kernel).map_err(refused)?;
        let band = number("--band", &self.band)?;
        let function = BandLimited::new(
            &self.density,
            dimension,
            self.phase.as_deref(),
            kernel,
            band,
        );
        let terms = match self.tolerance {
            Some(tolerance) => Terms::Tolerance(tolerance),
            None => Terms::Count(whole("the number of terms", self.terms, 1, 1 << 14)?),
        };
        done(
            function.map_err(refused)?.build(terms, seed),
            Extras::default(),
        )
    }
}
