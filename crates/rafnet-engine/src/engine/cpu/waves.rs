//! sin(mx) and cos(mx) of one coordinate with their streams, a register of points at a time.
//!
//! ```text
//! a₀ f + a₁ f′ + a₂ f″ = (a₀ − m² a₂) f ± m a₁ g        f = sin(mx), g = cos(mx), +;  f = cos(mx), g = sin(mx), −
//! ```
//!
//! with a = (1, 0, 0) in the value, (0, 1, 0) in the derivative along the coordinate and (0, 0, Σ C_ii) in second order.
#![allow(
    unsafe_code,
    reason = "unchecked loads and stores; every place is an offset into a buffer whose length is asserted"
)]

use super::plan::Plan;
use crate::simd::{Isa, Kernel, Real, Vector, sincos};

/// All waves of one coordinate.
pub(super) struct Waves<'a, T> {
    pub(super) plan: &'a Plan,
    /// Which coordinate.
    pub(super) k: usize,
    /// The largest m.
    pub(super) order: usize,
    /// The coordinate at every point (blocks, B).
    pub(super) x: &'a [T],
    pub(super) blocks: usize,
    /// (blocks, streams, width, B), of which these waves are the rows k, d + k, 2d + k, …
    pub(super) inputs: &'a mut [T],
}

impl<T> Waves<'_, T> {
    /// a₀, a₁, a₂ of a stream.
    fn shares(&self, stream: usize) -> [f64; 3] {
        let carried = &self.plan.carried;
        let along = |p: usize| carried.directions()[p] == self.k;
        match stream {
            0 => [1.0, 0.0, 0.0],
            _ if carried.direction(self.k) == Some(stream) => [0.0, 1.0, 0.0],
            _ if stream <= carried.directions().len() => [0.0; 3],
            _ => {
                let second = carried.second().iter().enumerate();
                let own = second.filter(|(s, _)| carried.second_stream(*s) == stream);
                let entries = own.flat_map(|(_, quadratic)| &quadratic.entries);
                let diagonal = entries.filter(|(i, j, _)| i == j && along(*i));
                [0.0, 0.0, diagonal.map(|e| e.2).sum()]
            }
        }
    }
}

impl<T: Real> Kernel for Waves<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        self.plan.assert_level::<I, T>();
        let (streams, b, width) = (
            self.plan.carried.len(),
            self.plan.block,
            self.plan.inputs.width(),
        );
        let (d, lanes) = (self.plan.inputs.dimension, T::Register::<I>::LANES);
        assert!(self.x.len() >= self.blocks * b && 2 * d * self.order <= width && self.k < d);
        assert!(self.inputs.len() >= self.blocks * streams * width * b);
        for stream in 0..streams {
            let shares = self.shares(stream);
            for block in 0..self.blocks {
                for at in [0, lanes] {
                    // SAFETY: a block is two registers, and the rows of both waves are below the width; the lengths are asserted above.
                    unsafe {
                        let x = T::Register::<I>::load(self.x.as_ptr().add(block * b + at));
                        let rows = (block * streams + stream) * width + self.k;
                        let mut out = self.inputs.as_mut_ptr().add(rows * b + at);
                        for m in 1..=self.order {
                            let [sine, cosine] = wave(m as f64, shares, x);
                            sine.store(out);
                            cosine.store(out.add(d * b));
                            if m < self.order {
                                out = out.add(2 * d * b);
                            }
                        }
                    }
                }
            }
        }
    }
}

/// A stream of sin(mx) and of cos(mx).
#[inline(always)]
fn wave<V: Vector>(m: f64, [value, first, second]: [f64; 3], x: V) -> [V; 2] {
    let (own, other) = (value - m * m * second, m * first);
    if own == 0.0 && other == 0.0 {
        return [V::zero(); 2];
    }
    let (sin, cos) = sincos(x.mul(V::constant(m)));
    if other == 0.0 {
        let own = V::constant(own);
        return [sin.mul(own), cos.mul(own)];
    }
    let other = V::constant(other); // a first derivative has nothing of its own
    [cos.mul(other), V::zero().sub(sin.mul(other))]
}
