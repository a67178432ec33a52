//! A Chebyshev series by its three-term recurrence: width 6, depth n − 1.
//!
//! ```text
//! T_{l+1} = 2 x T_l − T_{l−1} = ½ (x + T_l)² − ½ (x − T_l)² − T_{l−1}        S_l = Σ_{k≤l} c_k T_k
//! layer l:  x   T_l   T_{l−1}   S_l   (x + T_l)²   (x − T_l)²                u = S_{n−1} + c_n T_n
//! ```
//!
//! A rounding δ made in step l grows like U_{n−l}, the polynomials of the second kind, |U_k| ≤ k + 1: T_k is off by at most
//! δ k(k+1)/2. With all values below 4 in size and at most five terms a sum, one step makes δ ≤ 40 u.

use super::super::draft::Draft;
use super::super::wire::{UNIT, Wire};
use super::super::{Bound, Construction, Form, Formula, Origin, TheoryError, sampling};
use super::{Ellipse, Series};
use rafnet::basis::Basis;

/// The rounding of one step of the recurrence.
const STEP: f64 = 40.0 * UNIT;

/// What one layer of the recurrence hands to the next.
pub(crate) struct Carried {
    x: Wire,
    current: Wire,  // T_l
    previous: Wire, // T_{l−1}
    sum: Wire,      // S_l
}

impl Carried {
    /// x̂ in [−1, 1], before the first layer.
    pub(crate) fn start(x: &Wire, coefficients: &[f64]) -> Self {
        let one = Wire::number(x.layer, 1.0);
        let second = coefficients.get(1).copied().unwrap_or(0.0);
        Self {
            sum: one.scaled(coefficients[0]).plus(&x.scaled(second)),
            x: x.clone(),
            current: x.clone(),
            previous: one,
        }
    }

    /// Layer l: six neurons; T_{l+1} and S_{l+1} are affine in them.
    fn step(self, draft: &mut Draft, coefficient: f64) -> Self {
        let (sum, difference) = (self.x.plus(&self.current), self.x.minus(&self.current));
        let x = draft.carry(&self.x);
        let current = draft.carry(&self.current).within(1.0);
        let previous = draft.carry(&self.previous).within(1.0);
        let total = draft.carry(&self.sum);
        let first = draft.add(Basis::Square, &sum.within(2.0));
        let second = draft.add(Basis::Square, &difference.within(2.0));
        let next = first
            .minus(&second)
            .scaled(0.5)
            .minus(&previous)
            .within(1.0);
        let next = Wire { error: 0.0, ..next }; // bounded for the whole series, below
        Self {
            sum: total.plus(&next.scaled(coefficient)),
            x,
            current: next,
            previous: current,
        }
    }
}

/// The layers of a series, from x̂ to its value: max(1, n − 1) of them.
pub(crate) fn carry_series(draft: &mut Draft, x: &Wire, coefficients: &[f64]) -> Wire {
    let mut carried = Carried::start(x, coefficients);
    if coefficients.len() <= 2 {
        return draft.carry(&carried.sum);
    }
    for &c in &coefficients[2..] {
        carried = carried.step(draft, c);
    }
    carried.sum
}

/// A bound on the rounding of the series for x̂ that is off by at most `error`.
pub(crate) fn series_rounding(coefficients: &[f64], error: f64) -> f64 {
    let each = coefficients.iter().enumerate().map(|(k, c)| {
        let k = k as f64;
        // T_k′ ≤ k² for the error of x̂; and the sum is carried through k layers
        c.abs() * (STEP * k * (k + 1.0) / 2.0 + error * k * k)
    });
    let size: f64 = coefficients.iter().map(|c| c.abs()).sum();
    each.sum::<f64>() + 4.0 * UNIT * size * (coefficients.len() + 1) as f64
}

/// A series as a network of width 6 and depth n − 1, with its bound: on the ellipse of the given parameter, or on the one with
/// the least bound.
///
/// # Errors
/// [`TheoryError::Ellipse`] when the given parameter is too large.
///
/// ```
/// use rafnet_theory::{Degree, Formula, Series, chebyshev};
/// let exp = Formula::read("exp(x)")?;
/// let series = Series::of(&exp, [-1.0, 1.0], Degree::Tolerance(1e-12))?;
/// let net = chebyshev(&exp, &series, None)?;
/// assert_eq!((net.width(), net.depth()), (6, series.degree() - 1));
/// assert!(net.max_error < 1e-12);
/// # Ok::<(), rafnet_theory::TheoryError>(())
/// ```
pub fn chebyshev(
    formula: &Formula,
    series: &Series,
    ellipse: Option<f64>,
) -> Result<Construction, TheoryError> {
    let x = scaled_input(series.interval());
    let mut draft = Draft::new(1);
    let output = carry_series(&mut draft, &x, series.coefficients());
    let rounding = series_rounding(series.coefficients(), x.settled());
    let built = draft.finish(&[output])?;
    finish(
        "chebyshev",
        formula,
        series,
        Form::Real(built),
        rounding,
        ellipse,
    )
}

/// x̂ = (2x − low − high)/(high − low), within [−1, 1].
pub(super) fn scaled_input([low, high]: [f64; 2]) -> Wire {
    let x = &Wire::inputs(&[[low, high]])[0];
    let scaled = x.scaled(2.0 / (high - low));
    scaled.shifted(-(low + high) / (high - low)).within(1.0)
}

/// The construction of a series, measured against the function.
pub(super) fn finish(
    kind: &'static str,
    formula: &Formula,
    series: &Series,
    form: Form,
    rounding: f64,
    ellipse: Option<f64>,
) -> Result<Construction, TheoryError> {
    let (value, note) = Ellipse::bound_of(series, formula.text(), ellipse)?;
    let bounds = vec![series.interval()];
    let points = sampling::points(&bounds);
    let bound = Bound {
        value,
        rounding: rounding
            + 4.0
                * UNIT
                * series
                    .all_coefficients()
                    .iter()
                    .map(|c| c.abs())
                    .sum::<f64>(),
        origin: Origin::Estimated,
    };
    Construction {
        region: Some(bounds.clone()),
        figures: vec![("left_out", series.rest())],
        notes: vec![note],
        ..Construction::new(kind, formula.variables().to_vec(), form, bound, bounds)
    }
    .measured(&points, &formula.values(&points))
}
