//! The loss of a batch of paths and its gradient: how far the semigroup of λ − L moves u.
//!
//! ```text
//! s = ± 1/√ȳ,  ȳ = δ ma + (1 − δ) mean y(X₀)²                         the sign that of Σ y(X₀)
//! Y₀ = s y(X₀),   Y_{k+1} = clip( Y_k − dt (f(X_k, Y_k) + λ Y_k) + z(X_k)·dW_k )      the last one not clipped
//! loss = 1000 mean h(Y_K − s y(X_K)) + 20 mean (z − s √2 ∇y)²(X_K) + 200 (2 − ȳ)₊
//! ```
//!
//! h(t) = t², and 200|t| − 10⁴ beyond |t| = 100. (J. Han, J. Lu, M. Zhou, "Solving high-dimensional eigenvalue problems using deep neural
//! networks: a diffusion Monte Carlo like approach", 2020.) The recursion is scalar: backwards
//!
//! ```text
//! b = a_{k+1} where Y_{k+1} was not clipped, else 0      a_k = b (1 − dt (∂f/∂y + λ))      λ̄ −= dt Y_k b      z̄_k = b dW_k
//! ```
//!
//! Paths go through in bundles, so that what a batch takes is bounded; the engine's pullback carries z̄ and ȳ to the weights.

use super::drift::Drift;
use super::paths::Paths;
use crate::engine::{Engine, EngineError, Streams};
use std::f64::consts::SQRT_2;

/// Paths of a bundle.
const BUNDLE: usize = 256;
/// Where Y is clipped, and where h turns into a line.
const CLIP: f64 = 5.0;
const LINEAR: f64 = 100.0;
/// Weights of the loss's terms, and the least mean square of the raw network.
const MISMATCH: f64 = 1000.0;
const CONSISTENCY: f64 = 20.0;
const SMALL: f64 = 200.0;
const LEAST: f64 = 2.0;

/// The two networks' engines and f.
pub(super) struct Loss {
    pub(super) y: Box<dyn Engine<f64>>,
    pub(super) z: Box<dyn Engine<f64>>,
    pub(super) drift: Drift,
    /// Weights of y and of z; λ follows them.
    pub(super) sizes: [usize; 2],
}

/// The mean square of the raw network that was met so far.
#[derive(Clone, Copy, Debug)]
pub(super) struct Average {
    pub(super) mean: f64,
    pub(super) decay: f64,
}

/// What a batch says.
#[derive(Clone, Debug, Default)]
pub(super) struct Figures {
    pub(super) loss: f64,
    /// mean h(δ)
    pub(super) mismatch: f64,
    /// mean C²
    pub(super) consistency: f64,
    /// mean y(X₀)²
    pub(super) batch: f64,
    /// ȳ
    pub(super) average: f64,
    /// s
    pub(super) scale: f64,
    /// δ of every path
    pub(super) deltas: Vec<f64>,
}

fn h(t: f64) -> [f64; 2] {
    if t.abs() < LINEAR {
        [t * t, 2.0 * t]
    } else {
        let line = 2.0 * LINEAR;
        [line * t.abs() - LINEAR * LINEAR, line * t.signum()]
    }
}

