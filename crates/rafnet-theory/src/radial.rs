//! Radial basis functions: the Gaussian one exactly, others with an analytic kernel by a Chebyshev series.
//!
//! | function | hidden layers | neurons |
//! |---|---|---|
//! | exp(−\|x−m\|²/2s²) | 1 + ⌈log₂ d⌉ | d Gaussians, then a product tree; exact |
//! | κ(\|x−m\|²) | 1 + (n − 1) | d squares, then the recurrence of width 6 on the range of \|x−m\|² |

use super::chebyshev::{Degree, Ellipse, Series, carry_series, series_rounding};
use super::dct::Window;
use super::draft::Draft;
use super::formula::numbered;
use super::tree::product_tree;
use super::wire::{UNIT, Wire};
use super::{Bound, Construction, Form, Formula, Origin, TheoryError, sampling};
use rafnet::basis::Basis;

/// exp(−|x−m|²/2s²) in as many dimensions as the centre has.
///
/// # Errors
/// [`TheoryError::Number`] for no coordinate or a width that is not positive.
///
/// ```
/// use rafnet_theory::gaussian_rbf;
/// let bump = gaussian_rbf(&[0.5, 0.5], 0.2)?;
/// assert_eq!(bump.widths(), [2, 2]);
/// assert_eq!(bump.eval(&[0.5, 0.5])?, [1.0]);
/// # Ok::<(), rafnet_theory::TheoryError>(())
/// ```
pub fn gaussian_rbf(centre: &[f64], width: f64) -> Result<Construction, TheoryError> {
    check(centre)?;
    let windows = centre.iter().map(|&centre| Window { centre, width });
    let windows: Vec<Window> = windows.collect();
    windows.iter().try_for_each(|w| w.check())?;
    let bounds: Vec<[f64; 2]> = centre
        .iter()
        .map(|m| [m - 3.0 * width, m + 3.0 * width])
        .collect();
    let x = Wire::inputs(&bounds);
    let mut draft = Draft::new(centre.len());
    let factors = windows.iter().zip(&x);
    let factors = factors
        .map(|(w, x)| draft.add(Basis::Gaussian, &w.argument(x)))
        .collect();
    let output = product_tree(&mut draft, factors);
    let bound = Bound::exact(output.settled() + 8.0 * UNIT);
    let points = sampling::points(&bounds);
    let exact: Vec<f64> = points
        .chunks_exact(centre.len())
        .map(|x| windows.iter().zip(x).map(|(w, &x)| w.value(x)).product())
        .collect();
    let form = Form::Real(draft.finish(&[output])?);
    Construction::new("rbf", numbered("x", centre.len()), form, bound, bounds)
        .measured(&points, &exact)
}

/// κ(|x−m|²) on the cube |x_i − m_i| ≤ `reach`, κ a text in `r2`.
///
/// # Errors
/// [`TheoryError`] when κ is no function of `r2` alone, has a pole on [0, d·reach²], or the tolerance is below rounding.
pub fn radial(
    centre: &[f64],
    kernel: &str,
    reach: f64,
    degree: Degree,
    ellipse: Option<f64>,
) -> Result<Construction, TheoryError> {
    check(centre)?;
    if !(reach > 0.0 && reach.is_finite()) {
        return Err(TheoryError::number("the reach", reach, "a positive number"));
    }
    let d = centre.len();
    let kernel = Formula::in_variables(kernel, &["r2"])?;
    let range = d as f64 * reach * reach;
    let series = Series::of(&kernel, [0.0, range], degree)?;
    let bounds: Vec<[f64; 2]> = centre.iter().map(|m| [m - reach, m + reach]).collect();
    let x = Wire::inputs(&bounds);
    let mut draft = Draft::new(d);
    let squares = centre.iter().zip(&x);
    let squares = squares.map(|(m, x)| draft.add(Basis::Square, &x.shifted(-m).within(reach)));
    let distance = squares
        .reduce(|a, b| a.plus(&b))
        .unwrap_or_else(|| unreachable!("there is a coordinate"));
    let scaled = distance.scaled(2.0 / range).shifted(-1.0).within(1.0);
    let output = carry_series(&mut draft, &scaled, series.coefficients());
    let rounding = series_rounding(series.coefficients(), scaled.settled());
    let (value, note) = Ellipse::bound_of(&series, kernel.text(), ellipse)?;
    let degree = format!("degree {} in r2 on [0, {range}]", series.degree());
    let notes = vec![degree, note];
    let points = sampling::points(&bounds);
    let distances: Vec<f64> = points
        .chunks_exact(d)
        .map(|x| x.iter().zip(centre).map(|(x, m)| (x - m) * (x - m)).sum())
        .collect();
    let size: f64 = series.all_coefficients().iter().map(|c| c.abs()).sum();
    let bound = Bound {
        value,
        rounding: 2.0 * rounding + 4.0 * UNIT * size,
        origin: Origin::Estimated,
    };
    let form = Form::Real(draft.finish(&[output])?);
    Construction {
        region: Some(bounds.clone()),
        notes,
        ..Construction::new("rbf", numbered("x", d), form, bound, bounds)
    }
    .measured(&points, &kernel.values(&distances))
}

fn check(centre: &[f64]) -> Result<(), TheoryError> {
    if !(1..=64).contains(&centre.len()) {
        return Err(TheoryError::number(
            "the dimension",
            centre.len(),
            "1 to 64",
        ));
    }
    match centre.iter().find(|m| !m.is_finite()) {
        Some(m) => Err(TheoryError::number("a centre", m, "a finite number")),
        None => Ok(()),
    }
}
