//! `raf build rbf`: a Gaussian bump, or any analytic radial kernel.

use super::kinds::{Extras, Made, done};
use super::values::{degree, number, numbers};
use crate::output::Failure;

#[derive(clap::Args)]
pub(super) struct RbfOptions {
    /// The centre
    #[arg(long, allow_hyphen_values = true)]
    centre: String,
    /// Width of the Gaussian
    #[arg(
        long,
        required_unless_present = "kernel",
        conflicts_with = "kernel",
        allow_hyphen_values = true
    )]
    sigma: Option<String>,
    /// An analytic kernel in r2, such as "1/(1 + r2)"
    #[arg(long)]
    kernel: Option<String>,
    /// Half the side of the cube around the centre, for --kernel
    #[arg(long, default_value = "1", allow_hyphen_values = true)]
    reach: String,
    /// The degree is chosen for this accuracy (default 1e-10)
    #[arg(long, conflicts_with = "degree", allow_negative_numbers = true)]
    tolerance: Option<f64>,
    /// The degree
    #[arg(long, allow_negative_numbers = true)]
    degree: Option<i64>,
    /// Parameter s of the ellipse in the bound
    #[arg(long, allow_negative_numbers = true)]
    ellipse: Option<f64>,
}

impl RbfOptions {
    pub(super) fn make(&self) -> Result<Made, Failure> {
        let centre = numbers("--centre", &self.centre)?;
        let made = match (&self.kernel, &self.sigma) {
            (Some(kernel), _) => {
                let reach = number("--reach", &self.reach)?;
                let degree = degree(self.degree, self.tolerance)?;
                rafnet_theory::radial(&centre, kernel, reach, degree, self.ellipse)
            }
            (None, sigma) => {
                let sigma = number("--sigma", sigma.as_deref().unwrap_or("1"))?;
                rafnet_theory::gaussian_rbf(&centre, sigma)
            }
        };
        done(made, Extras::default())
    }
}
