//! Networks of floor, 2^x and step (the paper's Theorem 2; Shen, Yang, Zhang, arXiv 2010.14075), with exact binary digits.
//!
//! ```text
//! k(x) = 1 + Σ_i 2^((i−1)N) ⌊2ᴺ x_i⌋                                          hidden layer 1: d floors
//! φ(x) = 2ω Σ_{j=1..N} 2⁻ʲ s(a_j 2^k(x)) + f(0) − ω                            layer 2: one 2^x, layer 3: N neurons s
//! s(t) = step(t − ⌊t⌋ − ½)        a_j = Σ_k θ_{j,k} 2^−(k+1)
//! ```
//!
//! θ_{1,k} … θ_{N,k} are the first N binary digits of (f(corner k) − f(0) + ω)/2ω, the corner being ⌊2ᴺ x⌋/2ᴺ; multiplying a_j by 2^k
//! brings digit k to the first place behind the point, and s reads it. The error on [0, 1)ᵈ is at most
//! 2ω 2⁻ᴺ + w_f(√d 2⁻ᴺ), with ω ≥ w_f(√d), w_f the modulus of continuity. Width W = N ≥ d.
//!
//! a_j has 2^(dN) + 1 binary digits, so f64 holds it exactly for dN ≤ 5 only; beyond, s(a_j 2^k) is digit k of a stored string.

use super::draft::Draft;
use super::modulus::{Estimate, Modulus};
use super::wire::Wire;
use super::{Bound, Built, Construction, Form, Formula, Origin, Statement, TheoryError, sampling};
use rafnet::basis::Basis;
use rafnet::expr::largest;

/// Largest dN: 2^22 digits in each of N strings.
pub(super) const MOST_CELLS_LOG2: usize = 22;

/// A network of floor, 2^x and step with its digits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DigitNetwork {
    pub(super) dimension: usize,
    pub(super) bits: usize,
    /// ω and f(0), as the bits of their f64.
    pub(super) omega: u64,
    pub(super) first: u64,
    /// For each j, the digits θ_{j,1}, θ_{j,2}, … from the lowest bit of the first word.
    pub(super) strings: Vec<Vec<u64>>,
}

impl DigitNetwork {
    /// θ_{j,k}, both from 1.
    pub fn digit(&self, j: usize, k: usize) -> bool {
        self.strings[j - 1][(k - 1) / 64] >> ((k - 1) % 64) & 1 == 1
    }
    /// How many digits a string has: 2^(dN).
    pub fn n_digits(&self) -> usize {
        1 << (self.dimension * self.bits)
    }
    /// The string of a_j, digit 1 first.
    pub fn string(&self, j: usize) -> String {
        let digits = (1..=self.n_digits()).map(|k| self.digit(j, k));
        digits.map(|d| if d { '1' } else { '0' }).collect()
    }
    /// a_j as a number, where f64 holds it.
    pub fn number(&self, j: usize) -> Option<f64> {
        let terms = (1..=self.n_digits()).filter(|&k| self.digit(j, k));
        (self.n_digits() <= 32).then(|| terms.map(|k| 0.5_f64.powf(k as f64 + 1.0)).sum())
    }
    /// N
    pub fn bits(&self) -> usize {
        self.bits
    }
    /// ω
    pub fn omega(&self) -> f64 {
        f64::from_bits(self.omega)
    }
    /// f(0)
    pub fn first(&self) -> f64 {
        f64::from_bits(self.first)
    }

    /// φ at points of [0, 1)ᵈ (n × d).
    pub fn eval(&self, points: &[f64]) -> Vec<f64> {
        let points = points.chunks_exact(self.dimension);
        points.map(|x| self.value(self.cell(x))).collect()
    }

    /// k(x), points outside moved to the nearest cell.
    fn cell(&self, x: &[f64]) -> usize {
        let cells = 1_usize << self.bits;
        let along = x.iter().rev().map(|x| {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "clamped"
            )]
            let cell = (x * cells as f64).floor().clamp(0.0, cells as f64 - 1.0) as usize;
            cell
        });
        1 + along.fold(0, |k, cell| (k << self.bits) + cell)
    }

    fn value(&self, k: usize) -> f64 {
        let digits = (1..=self.bits).map(|j| f64::from(u8::from(self.digit(j, k))));
        let sum: f64 = digits.zip(1_i32..).map(|(d, j)| d * 0.5_f64.powi(j)).sum();
        2.0 * self.omega() * sum + self.first() - self.omega()
    }

    pub(super) fn widths(&self) -> Vec<usize> {
        vec![self.dimension, 1, self.bits]
    }
    /// The numbers that are not zero: 2d + 2N + 2.
    pub(super) fn n_parameters(&self) -> usize {
        2 * self.dimension + 2 * self.bits + 2
    }

    /// The same in f64, s in two layers: t and ⌊t⌋, then the step.
    fn in_f64(&self) -> Result<Option<Built>, TheoryError> {
        let numbers: Option<Vec<f64>> = (1..=self.bits).map(|j| self.number(j)).collect();
        let Some(numbers) = numbers else {
            return Ok(None);
        };
        let mut draft = Draft::new(self.dimension);
        let mut place = Wire::number(1, 1.0);
        let mut unit = 1.0;
        for x in Wire::inputs(&vec![[0.0, 1.0]; self.dimension]) {
            let cell = draft.add(Basis::Floor, &x.scaled((1_u64 << self.bits) as f64));
            place = place.plus(&cell.scaled(unit));
            unit *= (1_u64 << self.bits) as f64;
        }
        let power = draft.add(Basis::Exp2, &place);
        let mut output = Wire::number(4, self.first() - self.omega());
        let mut weight = 2.0 * self.omega();
        for a in numbers {
            weight *= 0.5;
            let shifted = power.scaled(a);
            let whole = draft.add(Basis::Floor, &shifted);
            let fraction = draft.carry(&shifted).minus(&whole);
            let digit = draft.add(Basis::Step, &fraction.shifted(-0.5));
            output = output.plus(&digit.scaled(weight));
        }
        Ok(Some(draft.finish(&[output])?))
    }
}

