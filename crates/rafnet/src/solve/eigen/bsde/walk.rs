//! Along the paths of a tile and back.
//!
//! ```text
//! Y₀ = s y(X₀),   Y_{k+1} = clip( Y_k − dt (f(X_k, Y_k) + λ Y_k) + Z_k·dW_k )      the last one not clipped
//! δ = Y_K − s y(X_K),   C = Z_K − s √2 ∇y(X_K)
//! ```
//!
//! The recursion is scalar: backwards, from a_K = 1000 h′(δ)/M,
//!
//! ```text
//! b = a_{k+1} where Y_{k+1} was not clipped, else 0      a_k = b (1 − dt (∂f/∂y + λ))      λ̄ −= dt Y_k b      Z̄_k = b dW_k
//! ```

use super::drift::{self, Drift};
use super::paths::Paths;
use std::f64::consts::SQRT_2;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// Where Y is clipped, and where h turns into a line.
const CLIP: f64 = 5.0;
const LINEAR: f64 = 100.0;
/// Weights of the loss's terms.
pub(super) const MISMATCH: f64 = 1000.0;
pub(super) const CONSISTENCY: f64 = 20.0;

/// h(t) = t², and 200|t| − 10⁴ beyond |t| = 100; with its derivative.
pub(super) fn h(t: f64) -> [f64; 2] {
    if t.abs() < LINEAR {
        [t * t, 2.0 * t]
    } else {
        let line = 2.0 * LINEAR;
        [line * t.abs() - LINEAR * LINEAR, line * t.signum()]
    }
}

/// Where Z comes from.
#[derive(Clone, Copy, Debug)]
pub(super) enum Slopes<'a> {
    /// A network of its own: the columns are Z. y and ∇y at X_K, (1 + d) × M, beside it.
    Network(&'a [f64]),
    /// Z = s √2 ∇y: the columns are y and ∇y.
    Gradient,
}

/// What all paths of a batch have in common.
pub(super) struct Walk<'a> {
    pub(super) drift: &'a Drift,
    pub(super) paths: &'a Paths,
    pub(super) lambda: f64,
    /// s
    pub(super) scale: f64,
    /// y(X₀) of every path.
    pub(super) y0: &'a [f64],
    pub(super) slopes: Slopes<'a>,
}

/// Numbers along the paths of a tile, kept from tile to tile: (K, paths) each.
#[derive(Default)]
pub(super) struct Room {
    drift: drift::Room,
    now: Vec<f64>,
    y: Vec<f64>,
    /// 1 − dt (∂f/∂y + λ), and zero where Y_{k+1} was clipped.
    slopes: Vec<f64>,
    free: Vec<f64>,
}

/// What the paths of a batch say, each in its place.
#[derive(Clone, Debug, Default)]
pub(super) struct Ends {
    /// δ
    pub(super) deltas: Vec<f64>,
    /// The cotangent of Y₀ times s.
    pub(super) first: Vec<f64>,
    /// Shares of s̄ and λ̄.
    pub(super) of_scale: Vec<f64>,
    pub(super) of_lambda: Vec<f64>,
    /// C, M × d
    pub(super) off: Vec<f64>,
}

impl Ends {
    pub(super) fn new(paths: &Paths) -> Self {
        let zeros = || vec![0.0; paths.len()];
        Self {
            deltas: zeros(),
            first: zeros(),
            of_scale: zeros(),
            of_lambda: zeros(),
            off: vec![0.0; paths.len() * paths.dimension],
        }
    }

    fn put(&mut self, path: usize, end: &End<'_>) {
        self.deltas[path] = end.delta;
        self.first[path] = end.first;
        self.of_scale[path] = end.of_scale;
        self.of_lambda[path] = end.of_lambda;
        let d = end.off.len();
        self.off[path * d..(path + 1) * d].copy_from_slice(end.off);
    }
}

/// What one path says.
struct End<'a> {
    delta: f64,
    first: f64,
    of_scale: f64,
    of_lambda: f64,
    off: &'a [f64],
}

