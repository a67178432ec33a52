//! `raf build sine-relu`: the exact pieces.

use super::kinds::{Extras, Made, done};
use super::values::{interval, number, numbers, refused, whole};
use crate::output::Failure;
use rafnet_theory::Formula;
use serde_json::json;

#[derive(clap::Subcommand)]
pub(super) enum Piece {
    /// relu(x) - relu(-x)
    Identity,
    /// A hat function
    Hat {
        /// left,centre,right
        #[arg(long, allow_hyphen_values = true)]
        knots: String,
    },
    /// Piecewise linear interpolation, with the rate measured as knots are doubled
    PiecewiseLinear {
        /// The function
        text: String,
        /// Number of knots
        #[arg(long, default_value_t = 17, allow_negative_numbers = true)]
        knots: i64,
        /// low,high
        #[arg(long, default_value = "0,1", allow_hyphen_values = true)]
        interval: String,
    },
    /// A finite Fourier sum: constant + sum of a_k cos(kx) + b_k sin(kx)
    Fourier {
        /// The constant
        #[arg(long, default_value = "0", allow_hyphen_values = true)]
        constant: String,
        /// a_1, a_2, …
        #[arg(long, default_value = "0", allow_hyphen_values = true)]
        cosines: String,
        /// b_1, b_2, …
        #[arg(long, default_value = "0", allow_hyphen_values = true)]
        sines: String,
    },
}

impl Piece {
    pub(super) fn make(&self) -> Result<Made, Failure> {
        let mut extras = Extras::default();
        let made = match self {
            Self::Identity => rafnet_theory::relu_identity(),
            Self::Hat { knots } => {
                let found = numbers("--knots", knots)?;
                let knots = <[f64; 3]>::try_from(found).map_err(|found| Failure {
                    message: format!("`--knots` has {} numbers; expected three", found.len()),
                    hint: "write `--knots left,centre,right`".into(),
                })?;
                rafnet_theory::hat(knots)
            }
            Self::PiecewiseLinear {
                text,
                knots,
                interval: ends,
            } => {
                let formula = Formula::read(text).map_err(refused)?;
                let ends = interval(ends)?;
                let knots = whole("the number of knots", *knots, 2, 1 << 14)?;
                let rate = rafnet_theory::measured_rate(&formula, ends).map_err(refused)?;
                let rows = rate
                    .iter()
                    .map(|m| json!({ "parameters": m.parameters, "max_error": m.max_error }));
                extras.json.insert("rate".into(), rows.collect());
                rafnet_theory::piecewise_linear(&formula, ends, knots)
            }
            Self::Fourier {
                constant,
                cosines,
                sines,
            } => {
                let (a, b) = (numbers("--cosines", cosines)?, numbers("--sines", sines)?);
                let at = |list: &[f64], k: usize| list.get(k).copied().unwrap_or(0.0);
                let pairs: Vec<[f64; 2]> = (0..a.len().max(b.len()))
                    .map(|k| [at(&a, k), at(&b, k)])
                    .collect();
                rafnet_theory::fourier_sum(number("--constant", constant)?, &pairs)
            }
        };
        done(made, extras)
    }
}
