//! The frozen functions: φ_j(x) = g(x) γ(w_j·(x, f(x)) + b_j), with derivatives up to second order.
//!
//! ```text
//! z = w·x + v·f(x) + b     φ = γ(z)     φ_i = γ′ z_i     φ_ij = γ″ z_i z_j + γ′ z_ij      z_i = w_i + v·f_i,  z_ij = v·f_ij
//! ```
//!
//! f are the problem's extra inputs, g its factor.

use crate::basis::Basis;
use crate::expr::{Expr, Leaf, Program};

/// A derivative up to second order: `[]`, `[i]` or `[i, j]` with i ≤ j.
pub type Axes = Vec<usize>;

/// A layer of ridge functions in the user's coordinates.
#[derive(Clone, Debug)]
pub struct Layer {
    /// γ of each function, equal ones together.
    pub bases: Vec<Basis>,
    /// N × inputs, row by row: the coordinates' weights, then the extra inputs'.
    pub weights: Vec<f64>,
    /// N
    pub biases: Vec<f64>,
}

impl Layer {
    /// How many functions.
    pub fn len(&self) -> usize {
        self.biases.len()
    }
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.biases.is_empty()
    }
}

/// A known function with its derivatives up to second order as programs.
#[derive(Clone)]
pub struct Known {
    program: Program,
    dimension: usize,
}

impl Known {
    /// From an expression in the coordinates.
    pub fn new(expression: &Expr, dimension: usize) -> Self {
        let mut outputs = vec![expression.clone()];
        outputs.extend((0..dimension).map(|i| expression.derivative(i)));
        for i in 0..dimension {
            outputs.extend((i..dimension).map(|j| expression.derivative(i).derivative(j)));
        }
        let inputs: Vec<Leaf> = (0..dimension).map(Leaf::Coordinate).collect();
        let program =
            Program::compile(&outputs, &inputs).expect("a known function names coordinates only");
        Self { program, dimension }
    }

    /// One column for each of value, first and second derivatives (upper triangle), at points given by coordinate.
    pub fn jets(&self, coordinates: &[Vec<f64>]) -> Vec<Vec<f64>> {
        let n = coordinates.first().map_or(0, Vec::len);
        let inputs: Vec<&[f64]> = coordinates.iter().map(Vec::as_slice).collect();
        let count = 1 + self.dimension + self.dimension * (self.dimension + 1) / 2;
        let mut out = vec![vec![0.0; n]; count];
        let mut outputs: Vec<&mut [f64]> = out.iter_mut().map(Vec::as_mut_slice).collect();
        self.program
            .evaluate(&inputs, &mut outputs, &mut self.program.scratch());
        out
    }
}

/// Which column of [`Known::jets`] a derivative is.
pub fn column(axes: &[usize], dimension: usize) -> usize {
    match axes {
        [] => 0,
        [i] => 1 + i,
        [i, j] => 1 + dimension + i * dimension - i * (i + 1) / 2 + j,
        _ => unreachable!("second order is the most that problems have"),
    }
}

/// Points by coordinate, with the extra inputs' jets there.
pub struct Sites {
    /// For each coordinate n numbers.
    pub coordinates: Vec<Vec<f64>>,
    /// For each extra input its jets.
    pub inputs: Vec<Vec<Vec<f64>>>,
    /// n
    pub n: usize,
}

impl Sites {
    /// From points row by row.
    pub fn new(points: &[f64], dimension: usize, inputs: &[Known]) -> Self {
        let n = points.len() / dimension;
        let coordinates: Vec<Vec<f64>> = (0..dimension)
            .map(|k| (0..n).map(|i| points[i * dimension + k]).collect())
            .collect();
        let inputs = inputs.iter().map(|f| f.jets(&coordinates)).collect();
        Self {
            coordinates,
            inputs,
            n,
        }
    }
}

/// The derivative columns of function `j` of a layer at the sites: `out[k]` receives derivative `wanted[k]`.
pub fn function(
    layer: &Layer,
    j: usize,
    sites: &Sites,
    wanted: &[Axes],
    scratch: &mut [Vec<f64>; 5],
    out: &mut [Vec<f64>],
) {
    let d = sites.coordinates.len();
    let inputs = d + sites.inputs.len();
    let w = &layer.weights[j * inputs..(j + 1) * inputs];
    let [z, g0, g1, g2, g3] = scratch;
    for column in [&mut *z, &mut *g0, &mut *g1, &mut *g2, &mut *g3] {
        column.resize(sites.n, 0.0);
    }
    z.fill(layer.biases[j]);
    for (k, x) in sites.coordinates.iter().enumerate() {
        z.iter_mut().zip(x).for_each(|(z, x)| *z += w[k] * x);
    }
    for (f, jets) in sites.inputs.iter().enumerate() {
        z.iter_mut()
            .zip(&jets[0])
            .for_each(|(z, f_v)| *z += w[d + f] * f_v);
    }
    layer.bases[j].derivatives_into(z, [&mut g0[..], &mut g1[..], &mut g2[..], &mut g3[..]]);
    let slope = |axis: usize, i: usize| {
        w[axis]
            + sites
                .inputs
                .iter()
                .enumerate()
                .map(|(f, jets)| w[d + f] * jets[1 + axis][i])
                .sum::<f64>()
    };
    let bend = |a: usize, b: usize, i: usize| {
        sites
            .inputs
            .iter()
            .enumerate()
            .map(|(f, jets)| w[d + f] * jets[column(&[a, b], d)][i])
            .sum::<f64>()
    };
    for (axes, out) in wanted.iter().zip(out) {
        out.resize(sites.n, 0.0);
        match (axes[..].len(), sites.inputs.is_empty()) {
            (0, _) => out.copy_from_slice(g0),
            (1, true) => out
                .iter_mut()
                .zip(&*g1)
                .for_each(|(o, g)| *o = g * w[axes[0]]),
            (2, true) => {
                let factor = w[axes[0]] * w[axes[1]];
                out.iter_mut().zip(&*g2).for_each(|(o, g)| *o = g * factor);
            }
            (1, false) => (0..sites.n).for_each(|i| out[i] = g1[i] * slope(axes[0], i)),
            _ => (0..sites.n).for_each(|i| {
                out[i] = g2[i] * slope(axes[0], i) * slope(axes[1], i)
                    + g1[i] * bend(axes[0], axes[1], i);
            }),
        }
    }
}

/// The derivative `axes` of g·φ from the jets of both: Leibniz.
pub fn leibniz(axes: &[usize], g: &dyn Fn(&[usize]) -> f64, phi: &dyn Fn(&[usize]) -> f64) -> f64 {
    match axes {
        [] => g(&[]) * phi(&[]),
        [i] => g(&[*i]) * phi(&[]) + g(&[]) * phi(&[*i]),
        [i, j] => {
            g(&[*i, *j]) * phi(&[])
                + g(&[*i]) * phi(&[*j])
                + g(&[*j]) * phi(&[*i])
                + g(&[]) * phi(&[*i, *j])
        }
        _ => unreachable!("second order is the most that problems have"),
    }
}
