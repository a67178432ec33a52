//! Column by column: every loop runs along the points.
#![allow(
    unsafe_code,
    reason = "a register of points is read and written at a time"
)]

use super::{Axes, Layer, LocalBox, Places, Take};
use crate::basis::{Basis, Function, Visitor};
use crate::simd::{Isa, Kernel, Vector, dispatch};
use std::ops::ControlFlow;

/// Hands the functions to `take`, until it says stop.
pub(in crate::engine) fn sweep(
    layer: &Layer,
    places: &Places<'_>,
    wanted: &[Axes],
    take: &mut Take<'_>,
) -> ControlFlow<()> {
    let local = layer.local.as_ref();
    let local = local.map(|own| coordinates_in(own, places.coordinates));
    let coordinates = local.as_deref().unwrap_or(places.coordinates);
    let mut scratch = Scratch::new(places.n());
    let mut out = vec![vec![0.0; places.n()]; wanted.len()];
    for j in 0..layer.len() {
        scratch.function(layer, j, places, coordinates, wanted, &mut out);
        take(j, &out)?;
    }
    ControlFlow::Continue(())
}

fn coordinates_in(own: &LocalBox, x: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let axes = x.iter().zip(&own.middle).zip(&own.half);
    axes.map(|((x, m), h)| x.iter().map(|x| (x - m) / h).collect())
        .collect()
}

/// Room for z, γ, γ′, γ″, γ‴ and the slopes of z at all points.
struct Scratch {
    z: Vec<f64>,
    tower: [Vec<f64>; 4],
    slopes: [Vec<f64>; 3],
}

impl Scratch {
    fn new(n: usize) -> Self {
        let column = || vec![0.0; n];
        Self {
            z: column(),
            tower: [column(), column(), column(), column()],
            slopes: [column(), column(), column()],
        }
    }

    /// The derivatives `wanted` of function `j`.
    fn function(
        &mut self,
        layer: &Layer,
        j: usize,
        places: &Places<'_>,
        coordinates: &[Vec<f64>],
        wanted: &[Axes],
        out: &mut [Vec<f64>],
    ) {
        let d = coordinates.len();
        let inputs = d + places.inputs.len();
        let (w, v) = layer.weights[j * inputs..(j + 1) * inputs].split_at(d);
        let steep = |i: usize| layer.local.as_ref().map_or(w[i], |l| w[i] / l.half[i]);
        if v.iter().all(|v| *v == 0.0) {
            return dispatch(OfCoordinates {
                basis: layer.bases[j],
                shape: &layer.bases[j].shape_start(),
                weights: w,
                bias: layer.biases[j],
                coordinates,
                steep: &steep,
                wanted,
                out,
            });
        }
        self.z.fill(layer.biases[j]);
        for (x, w) in coordinates.iter().zip(w) {
            add(&mut self.z, *w, x);
        }
        for (f, v) in places.known(&[]).zip(v) {
            add(&mut self.z, *v, f);
        }
        let [g0, g1, g2, g3] = &mut self.tower;
        layer.bases[j].derivatives_into(&self.z, [g0, g1, g2, g3]);
        let [first, second, bend] = &mut self.slopes;
        let slope = |to: &mut [f64], axes: &[usize]| {
            to.fill(if let [i] = axes { steep(*i) } else { 0.0 });
            for (f, v) in places.known(axes).zip(v) {
                add(to, *v, f);
            }
        };
        for (axes, out) in wanted.iter().zip(out) {
            match axes[..] {
                [] => out.copy_from_slice(g0),
                [i] => {
                    slope(first, &[i]);
                    for ((o, g), s) in out.iter_mut().zip(&*g1).zip(&*first) {
                        *o = g * s;
                    }
                }
                [i, k] => {
                    slope(first, &[i]);
                    slope(second, &[k]);
                    slope(bend, &[i, k]);
                    for (p, o) in out.iter_mut().enumerate() {
                        *o = g2[p] * first[p] * second[p] + g1[p] * bend[p];
                    }
                }
                _ => unreachable!("second order is the most that is asked for"),
            }
        }
    }
}

