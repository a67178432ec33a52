//! The frozen functions: φ_j(x) = g(x) γ(w_j·(x, f(x)) + b_j), with derivatives up to second order.
//!
//! ```text
//! z = w·x + v·f(x) + b     φ = γ(z)     φ_i = γ′ z_i     φ_ij = γ″ z_i z_j + γ′ z_ij      z_i = w_i + v·f_i,  z_ij = v·f_ij
//! ```
//!
//! f are the problem's extra inputs, g its factor; derivatives of the product follow by Leibniz' rule.

use crate::basis::Basis;
use crate::posed::{Axes, Block, JetColumns, Residual, Sites};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};

/// A layer of ridge functions in the user's coordinates.
#[derive(Clone, Debug, Default)]
pub(crate) struct Layer {
    /// γ of each function, equal ones together.
    pub(crate) bases: Vec<Basis>,
    /// N × inputs, row by row: the coordinates' weights, then the extra inputs'.
    pub(crate) weights: Vec<f64>,
    /// N
    pub(crate) biases: Vec<f64>,
    /// Where the layer's own coordinates run from −1 to 1, if they are not the user's. There are no extra inputs then.
    pub(crate) local: Option<LocalBox>,
}

/// A box with coordinates of its own: ξ = (x − m) / h.
#[derive(Clone, Debug)]
pub(crate) struct LocalBox {
    middle: Vec<f64>,
    half: Vec<f64>,
}

impl LocalBox {
    pub(crate) fn new(bounds: &[[f64; 2]]) -> Self {
        Self {
            middle: bounds
                .iter()
                .map(|[low, high]| 0.5 * (low + high))
                .collect(),
            half: bounds
                .iter()
                .map(|[low, high]| 0.5 * (high - low))
                .collect(),
        }
    }

    fn coordinates(&self, x: &[Vec<f64>]) -> Vec<Vec<f64>> {
        let axes = x.iter().zip(&self.middle).zip(&self.half);
        axes.map(|((x, m), h)| x.iter().map(|x| (x - m) / h).collect())
            .collect()
    }
}

impl Layer {
    /// How many functions.
    pub(crate) fn len(&self) -> usize {
        self.biases.len()
    }

    /// One more function.
    pub(crate) fn push(&mut self, basis: Basis, weights: &[f64], bias: f64) {
        self.bases.push(basis);
        self.weights.extend_from_slice(weights);
        self.biases.push(bias);
    }
}

/// How a jet of u is made from derivatives of γ(z): directly, or by a sum of products with derivatives of the factor.
enum Recipe {
    /// Column `0` of the raw ones.
    Raw(usize),
    /// Σ c · (a column of g) · (a raw one), into a column of its own.
    Products(Vec<(f64, usize, usize)>, Vec<f64>),
}

/// Calls `take(j, jet, column)` for every function j of a layer and every jet of a residual at a block's points, until `abandoned`: what
/// was made of them is then of no use.
pub(in crate::solve) fn each_function(
    layer: &Layer,
    residual: &Residual,
    block: &Block,
    abandoned: &AtomicBool,
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
    let mut raw = vec![vec![0.0; sites.n]; wanted.len()];
    let mut scratch = Scratch::new(sites.n);
    let local = layer
        .local
        .as_ref()
        .map(|l| l.coordinates(&sites.coordinates));
    let coordinates = local.as_ref().unwrap_or(&sites.coordinates);
    for j in 0..layer.len() {
        if abandoned.load(Ordering::Relaxed) {
            return;
        }
        scratch.function(layer, j, sites, coordinates, &wanted, &mut raw);
        for (k, recipe) in recipes.iter_mut().enumerate() {
            match recipe {
                Recipe::Raw(at) => take(j, k, &raw[*at]),
                Recipe::Products(products, out) => {
                    let Some([g, _]) = &sites.ansatz[residual.jets[k].0] else {
                        continue;
                    };
                    out.fill(0.0);
                    for &(c, of_g, of_phi) in &*products {
                        let pairs = g[of_g].iter().zip(&raw[of_phi]);
                        out.iter_mut()
                            .zip(pairs)
                            .for_each(|(o, (g, phi))| *o += c * g * phi);
                    }
                    take(j, k, out);
                }
            }
        }
    }
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
pub(in crate::solve) fn jets_of(
    layer: &Layer,
    coefficients: &[f64],
    residual: &Residual,
    block: &Block,
) -> JetColumns {
    let never = AtomicBool::new(false);
    jets_unless(&never, layer, coefficients, residual, block)
}

/// The same, of no use once it is abandoned.
pub(super) fn jets_unless(
    abandoned: &AtomicBool,
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
    each_function(layer, residual, block, abandoned, |j, k, column| {
        let c = coefficients[residual.jets[k].0 * n + j];
        out[k].iter_mut().zip(column).for_each(|(o, v)| *o += c * v);
    });
    out
}

/// Room for z, γ, γ′, γ″, γ‴ and the slopes of z at all sites.
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

    /// The derivatives `wanted` of function `j` at the sites.
    fn function(
        &mut self,
        layer: &Layer,
        j: usize,
        sites: &Sites,
        coordinates: &[Vec<f64>],
        wanted: &[Axes],
        out: &mut [Vec<f64>],
    ) {
        let d = sites.coordinates.len();
        let inputs = d + sites.inputs.len();
        let w = &layer.weights[j * inputs..(j + 1) * inputs];
        self.z.fill(layer.biases[j]);
        for (x, w) in coordinates.iter().zip(w) {
            add(&mut self.z, *w, x);
        }
        let value = sites.wanted.place(&[]);
        for (f, w) in sites.inputs.iter().zip(&w[d..]) {
            add(&mut self.z, *w, &f[value]);
        }
        let plain = w[d..].iter().all(|w| *w == 0.0);
        let [g0, g1, g2, g3] = &mut self.tower;
        layer.bases[j].derivatives_into(&self.z, [g0, g1, g2, g3]);
        for (axes, out) in wanted.iter().zip(out) {
            if plain {
                let steep = |k: usize| layer.local.as_ref().map_or(w[k], |l| w[k] / l.half[k]);
                match axes[..] {
                    [] => out.copy_from_slice(g0),
                    [i] => scaled(out, steep(i), g1),
                    [i, j] => scaled(out, steep(i) * steep(j), g2),
                    _ => unreachable!("second order is the most that problems have"),
                }
                continue;
            }
            let [first, second, bend] = &mut self.slopes;
            let slope = |to: &mut [f64], axes: &[usize]| {
                to.fill(if let [i] = axes { w[*i] } else { 0.0 });
                let place = sites.wanted.place(axes);
                for (f, w) in sites.inputs.iter().zip(&w[d..]) {
                    add(to, *w, &f[place]);
                }
            };
            match axes[..] {
                [] => out.copy_from_slice(g0),
                [i] => {
                    slope(first, &[i]);
                    for ((o, g), s) in out.iter_mut().zip(&*g1).zip(&*first) {
                        *o = g * s;
                    }
                }
                [i, j] => {
                    slope(first, &[i]);
                    slope(second, &[j]);
                    slope(bend, &[i, j]);
                    for (p, o) in out.iter_mut().enumerate() {
                        *o = g2[p] * first[p] * second[p] + g1[p] * bend[p];
                    }
                }
                _ => unreachable!("second order is the most that problems have"),
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
