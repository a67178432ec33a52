//! Column by column: every loop runs along the points.

use super::{Axes, Layer, LocalBox, Places, Take};
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
        self.z.fill(layer.biases[j]);
        for (x, w) in coordinates.iter().zip(w) {
            add(&mut self.z, *w, x);
        }
        for (f, v) in places.known(&[]).zip(v) {
            add(&mut self.z, *v, f);
        }
        let plain = v.iter().all(|v| *v == 0.0);
        let steep = |i: usize| layer.local.as_ref().map_or(w[i], |l| w[i] / l.half[i]);
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
                [i] if plain => scaled(out, steep(i), g1),
                [i, k] if plain => scaled(out, steep(i) * steep(k), g2),
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

fn scaled(to: &mut [f64], factor: f64, column: &[f64]) {
    to.iter_mut()
        .zip(column)
        .for_each(|(to, x)| *to = factor * x);
}