/// φ for a function on [0, 1)ᵈ with N = W binary digits.
///
/// # Errors
/// [`TheoryError::Number`] unless d ≤ W and dW ≤ 22, or when a given modulus is too small; [`TheoryError::Pole`] when the function
/// is not finite at a corner.
///
/// ```
/// use rafnet_theory::{Formula, Form, Modulus, floor_exponential};
/// let f = Formula::read("x^2 - x/2")?;
/// let net = floor_exponential(&f, 2, &Modulus::read("1.5*r")?)?;
/// let Form::Digits { network, .. } = &net.form else { unreachable!() };
/// assert_eq!((network.number(1), network.number(2)), (Some(11.0 / 32.0), Some(1.0 / 8.0)));
/// assert_eq!(net.bound.value, 1.125);
/// # Ok::<(), rafnet_theory::TheoryError>(())
/// ```
pub fn floor_exponential(
    formula: &Formula,
    width: usize,
    modulus: &Modulus,
) -> Result<Construction, TheoryError> {
    let d = formula.dimension();
    if width < d || width == 0 {
        let expected = format!("at least the dimension, {d}");
        return Err(TheoryError::number("the width W", width, expected));
    }
    if d * width > MOST_CELLS_LOG2 {
        let expected = format!("at most {} for {d} coordinates", MOST_CELLS_LOG2 / d);
        return Err(TheoryError::number("the width W", width, expected));
    }
    let values = corner_values(formula, width)?;
    let first = values[0];
    let needed = largest(values.iter().map(|v| (v - first).abs()));
    let reach = (d as f64).sqrt();
    let estimate = Estimate::of(formula);
    let at = |r: f64| match modulus {
        Modulus::Given(text) => text.value(&[r]),
        Modulus::Estimated => estimate.at(r),
    };
    let omega = match modulus {
        Modulus::Given(_) => at(reach),
        Modulus::Estimated => at(reach).max(needed),
    };
    if !(omega >= needed && omega.is_finite()) {
        let expected = format!("at least |f(corner) − f(0)| = {needed}");
        return Err(TheoryError::number("the modulus at √d", omega, expected));
    }
    let omega = if omega > 0.0 { omega } else { 1.0 };
    let network = digits_of(&values, d, width, omega);
    let value = 2.0 * omega * 0.5_f64.powf(width as f64) + at(reach * 0.5_f64.powf(width as f64));
    let origin = match modulus {
        Modulus::Given(_) => Origin::Stated,
        Modulus::Estimated => Origin::Estimated,
    };
    let notes = vec![format!("omega = {omega} ({})", origin.name())];
    // the half-open cube: every point of the sample below 1
    let inside = 1.0 - f64::EPSILON;
    let points: Vec<f64> = sampling::points(&vec![[0.0, 1.0]; d])
        .into_iter()
        .map(|x| x.min(inside))
        .collect();
    let bound = Bound {
        value,
        rounding: 8.0 * f64::EPSILON * (omega + first.abs()),
        origin,
    };
    let real = network.in_f64()?;
    let form = Form::Digits { network, real };
    let bounds = vec![[0.0, 1.0]; d];
    Construction {
        statement: Some(Statement {
            width,
            depth: 3,
            parameters: 2 * width * width + (d + 22) * width + 1,
        }),
        region: Some(bounds.clone()),
        notes,
        ..Construction::new(
            "floor-exponential",
            formula.variables().to_vec(),
            form,
            bound,
            bounds,
        )
    }
    .measured(&points, &formula.values(&points))
}

/// f at the corner of every cell, the first coordinate running fastest.
fn corner_values(formula: &Formula, bits: usize) -> Result<Vec<f64>, TheoryError> {
    let (d, cells) = (formula.dimension(), 1_usize << bits);
    let corner = |k: usize, i: usize| (k >> (i * bits) & (cells - 1)) as f64 / cells as f64;
    let points: Vec<f64> = (0..1_usize << (d * bits))
        .flat_map(|k| (0..d).map(move |i| corner(k, i)))
        .collect();
    let values = formula.values(&points);
    match values.iter().position(|v| !v.is_finite()) {
        None => Ok(values),
        Some(k) => {
            let names = formula.variables().iter().zip(&points[k * d..]);
            let at: Vec<String> = names.map(|(n, x)| format!("{n} = {x}")).collect();
            Err(TheoryError::Pole {
                text: formula.text().into(),
                at: at.join(", "),
                low: 0.0,
                high: 1.0,
            })
        }
    }
}

fn digits_of(values: &[f64], dimension: usize, bits: usize, omega: f64) -> DigitNetwork {
    let first = values[0];
    let scale = (1_u64 << bits) as f64;
    let mut strings = vec![vec![0_u64; values.len().div_ceil(64)]; bits];
    for (k, value) in values.iter().enumerate() {
        let share = (value - first + omega) / (2.0 * omega) * scale;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "clamped"
        )]
        let whole = share.floor().clamp(0.0, scale - 1.0) as u64;
        for (j, string) in strings.iter_mut().enumerate() {
            string[k / 64] |= (whole >> (bits - 1 - j) & 1) << (k % 64);
        }
    }
    DigitNetwork {
        dimension,
        bits,
        omega: omega.to_bits(),
        first: first.to_bits(),
        strings,
    }
}