fn add(to: &mut [f64], factor: f64, column: &[f64]) {
    if factor == 0.0 {
        return;
    }
    to.iter_mut()
        .zip(column)
        .for_each(|(to, x)| *to += factor * x);
}

/// A function that reads no known ones: z, γ and all that is wanted of it while they are in registers.
struct OfCoordinates<'a> {
    basis: Basis,
    shape: &'a [f64],
    weights: &'a [f64],
    bias: f64,
    coordinates: &'a [Vec<f64>],
    /// z_i
    steep: &'a dyn Fn(usize) -> f64,
    wanted: &'a [Axes],
    out: &'a mut [Vec<f64>],
}

impl Kernel for OfCoordinates<'_> {
    type Output = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        // the order of each derivative, and what γ's is multiplied by
        let factor = |axes: &Axes| axes.iter().map(|i| (self.steep)(*i)).product::<f64>();
        let wanted = self.wanted.iter().map(|axes| (axes.len(), factor(axes)));
        let wanted: Vec<(usize, f64)> = wanted.collect();
        self.basis.visit(AlongPoints::<I> {
            of: self.coordinates,
            weights: self.weights,
            bias: self.bias,
            shape: self.shape,
            wanted: &wanted,
            out: self.out,
            isa: std::marker::PhantomData,
        });
    }
}

/// The same once its basis is known.
struct AlongPoints<'a, I> {
    of: &'a [Vec<f64>],
    weights: &'a [f64],
    bias: f64,
    shape: &'a [f64],
    wanted: &'a [(usize, f64)],
    out: &'a mut [Vec<f64>],
    isa: std::marker::PhantomData<I>,
}

impl<I: Isa> Visitor for AlongPoints<'_, I> {
    type Output = ();
    #[inline(always)]
    fn visit<F: Function>(self, function: F) {
        let n = self.of.first().map_or(0, Vec::len);
        let mut at = 0;
        while at < n {
            let mut z = I::F64::splat(self.bias);
            for (x, w) in self.of.iter().zip(self.weights) {
                if *w != 0.0 {
                    z = z.add(I::F64::splat(*w).mul(read(&x[at..])));
                }
            }
            let tower = function.tower::<_, 2>(z, self.shape);
            for ((order, factor), out) in self.wanted.iter().zip(&mut *self.out) {
                let value = match order {
                    0 => tower[0],
                    1 => I::F64::splat(*factor).mul(tower[1]),
                    2 => I::F64::splat(*factor).mul(tower[2]),
                    _ => unreachable!("second order is the most that is asked for"),
                };
                write(value, &mut out[at..]);
            }
            at += I::F64::LANES;
        }
    }
}

/// The first numbers, as many as a register holds; zeros behind the last.
#[inline(always)]
fn read<V: Vector<Element = f64>>(from: &[f64]) -> V {
    if from.len() >= V::LANES {
        // SAFETY: there are as many.
        return unsafe { V::load(from.as_ptr()) };
    }
    let mut some = [0.0; 8];
    some[..from.len()].copy_from_slice(from);
    // SAFETY: a register has at most 8 lanes.
    unsafe { V::load(some.as_ptr()) }
}

/// The other way, as many as there is room for.
#[inline(always)]
fn write<V: Vector<Element = f64>>(value: V, to: &mut [f64]) {
    if to.len() >= V::LANES {
        // SAFETY: there is room for a register.
        return unsafe { value.store(to.as_mut_ptr()) };
    }
    let mut some = [0.0; 8];
    // SAFETY: a register has at most 8 lanes.
    unsafe { value.store(some.as_mut_ptr()) };
    to.copy_from_slice(&some[..to.len()]);
}
