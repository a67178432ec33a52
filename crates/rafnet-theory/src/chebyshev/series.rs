//! The coefficients of a Chebyshev series, and the degree that a tolerance needs.
//!
//! ```text
//! c_k = (2 − [k=0])/(m+1) Σ_{j=0..m} f(x_j) cos(k θ_j)        θ_j = π (j + ½)/(m+1),   x̂_j = cos θ_j
//! ```
//!
//! With m doubled until the last quarter of the coefficients is at the level of rounding, what m + 1 points cannot tell apart
//! (c_k and c_{2m+2−k}) is below rounding too. For a tolerance the series is cut where the rest Σ_{k>n} |c_k| is below half of it.

use super::super::{Formula, TheoryError};
use rafnet::expr::{larger, largest};
use std::f64::consts::PI;

/// Largest degree that is looked at.
const MOST_DEGREE: usize = 2048;
/// Points of the search for poles.
const POLE_GRID: usize = 2001;

/// How far a series goes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Degree {
    /// This far.
    Fixed(usize),
    /// As far as this accuracy needs.
    Tolerance(f64),
}

/// A Chebyshev series on an interval.
///
/// ```
/// use rafnet_theory::{Degree, Formula, Series};
/// let exp = Series::of(&Formula::read("exp(x)")?, [-1.0, 1.0], Degree::Fixed(4))?;
/// assert_eq!(exp.degree(), 4);
/// assert!((exp.coefficients()[0] - 1.2660658777520084).abs() < 1e-15); // I₀(1)
/// # Ok::<(), rafnet_theory::TheoryError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    interval: [f64; 2],
    kept: Vec<f64>,
    /// All coefficients above rounding.
    all: Vec<f64>,
}

impl Series {
    /// The series of a function of one variable.
    ///
    /// # Errors
    /// [`TheoryError`] for several variables, a pole, coefficients that do not fall, or a tolerance below rounding.
    pub fn of(formula: &Formula, interval: [f64; 2], degree: Degree) -> Result<Self, TheoryError> {
        formula.univariate()?;
        super::super::sampling::check_box(&[interval], 1)?;
        let size = pole_free(formula, interval)?;
        let floor = 4.0 * f64::EPSILON * size.max(f64::MIN_POSITIVE);
        if let Degree::Tolerance(tolerance) = degree {
            let least = 8.0 * floor;
            if !(tolerance >= least && tolerance.is_finite()) {
                return Err(TheoryError::BelowRounding {
                    tolerance,
                    size,
                    least,
                });
            }
        }
        let (wanted, level) = match degree {
            Degree::Fixed(n) if n > MOST_DEGREE => {
                return Err(TheoryError::number(
                    "the degree",
                    n,
                    format!("0 to {MOST_DEGREE}"),
                ));
            }
            Degree::Fixed(n) => (n, floor),
            Degree::Tolerance(tolerance) => (0, floor.max(1e-2 * tolerance)),
        };
        let mut m = 16;
        let all = loop {
            let all = coefficients(formula, interval, m);
            let last = all[3 * m / 4..]
                .iter()
                .fold(0.0, |a: f64, c| larger(a, c.abs()));
            if last <= level && m > wanted {
                break all;
            }
            if m >= 2 * MOST_DEGREE {
                if matches!(degree, Degree::Fixed(_)) {
                    break all;
                }
                let (text, degree) = (formula.text().into(), m);
                return Err(TheoryError::NoConvergence {
                    text,
                    size: last,
                    degree,
                });
            }
            m *= 2;
        };
        let above = all.iter().rposition(|c| c.abs() > floor).unwrap_or(0);
        let n = match degree {
            Degree::Fixed(n) => n,
            Degree::Tolerance(tolerance) => {
                let mut rest = 0.0;
                let falls = |k: &usize| {
                    rest += all[*k].abs();
                    rest <= 0.5 * tolerance
                };
                above - (1..=above).rev().take_while(falls).count()
            }
        };
        Ok(Self {
            interval,
            kept: (0..=n).map(|k| all[k]).collect(),
            all: all[..=above].to_vec(),
        })
    }

    /// A series with given coefficients.
    pub fn from_coefficients(interval: [f64; 2], coefficients: Vec<f64>) -> Self {
        Self {
            interval,
            all: coefficients.clone(),
            kept: coefficients,
        }
    }

