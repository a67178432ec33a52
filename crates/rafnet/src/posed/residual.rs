//! Residuals as programs: r and its partial derivatives with respect to every jet it reads and every sought parameter.

use super::sites::{Axes, Sites};
use crate::engine::{Gradient, Second, Streams};
use crate::expr::{Dependence, Expr, Leaf, Program};

/// What a residual stands for, in reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// An equation inside.
    Equation,
    /// A condition on the boundary in space.
    Boundary,
    /// A condition at the first time.
    Initial,
    /// Observations.
    Data,
    /// A mean, an integral or a value at a point.
    Constraint,
}

/// A residual with its partial derivatives, compiled.
pub(crate) struct Residual {
    pub(crate) kind: Kind,
    expression: Expr,
    /// The derivatives it reads: unknown and axes.
    pub(crate) jets: Vec<(usize, Axes)>,
    /// Whether it is nonlinear in unknowns and sought parameters.
    pub(crate) nonlinear: bool,
    program: Program,
    n_sought: usize,
}

/// The columns of an unknown's derivatives at a block's points, one for each of the residual's jets.
pub(crate) type JetColumns = Vec<Vec<f64>>;

impl Residual {
    /// Compiles r and all its partial derivatives.
    pub(crate) fn new(kind: Kind, r: &Expr, dimension: usize, n_sought: usize) -> Self {
        let jets: Vec<(usize, Axes)> = r
            .jets()
            .iter()
            .map(|j| (j.unknown(), j.axes().to_vec()))
            .collect();
        let mut outputs = vec![r.clone()];
        outputs.extend(jets.iter().map(|(u, axes)| r.partial(&Leaf::jet(*u, axes))));
        outputs.extend((0..n_sought).map(|k| r.partial(&Leaf::Parameter(k))));
        let inputs = inputs(dimension, n_sought, &jets);
        let program = Program::compile(&outputs, &inputs)
            .expect("every leaf of a problem's residual is an input");
        let unknown = |leaf: &Leaf| matches!(leaf, Leaf::Jet(_) | Leaf::Parameter(_));
        let nonlinear = r.dependence(&unknown) == Dependence::Nonlinear;
        Self {
            kind,
            expression: r.clone(),
            jets,
            nonlinear,
            program,
            n_sought,
        }
    }

    /// The residual of nothing: what it is where every unknown is zero.
    pub(super) fn source(&self, dimension: usize) -> Source {
        let inputs = inputs(dimension, self.n_sought, &self.jets);
        let outputs = [self.expression.clone()];
        let program =
            Program::compile(&outputs, &inputs).expect("the residual was compiled with them");
        Source {
            program,
            n_jets: self.jets.len(),
        }
    }

    /// r, ∂r/∂(each jet) and ∂r/∂(each sought parameter) at a block's points, a column each.
    pub(crate) fn respond(
        &self,
        block: &Block,
        jets: &JetColumns,
        sought: &[f64],
    ) -> Vec<Vec<f64>> {
        let mut out = vec![vec![0.0; block.sites.n]; 1 + self.jets.len() + self.n_sought];
        let mut inputs = block.inputs(sought);
        inputs.extend(jets.iter().map(Vec::as_slice));
        let mut outputs: Vec<&mut [f64]> = out.iter_mut().map(Vec::as_mut_slice).collect();
        self.program
            .evaluate(&inputs, &mut outputs, &mut self.program.scratch());
        out
    }
}

/// The streams that carry these jets: each first derivative that is read, and each second one, once.
pub(crate) fn streams_of(jets: &[(usize, Axes)]) -> Streams {
    let mut streams = Streams::value();
    let mut along: Vec<usize> = Vec::new();
    for (_, axes) in jets {
        match axes[..] {
            [k] => along.push(k),
            [i, j] if !streams.second.contains(&Second::Mixed(i, j)) => {
                streams.second.push(Second::Mixed(i, j));
            }
            _ => {}
        }
    }
    along.sort_unstable();
    along.dedup();
    streams.gradient = Gradient::Along(along);
    streams
}

