//! The loss of a batch of paths and its gradient: how far the semigroup of λ − L moves u.
//!
//! ```text
//! s = ± 1/√ȳ,  ȳ = δ ma + (1 − δ) mean y(X₀)²                         the sign that of Σ y(X₀)
//! loss = 1000 mean h(Y_K − s y(X_K)) + 20 mean (Z − s √2 ∇y)²(X_K) + 200 (2 − ȳ)₊
//! ```
//!
//! Y and Z along a path: [`walk`](super::walk). (J. Han, J. Lu, M. Zhou, "Solving high-dimensional eigenvalue problems using deep neural
//! networks: a diffusion Monte Carlo like approach", 2020.) Whole paths are a tile of the engine's: it goes there and back over them once,
//! and memory does not grow with their number. Where Z is the gradient of y there is no second network, and nothing to be consistent with.

use super::drift::Drift;
use super::paths::Paths;
use super::walk::{CONSISTENCY, Ends, MISMATCH, Room, Slopes, Walk, h};
use crate::engine::{Engine, EngineError, Streams};
use std::f64::consts::SQRT_2;
use std::sync::{Mutex, PoisonError};

/// The weight of the penalty of a small network, and the least mean square that goes without.
const SMALL: f64 = 200.0;
const LEAST: f64 = 2.0;

/// The networks' engines and f.
pub(super) struct Loss {
    /// y
    pub(super) y: Box<dyn Engine<f64>>,
    /// Z, where it is a network.
    pub(super) z: Option<Box<dyn Engine<f64>>>,
    pub(super) drift: Drift,
    /// Weights of y and of z; λ follows them.
    pub(super) sizes: [usize; 2],
    /// Rooms that no tile uses now.
    pub(super) rooms: Mutex<Vec<Room>>,
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
    #[cfg(test)]
    pub(super) consistency: f64,
    /// mean y(X₀)²
    pub(super) batch: f64,
    /// ȳ
    #[cfg(test)]
    pub(super) average: f64,
    /// δ of every path
    #[cfg(test)]
    pub(super) deltas: Vec<f64>,
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
        let (m, d) = (paths.len(), paths.dimension);
        let start = paths.at(0);
        let mut y0 = vec![0.0; m];
        self.y.evaluate(of_y, &start, &Streams::value(), &mut y0)?;
        let batch = y0.iter().map(|y| y * y).sum::<f64>() / m as f64;
        let mean = average.decay * average.mean + (1.0 - average.decay) * batch;
        let scale = sign(&y0) / mean.sqrt();
        let (grad_y, rest) = gradient.split_at_mut(self.sizes[0]);
        let (grad_z, grad_lambda) = rest.split_at_mut(self.sizes[1]);
        let walk = |slopes| Walk {
            drift: &self.drift,
            paths,
            lambda: lambda[0],
            scale,
            y0: &y0,
            slopes,
        };
        let couple = (&self.rooms, &Mutex::new(Ends::new(paths)));
        let (last, mut part) = (paths.at(paths.steps), vec![0.0; grad_y.len()]);
        let mut jets = vec![0.0; m * (1 + d)];
        if let Some(z) = &mut self.z {
            let streams = Streams::gradient();
            self.y.evaluate(of_y, &last, &streams, &mut jets)?;
            sweep(z, of_z, &walk(Slopes::Network(&jets)), couple, grad_z)?;
        } else {
            sweep(&mut self.y, of_y, &walk(Slopes::Gradient), couple, grad_y)?;
        }
        let ends = couple.1.lock().unwrap_or_else(PoisonError::into_inner);
        if self.z.is_some() {
            let bars = last_bars(&ends, scale, d);
            self.y
                .pullback(of_y, &last, &Streams::gradient(), &bars, grad_y)?;
        }
        // through s: ∂s/∂ȳ = −s/(2ȳ), and the penalty of a small network
        let short = if mean < LEAST { SMALL } else { 0.0 };
        let of_scale: f64 = ends.of_scale.iter().sum();
        let by_y0 =
            (-0.5 * of_scale * scale / mean - short) * (1.0 - average.decay) * 2.0 / m as f64;
        let own = if self.z.is_some() { 1.0 } else { 0.0 };
        let bars = ends.first.iter().zip(&y0).map(|(a, y)| own * a + by_y0 * y);
        let bars: Vec<f64> = bars.collect();
        self.y
            .pullback(of_y, &start, &Streams::value(), &bars, &mut part)?;
        grad_y.iter_mut().zip(&part).for_each(|(to, p)| *to += p);
        grad_lambda[0] = ends.of_lambda.iter().sum();
        let mismatch = ends.deltas.iter().map(|t| h(*t)[0]).sum::<f64>() / m as f64;
        let consistency = ends.off.iter().map(|c| c * c).sum::<f64>() / (m * d) as f64;
        Ok(Figures {
            loss: MISMATCH * mismatch + CONSISTENCY * consistency + SMALL * (LEAST - mean).max(0.0),
            mismatch,
            #[cfg(test)]
            consistency,
            batch,
            #[cfg(test)]
            average: mean,
            #[cfg(test)]
            deltas: ends.deltas.clone(),
        })
    }
}

/// The sign with which Σ y is positive.
pub(super) fn sign(y: &[f64]) -> f64 {
    if y.iter().sum::<f64>() < 0.0 {
        -1.0
    } else {
        1.0
    }
}

/// There and back along all paths: the gradient of what Z is made of.
fn sweep(
    engine: &mut Box<dyn Engine<f64>>,
    theta: &[f64],
    walk: &Walk<'_>,
    (rooms, ends): (&Mutex<Vec<Room>>, &Mutex<Ends>),
    gradient: &mut [f64],
) -> Result<(), EngineError> {
    let streams = match walk.slopes {
        Slopes::Network(_) => Streams::value(),
        Slopes::Gradient => Streams::gradient(),
    };
    let free = || rooms.lock().unwrap_or_else(PoisonError::into_inner);
    let points = (walk.paths.points.as_slice(), walk.paths.steps + 1);
    engine.coupled(
        theta,
        points,
        &streams,
        &|range, columns| {
            let taken = free().pop();
            let mut room = taken.unwrap_or_default();
            walk.tile(range, columns, &mut room, ends);
            free().push(room);
        },
        gradient,
    )
}

/// The cotangents of y and ∇y at X_K, (1 + d) × M.
fn last_bars(ends: &Ends, scale: f64, d: usize) -> Vec<f64> {
    let m = ends.deltas.len();
    let of_c = 2.0 * CONSISTENCY / (m * d) as f64;
    let mut bars = vec![0.0; (1 + d) * m];
    for (path, delta) in ends.deltas.iter().enumerate() {
        bars[path] = -scale * MISMATCH * h(*delta)[1] / m as f64;
        for i in 0..d {
            bars[(1 + i) * m + path] = -scale * SQRT_2 * of_c * ends.off[path * d + i];
        }
    }
    bars
}
