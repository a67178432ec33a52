//! The exact pieces of Sine-ReLU networks.
//!
//! Theorem 1 of the paper (after Yarotsky and Zhevnerchuk 2020, Theorem 6.1) states that for W large enough a network of W
//! parameters with activations {sin, ReLU} comes within exp(−c √W) of any function of the unit ball of a Sobolev space. It gives
//! no construction and no constant: [`theorem_1`] says so. What can be built exactly from the two activations:
//!
//! ```text
//! identity           x = relu(x) − relu(−x)
//! hat                relu(x−l)/(c−l) − relu(x−c)(1/(c−l) + 1/(r−c)) + relu(x−r)/(r−c)
//! interpolant        y_0 + Σ_j (m_j − m_(j−1)) relu(x − x_j),   m_j the slope behind x_j, m_(−1) = 0
//! Fourier sum        a_0 + Σ_k a_k sin(kx + π/2) + b_k sin(kx)
//! ```

use super::draft::Draft;
use super::wire::{UNIT, Wire};
use super::{Bound, Construction, Form, Formula, Origin, TheoryError, sampling};
use rafnet::basis::Basis;
use rafnet::expr::largest;
use std::f64::consts::{FRAC_PI_2, PI};

/// The network of Theorem 1, which nobody can build.
///
/// # Errors
/// Always [`TheoryError::NoConstruction`].
pub fn theorem_1() -> Result<Construction, TheoryError> {
    Err(TheoryError::NoConstruction)
}

/// x = relu(x) − relu(−x).
///
/// # Errors
/// None in practice.
pub fn relu_identity() -> Result<Construction, TheoryError> {
    let bounds = sampling::unit_box(1);
    let x = &Wire::inputs(&bounds)[0];
    let mut draft = Draft::new(1);
    let up = draft.add(Basis::Relu, x);
    let output = up.minus(&draft.add(Basis::Relu, &x.scaled(-1.0)));
    finish("relu-identity", draft, &output, bounds, |x| x)
}

/// The hat that is 0 outside [l, r] and 1 at c.
///
/// # Errors
/// [`TheoryError::Number`] unless l < c < r.
///
/// ```
/// let hat = rafnet_theory::hat([0.0, 0.5, 2.5])?;
/// assert_eq!(hat.eval(&[-1.0, 0.25, 0.5, 1.5, 3.0])?, [0.0, 0.5, 1.0, 0.5, 0.0]);
/// # Ok::<(), rafnet_theory::TheoryError>(())
/// ```
pub fn hat([l, c, r]: [f64; 3]) -> Result<Construction, TheoryError> {
    if !(l < c && c < r && (r - l).is_finite()) {
        let found = format!("{l}, {c}, {r}");
        return Err(TheoryError::number(
            "the knots of a hat",
            found,
            "three ascending numbers",
        ));
    }
    let bounds = vec![[l - (r - l), r + (r - l)]];
    let (rise, fall) = (1.0 / (c - l), 1.0 / (r - c));
    let (draft, output) = ramps(&bounds, 0.0, &[(l, rise), (c, -rise - fall), (r, fall)]);
    finish("hat", draft, &output, bounds, |x| {
        if x <= c {
            ((x - l) * rise).max(0.0)
        } else {
            ((r - x) * fall).max(0.0)
        }
    })
}

/// The piecewise linear interpolant of a function at equally spaced knots, with its error against the function: at most
/// (spacing)² max |f″|/8, the second derivative estimated at sample points.
///
/// # Errors
/// [`TheoryError`] for several variables, fewer than 2 knots, or a function that is not finite at a knot.
pub fn piecewise_linear(
    formula: &Formula,
    interval: [f64; 2],
    knots: usize,
) -> Result<Construction, TheoryError> {
    formula.univariate()?;
    sampling::check_box(&[interval], 1)?;
    if !(2..=1 << 14).contains(&knots) {
        return Err(TheoryError::number(
            "the number of knots",
            knots,
            "2 to 16384",
        ));
    }
    let x = sampling::grid(interval, knots);
    let y = formula.values(&x);
    if let Some(i) = y.iter().position(|v| !v.is_finite()) {
        return Err(TheoryError::Pole {
            text: formula.text().into(),
            at: format!("{} = {}", formula.variables()[0], x[i]),
            low: interval[0],
            high: interval[1],
        });
    }
    let slope = |j: usize| (y[j + 1] - y[j]) / (x[j + 1] - x[j]);
    let bends: Vec<(f64, f64)> = (0..knots - 1)
        .map(|j| {
            (
                x[j],
                if j == 0 {
                    slope(0)
                } else {
                    slope(j) - slope(j - 1)
                },
            )
        })
        .collect();
    let bounds = vec![interval];
    let (draft, output) = ramps(&bounds, y[0], &bends);
    let points = sampling::points(&bounds);
    let second = formula.derivative(0).derivative(0);
    let curvature = largest(points.iter().map(|&x| second.eval(&|_| x).abs()));
    let spacing = (interval[1] - interval[0]) / (knots - 1) as f64;
    let bound = Bound {
        value: spacing * spacing * curvature / 8.0,
        rounding: output.settled(),
        origin: Origin::Estimated,
    };
    let form = Form::Real(draft.finish(&[output])?);
    Construction {
        region: Some(bounds.clone()),
        ..Construction::new(
            "piecewise-linear",
            formula.variables().to_vec(),
            form,
            bound,
            bounds,
        )
    }
    .measured(&points, &formula.values(&points))
}

