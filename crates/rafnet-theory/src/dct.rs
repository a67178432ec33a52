//! Cosine atoms: the DCT-II basis in any dimension, two ways, and with a Gaussian window.
//!
//! ```text
//! Π_i cos θ_i,   θ_i = π (t_i + ½) k_i / n_i        cos θ = sin(θ + π/2)
//! ```
//!
//! | way | hidden layers | neurons |
//! |---|---|---|
//! | [`Way::Sums`] | 1 | 2^(d−1): the mean of cos(θ₁ ± θ₂ … ± θ_d) over all signs |
//! | [`Way::Products`] | 1 + ⌈log₂ d⌉ | d sines, then a product tree |
//! | [`windowed_dct`] | 1 + ⌈log₂ 2d⌉ | d sines and d Gaussians exp(−(t−m)²/2s²), then a product tree |

use super::draft::Draft;
use super::formula::numbered;
use super::sampling;
use super::tree::product_tree;
use super::wire::Wire;
use super::{Bound, Construction, Form, TheoryError};
use rafnet::basis::Basis;
use std::f64::consts::{FRAC_PI_2, PI, SQRT_2};

/// How a product of cosines is represented.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// As a sum of cosines.
    Sums,
    /// By products of neurons.
    Products,
}

/// One axis of a cosine atom: cos(π (t + ½) k / n) on [0, n − 1].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CosineAxis {
    /// n, from 1
    pub size: u32,
    /// k, below n
    pub frequency: u32,
}

/// A Gaussian window along one axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window {
    /// m
    pub centre: f64,
    /// s, above 0
    pub width: f64,
}

impl CosineAxis {
    fn angle(self, t: &Wire) -> Wire {
        let (n, k) = (f64::from(self.size), f64::from(self.frequency));
        t.scaled(PI * k / n).shifted(PI * k / (2.0 * n))
    }
    fn value(self, t: f64) -> f64 {
        let (n, k) = (f64::from(self.size), f64::from(self.frequency));
        (PI * (t + 0.5) * k / n).cos()
    }
}

impl Window {
    /// (t − m)/(√2 s), whose Gaussian is the window.
    pub(super) fn argument(self, t: &Wire) -> Wire {
        let a = 1.0 / (SQRT_2 * self.width);
        t.scaled(a).shifted(-a * self.centre)
    }
    pub(super) fn value(self, t: f64) -> f64 {
        let z = (t - self.centre) / self.width;
        (-0.5 * z * z).exp()
    }
    pub(super) fn check(self) -> Result<(), TheoryError> {
        if !self.centre.is_finite() {
            return Err(TheoryError::number(
                "a centre",
                self.centre,
                "a finite number",
            ));
        }
        if !(self.width > 0.0 && self.width.is_finite()) {
            return Err(TheoryError::number(
                "a width",
                self.width,
                "a positive number",
            ));
        }
        Ok(())
    }
}

/// A DCT-II basis function in as many dimensions as there are axes.
///
/// # Errors
/// [`TheoryError::Number`] for no axis, more than 12, a size of 0, or a frequency that is not below its size.
///
/// ```
/// use rafnet_theory::{CosineAxis, Way, dct};
/// let axis = |frequency| CosineAxis { size: 8, frequency };
/// assert_eq!(dct(&[axis(3)], Way::Sums)?.widths(), [1]);
/// assert_eq!(dct(&[axis(1), axis(2), axis(5)], Way::Sums)?.widths(), [4]);
/// assert_eq!(dct(&[axis(1), axis(2), axis(5)], Way::Products)?.widths(), [3, 3, 2]);
/// # Ok::<(), rafnet_theory::TheoryError>(())
/// ```
pub fn dct(axes: &[CosineAxis], way: Way) -> Result<Construction, TheoryError> {
    let bounds = check(axes)?;
    let t = Wire::inputs(&bounds);
    let angles: Vec<Wire> = axes.iter().zip(&t).map(|(a, t)| a.angle(t)).collect();
    let mut draft = Draft::new(axes.len());
    let mut cosine = |angle: &Wire| draft.add(Basis::Sine, &angle.shifted(FRAC_PI_2));
    let output = match way {
        Way::Sums => {
            let count = 1_usize << (axes.len() - 1);
            let mut sum: Option<Wire> = None;
            for signs in 0..count {
                let mut angle = angles[0].clone();
                for (k, other) in angles[1..].iter().enumerate() {
                    let sign = if signs >> k & 1 == 0 { 1.0 } else { -1.0 };
                    angle = angle.plus(&other.scaled(sign));
                }
                let term = cosine(&angle).scaled(1.0 / count as f64);
                sum = Some(sum.map_or(term.clone(), |sum| sum.plus(&term)));
            }
            sum.unwrap_or_else(|| unreachable!("there is an axis"))
        }
        Way::Products => {
            let cosines = angles.iter().map(cosine).collect();
            product_tree(&mut draft, cosines)
        }
    };
    finish("dct", axes, &bounds, draft, output, |_, t, axis| {
        axis.value(t)
    })
}