impl Walk<'_> {
    /// The columns at the points `range` of all, (columns, points), are replaced by their cotangents.
    pub(super) fn tile(
        &self,
        range: Range<usize>,
        columns: &mut [f64],
        room: &mut Room,
        ends: &Mutex<Ends>,
    ) {
        let d = self.paths.dimension;
        let points = &self.paths.points[range.start * d..range.end * d];
        self.drift.prepare(points, &mut room.drift);
        let first = range.start / (self.paths.steps + 1);
        self.forward(first, range.len(), columns, room);
        let mut off = vec![0.0; d];
        for p in 0..range.len() / (self.paths.steps + 1) {
            let end = self.backward((first, p), range.len(), columns, room, &mut off);
            let mut ends = ends.lock().unwrap_or_else(PoisonError::into_inner);
            ends.put(first + p, &end);
        }
    }

    /// Whether Z is a multiple of the columns from the second on, and which.
    fn multiple(&self) -> (usize, f64) {
        match self.slopes {
            Slopes::Network(_) => (0, 1.0),
            Slopes::Gradient => (1, SQRT_2 * self.scale),
        }
    }

    fn forward(&self, first: usize, n: usize, columns: &[f64], room: &mut Room) {
        let (steps, dt, d) = (self.paths.steps, self.paths.dt, self.paths.dimension);
        let count = n / (steps + 1);
        let (from, multiple) = self.multiple();
        let now = &mut room.now;
        now.clear();
        now.extend(self.y0[first..first + count].iter().map(|y| self.scale * y));
        for list in [&mut room.y, &mut room.slopes, &mut room.free] {
            list.resize(steps * count, 0.0);
        }
        for k in 0..steps {
            self.drift.evaluate((k, steps + 1), now, &mut room.drift);
            for (p, y) in now.iter_mut().enumerate() {
                let (at, place) = (k * count + p, p * (steps + 1) + k);
                let (f, slope) = (room.drift.f[p], room.drift.slope[p]);
                room.y[at] = *y;
                room.slopes[at] = 1.0 - dt * (slope + self.lambda);
                let dw = self.paths.increment(first + p, k);
                let along: f64 = (0..d)
                    .map(|i| columns[(from + i) * n + place] * dw[i])
                    .sum();
                let next = *y - dt * (f + self.lambda * *y) + multiple * along;
                let clipped = k + 1 < steps && next.abs() > CLIP;
                room.free[at] = f64::from(u8::from(!clipped));
                *y = if clipped { CLIP.copysign(next) } else { next };
            }
        }
    }

    /// One path: the `p`-th of a tile whose first is path `first` of all.
    fn backward<'o>(
        &self,
        (first, p): (usize, usize),
        n: usize,
        columns: &mut [f64],
        room: &Room,
        off: &'o mut [f64],
    ) -> End<'o> {
        let (steps, d, all) = (self.paths.steps, self.paths.dimension, self.paths.len());
        let (count, last) = (n / (steps + 1), p * (steps + 1) + steps);
        let (path, scale) = (first + p, self.scale);
        let (from, multiple) = self.multiple();
        let of_c = 2.0 * CONSISTENCY / (all * d) as f64;
        let (mut of_scale, mut of_lambda) = (0.0, 0.0);
        let y_last = match self.slopes {
            Slopes::Network(jets) => jets[path],
            Slopes::Gradient => columns[last],
        };
        let delta = room.now[p] - scale * y_last;
        let mut a = MISMATCH * h(delta)[1] / all as f64;
        of_scale -= a * y_last;
        for i in 0..d {
            let z = &mut columns[(from + i) * n + last];
            *z = match self.slopes {
                Slopes::Network(jets) => {
                    let slope = jets[(1 + i) * all + path];
                    off[i] = *z - scale * SQRT_2 * slope;
                    of_scale -= of_c * off[i] * SQRT_2 * slope;
                    of_c * off[i]
                }
                Slopes::Gradient => 0.0,
            };
        }
        let of_last = -a * scale;
        for k in (0..steps).rev() {
            let (at, place) = (k * count + p, p * (steps + 1) + k);
            let b = a * room.free[at];
            of_lambda -= self.paths.dt * room.y[at] * b;
            for (i, dw) in self.paths.increment(path, k).iter().enumerate() {
                let z = &mut columns[(from + i) * n + place];
                if matches!(self.slopes, Slopes::Gradient) {
                    of_scale += b * dw * SQRT_2 * *z;
                }
                *z = b * dw * multiple;
            }
            a = b * room.slopes[at];
        }
        let first = a * scale;
        of_scale += a * self.y0[path];
        if matches!(self.slopes, Slopes::Gradient) {
            let values = &mut columns[p * (steps + 1)..=last];
            values.fill(0.0);
            values[0] = first;
            values[steps] += of_last;
        }
        End {
            delta,
            first,
            of_scale,
            of_lambda,
            off,
        }
    }
}