impl Loss {
    /// The figures of a batch; `gradient` is filled with that of the loss by (weights of y, weights of z, λ).
    pub(super) fn gradient(
        &mut self,
        theta: &[f64],
        paths: &Paths,
        average: Average,
        gradient: &mut [f64],
    ) -> Result<Figures, EngineError> {
        let (of_y, rest) = theta.split_at(self.sizes[0]);
        let (of_z, lambda) = rest.split_at(self.sizes[1]);
        let lambda = lambda[0];
        gradient.fill(0.0);
        let (grad_y, rest) = gradient.split_at_mut(self.sizes[0]);
        let (grad_z, grad_lambda) = rest.split_at_mut(self.sizes[1]);
        let (m, d) = (paths.len(), paths.dimension);
        let mut y0 = vec![0.0; m];
        let value = Streams::value();
        self.y.evaluate(of_y, &paths.start, &value, &mut y0)?;
        let batch = y0.iter().map(|y| y * y).sum::<f64>() / m as f64;
        let mean = average.decay * average.mean + (1.0 - average.decay) * batch;
        let sign = if y0.iter().sum::<f64>() < 0.0 {
            -1.0
        } else {
            1.0
        };
        let scale = sign / mean.sqrt();
        let mut figures = Figures {
            batch,
            average: mean,
            scale,
            ..Figures::default()
        };
        let (mut of_scale, mut first) = (0.0, vec![0.0; m]);
        let mut part = [vec![0.0; grad_y.len()], vec![0.0; grad_z.len()]];
        for from in (0..m).step_by(BUNDLE) {
            let to = (from + BUNDLE).min(m);
            let mut bundle = Bundle::new(paths, from, to);
            bundle.forward(self, [of_y, of_z], lambda, scale, &y0[from..to])?;
            bundle.backward(scale, m);
            of_scale += bundle.of_scale;
            grad_lambda[0] += bundle.of_lambda;
            first[from..to].copy_from_slice(&bundle.first);
            figures.mismatch += bundle.mismatch / m as f64;
            figures.consistency += bundle.consistency / (m * d) as f64;
            figures.deltas.extend(&bundle.deltas);
            let [part_y, part_z] = &mut part;
            let last = &bundle.points[paths.steps * (to - from) * d..];
            let streams = Streams::gradient();
            self.y
                .pullback(of_y, last, &streams, &bundle.last_y, part_y)?;
            self.z
                .pullback(of_z, &bundle.points, &value, &bundle.z_bar, part_z)?;
            add(grad_y, part_y);
            add(grad_z, part_z);
        }
        // through s: ∂s/∂ȳ = −s/(2ȳ), and the penalty of a small network
        let short = if mean < LEAST { SMALL } else { 0.0 };
        let of_mean = -0.5 * of_scale * scale / mean - short;
        let by_y0 = of_mean * (1.0 - average.decay) * 2.0 / m as f64;
        let y0_bar: Vec<f64> = first.iter().zip(&y0).map(|(a, y)| a + by_y0 * y).collect();
        self.y
            .pullback(of_y, &paths.start, &value, &y0_bar, &mut part[0])?;
        add(grad_y, &part[0]);
        figures.loss = MISMATCH * figures.mismatch
            + CONSISTENCY * figures.consistency
            + SMALL * (LEAST - mean).max(0.0);
        Ok(figures)
    }
}

fn add(to: &mut [f64], part: &[f64]) {
    to.iter_mut().zip(part).for_each(|(to, p)| *to += p);
}

/// Some paths with everything along them.
struct Bundle<'a> {
    paths: &'a Paths,
    from: usize,
    count: usize,
    /// (K + 1) × count × d
    points: Vec<f64>,
    /// Y_k and 1 − dt (∂f/∂y + λ), K × count, and whether Y_{k+1} was left as it was.
    y: Vec<f64>,
    slopes: Vec<f64>,
    free: Vec<bool>,
    deltas: Vec<f64>,
    /// C, count × d
    off: Vec<f64>,
    y0: Vec<f64>,
    /// y and ∇y at X_K as the engine lays them out.
    last: Vec<f64>,
    mismatch: f64,
    consistency: f64,
    // cotangents
    first: Vec<f64>,
    last_y: Vec<f64>,
    z_bar: Vec<f64>,
    of_scale: f64,
    of_lambda: f64,
}

