//! What several test files share: closeness, and fields and residuals written out by hand.
#![allow(dead_code, reason = "each test file uses its own part")]

use rafnet::engine::{Carried, Field, Points, Residual, Response, Second, Site, Streams};

/// |found − expected| ≤ tolerance · |expected|, or a message that shows both.
#[track_caller]
pub(crate) fn close(what: &str, found: f64, expected: f64, tolerance: f64) {
    let error = (found - expected).abs();
    assert!(
        error <= tolerance * expected.abs().max(f64::MIN_POSITIVE),
        "{what}: found {found:e}, expected {expected:e}, relative error {:.1e} above {tolerance:.1e}",
        error / expected.abs()
    );
}

/// A function given by its value, gradient and Hessian (row by row) at a point.
pub(crate) struct Known<F>(pub(crate) F);

impl<F: Fn(&[f64]) -> (f64, Vec<f64>, Vec<f64>) + Send + Sync> Field<f64> for Known<F> {
    fn streams(&self, points: &Points<'_, f64>, carried: &Carried, out: &mut [f64]) {
        let (n, d) = (points.len(), points.dimension());
        for i in 0..n {
            let x: Vec<f64> = (0..d).map(|k| points.coordinate(k)[i]).collect();
            let (value, gradient, hessian) = (self.0)(&x);
            out[i] = value;
            for (s, &k) in carried.directions().iter().enumerate() {
                out[(1 + s) * n + i] = gradient[k];
            }
            for (s, q) in carried.second().iter().enumerate() {
                let entry = |&(a, b, c): &(usize, usize, f64)| {
                    c * hessian[carried.directions()[a] * d + carried.directions()[b]]
                };
                out[carried.second_stream(s) * n + i] = q.entries.iter().map(entry).sum();
            }
        }
    }
}

/// x₁(1−x₁) x₂(1−x₂)
pub(crate) fn box_factor(x: &[f64]) -> (f64, Vec<f64>, Vec<f64>) {
    let [p, q] = [x[0] * (1.0 - x[0]), x[1] * (1.0 - x[1])];
    let [dp, dq] = [1.0 - 2.0 * x[0], 1.0 - 2.0 * x[1]];
    (
        p * q,
        vec![dp * q, p * dq],
        vec![-2.0 * q, dp * dq, dp * dq, -2.0 * p],
    )
}

/// 1 − r
pub(crate) fn disc_factor(x: &[f64]) -> (f64, Vec<f64>, Vec<f64>) {
    let r = x[0].hypot(x[1]);
    let h =
        |i: usize, j: usize| -((if i == j { 1.0 } else { 0.0 }) / r - x[i] * x[j] / (r * r * r));
    (
        1.0 - r,
        vec![-x[0] / r, -x[1] / r],
        vec![h(0, 0), h(0, 1), h(1, 0), h(1, 1)],
    )
}

/// The paper's equations.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Equation {
    /// −Δu = f
    Poisson,
    /// −div(|x| ∇u) = f
    LowRegularity,
    /// −Δu + (u+2)² = f
    OscillationPaper,
    /// −Δu − (u−1)³ + (u+2)² = f
    OscillationCode,
}

impl Equation {
    /// The operator and its derivatives by (u, u₁, u₂, Δu).
    pub(crate) fn operator(self, x: &[f64], u: f64, u1: f64, u2: f64, lap: f64) -> (f64, [f64; 4]) {
        match self {
            Self::Poisson => (-lap, [0.0, 0.0, 0.0, -1.0]),
            Self::LowRegularity => {
                let r = x[0].hypot(x[1]);
                (
                    -r * lap - (x[0] * u1 + x[1] * u2) / r,
                    [0.0, -x[0] / r, -x[1] / r, -r],
                )
            }
            Self::OscillationPaper => (-lap + (u + 2.0).powi(2), [2.0 * (u + 2.0), 0.0, 0.0, -1.0]),
            Self::OscillationCode => (
                -lap - (u - 1.0).powi(3) + (u + 2.0).powi(2),
                [-3.0 * (u - 1.0).powi(2) + 2.0 * (u + 2.0), 0.0, 0.0, -1.0],
            ),
        }
    }
    /// f
    pub(crate) fn source(self, x: &[f64]) -> f64 {
        use std::f64::consts::PI;
        let w = 6.0 * PI;
        let u = (w * x[0]).sin() * (w * x[1]).sin();
        match self {
            Self::Poisson => {
                (6.0 * x[0] - 2.0) * x[1].powi(2) * (1.0 - x[1])
                    + (6.0 * x[1] - 2.0) * x[0].powi(2) * (1.0 - x[0])
            }
            Self::LowRegularity => {
                let r = x[0].hypot(x[1]);
                let t = 2.0 * PI * (1.0 - r);
                4.0 * PI * t.cos() + 4.0 * PI * PI * r * t.sin()
            }
            Self::OscillationPaper => 2.0 * w * w * u + (u + 2.0).powi(2),
            Self::OscillationCode => 2.0 * w * w * u + (u + 2.0).powi(2) - (u - 1.0).powi(3),
        }
    }
}

/// D u − f, or D u alone.
pub(crate) struct Pde {
    pub(crate) equation: Equation,
    pub(crate) with_source: bool,
}

impl Residual<f64> for Pde {
    fn streams(&self) -> Streams {
        Streams {
            second: vec![Second::Laplacian],
            ..Streams::gradient()
        }
    }
    fn count(&self) -> usize {
        1
    }
    fn outputs(&self) -> usize {
        1
    }
    fn evaluate(&self, site: &Site<'_, f64>, response: &mut Response<'_, f64>) {
        for i in 0..site.n() {
            let x = [site.points.coordinate(0)[i], site.points.coordinate(1)[i]];
            let [u, u1, u2, lap] = [0, 1, 2, 3].map(|s| site.u(0, s)[i]);
            let (value, partials) = self.equation.operator(&x, u, u1, u2, lap);
            response.value(0)[i] = value
                - if self.with_source {
                    self.equation.source(&x)
                } else {
                    0.0
                };
            for (s, partial) in partials.into_iter().enumerate() {
                response.partial(0, 0, s)[i] = partial;
            }
        }
    }
}
