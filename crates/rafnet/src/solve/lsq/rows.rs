//! A problem as linear rows: each equation, condition and observation at its points, linearised at a function u₀.
//!
//! ```text
//! r(u) ≈ r(u₀) + Σ_α ∂r/∂(D^α u) · D^α(u − u₀) + Σ_k ∂r/∂p_k (p − p₀)        row · c = J u₀ + J_p p₀ − r(u₀)
//! ```
//!
//! u = l + g Σ c_j φ_j with a user's factor g and lift l (1 and 0 without).

use super::features::{Axes, Known, Layer, Sites, column, function, leibniz};
use crate::expr::{Dependence, Expr, Leaf, Program};
use crate::problem::Problem;
use faer::Mat;

/// What a row set stands for, in reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An equation inside.
    Equation,
    /// A condition on the boundary in space.
    Boundary,
    /// A condition at the first time.
    Initial,
    /// Observations.
    Data,
    /// A mean over the domain.
    Mean,
}

/// A residual with its partial derivatives, compiled.
pub struct Residual {
    /// What it stands for.
    pub kind: Kind,
    program: Program,
    jets: Vec<(usize, Axes)>,
    n_sought: usize,
    dimension: usize,
    /// Whether it is nonlinear in unknowns and sought parameters.
    pub nonlinear: bool,
}

impl Residual {
    /// Compiles r and all its partial derivatives.
    pub fn new(kind: Kind, r: &Expr, dimension: usize, n_sought: usize) -> Self {
        let jets: Vec<(usize, Axes)> = r
            .jets()
            .iter()
            .map(|j| (j.unknown(), j.axes().to_vec()))
            .collect();
        let mut outputs = vec![r.clone()];
        outputs.extend(jets.iter().map(|(u, axes)| r.partial(&Leaf::jet(*u, axes))));
        outputs.extend((0..n_sought).map(|k| r.partial(&Leaf::Parameter(k))));
        let mut inputs: Vec<Leaf> = (0..dimension).map(Leaf::Coordinate).collect();
        inputs.extend((0..dimension).map(Leaf::Normal));
        inputs.push(Leaf::Column(0)); // an observed value
        inputs.extend((0..n_sought).map(Leaf::Parameter));
        inputs.extend(jets.iter().map(|(u, axes)| Leaf::jet(*u, axes)));
        let program = Program::compile(&outputs, &inputs)
            .expect("every leaf of a problem's residual is an input");
        let unknown = |leaf: &Leaf| matches!(leaf, Leaf::Jet(_) | Leaf::Parameter(_));
        let nonlinear = r.dependence(&unknown) == Dependence::Nonlinear;
        Self {
            kind,
            program,
            jets,
            n_sought,
            dimension,
            nonlinear,
        }
    }

    /// The derivatives it reads: unknown and axes.
    pub fn jets(&self) -> &[(usize, Axes)] {
        &self.jets
    }
}

/// Points of one residual.
pub struct Block {
    /// Which residual, an index into the list.
    pub residual: usize,
    /// The points.
    pub sites: Sites,
    normals: Vec<Vec<f64>>,
    observed: Vec<f64>,
    /// Factor and lift of each unknown at the points: their jets.
    ansatz: Vec<Option<[Vec<Vec<f64>>; 2]>>,
    /// A factor on the rows from the user's weight or sigma.
    pub weight: f64,
    /// Whether the rows are averaged into one (a mean).
    pub averaged: bool,
}

impl Block {
    /// Points with normals (empty inside) and observed values (empty elsewhere).
    pub fn new(
        residual: usize,
        known: &KnownParts,
        points: &[f64],
        normals: &[f64],
        observed: Vec<f64>,
        weight: f64,
    ) -> Self {
        let d = known.dimension;
        let sites = Sites::new(points, d, &known.inputs);
        let column = |k: usize| {
            (0..sites.n)
                .map(|i| normals.get(i * d + k).copied().unwrap_or(0.0))
                .collect()
        };
        let normals = (0..d).map(column).collect();
        let jets = |pair: &[Known; 2]| [0, 1].map(|k| pair[k].jets(&sites.coordinates));
        let ansatz = known.ansatz.iter().map(|a| a.as_ref().map(jets)).collect();
        let observed = if observed.is_empty() {
            vec![0.0; sites.n]
        } else {
            observed
        };
        Self {
            residual,
            sites,
            normals,
            observed,
            ansatz,
            weight,
            averaged: false,
        }
    }
}

/// The problem's known functions, compiled.
pub struct KnownParts {
    /// Coordinates.
    pub dimension: usize,
    /// Extra inputs.
    pub inputs: Vec<Known>,
    /// For each unknown the user's factor and lift.
    pub ansatz: Vec<Option<[Known; 2]>>,
}

impl KnownParts {
    /// Compiles them.
    pub fn new(problem: &Problem) -> Self {
        let dimension = problem.coordinates.len();
        let known = |e: &Expr| Known::new(e, dimension);
        Self {
            dimension,
            inputs: problem.features.iter().map(|(_, e)| known(e)).collect(),
            ansatz: problem
                .ansatz
                .iter()
                .map(|a| a.as_ref().map(|(g, l)| [known(g), known(l)]))
                .collect(),
        }
    }
}

/// The jets of the unknowns at a block's points: for each of the residual's jets a column.
pub type JetColumns = Vec<Vec<f64>>;

