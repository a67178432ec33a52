//! The network's inputs with their streams: coordinates, or sines and cosines of them, and known functions.
//!
//! ```text
//! raw        x_k: value x_k, derivative 1 along k, no second derivative
//! periodic   f(x_i) = sin(m x_i) or cos(m x_i): f′ along i, Σ C_ii f″ in second order
//! ```

use super::plan::Plan;
use crate::engine::Points;
use crate::network::Encoding;
use crate::simd::Real;

/// Fills `inputs` (blocks, streams, width, B) from the points and from the features' streams (feature, streams, n).
pub(super) fn encode<T: Real>(
    plan: &Plan,
    points: &Points<'_, T>,
    features: &[T],
    inputs: &mut [T],
    blocks: usize,
) {
    let (streams, b, width) = (plan.carried.len(), plan.block, plan.inputs.width());
    let (n, d) = (points.len(), plan.inputs.dimension);
    let mut put = |s: usize, row: usize, value: &dyn Fn(usize) -> T| {
        for block in 0..blocks {
            let to = ((block * streams + s) * width + row) * b;
            for (lane, out) in inputs[to..to + b].iter_mut().enumerate() {
                *out = value(block * b + lane);
            }
        }
    };
    let mut row = 0;
    match plan.inputs.encoding {
        Encoding::Raw => {
            for k in 0..d {
                let x = points.coordinate(k);
                put(0, k, &|i| x[i]);
                for s in 1..streams {
                    let value = if plan.carried.direction(k) == Some(s) {
                        T::ONE
                    } else {
                        T::ZERO
                    };
                    put(s, k, &|_| value);
                }
            }
            row += d;
        }
        Encoding::Periodic { order } => {
            for m in (1..=order).map(|m| T::from_f64(m as f64)) {
                for cosine in [false, true] {
                    for k in 0..d {
                        let x = points.coordinate(k);
                        let tower = |i: usize| {
                            let (sin, cos) = (m * x[i]).sincos_std();
                            if cosine {
                                [cos, -m * sin, -m * m * cos]
                            } else {
                                [sin, m * cos, -m * m * sin]
                            }
                        };
                        periodic_streams(plan, k, row, &tower, &mut put);
                        row += 1;
                    }
                }
            }
        }
    }
    for feature in 0..plan.inputs.features {
        for s in 0..streams {
            let values = &features[(feature * streams + s) * n..(feature * streams + s + 1) * n];
            put(s, row, &|i| values[i]);
        }
        row += 1;
    }
}

/// The streams of a function of coordinate `k` alone, with its value and two derivatives.
fn periodic_streams<T: Real>(
    plan: &Plan,
    k: usize,
    row: usize,
    tower: &dyn Fn(usize) -> [T; 3],
    put: &mut impl FnMut(usize, usize, &dyn Fn(usize) -> T),
) {
    put(0, row, &|i| tower(i)[0]);
    for (s, &direction) in plan.carried.directions().iter().enumerate() {
        if direction == k {
            put(1 + s, row, &|i| tower(i)[1]);
        } else {
            put(1 + s, row, &|_| T::ZERO);
        }
    }
    for (s, quadratic) in plan.carried.second().iter().enumerate() {
        let along = |p: usize| plan.carried.directions()[p] == k;
        let diagonal: f64 = quadratic
            .entries
            .iter()
            .filter(|(i, j, _)| i == j && along(*i))
            .map(|e| e.2)
            .sum();
        let c = T::from_f64(diagonal);
        put(plan.carried.second_stream(s), row, &|i| c * tower(i)[2]);
    }
}
