//! The rows of a linear eigenvalue problem over a layer, factored: what solves (A − sB) c = B f in the least-squares sense.
//!
//! ```text
//! | α (A − sB) D |       | α f |          A  the operator of every function at points inside      E  the conditions on the boundary
//! |   ε E D      | y  ≈  |  0  |          B  the functions themselves there                        D  scales columns to norm one
//! |   μ I        |       |  0  |          c = D y
//! ```
//!
//! f ↦ B c is the inverse of operator − s on functions that meet the conditions, as far as the layer can tell. Its eigenvalues of largest
//! size, 1/(λ − s), belong to the eigenvalues nearest to s, to the accuracy of a least-squares solution; a function that vanishes at
//! the points inside is mapped to zero, so none of them is spurious. No matrix is squared.

use super::tuning::EDGE_WEIGHT;
use crate::engine::ridges::Layer;
use crate::frozen::each_function;
use crate::halt::Halt;
use crate::optimise::{RIDGE, Reflections, norm};
use crate::posed::{Block, Kind, System};
use faer::linalg::matmul::matmul;
use faer::linalg::triangular_solve::solve_upper_triangular_in_place;
use faer::{Accum, Mat, Par};

/// What rows are measured by.
#[derive(Clone, Debug)]
pub(super) struct Units {
    /// What an operator amounts to for a function of size one that changes over half the domain, its derivatives alone.
    pub(super) operator: f64,
    /// The same for each condition, all its terms.
    pub(super) conditions: Vec<f64>,
    /// +1 where eigenvalues go to infinity upwards, −1 downwards.
    pub(super) side: f64,
}

impl Units {
    /// What a row of a condition weighs.
    pub(super) fn weight(&self, condition: usize, block: &Block) -> f64 {
        EDGE_WEIGHT * block.weight / (self.conditions[condition] * (block.sites.n as f64).sqrt())
    }
}

/// A factored pencil.
pub(super) struct Pencil {
    reflections: Reflections,
    /// R on and above the diagonal of its first rows.
    triangle: Mat<f64>,
    /// B D, a row for each unknown at each point inside.
    values: Mat<f64>,
    scale: Vec<f64>,
    rows: usize,
    alpha: f64,
}

impl Pencil {
    /// The rows of a layer at points; `shift` is s. `None` where a number is not finite, or when it is ended.
    pub(super) fn new(
        system: &System,
        units: &Units,
        layer: &Layer,
        blocks: &[Block],
        shift: f64,
        halt: &Halt,
    ) -> Option<Self> {
        let unknowns = system.problem.unknowns.len();
        let n = layer.len();
        let columns = n * unknowns;
        let rows: usize = blocks.iter().map(|b| b.sites.n).sum();
        let inside = blocks.iter().filter(|b| b.residual < unknowns);
        let n_values: usize = inside.map(|b| b.sites.n).sum();
        let alpha = 1.0 / (units.operator * (n_values as f64).sqrt());
        let mut joint = Mat::<f64>::zeros(rows + columns, columns);
        let mut values = Mat::<f64>::zeros(n_values, columns);
        let mut at = 0;
        for block in blocks {
            let residual = &system.residuals[block.residual];
            let equation = residual.kind == Kind::Equation;
            let weight = if equation {
                alpha
            } else {
                units.weight(block.residual - unknowns, block)
            };
            let zero = vec![vec![0.0; block.sites.n]; residual.jets.len()];
            // with λ = s the rows of an equation are those of operator − s
            let response = residual.respond(block, &zero, &[shift]);
            each_function(layer, residual, block, halt, |j, k, column| {
                let (unknown, axes) = &residual.jets[k];
                let column_at = unknown * n + j;
                let to = joint.col_mut(column_at).try_as_col_major_mut();
                let to = to.expect("columns are contiguous").as_slice_mut();
                let to = &mut to[at..at + block.sites.n];
                for ((to, partial), v) in to.iter_mut().zip(&response[1 + k]).zip(column) {
                    *to += weight * partial * v;
                }
                if equation && *unknown == block.residual && axes.is_empty() {
                    let value = values.col_mut(column_at).try_as_col_major_mut();
                    let value = value.expect("columns are contiguous").as_slice_mut();
                    value[at..at + block.sites.n].copy_from_slice(column);
                }
            });
            at += block.sites.n;
        }
        let mut scale = vec![1.0; columns];
        for (j, scale) in scale.iter_mut().enumerate() {
            let norm = norm(joint.col_as_slice(j));
            if !norm.is_finite() {
                return None;
            }
            if norm > 0.0 {
                *scale = 1.0 / norm;
            }
            let factor = *scale;
            joint.col_mut(j).iter_mut().for_each(|v| *v *= factor);
            values.col_mut(j).iter_mut().for_each(|v| *v *= factor);
            joint[(rows + j, j)] = RIDGE;
        }
        let reflections = Reflections::triangularise(&mut joint, &|end| rows + end, halt);
        let triangle = joint.submatrix(0, 0, columns, columns).to_owned();
        halt.unless(Self {
            reflections,
            triangle,
            values,
            scale,
            rows,
            alpha,
        })
    }

    /// How many values a function has: points times unknowns.
    pub(super) fn n_values(&self) -> usize {
        self.values.nrows()
    }

    /// The scaled coefficients y for values f, a function a column.
    pub(super) fn solve(&self, f: &Mat<f64>) -> Mat<f64> {
        let n = self.scale.len();
        let mut sides = Mat::<f64>::zeros(self.rows + n, f.ncols());
        for j in 0..f.ncols() {
            for i in 0..f.nrows() {
                sides[(i, j)] = self.alpha * f[(i, j)];
            }
        }
        self.reflections.turn(&mut sides);
        let mut y = sides.submatrix(0, 0, n, f.ncols()).to_owned();
        solve_upper_triangular_in_place(self.triangle.as_ref(), y.as_mut(), Par::Seq);
        y
    }

    /// The values of functions by their scaled coefficients.
    pub(super) fn values(&self, y: &Mat<f64>) -> Mat<f64> {
        product(&self.values, y)
    }

    /// A function's coefficients from its scaled ones.
    pub(super) fn coefficients(&self, y: &[f64]) -> Vec<f64> {
        y.iter().zip(&self.scale).map(|(y, d)| y * d).collect()
    }
}

/// A B.
pub(super) fn product(a: &Mat<f64>, b: &Mat<f64>) -> Mat<f64> {
    let mut out = Mat::zeros(a.nrows(), b.ncols());
    let (a, b) = (a.as_ref(), b.as_ref());
    matmul(out.as_mut(), Accum::Replace, a, b, 1.0, Par::Seq);
    out
}

/// Aᵀ B.
pub(super) fn transposed_product(a: &Mat<f64>, b: &Mat<f64>) -> Mat<f64> {
    let mut out = Mat::zeros(a.ncols(), b.ncols());
    let (a, b) = (a.transpose(), b.as_ref());
    matmul(out.as_mut(), Accum::Replace, a, b, 1.0, Par::Seq);
    out
}