/// D^α(g φ_j) (or of φ_j) for the residual's jets, over the functions of a layer: calls `take(j, columns)`.
fn each_function(
    layer: &Layer,
    block: &Block,
    jets: &[(usize, Axes)],
    d: usize,
    mut take: impl FnMut(usize, &[Vec<f64>]),
) {
    let with_factor = |u: usize| block.ansatz[u].is_some();
    let mut wanted: Vec<Axes> = jets.iter().map(|j| j.1.clone()).collect();
    for (u, axes) in jets {
        if with_factor(*u) {
            wanted.push(Vec::new());
            wanted.extend(axes.iter().map(|a| vec![*a]));
        }
    }
    wanted.sort();
    wanted.dedup();
    let mut raw = vec![Vec::new(); wanted.len()];
    let mut columns = vec![vec![0.0; block.sites.n]; jets.len()];
    let mut scratch: [Vec<f64>; 5] = Default::default();
    let place = |axes: &[usize]| wanted.iter().position(|w| w == axes).unwrap_or(0);
    for j in 0..layer.len() {
        function(layer, j, &block.sites, &wanted, &mut scratch, &mut raw);
        for ((u, axes), out) in jets.iter().zip(&mut columns) {
            match &block.ansatz[*u] {
                None => out.copy_from_slice(&raw[place(axes)]),
                Some([g, _]) => {
                    for (i, out) in out.iter_mut().enumerate() {
                        *out = leibniz(axes, &|a| g[column(a, d)][i], &|a| raw[place(a)][i]);
                    }
                }
            }
        }
        take(j, &columns);
    }
}

/// The jets of u = l + g Σ c_j φ_j at a block's points; `coefficients` has N numbers for each unknown.
pub fn jets_of(
    layer: &Layer,
    coefficients: &[f64],
    residual: &Residual,
    block: &Block,
) -> JetColumns {
    let n = layer.len();
    let mut out = vec![vec![0.0; block.sites.n]; residual.jets.len()];
    for ((u, axes), out) in residual.jets.iter().zip(&mut out) {
        if let Some([_, lift]) = &block.ansatz[*u] {
            out.copy_from_slice(&lift[column(axes, residual.dimension)]);
        }
    }
    each_function(
        layer,
        block,
        &residual.jets,
        residual.dimension,
        |j, columns| {
            for (((u, _), column), out) in residual.jets.iter().zip(columns).zip(&mut out) {
                let c = coefficients[u * n + j];
                out.iter_mut().zip(column).for_each(|(o, v)| *o += c * v);
            }
        },
    );
    out
}

/// r and its partial derivatives at a block's points: the first column is r.
pub fn respond(
    residual: &Residual,
    block: &Block,
    jets: &JetColumns,
    sought: &[f64],
) -> Vec<Vec<f64>> {
    let mut out = vec![vec![0.0; block.sites.n]; 1 + residual.jets.len() + residual.n_sought];
    let mut inputs: Vec<&[f64]> = block.sites.coordinates.iter().map(Vec::as_slice).collect();
    inputs.extend(block.normals.iter().map(Vec::as_slice));
    inputs.push(&block.observed);
    inputs.extend(sought.chunks(1));
    inputs.extend(jets.iter().map(Vec::as_slice));
    let mut outputs: Vec<&mut [f64]> = out.iter_mut().map(Vec::as_mut_slice).collect();
    residual
        .program
        .evaluate(&inputs, &mut outputs, &mut residual.program.scratch());
    out
}

/// Rows of one block: the matrix over (unknown, function) and sought parameters, and the two right-hand sides J u₀ and r(u₀).
pub struct Rows {
    /// rows × (unknowns · N + sought)
    pub matrix: Mat<f64>,
    /// rows × 2
    pub sides: Mat<f64>,
}

/// Linearises a block at u₀ (its jets at the block's points) and p₀.
pub fn linearise(
    layer: &Layer,
    residual: &Residual,
    block: &Block,
    unknowns: usize,
    jets: &JetColumns,
    sought: &[f64],
) -> Rows {
    let (n, points) = (layer.len(), block.sites.n);
    let response = respond(residual, block, jets, sought);
    let partials = &response[1..];
    let mut matrix = Mat::<f64>::zeros(points, unknowns * n + sought.len());
    each_function(
        layer,
        block,
        &residual.jets,
        residual.dimension,
        |j, columns| {
            for (((u, _), column), partial) in residual.jets.iter().zip(columns).zip(partials) {
                let to = matrix
                    .col_mut(u * n + j)
                    .try_as_col_major_mut()
                    .map(faer::ColMut::as_slice_mut);
                if let Some(to) = to {
                    to.iter_mut()
                        .zip(column)
                        .zip(partial)
                        .for_each(|((to, v), p)| *to += v * p);
                }
            }
        },
    );
    let mut sides = Mat::<f64>::zeros(points, 2);
    for i in 0..points {
        let mut known = 0.0;
        for (((u, axes), jet), partial) in residual.jets.iter().zip(jets).zip(partials) {
            let lift = block.ansatz[*u]
                .as_ref()
                .map_or(0.0, |[_, l]| l[column(axes, residual.dimension)][i]);
            known += partial[i] * (jet[i] - lift);
        }
        for (k, p) in sought.iter().enumerate() {
            let slope = partials[residual.jets.len() + k][i];
            matrix[(i, unknowns * n + k)] = slope;
            known += slope * p;
        }
        sides[(i, 0)] = known;
        sides[(i, 1)] = response[0][i];
    }
    if block.averaged && points > 0 {
        let mean = |m: &Mat<f64>| {
            Mat::from_fn(1, m.ncols(), |_, j| {
                m.col(j).iter().sum::<f64>() / points as f64
            })
        };
        return Rows {
            matrix: mean(&matrix),
            sides: mean(&sides),
        };
    }
    Rows { matrix, sides }
}