/// A DCT-II basis function times a Gaussian window.
///
/// # Errors
/// As [`dct`]; [`TheoryError::Count`] unless there is a window for each axis.
pub fn windowed_dct(axes: &[CosineAxis], windows: &[Window]) -> Result<Construction, TheoryError> {
    let bounds = check(axes)?;
    if windows.len() != axes.len() {
        return Err(TheoryError::Count {
            what: "windows",
            found: windows.len(),
            expected: axes.len(),
        });
    }
    windows.iter().try_for_each(|w| w.check())?;
    let t = Wire::inputs(&bounds);
    let mut draft = Draft::new(axes.len());
    let sines = axes.iter().zip(&t);
    let mut factors: Vec<Wire> = sines
        .map(|(a, t)| draft.add(Basis::Sine, &a.angle(t).shifted(FRAC_PI_2)))
        .collect();
    for (window, t) in windows.iter().zip(&t) {
        factors.push(draft.add(Basis::Gaussian, &window.argument(t)));
    }
    let output = product_tree(&mut draft, factors);
    finish(
        "windowed-dct",
        axes,
        &bounds,
        draft,
        output,
        |k, t, axis| axis.value(t) * windows[k].value(t),
    )
}

fn check(axes: &[CosineAxis]) -> Result<Vec<[f64; 2]>, TheoryError> {
    if !(1..=12).contains(&axes.len()) {
        return Err(TheoryError::number(
            "the number of axes",
            axes.len(),
            "1 to 12",
        ));
    }
    for axis in axes {
        if axis.size == 0 {
            return Err(TheoryError::number(
                "a size",
                axis.size,
                "a whole number from 1",
            ));
        }
        if axis.frequency >= axis.size {
            let expected = format!("0 to {}, below the size", axis.size - 1);
            return Err(TheoryError::number("a frequency", axis.frequency, expected));
        }
    }
    // a single sample still needs an interval to be looked at
    let end = |a: &CosineAxis| f64::from(a.size.max(2) - 1);
    Ok(axes.iter().map(|a| [0.0, end(a)]).collect())
}

fn finish(
    kind: &'static str,
    axes: &[CosineAxis],
    bounds: &[[f64; 2]],
    draft: Draft,
    output: Wire,
    factor: impl Fn(usize, f64, CosineAxis) -> f64,
) -> Result<Construction, TheoryError> {
    let d = axes.len();
    let points = sampling::points(bounds);
    let exact: Vec<f64> = points
        .chunks_exact(d)
        .map(|t| (0..d).map(|k| factor(k, t[k], axes[k])).product())
        .collect();
    let coordinates = numbered("t", d);
    // the reference rounds its own angle: a few units in the last place of π n each
    let angle: f64 = axes.iter().map(|a| PI * f64::from(a.frequency + 1)).sum();
    let bound = Bound::exact(output.settled() + 4.0 * super::wire::UNIT * angle);
    let form = Form::Real(draft.finish(&[output])?);
    Construction::new(kind, coordinates, form, bound, bounds.to_vec()).measured(&points, &exact)
}
