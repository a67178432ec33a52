//! One function and one point at a time, in the order of the formulas.

use super::{Axes, Layer, Places, Take};
use std::ops::ControlFlow;

/// Hands the functions to `take`, until it says stop.
pub(in crate::engine) fn sweep(
    layer: &Layer,
    places: &Places<'_>,
    wanted: &[Axes],
    take: &mut Take<'_>,
) -> ControlFlow<()> {
    for j in 0..layer.len() {
        let mut columns = vec![Vec::with_capacity(places.n()); wanted.len()];
        for p in 0..places.n() {
            for (column, value) in columns.iter_mut().zip(at(layer, j, places, p, wanted)) {
                column.push(value);
            }
        }
        take(j, &columns)?;
    }
    ControlFlow::Continue(())
}

/// The derivatives `wanted` of function `j` at point `p`.
fn at(layer: &Layer, j: usize, places: &Places<'_>, p: usize, wanted: &[Axes]) -> Vec<f64> {
    let d = places.coordinates.len();
    let inputs = d + places.inputs.len();
    let (w, v) = layer.weights[j * inputs..(j + 1) * inputs].split_at(d);
    // m and h of axis i
    let of_box = |i: usize| match &layer.local {
        Some(own) => (own.middle[i], own.half[i]),
        None => (0.0, 1.0),
    };
    let xi = |i: usize| (places.coordinates[i][p] - of_box(i).0) / of_box(i).1;
    // v·Df; a function that weighs nothing is not there, and may be infinite
    let known = |axes: &[usize]| -> f64 {
        let used = places.known(axes).zip(v).filter(|(_, v)| **v != 0.0);
        used.map(|(f, v)| v * f[p]).sum()
    };

    let z = layer.biases[j] + (0..d).map(|i| w[i] * xi(i)).sum::<f64>() + known(&[]);
    let z_first = |i: usize| w[i] / of_box(i).1 + known(&[i]);
    let z_second = |i: usize, k: usize| known(&[i, k]);
    let [g, g1, g2, _] = layer.bases[j].derivatives(z);
    let derivative = |axes: &Axes| match axes[..] {
        [] => g,
        [i] => g1 * z_first(i),
        [i, k] => g2 * z_first(i) * z_first(k) + g1 * z_second(i, k),
        _ => unreachable!("second order is the most that is asked for"),
    };
    wanted.iter().map(derivative).collect()
}