    /// n
    pub fn degree(&self) -> usize {
        self.kept.len() - 1
    }
    /// c_0, …, c_n
    pub fn coefficients(&self) -> &[f64] {
        &self.kept
    }
    /// All coefficients above rounding, beyond n too.
    pub fn all_coefficients(&self) -> &[f64] {
        &self.all
    }
    /// [low, high]
    pub fn interval(&self) -> [f64; 2] {
        self.interval
    }
    /// Σ |c_k| beyond n: how far the series is from the function, up to rounding.
    pub fn rest(&self) -> f64 {
        self.all.iter().skip(self.kept.len()).map(|c| c.abs()).sum()
    }
    /// The value by Clenshaw's recurrence.
    pub fn value(&self, x: f64) -> f64 {
        let [low, high] = self.interval;
        let t = (2.0 * x - low - high) / (high - low);
        let (mut b1, mut b2) = (0.0, 0.0);
        for c in self.kept.iter().skip(1).rev() {
            (b1, b2) = (2.0 * t * b1 - b2 + c, b1);
        }
        t * b1 - b2 + self.kept[0]
    }
}

fn coefficients(formula: &Formula, [low, high]: [f64; 2], m: usize) -> Vec<f64> {
    let n = m + 1;
    // cos(π i/(2n)) for i = 0 … 4n − 1, so that products of indices are reduced exactly
    let table: Vec<f64> = (0..4 * n)
        .map(|i| (PI * i as f64 / (2 * n) as f64).cos())
        .collect();
    let points: Vec<f64> = (0..n)
        .map(|j| 0.5 * (low + high) + 0.5 * (high - low) * table[2 * j + 1])
        .collect();
    let values = formula.values(&points);
    (0..n)
        .map(|k| {
            let terms = values.iter().enumerate();
            let sum: f64 = terms
                .map(|(j, f)| f * table[k * (2 * j + 1) % (4 * n)])
                .sum();
            sum * if k == 0 { 1.0 } else { 2.0 } / n as f64
        })
        .collect()
}

/// The largest |f| on a grid, or the pole: a value that is not finite, or a peak that, looked at closely, stands a million times
/// above its neighbours on the grid and a thousand million times above the usual.
fn pole_free(formula: &Formula, interval: [f64; 2]) -> Result<f64, TheoryError> {
    let grid = super::super::sampling::grid(interval, POLE_GRID);
    let values = formula.values(&grid);
    let pole = |x: f64| TheoryError::Pole {
        text: formula.text().into(),
        at: format!("{} = {x:.6}", formula.variables()[0]),
        low: interval[0],
        high: interval[1],
    };
    if let Some(i) = values.iter().position(|v| !v.is_finite()) {
        return Err(pole(grid[i]));
    }
    let size = largest(values.iter().map(|v| v.abs()));
    let mut sorted: Vec<f64> = values.iter().map(|v| v.abs()).collect();
    sorted.sort_by(f64::total_cmp);
    let usual = sorted[POLE_GRID / 2];
    let peaks = (0..POLE_GRID).filter(|&i| {
        let at = |k: usize| values[k].abs();
        let left = i == 0 || at(i) >= at(i - 1);
        left && (i + 1 == POLE_GRID || at(i) >= at(i + 1)) && at(i) > 0.1 * size
    });
    for i in peaks {
        let (mut low, mut high) = (grid[i.saturating_sub(1)], grid[(i + 1).min(POLE_GRID - 1)]);
        for _ in 0..100 {
            let (a, b) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
            if formula.value(&[a]).abs() < formula.value(&[b]).abs() {
                low = a;
            } else {
                high = b;
            }
        }
        let top = formula
            .value(&[0.5 * (low + high)])
            .abs()
            .max(values[i].abs());
        let beside = [i.checked_sub(1), Some(i + 1)].into_iter().flatten();
        let beside = beside.filter_map(|k| values.get(k)).map(|v| v.abs());
        let beside = largest(beside);
        if !top.is_finite() || (top > 1e6 * beside && top > 1e9 * usual) {
            return Err(pole(0.5 * (low + high)));
        }
    }
    Ok(size)
}
