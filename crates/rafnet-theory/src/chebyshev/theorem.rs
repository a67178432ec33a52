//! A Chebyshev series the theorem's way: as a polynomial in monomials, in the red and blue layout with d = 1, a = 1, b = n + 1.
//!
//! ```text
//! width 2N + 2        (L − 2n − 2 − (n+1) log₂ N) N ≥ n(n+1)
//! ```
//!
//! The monomials' coefficients grow like 2ⁿ⁻¹ and cancel: the rounding of this network grows with them, which its bound says.

use super::super::polynomial::build;
use super::super::{Construction, Form, Formula, Polynomial, RedBlue, TheoryError, Variant};
use super::Series;
use super::recurrence::{finish, scaled_input};

/// The layout of Theorem 4 for degree n on N chains.
///
/// ```
/// use rafnet_theory::{Variant, theorem_layout};
/// let layout = theorem_layout(4, 4, Variant::Stated);
/// assert_eq!((layout.width(1), layout.least_depth(4)), (10, 25));
/// ```
pub fn theorem_layout(degree: usize, chains: usize, variant: Variant) -> RedBlue {
    RedBlue {
        chains,
        rows: 1,
        columns: degree + 1,
        depth: None,
        variant,
    }
}

/// A series by monomials in the layout of Theorem 4.
///
/// # Errors
/// [`TheoryError`] when the layout does not admit the degree, or the ellipse is too large.
pub fn chebyshev_by_monomials(
    formula: &Formula,
    series: &Series,
    layout: &RedBlue,
    ellipse: Option<f64>,
) -> Result<Construction, TheoryError> {
    let coefficients = monomial_coefficients(series.coefficients());
    let polynomial = Polynomial::univariate("x", &coefficients);
    let x = scaled_input(series.interval());
    let (built, rounding) = build(&polynomial, layout, 1, vec![x])?;
    // the conversion itself rounds each coefficient, a sum of up to n/2 terms of the size it is given
    let sizes: Vec<f64> = series.coefficients().iter().map(|c| c.abs()).collect();
    let conversion: f64 = monomial_sizes(&sizes).iter().sum::<f64>() * f64::EPSILON;
    let conversion = conversion * series.coefficients().len() as f64;
    let statement = Some(layout.statement(1, series.degree()));
    let form = Form::Real(built);
    let made = finish(
        "chebyshev-theorem",
        formula,
        series,
        form,
        rounding + conversion,
        ellipse,
    )?;
    Ok(Construction { statement, ..made })
}

/// Σ c_k T_k as Σ a_j xʲ.
fn monomial_coefficients(series: &[f64]) -> Vec<f64> {
    convert(series, -1.0)
}

/// The same with every term taken positive: Σ |c_k| |T_k|_j.
fn monomial_sizes(series: &[f64]) -> Vec<f64> {
    convert(series, 1.0)
}

fn convert(series: &[f64], sign: f64) -> Vec<f64> {
    let n = series.len();
    let mut sum = vec![0.0; n];
    let (mut previous, mut current) = (vec![0.0; n + 1], vec![0.0; n + 1]);
    previous[0] = 1.0;
    current[1] = 1.0;
    for (k, c) in series.iter().enumerate() {
        if k > 1 {
            let mut next = vec![0.0; n + 1];
            for j in 0..n {
                next[j + 1] += 2.0 * current[j];
                next[j] += sign * previous[j];
            }
            (previous, current) = (current, next);
        }
        let of_degree = if k == 0 { &previous } else { &current };
        for (a, t) in sum.iter_mut().zip(of_degree) {
            *a += c * t;
        }
    }
    sum
}
