//! The network's inputs with their streams: coordinates, or sines and cosines of them, and known functions.
//!
//! ```text
//! raw        x_k: value x_k, derivative 1 along k, no second derivative
//! periodic   f(x_i) = sin(m x_i) or cos(m x_i): f′ along i, Σ C_ii f″ in second order
//! ```

use super::plan::Plan;
use super::waves::Waves;
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
    let put = |inputs: &mut [T], s: usize, row: usize, value: &dyn Fn(usize) -> T| {
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
                put(inputs, 0, k, &|i| x[i]);
                for s in 1..streams {
                    let value = if plan.carried.direction(k) == Some(s) {
                        T::ONE
                    } else {
                        T::ZERO
                    };
                    put(inputs, s, k, &|_| value);
                }
            }
            row += d;
        }
        Encoding::Periodic { order } => {
            for k in 0..d {
                let x = points.coordinate(k);
                Waves {
                    plan,
                    k,
                    order,
                    x,
                    blocks,
                    inputs: &mut *inputs,
                }
                .execute();
            }
            row += 2 * d * order;
        }
    }
    for feature in 0..plan.inputs.features {
        for s in 0..streams {
            let values = &features[(feature * streams + s) * n..(feature * streams + s + 1) * n];
            put(inputs, s, row, &|i| values[i]);
        }
        row += 1;
    }
}
