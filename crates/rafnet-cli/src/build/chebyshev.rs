//! `raf build chebyshev`: a series by its recurrence, or by monomials as in the theorem.

use super::kinds::{Extras, Made, done, variant};
use super::values::{degree, interval, refused, whole};
use crate::output::Failure;
use rafnet_theory::{Formula, RedBlue, Series};
use serde_json::json;

#[derive(clap::Args)]
pub(super) struct ChebyshevOptions {
    /// The function, such as "exp(x)"
    text: String,
    /// The degree is chosen for this accuracy (default 1e-10)
    #[arg(long, conflicts_with = "degree", allow_negative_numbers = true)]
    tolerance: Option<f64>,
    /// The degree
    #[arg(long, allow_negative_numbers = true)]
    degree: Option<i64>,
    /// low,high
    #[arg(long, default_value = "-1,1", allow_hyphen_values = true)]
    interval: String,
    /// Parameter s of the ellipse in the bound (default: the one with the least bound)
    #[arg(long, allow_negative_numbers = true)]
    ellipse: Option<f64>,
    /// By the recurrence (width 6) or by monomials as in the theorem
    #[arg(long, value_enum, default_value = "recurrence")]
    way: ChebyshevWay,
    /// Chains N of the theorem's way
    #[arg(long, default_value_t = 1, allow_negative_numbers = true)]
    chains: i64,
    /// The theorem's way filled up with identity layers to depth L
    #[arg(long, allow_negative_numbers = true)]
    depth: Option<i64>,
    /// The theorem's way with as few layers as are needed
    #[arg(long)]
    tight: bool,
}

#[derive(Clone, Copy, clap::ValueEnum)]
pub(super) enum ChebyshevWay {
    Recurrence,
    Theorem,
}

impl ChebyshevOptions {
    pub(super) fn make(&self) -> Result<Made, Failure> {
        let formula = Formula::read(&self.text).map_err(refused)?;
        let degree = degree(self.degree, self.tolerance)?;
        let series = Series::of(&formula, interval(&self.interval)?, degree).map_err(refused)?;
        let made = match self.way {
            ChebyshevWay::Recurrence => rafnet_theory::chebyshev(&formula, &series, self.ellipse),
            ChebyshevWay::Theorem => {
                let chains = whole("the number of chains", self.chains, 1, 4096)?;
                let depth = self
                    .depth
                    .map(|l| whole("the depth", l, 1, 1 << 14))
                    .transpose()?;
                let layout = RedBlue {
                    depth,
                    ..rafnet_theory::theorem_layout(series.degree(), chains, variant(self.tight))
                };
                rafnet_theory::chebyshev_by_monomials(&formula, &series, &layout, self.ellipse)
            }
        };
        let mut extras = Extras::default();
        extras.json.insert("degree".into(), json!(series.degree()));
        done(made, extras)
    }
}