/// The inputs of a residual's program, in order.
fn inputs(dimension: usize, n_sought: usize, jets: &[(usize, Axes)]) -> Vec<Leaf> {
    let mut inputs: Vec<Leaf> = (0..dimension).map(Leaf::Coordinate).collect();
    inputs.extend((0..dimension).map(Leaf::Normal));
    inputs.push(Leaf::Column(0)); // an observed value
    inputs.extend((0..n_sought).map(Leaf::Parameter));
    inputs.extend(jets.iter().map(|(u, axes)| Leaf::jet(*u, axes)));
    inputs
}

/// A residual alone, without its partial derivatives, where every unknown is zero.
pub(super) struct Source {
    program: Program,
    n_jets: usize,
}

impl Source {
    /// Its values at a block's points.
    pub(super) fn values(&self, block: &Block, sought: &[f64]) -> Vec<f64> {
        let mut values = vec![0.0; block.sites.n];
        let mut inputs = block.inputs(sought);
        inputs.extend(std::iter::repeat_n(&[0.0][..], self.n_jets));
        self.program
            .evaluate(&inputs, &mut [&mut values], &mut self.program.scratch());
        values
    }
}

/// The points of one residual.
pub(crate) struct Block {
    /// Which residual, an index into the system's list.
    pub(crate) residual: usize,
    /// The points.
    pub(crate) sites: Sites,
    /// The outward normal by component (zero inside).
    normals: Vec<Vec<f64>>,
    /// Observed values (zero elsewhere).
    observed: Vec<f64>,
    /// A factor on the rows, from the user.
    pub(crate) weight: f64,
    /// The standard deviation of observed values, where it is known.
    pub(crate) noise: Option<f64>,
    /// For a mean how points are summed into rows.
    pub(crate) averaged: Option<Averaged>,
    /// Which of the problem's narrow places the points lie around.
    pub(super) around: Option<usize>,
}

/// Points that count together: each `per_row` of them, times their weights, are one row.
pub(crate) struct Averaged {
    pub(crate) weights: Vec<f64>,
    pub(crate) per_row: usize,
}

impl Block {
    /// Points inside.
    pub(crate) fn new(residual: usize, sites: Sites) -> Self {
        Self {
            residual,
            normals: vec![vec![0.0; sites.n]; sites.coordinates.len()],
            observed: vec![0.0; sites.n],
            sites,
            weight: 1.0,
            noise: None,
            averaged: None,
            around: None,
        }
    }

    /// The same around a narrow place of the problem.
    pub(super) fn around(mut self, place: usize) -> Self {
        self.around = Some(place);
        self
    }

    /// The same with outward normals, row by row.
    pub(crate) fn with_normals(mut self, normals: &[f64]) -> Self {
        let d = self.normals.len();
        for (k, column) in self.normals.iter_mut().enumerate() {
            *column = normals.iter().skip(k).step_by(d).copied().collect();
        }
        self
    }

    /// What a program of its residual reads before the jets.
    fn inputs<'a>(&'a self, sought: &'a [f64]) -> Vec<&'a [f64]> {
        let mut inputs: Vec<&[f64]> = self.sites.coordinates.iter().map(Vec::as_slice).collect();
        inputs.extend(self.normals.iter().map(Vec::as_slice));
        inputs.push(&self.observed);
        inputs.extend(sought.chunks(1));
        inputs
    }

    /// What a column of values at the points counts for: itself, or its means.
    pub(crate) fn rows(&self, column: &[f64]) -> Vec<f64> {
        match &self.averaged {
            Some(Averaged { weights, per_row }) => {
                let rows = weights.chunks(*per_row).zip(column.chunks(*per_row));
                let sum = |(w, v): (&[f64], &[f64])| w.iter().zip(v).map(|(w, v)| w * v).sum();
                rows.map(sum).collect()
            }
            None => column.to_vec(),
        }
    }

    /// How many rows that is.
    pub(crate) fn n_rows(&self) -> usize {
        let averaged = self.averaged.as_ref();
        averaged.map_or(self.sites.n, |a| self.sites.n / a.per_row)
    }

    /// The same with observed values.
    pub(crate) fn with_observed(mut self, values: &[f64]) -> Self {
        self.observed = values.to_vec();
        self
    }
}
