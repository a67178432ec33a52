//! A text's steps over registers: one after the other, each once.
//!
//! The kernels of the engine hand a row of numbers over and get rows back, so that this code is compiled once for each instruction set
//! and not into every kernel.
#![allow(
    unsafe_code,
    reason = "vector loads and stores at places inside arrays of known length; steps that are read were written before"
)]

use super::{MOST_NAMES, MOST_STEPS, Text};
use crate::basis::function::Sensitivities;
use crate::basis::tanh;
use crate::expr::{Binary, Schedule, Step, Unary};
use crate::simd::{Isa, Kernel, Real, Vector, dispatch, exp, sin, sincos};
use std::mem::MaybeUninit;

/// Most numbers in a row: two of the widest registers.
const ROW: usize = 32;

/// [γ, …, γ⁽ᴼᴿᴰᴱᴿ⁾] of a row; the entries beyond stay zero.
#[inline(always)]
pub(super) fn tower<V: Vector, const ORDER: usize>(
    text: Text,
    y: V,
    names: &[V::Element],
) -> [V; 4] {
    row(&text.0.formula.towers[ORDER], y, names)
}

/// `∂γ/∂name[k]` for every k, with two derivatives in y if `ORDER` is above 1.
#[inline(always)]
pub(super) fn sensitivities<V: Vector, const ORDER: usize>(
    text: Text,
    y: V,
    names: &[V::Element],
) -> Sensitivities<V> {
    let mut all = [[V::zero(); 3]; MOST_NAMES];
    for (to, schedules) in all.iter_mut().zip(&text.0.formula.sensitivities) {
        let [value, slope, bend, _] = row(&schedules[usize::from(ORDER > 1)], y, names);
        *to = [value, slope, bend];
    }
    all
}

#[inline(always)]
fn row<V: Vector>(schedule: &Schedule, y: V, names: &[V::Element]) -> [V; 4] {
    const { assert!(V::LANES <= ROW) };
    let mut from = [V::Element::ZERO; ROW];
    let mut to = [[V::Element::ZERO; ROW]; 4];
    // SAFETY: a row has room for the lanes of any register.
    unsafe { y.store(from.as_mut_ptr()) };
    rows(schedule, &from[..V::LANES], names, &mut to);
    let [a, b, c, d] = &to;
    // SAFETY: as above.
    unsafe {
        [
            V::load(a.as_ptr()),
            V::load(b.as_ptr()),
            V::load(c.as_ptr()),
            V::load(d.as_ptr()),
        ]
    }
}

#[inline(never)]
fn rows<T: Real>(schedule: &Schedule, y: &[T], names: &[T], to: &mut [[T; ROW]; 4]) {
    dispatch(Interpreter {
        schedule,
        y,
        names,
        to,
    });
}

struct Interpreter<'a, T> {
    schedule: &'a Schedule,
    y: &'a [T],
    names: &'a [T],
    to: &'a mut [[T; ROW]; 4],
}

impl<T: Real> Kernel for Interpreter<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        let lanes = T::Register::<I>::LANES;
        let n_steps = self.schedule.steps.len();
        assert!(n_steps <= MOST_STEPS && self.schedule.outputs.len() <= self.to.len());
        for start in (0..self.y.len()).step_by(lanes) {
            let n = lanes.min(self.y.len() - start);
            let mut row = [T::ZERO; ROW];
            row[..n].copy_from_slice(&self.y[start..start + n]);
            // SAFETY: a row has room for the lanes of any register.
            let y = unsafe { T::Register::<I>::load(row.as_ptr()) };
            let mut done = [MaybeUninit::<T::Register<I>>::uninit(); MOST_STEPS];
            for (k, &step) in self.schedule.steps.iter().enumerate() {
                let (before, rest) = done.split_at_mut(k);
                let value = match step {
                    Step::Input(0) => y,
                    Step::Input(name) => T::Register::<I>::splat(self.names[name - 1]),
                    // SAFETY: a step reads earlier steps only, and these are written.
                    step => computed(step, |place| unsafe { before[place].assume_init() }),
                };
                rest[0].write(value);
            }
            for (to, &place) in self.to.iter_mut().zip(&self.schedule.outputs) {
                let output = done[..n_steps][place];
                // SAFETY: the steps are written; a row has room for the lanes of any register.
                unsafe { output.assume_init().store(row.as_mut_ptr()) };
                to[start..start + n].copy_from_slice(&row[..n]);
            }
        }
    }
}

#[inline(always)]
fn computed<V: Vector>(step: Step, at: impl Fn(usize) -> V) -> V {
    match step {
        Step::Input(_) => unreachable!("inputs are loaded"),
        Step::Constant(c) => V::constant(c),
        Step::Add(a, b) => at(a).add(at(b)),
        Step::AddScaled(a, b, c) => V::constant(c).mul_add(at(b), at(a)),
        Step::Scale(a, c) => V::constant(c).mul(at(a)),
        Step::Shift(a, c) => at(a).add(V::constant(c)),
        Step::Multiply(a, b) => at(a).mul(at(b)),
        Step::Divide(a, b) => at(a).div(at(b)),
        Step::Reciprocal(a) => V::constant(1.0).div(at(a)),
        Step::Unary(function, a) => unary(function, at(a)),
        Step::Binary(function, a, b) => binary(function, at(a), at(b)),
        Step::Select(c, a, b) => {
            // |c| > 0 where the condition holds
            at(c).abs().select_above(V::zero(), at(a), at(b))
        }
    }
}

#[inline(always)]
fn unary<V: Vector>(function: Unary, a: V) -> V {
    match function {
        Unary::Sin => sin(a),
        Unary::Cos => sincos(a).1,
        Unary::Exp => tailed_exp(a),
        Unary::Tanh => tanh::tower(a)[0],
        Unary::Sqrt => a.sqrt(),
        Unary::Abs => a.abs(),
        Unary::Floor => a.floor(),
        other => a.lanewise(a, |a, _| V::Element::from_f64(other.value(a.to_f64()))),
    }
}

/// exp, zero where it would be subnormal: arithmetic with such numbers is many times slower.
#[inline(always)]
fn tailed_exp<V: Vector>(a: V) -> V {
    let limit = V::constant(if V::Element::FRACTION_BITS == 23 {
        -87.0
    } else {
        -708.0
    });
    limit.select_above(a, V::zero(), exp(limit.max(a))) // a NaN stays one
}

#[inline(always)]
fn binary<V: Vector>(function: Binary, a: V, b: V) -> V {
    let truth = |above: V, bound: V| above.select_above(bound, V::constant(1.0), V::zero());
    match function {
        Binary::Less => truth(b, a),
        other => a.lanewise(b, |a, b| {
            V::Element::from_f64(other.value(a.to_f64(), b.to_f64()))
        }),
    }
}
