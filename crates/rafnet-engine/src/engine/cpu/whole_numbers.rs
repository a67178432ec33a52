//! Products and weight gradients over small whole numbers, where every sum is exact: any order, any panel and any instruction
//! set must give the plain triple loop's numbers to the last bit.

use super::back::Back;
use super::coefficients::Coefficients;
use super::plan::Plan;
use super::weight_gradient::WeightGradient;
use super::{forward::Forward, inputs};
use crate::engine::{Points, Streams};
use crate::network::{Bias, Inputs, Layer, Network};
use crate::simd::{Level, Real};
use std::collections::BTreeSet;

/// Widths that meet every size of panel, and one register of columns or two in the last panel.
const SIZES: &[usize] = if cfg!(debug_assertions) {
    // as many panels in less: the triple loops of wide layers take long where checks are on
    &[
        1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 16, 17, 19, 22, 28, 64, 73,
    ]
} else {
    &[
        1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 16, 17, 19, 22, 63, 64, 73, 300,
    ]
};
const BLOCKS: usize = 2;

/// Whole numbers from −3 to 3.
fn whole<T: Real>(n: usize, seed: usize) -> Vec<T> {
    let number = |i: usize| ((i * 2_654_435_761 + seed * 40_503) >> 7) % 7;
    (0..n)
        .map(|i| T::from_f64(number(i) as f64 - 3.0))
        .collect()
}

/// The middle one of three linear layers: `fan_in` to `width`; or the first one, on raw inputs.
struct Dense<T> {
    plan: Plan,
    layer: usize,
    coefficients: Coefficients<T>,
    parameters: Vec<T>,
    /// Inputs (blocks, streams, fan_in, B).
    a: Vec<T>,
}

impl<T: Real> Dense<T> {
    fn new(level: Level, width: usize, fan_in: usize, layer: usize) -> Self {
        let (d, first) = if layer == 0 {
            (fan_in, width)
        } else {
            (2, fan_in)
        };
        let layers = vec![
            Layer::linear(first, Bias::Yes),
            Layer::linear(width, Bias::Yes),
            Layer::linear(1, Bias::No),
        ];
        let network = Network::new(Inputs::coordinates(d), layers).expect("layers that fit");
        let carried = Streams::laplacian().carried(d).expect("a Laplacian");
        let plan = Plan::new::<T>(level, &network, carried);
        let parameters: Vec<T> = whole(network.n_parameters(), 5);
        let mut coefficients = Coefficients::new(&network, &plan);
        coefficients.refresh(&network, &plan, &parameters);
        let n = BLOCKS * plan.carried.len() * fan_in * plan.block;
        let mut a: Vec<T> = whole(n, 7);
        if layer == 0 {
            let points = whole(BLOCKS * plan.block * d, 11);
            let points = Points::new(&points, BLOCKS * plan.block);
            inputs::encode(&plan, &points, &[], &mut a, BLOCKS);
        }
        Self {
            plan,
            layer,
            coefficients,
            parameters,
            a,
        }
    }

    fn rows(&self, width: usize) -> usize {
        BLOCKS * self.plan.carried.len() * width * self.plan.block
    }

    /// W̄ and b̄ by the kernel, and by the definition W̄_ij = Σ z̄_i a_j over blocks, streams and lanes, b̄_i = Σ z̄_i of the value.
    fn gradients(&self) -> [Vec<T>; 2] {
        let (layer, b) = (&self.plan.layers[self.layer], self.plan.block);
        let (m, k, streams) = (layer.width, layer.fan_in, self.plan.carried.len());
        let z_bar: Vec<T> = whole(self.rows(m), 3);
        let mut found = whole(self.plan.n_parameters, 1);
        let mut expected = found.clone();
        WeightGradient {
            plan: &self.plan,
            layer: self.layer,
            blocks: BLOCKS,
            z_bar: &z_bar,
            a: &self.a,
            gradient: &mut found,
            scratch: &mut vec![T::ZERO; BLOCKS * streams * b * b],
        }
        .execute();
        for pair in 0..BLOCKS * streams {
            for i in 0..m {
                let z = &z_bar[(pair * m + i) * b..][..b];
                for j in 0..k {
                    let a = &self.a[(pair * k + j) * b..][..b];
                    for (&z, &a) in z.iter().zip(a) {
                        expected[layer.weight + i * k + j] += z * a;
                    }
                }
                if pair % streams == 0 {
                    let bias = layer.bias.expect("a bias");
                    z.iter().for_each(|&z| expected[bias + i] += z);
                }
            }
        }
        [found, expected]
    }

