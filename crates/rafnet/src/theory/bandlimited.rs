//! Generalised band-limited functions by Maurey's sampling (the paper's Theorem 5).
//!
//! ```text
//! f(x) = Re ∫_{[−M,M]^d} F(w) K(w·x) dw on [0, 1]^d        C_F = ∫ |F|,   θ = arg F
//! f_n(x) = Σ_{j≤n} (C_F/n) Re e^(iθ_j) K(w_j·x)             w_j drawn from |F|/C_F
//! E‖f − f_n‖² = (E‖g‖² − ‖f‖²)/n ≤ C_F² D_K²/n              g(x) = C_F Re e^(iθ) K(w·x),  |K| ≤ D_K
//! ```
//!
//! For K(t) = e^(it) each term is one sine neuron, sin(w·x + θ + π/2), exactly. Any other (real) kernel becomes a Chebyshev series on
//! [−dM, dM], six neurons a term. For an error ε the paper's split takes ε₀ = ε/(4 C_F) and n = ⌈1/ε₀²⌉ terms (its stated width
//! must read 16 C_F² μ(B)/ε², the number of terms being 1/ε₀²).

use super::chebyshev::{Degree, Series, carry_series, series_rounding};
use super::draft::Draft;
use super::formula::numbered;
use super::quadrature;
use super::wire::Wire;
use super::{Bound, Construction, Form, Formula, Origin, TheoryError, sampling};
use crate::activation::random;
use crate::basis::Basis;
use rand_distr::{Distribution, StandardUniform};
use std::f64::consts::{FRAC_PI_2, PI};

/// Nodes along an axis, by dimension: at most 4·10⁵ pairs (w, x).
const NODES: [usize; 3] = [96, 24, 8];
/// Most neurons of a layer.
const MOST_WIDTH: usize = 1 << 14;

/// K
#[derive(Clone, Debug)]
pub enum Kernel {
    /// e^(it)
    Wave,
    /// A real analytic function, a text in t.
    Text(Box<Formula>),
}

impl Kernel {
    /// `wave` or a text in `t`.
    ///
    /// # Errors
    /// [`TheoryError`] for a text that is no function of t.
    pub fn read(text: &str) -> Result<Self, TheoryError> {
        match text {
            "wave" => Ok(Self::Wave),
            _ => Formula::in_variables(text, &["t"]).map(|f| Self::Text(Box::new(f))),
        }
    }
}

/// How many terms are drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Terms {
    /// This many.
    Count(usize),
    /// ⌈1/ε₀²⌉ for this ε.
    Tolerance(f64),
}

/// F, θ, K and M.
#[derive(Clone, Debug)]
pub struct BandLimited {
    density: Formula,
    phase: Option<Formula>,
    kernel: Kernel,
    band: f64,
}

/// What sampling can be expected to do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Expectation {
    /// C_F
    pub mass: f64,
    /// E‖g‖²
    pub mean_square: f64,
    /// ‖f‖²
    pub norm_square: f64,
}

impl Expectation {
    /// √(E‖f − f_n‖²)
    pub fn error(&self, terms: usize) -> f64 {
        ((self.mean_square - self.norm_square).max(0.0) / terms as f64).sqrt()
    }
}

impl BandLimited {
    /// A density in w1 … wd (or w), a phase in the same names, a kernel, and the band [−M, M].
    ///
    /// # Errors
    /// [`TheoryError`] for more than three dimensions, unknown names, or a band that is not positive.
    ///
    /// ```
    /// use rafnet::theory::{BandLimited, Kernel};
    /// let f = BandLimited::new("1/36", 2, None, Kernel::Wave, 3.0)?; // sin(3x)/(3x) · sin(3y)/(3y)
    /// assert!((f.value(&[0.5, 0.25]) - 0.604383329598471).abs() < 1e-14);
    /// # Ok::<(), rafnet::theory::TheoryError>(())
    /// ```
    pub fn new(
        density: &str,
        dimension: usize,
        phase: Option<&str>,
        kernel: Kernel,
        band: f64,
    ) -> Result<Self, TheoryError> {
        if !(1..=NODES.len()).contains(&dimension) {
            return Err(TheoryError::number("the dimension", dimension, "1 to 3"));
        }
        if !(band > 0.0 && band.is_finite()) {
            return Err(TheoryError::number("the band M", band, "a positive number"));
        }
        let names = numbered("w", dimension);
        let made = Self {
            density: Formula::in_variables(density, &names)?,
            phase: phase
                .map(|text| Formula::in_variables(text, &names))
                .transpose()?,
            kernel,
            band,
        };
        let samples = sampling::points(&vec![[-band, band]; dimension]);
        let values = made.density.values(&samples);
        if let Some(i) = values.iter().position(|v| !v.is_finite()) {
            return Err(TheoryError::Pole {
                text: density.into(),
                at: format!("w = {:?}", &samples[i * dimension..(i + 1) * dimension]),
                low: -band,
                high: band,
            });
        }
        if values.iter().all(|v| *v == 0.0) {
            return Err(TheoryError::number(
                "the density",
                0,
                "a function that is not zero everywhere",
            ));
        }
        Ok(made)
    }