impl<'a> Bundle<'a> {
    fn new(paths: &'a Paths, from: usize, to: usize) -> Self {
        let (count, k) = (to - from, paths.steps);
        Self {
            paths,
            from,
            count,
            points: paths.points(from, to),
            y: vec![0.0; k * count],
            slopes: vec![0.0; k * count],
            free: vec![true; k * count],
            deltas: vec![0.0; count],
            off: vec![0.0; count * paths.dimension],
            y0: Vec::new(),
            last: vec![0.0; count * (1 + paths.dimension)],
            mismatch: 0.0,
            consistency: 0.0,
            first: vec![0.0; count],
            last_y: vec![0.0; count * (1 + paths.dimension)],
            z_bar: vec![0.0; (k + 1) * count * paths.dimension],
            of_scale: 0.0,
            of_lambda: 0.0,
        }
    }

    fn forward(
        &mut self,
        loss: &mut Loss,
        [of_y, of_z]: [&[f64]; 2],
        lambda: f64,
        scale: f64,
        y0: &[f64],
    ) -> Result<(), EngineError> {
        let (d, count, steps) = (self.paths.dimension, self.count, self.paths.steps);
        let dt = self.paths.dt;
        let n = (steps + 1) * count;
        let mut z = vec![0.0; n * d];
        loss.z
            .evaluate(of_z, &self.points, &Streams::value(), &mut z)?;
        let last = &self.points[steps * count * d..];
        loss.y
            .evaluate(of_y, last, &Streams::gradient(), &mut self.last)?;
        self.y0 = y0.to_vec();
        let mut y: Vec<f64> = y0.iter().map(|y| scale * y).collect();
        let mut x = vec![vec![0.0; count]; d];
        let (mut f, mut slope) = (vec![0.0; count], vec![0.0; count]);
        for k in 0..steps {
            let at = k * count;
            for (i, x) in x.iter_mut().enumerate() {
                let points = self.points[at * d + i..].iter().step_by(d);
                x.iter_mut().zip(points).for_each(|(x, p)| *x = *p);
            }
            loss.drift.evaluate(&x, &y, [&mut f, &mut slope]);
            for m in 0..count {
                self.y[at + m] = y[m];
                self.slopes[at + m] = 1.0 - dt * (slope[m] + lambda);
                let dw = self.paths.increment(self.from + m, k);
                let along: f64 = (0..d).map(|i| z[i * n + at + m] * dw[i]).sum();
                let next = y[m] - dt * (f[m] + lambda * y[m]) + along;
                let clipped = k + 1 < steps && next.abs() > CLIP;
                self.free[at + m] = !clipped;
                y[m] = if clipped { CLIP.copysign(next) } else { next };
            }
        }
        for m in 0..count {
            self.deltas[m] = y[m] - scale * self.last[m];
            self.mismatch += h(self.deltas[m])[0];
            for i in 0..d {
                let slope = self.last[(1 + i) * count + m];
                let off = z[i * n + steps * count + m] - scale * SQRT_2 * slope;
                self.off[m * d + i] = off;
                self.consistency += off * off;
            }
        }
        Ok(())
    }

    fn backward(&mut self, scale: f64, all: usize) {
        let (d, count, steps) = (self.paths.dimension, self.count, self.paths.steps);
        let n = (steps + 1) * count;
        let of_c = 2.0 * CONSISTENCY / (all * d) as f64;
        for m in 0..count {
            let mut a = MISMATCH * h(self.deltas[m])[1] / all as f64;
            self.last_y[m] = -a * scale;
            self.of_scale -= a * self.last[m];
            for i in 0..d {
                let off = of_c * self.off[m * d + i];
                self.z_bar[i * n + steps * count + m] = off;
                self.last_y[(1 + i) * count + m] = -off * scale * SQRT_2;
                self.of_scale -= off * SQRT_2 * self.last[(1 + i) * count + m];
            }
            for k in (0..steps).rev() {
                let at = k * count + m;
                let b = if self.free[at] { a } else { 0.0 };
                self.of_lambda -= self.paths.dt * self.y[at] * b;
                let dw = self.paths.increment(self.from + m, k);
                for i in 0..d {
                    self.z_bar[i * n + at] = b * dw[i];
                }
                a = b * self.slopes[at];
            }
            self.first[m] = a * scale;
            self.of_scale += a * self.y0[m];
        }
    }
}
