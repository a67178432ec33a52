//! The frozen functions of a problem: g(x) φ_j(x), with derivatives up to second order.
//!
//! The run's device computes the ridge functions φ_j ([`ridges`](crate::engine::ridges)); here they meet the problem's factor g and lift l, by
//! Leibniz' rule.

use crate::engine::ridges::{Axes, Layer};
use crate::halt::Halt;
use crate::posed::{Block, JetColumns, Residual};
use crate::simd::{add_scaled, sum_of_products};
use std::collections::HashMap;
use std::ops::ControlFlow;

/// How a jet of u is made from derivatives of γ(z): directly, or by a sum of products with derivatives of the factor.
enum Recipe {
    /// Column `0` of the raw ones.
    Raw(usize),
    /// Σ c · (a column of g) · (a raw one), into a column of its own.
    Products(Vec<(f64, usize, usize)>, Vec<f64>),
}

/// Calls `take(j, jet, column)` for every function j of a layer and every jet of a residual at a block's points, until it is ended: what
/// was made of them is then of no use.
pub(crate) fn each_function(
    layer: &Layer,
    residual: &Residual,
    block: &Block,
    halt: &Halt,
    mut take: impl FnMut(usize, usize, &[f64]),
) {
    let sites = &block.sites;
    let mut wanted: Vec<Axes> = Vec::new();
    let mut places: HashMap<Axes, usize> = HashMap::new();
    let mut place = |axes: &[usize]| {
        *places.entry(axes.to_vec()).or_insert_with(|| {
            wanted.push(axes.to_vec());
            wanted.len() - 1
        })
    };
    let mut recipes: Vec<Recipe> = Vec::new();
    for (u, axes) in &residual.jets {
        recipes.push(if sites.ansatz[*u].is_none() {
            Recipe::Raw(place(axes))
        } else {
            let products = leibniz(axes)
                .into_iter()
                .map(|(c, of_g, of_phi)| (c, sites.wanted.place(&of_g), place(&of_phi)));
            Recipe::Products(products.collect(), vec![0.0; sites.n])
        });
    }
    let take = &mut |j: usize, raw: &[Vec<f64>]| {
        if halt.is_raised() {
            return ControlFlow::Break(());
        }
        for (k, recipe) in recipes.iter_mut().enumerate() {
            match recipe {
                Recipe::Raw(at) => take(j, k, &raw[*at]),
                Recipe::Products(products, out) => {
                    let Some([g, _]) = &sites.ansatz[residual.jets[k].0] else {
                        continue;
                    };
                    sum_of_products(out, products, g, raw);
                    take(j, k, out);
                }
            }
        }
        ControlFlow::Continue(())
    };
    let swept = sites.device.ridges(layer, &sites.places(), &wanted, take);
    swept.expect(
        "a layer is drawn for its problem, whose points know every derivative that is read",
    );
}

/// D^α(g φ) = Σ c · D^β g · D^(α−β) φ.
fn leibniz(axes: &[usize]) -> Vec<(f64, Axes, Axes)> {
    match *axes {
        [] => vec![(1.0, vec![], vec![])],
        [i] => vec![(1.0, vec![i], vec![]), (1.0, vec![], vec![i])],
        [i, j] => vec![
            (1.0, vec![i, j], vec![]),
            (1.0, vec![i], vec![j]),
            (1.0, vec![j], vec![i]),
            (1.0, vec![], vec![i, j]),
        ],
        _ => unreachable!("second order is the most that problems have"),
    }
}

/// The jets of u = l + g Σ c_j φ_j at a block's points; `coefficients` has N numbers for each unknown.
pub(crate) fn jets_of(
    layer: &Layer,
    coefficients: &[f64],
    residual: &Residual,
    block: &Block,
) -> JetColumns {
    jets_unless(&Halt::default(), layer, coefficients, residual, block)
}

/// The same, of no use once it is ended.
pub(crate) fn jets_unless(
    halt: &Halt,
    layer: &Layer,
    coefficients: &[f64],
    residual: &Residual,
    block: &Block,
) -> JetColumns {
    let n = layer.len();
    let mut out: JetColumns = residual
        .jets
        .iter()
        .map(|(u, axes)| match &block.sites.ansatz[*u] {
            Some([_, lift]) => lift[block.sites.wanted.place(axes)].clone(),
            None => vec![0.0; block.sites.n],
        })
        .collect();
    each_function(layer, residual, block, halt, |j, k, column| {
        let c = coefficients[residual.jets[k].0 * n + j];
        add_scaled(&mut out[k], c, column);
    });
    out
}