/// a_0 + Σ_k a_k cos(kx) + b_k sin(kx), k from 1.
///
/// # Errors
/// [`TheoryError::Number`] for a coefficient that is not finite or more than 4096 of them.
pub fn fourier_sum(constant: f64, pairs: &[[f64; 2]]) -> Result<Construction, TheoryError> {
    if pairs.len() > 4096 || pairs.is_empty() {
        return Err(TheoryError::number(
            "the number of frequencies",
            pairs.len(),
            "1 to 4096",
        ));
    }
    let numbers = pairs.iter().flatten().chain([&constant]);
    if let Some(bad) = numbers.copied().find(|v| !v.is_finite()) {
        return Err(TheoryError::number("a coefficient", bad, "a finite number"));
    }
    let bounds = vec![[-PI, PI]];
    let x = &Wire::inputs(&bounds)[0];
    let mut draft = Draft::new(1);
    let mut output = Wire::number(1, constant);
    for (k, [a, b]) in (1_u32..).zip(pairs) {
        let angle = x.scaled(f64::from(k));
        let cosine = draft.add(Basis::Sine, &angle.shifted(FRAC_PI_2));
        let sine = draft.add(Basis::Sine, &angle);
        output = output.plus(&cosine.scaled(*a)).plus(&sine.scaled(*b));
    }
    finish("fourier-sum", draft, &output, bounds, |x| {
        let terms = (1_u32..).zip(pairs);
        let terms = terms.map(|(k, [a, b])| {
            let angle = f64::from(k) * x;
            a * angle.cos() + b * angle.sin()
        });
        constant + terms.sum::<f64>()
    })
}

/// y_0 + Σ weight · relu(x − knot).
fn ramps(bounds: &[[f64; 2]], start: f64, bends: &[(f64, f64)]) -> (Draft, Wire) {
    let x = &Wire::inputs(bounds)[0];
    let mut draft = Draft::new(1);
    let mut output = Wire::number(1, start);
    for &(knot, weight) in bends {
        let ramp = draft.add(Basis::Relu, &x.shifted(-knot));
        output = output.plus(&ramp.scaled(weight));
    }
    (draft, output)
}

fn finish(
    kind: &'static str,
    draft: Draft,
    output: &Wire,
    bounds: Vec<[f64; 2]>,
    exact: impl Fn(f64) -> f64,
) -> Result<Construction, TheoryError> {
    let points = sampling::points(&bounds);
    let exact: Vec<f64> = points.iter().map(|&x| exact(x)).collect();
    // the reference rounds as well, a sum of as many terms
    let rounding = 2.0 * output.settled() + 4.0 * UNIT * output.size;
    let form = Form::Real(draft.finish(std::slice::from_ref(output))?);
    Construction::new(kind, vec!["x".into()], form, Bound::exact(rounding), bounds)
        .measured(&points, &exact)
}

/// One row of a measured rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measured {
    /// Parameters of the network.
    pub parameters: usize,
    /// Its largest error.
    pub max_error: f64,
}

/// The error of the piecewise linear interpolant as its knots are doubled: what is measured where Theorem 1 has no construction.
///
/// # Errors
/// As [`piecewise_linear`].
pub fn measured_rate(formula: &Formula, interval: [f64; 2]) -> Result<Vec<Measured>, TheoryError> {
    [3, 5, 9, 17, 33, 65, 129]
        .into_iter()
        .map(|knots| {
            let made = piecewise_linear(formula, interval, knots)?;
            Ok(Measured {
                parameters: made.parameters(),
                max_error: made.max_error,
            })
        })
        .collect()
}