    /// z = W a + b by the kernel and by the definition.
    fn forward(&self) -> [Vec<T>; 2] {
        let (layer, b) = (&self.plan.layers[self.layer], self.plan.block);
        let (m, k, streams) = (layer.width, layer.fan_in, self.plan.carried.len());
        let mut found = vec![T::ZERO; self.rows(m)];
        Forward {
            plan: &self.plan,
            layer: self.layer,
            coefficients: &self.coefficients,
            blocks: BLOCKS,
            a: &self.a,
            z: &mut [],
            h: &mut found,
            skip: None,
        }
        .execute();
        let bias = layer.bias.expect("a bias");
        let expected = (0..self.rows(m)).map(|place| {
            let (pair, i, lane) = (place / (m * b), place / b % m, place % b);
            let start = if pair % streams == 0 {
                self.parameters[bias + i]
            } else {
                T::ZERO
            };
            (0..k).fold(start, |sum, j| {
                sum + self.parameters[layer.weight + i * k + j] * self.a[(pair * k + j) * b + lane]
            })
        });
        [found, expected.collect()]
    }

    /// h̄ += Wᵀ z̄ by the kernel and by the definition.
    fn back(&self) -> [Vec<T>; 2] {
        let (layer, b) = (&self.plan.layers[self.layer], self.plan.block);
        let (m, k) = (layer.width, layer.fan_in);
        let z_bar: Vec<T> = whole(self.rows(m), 3);
        let before: Vec<T> = whole(self.rows(k), 2);
        let mut found = before.clone();
        Back {
            plan: &self.plan,
            layer: self.layer,
            coefficients: &self.coefficients,
            blocks: BLOCKS,
            z_bar: &z_bar,
            h_bar: &mut found,
            accumulate: true,
        }
        .execute();
        let expected = before.iter().enumerate().map(|(place, &start)| {
            let (pair, j, lane) = (place / (k * b), place / b % k, place % b);
            (0..m).fold(start, |sum, i| {
                sum + self.parameters[layer.weight + i * k + j] * z_bar[(pair * m + i) * b + lane]
            })
        });
        [found, expected.collect()]
    }
}

/// Every pair of sizes; the paths that were met.
fn walk<T: Real>(level: Level) -> BTreeSet<String> {
    let mut met = BTreeSet::new();
    for &width in SIZES {
        for &fan_in in SIZES {
            let dense = Dense::<T>::new(level, width, fan_in, 1);
            let what = format!("{level:?}, {}, {width} neurons of {fan_in} inputs", T::NAME);
            for (name, [found, expected]) in [
                ("forward", dense.forward()),
                ("back", dense.back()),
                ("gradient", dense.gradients()),
            ] {
                assert!(found == expected, "{what}: {name}");
            }
            met.extend(dense.plan.paths());
        }
    }
    met
}

/// The first layer on raw coordinates: derivative streams are columns of W, and their gradient skips them.
fn walk_raw<T: Real>(level: Level) {
    for (width, fan_in) in [(1, 2), (15, 64), (16, 63), (16, 64), (20, 70), (50, 100)] {
        let dense = Dense::<T>::new(level, width, fan_in, 0);
        let what = format!(
            "{level:?}, {}, {width} neurons of {fan_in} coordinates",
            T::NAME
        );
        let [found, expected] = dense.forward();
        assert!(found == expected, "{what}: forward");
        let [found, expected] = dense.gradients();
        assert!(found == expected, "{what}: gradient");
    }
}

#[test]
fn products_and_gradients_are_exact() {
    for level in Level::available() {
        let met = walk::<f64>(level);
        assert_eq!(met, walk::<f32>(level));
        // every size of panel of a product; wide layers are cut evenly, so their panels are more than half full
        let sizes = |what: &str| met.iter().filter(|p| p.contains(what)).count();
        let rows = if level == Level::Avx512 { 14 } else { 6 };
        assert_eq!(sizes("product of"), rows, "{met:?}");
        assert_eq!(sizes("by transposed inputs"), rows - rows / 2, "{met:?}");
        assert_eq!(sizes("by lane sums"), 1, "{met:?}");
    }
}

#[test]
fn gradients_of_many_coordinates_are_exact() {
    for level in Level::available() {
        walk_raw::<f64>(level);
        walk_raw::<f32>(level);
    }
}