    fn dimension(&self) -> usize {
        self.density.dimension()
    }

    /// θ at frequencies: the phase, and π where the density is negative.
    fn phases(&self, w: &[f64], density: &[f64]) -> Vec<f64> {
        let given = self.phase.as_ref().map(|p| p.values(w));
        let given = given.unwrap_or_else(|| vec![0.0; density.len()]);
        let turned = given.iter().zip(density);
        turned
            .map(|(theta, f)| theta + if *f < 0.0 { PI } else { 0.0 })
            .collect()
    }

    /// Re e^(iθ) K(t)
    fn kernel_values(&self, t: &[f64], theta: &[f64]) -> Vec<f64> {
        match &self.kernel {
            Kernel::Wave => t.iter().zip(theta).map(|(t, a)| (t + a).cos()).collect(),
            Kernel::Text(text) => {
                let values = text.values(t);
                values.iter().zip(theta).map(|(k, a)| k * a.cos()).collect()
            }
        }
    }

    /// f at a point, by quadrature over the band.
    pub fn value(&self, x: &[f64]) -> f64 {
        self.quadrature().value(self, x)
    }

    fn quadrature(&self) -> Frequencies {
        let d = self.dimension();
        let (w, weights) = quadrature::cube(d, NODES[d - 1], [-self.band, self.band]);
        let density = self.density.values(&w);
        let theta = self.phases(&w, &density);
        let weights = weights.iter().zip(&density).map(|(v, f)| v * f.abs());
        Frequencies {
            weights: weights.collect(),
            w,
            theta,
        }
    }

    /// C_F, E‖g‖² and ‖f‖², by quadrature over band and cube.
    pub fn expectation(&self) -> Expectation {
        let d = self.dimension();
        let all = self.quadrature();
        let (x, share) = quadrature::cube(d, NODES[d - 1], [0.0, 1.0]);
        let mass: f64 = all.weights.iter().sum();
        let (mut mean_square, mut norm_square) = (0.0, 0.0);
        for (x, share) in x.chunks_exact(d).zip(&share) {
            let k = self.kernel_values(&all.arguments(x), &all.theta);
            let terms = k.iter().zip(&all.weights);
            let (f, square) = terms.fold((0.0, 0.0), |(f, g), (k, v)| (f + v * k, g + v * k * k));
            mean_square += share * mass * square;
            norm_square += share * f * f;
        }
        Expectation {
            mass,
            mean_square,
            norm_square,
        }
    }

    /// n frequencies drawn from |F|/C_F by rejection.
    fn draw(&self, n: usize, seed: u64) -> Vec<f64> {
        let d = self.dimension();
        let samples = sampling::points(&vec![[-self.band, self.band]; d]);
        let values = self.density.values(&samples);
        let mut ceiling = 1.0625 * values.iter().fold(0.0, |a: f64, v| a.max(v.abs()));
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
                most = values.iter().fold(0.0, |a: f64, k| a.max(k.abs()));
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
        let (x, share) = quadrature::cube(d, NODES[d - 1], [0.0, 1.0]);
        let found = made.eval(&x)?;
        let rows = x.chunks_exact(d).zip(&found).zip(&share);
        let sum: f64 = rows
            .map(|((x, u), share)| share * (u - all.value(self, x)).powi(2))
            .sum();
        Ok(sum.sqrt())
    }
}

/// The nodes of the band, with |F| in the weights.
struct Frequencies {
    w: Vec<f64>, // n × d
    weights: Vec<f64>,
    theta: Vec<f64>,
}

impl Frequencies {
    /// w·x at every node.
    fn arguments(&self, x: &[f64]) -> Vec<f64> {
        let dot = |w: &[f64]| w.iter().zip(x).map(|(w, x)| w * x).sum();
        self.w.chunks_exact(x.len()).map(dot).collect()
    }
    fn value(&self, function: &BandLimited, x: &[f64]) -> f64 {
        let k = function.kernel_values(&self.arguments(x), &self.theta);
        k.iter().zip(&self.weights).map(|(k, v)| k * v).sum()
    }
}
