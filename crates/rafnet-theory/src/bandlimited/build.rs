//! The network of sampled terms, and how far it is from f.
//!
//! ```text
//! f_n(x) = Σ_{j≤n} (C_F/n) Re e^(iθ_j) K(w_j·x)        w_j drawn from |F|/C_F, by rejection
//! ```

use super::frequencies::{Frequencies, cube};
use super::{BandLimited, Kernel, Terms};
use crate::chebyshev::{Degree, Series, carry_series, series_rounding};
use crate::draft::Draft;
use crate::formula::numbered;
use crate::wire::Wire;
use crate::{Bound, Construction, Form, Origin, TheoryError, sampling};
use rafnet::activation::random;
use rafnet::basis::Basis;
use rafnet::expr::largest;
use rand_distr::{Distribution, StandardUniform};
use std::f64::consts::FRAC_PI_2;

/// Most neurons of a layer.
const MOST_WIDTH: usize = 1 << 14;

impl BandLimited {
    /// n frequencies drawn from |F|/C_F by rejection.
    fn draw(&self, n: usize, seed: u64) -> Vec<f64> {
        let d = self.dimension();
        let samples = sampling::points(&vec![[-self.band, self.band]; d]);
        let values = self.density.values(&samples);
        let mut ceiling = 1.0625 * largest(values.iter().map(|v| v.abs()));
        let mut random = random(seed);
        let mut uniform = || -> f64 { StandardUniform.sample(&mut random) };
        let mut drawn = Vec::with_capacity(n * d);
        while drawn.len() < n * d {
            let w: Vec<f64> = (0..d)
                .map(|_| self.band * (2.0 * uniform() - 1.0))
                .collect();
            let height = self.density.value(&w).abs();
            ceiling = ceiling.max(height);
            if uniform() * ceiling <= height {
                drawn.extend(w);
            }
        }
        drawn
    }

    /// The network of n sampled terms.
    ///
    /// # Errors
    /// [`TheoryError::Number`] for no terms, too many, or a tolerance of 4 C_F or more.
    pub fn build(&self, terms: Terms, seed: u64) -> Result<Construction, TheoryError> {
        let (d, expected) = (self.dimension(), self.expectation());
        let n = self.count(terms, expected.mass)?;
        let w = self.draw(n, seed);
        let theta = self.phases(&w, &self.density.values(&w));
        let bounds = vec![[0.0, 1.0]; d];
        let x = Wire::inputs(&bounds);
        let share = expected.mass / n as f64;
        let mut draft = Draft::new(d);
        let mut notes = vec![format!("{n} frequencies drawn with seed {seed}")];
        let arguments = w.chunks_exact(d).map(|w| {
            let parts = w.iter().zip(&x).map(|(&w, x)| x.scaled(w));
            let sum = parts.reduce(|a, b| a.plus(&b));
            sum.unwrap_or_else(|| unreachable!("there is a dimension"))
        });
        let (mut output, mut kernel_error, mut most) = (None, 0.0, 1.0);
        let mut add = |term: Wire| {
            let sum = output
                .take()
                .map_or(term.clone(), |sum: Wire| sum.plus(&term));
            output = Some(sum);
        };
        match &self.kernel {
            Kernel::Wave => {
                for (argument, theta) in arguments.zip(&theta) {
                    let shifted = argument.shifted(theta + FRAC_PI_2);
                    add(draft.add(Basis::Sine, &shifted).scaled(share));
                }
            }
            Kernel::Text(text) => {
                let reach = d as f64 * self.band;
                let values = text.values(&sampling::points(&[[-reach, reach]]));
                most = largest(values.iter().map(|k| k.abs()));
                // a quarter of the sampling error, but not below what f64 holds
                let accuracy = 0.25 * expected.error(n) / expected.mass;
                let accuracy = accuracy.max(1e-13 * most);
                let series = Series::of(text, [-reach, reach], Degree::Tolerance(accuracy))?;
                notes.push(format!("kernel by a series of degree {}", series.degree()));
                for (argument, theta) in arguments.zip(&theta) {
                    let scaled = argument.scaled(1.0 / reach).within(1.0);
                    let term = carry_series(&mut draft, &scaled, series.coefficients());
                    kernel_error =
                        series.rest() + series_rounding(series.coefficients(), scaled.settled());
                    add(term.scaled(share * theta.cos()));
                }
            }
        }
        let output = output.unwrap_or_else(|| unreachable!("there are terms"));
        let bound = Bound {
            value: expected.mass * (most / (n as f64).sqrt() + kernel_error),
            rounding: output.settled(),
            origin: Origin::Estimated,
        };
        notes
            .push("the bound is that of the root mean square error, in the mean over seeds".into());
        let form = Form::Real(draft.finish(&[output])?);
        let coordinates = numbered("x", d);
        let made = Construction {
            region: Some(bounds.clone()),
            notes,
            ..Construction::new("bandlimited", coordinates, form, bound, bounds.clone())
        };
        let all = self.quadrature();
        let l2 = self.l2_error(&made, &all)?;
        let points: Vec<f64> = sampling::points(&bounds)
            .into_iter()
            .take(512 * d)
            .collect();
        let exact: Vec<f64> = points.chunks_exact(d).map(|x| all.value(self, x)).collect();
        let figures = vec![
            ("l2_error", l2),
            ("expected_l2_error", expected.error(n)),
            ("density_mass", expected.mass),
            ("terms", n as f64),
        ];
        Construction { figures, ..made }.measured(&points, &exact)
    }

    fn count(&self, terms: Terms, mass: f64) -> Result<usize, TheoryError> {
        let neurons = match self.kernel {
            Kernel::Wave => 1,
            Kernel::Text(_) => 6 * 6, // six a term, and dense layers between them
        };
        let most = MOST_WIDTH / neurons;
        let n = match terms {
            Terms::Count(n) => n,
            Terms::Tolerance(tolerance) => {
                let share = tolerance / (4.0 * mass);
                if !(share > 0.0 && share < 1.0) {
                    let expected = format!("a positive number below 4 C_F = {}", 4.0 * mass);
                    return Err(TheoryError::number("the tolerance", tolerance, expected));
                }
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "saturates"
                )]
                let n = (1.0 / (share * share)).ceil() as usize;
                n
            }
        };
        if !(1..=most).contains(&n) {
            return Err(TheoryError::number(
                "the number of terms",
                n,
                format!("1 to {most}"),
            ));
        }
        Ok(n)
    }

    /// ‖f − f_n‖ on the cube, by quadrature.
    fn l2_error(&self, made: &Construction, all: &Frequencies) -> Result<f64, TheoryError> {
        let d = self.dimension();
        let (x, share) = cube(d, [0.0, 1.0]);
        let found = made.eval(&x)?;
        let rows = x.chunks_exact(d).zip(&found).zip(&share);
        let sum: f64 = rows
            .map(|((x, u), share)| share * (u - all.value(self, x)).powi(2))
            .sum();
        Ok(sum.sqrt())
    }
}
