//! The modulus of continuity, given or estimated.
//!
//! ```text
//! w_f(r) = max |f(x) − f(y)| over |x − y| ≤ r        estimated as min(L r, max f − min f),  L = max |∇f|
//! ```
//!
//! The estimate takes both maxima at sample points, the gradient from the function's text: right up to what the samples miss.

use super::{Formula, TheoryError, sampling};
use rafnet::expr::{larger, largest, smaller};

/// Points at which a function of one variable is looked at.
const MODULUS_POINTS: usize = 4001;

/// The modulus of continuity of a function on the unit cube.
///
/// ```
/// use rafnet_theory::Modulus;
/// assert!(Modulus::read("1.5*r").is_ok() && Modulus::read("1.5*x").is_err());
/// ```
#[derive(Clone, Debug)]
pub enum Modulus {
    /// A text in r, taken as it is.
    Given(Box<Formula>),
    /// Estimated from the function's text: min(L r, range), L the largest gradient at sample points.
    Estimated,
}

impl Modulus {
    /// Reads a text in `r`.
    ///
    /// # Errors
    /// [`TheoryError`] for a text that is no function of r.
    pub fn read(text: &str) -> Result<Self, TheoryError> {
        Formula::in_variables(text, &["r"]).map(|f| Self::Given(Box::new(f)))
    }
}

/// The largest gradient and the range of a function, at sample points of the cube.
pub(super) struct Estimate {
    slope: f64,
    range: f64,
}

impl Estimate {
    pub(super) fn of(formula: &Formula) -> Self {
        let d = formula.dimension();
        let points = match d {
            1 => sampling::grid([0.0, 1.0], MODULUS_POINTS),
            _ => sampling::points(&vec![[0.0, 1.0]; d]),
        };
        let values = formula.values(&points);
        let (low, high) = values
            .iter()
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| {
                (smaller(a, *v), larger(b, *v))
            });
        let slopes: Vec<_> = (0..d).map(|k| formula.derivative(k)).collect();
        let gradient = |x: &[f64]| {
            let squares = slopes.iter().map(|s| s.at(x).powi(2));
            squares.sum::<f64>().sqrt()
        };
        let slope = largest(points.chunks_exact(d).map(gradient));
        Self {
            slope,
            range: high - low,
        }
    }

    pub(super) fn at(&self, r: f64) -> f64 {
        smaller(self.slope * r, self.range)
    }
}
