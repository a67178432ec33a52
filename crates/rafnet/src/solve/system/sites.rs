//! Points with everything that is known there: extra inputs, factors and lifts, with derivatives up to second order.

use crate::expr::{Expr, Leaf, Program};

/// A derivative up to second order: `[]`, `[i]` or `[i, j]` with i ≤ j.
pub(crate) type Axes = Vec<usize>;

/// A known function with all its derivatives up to second order as one program.
#[derive(Clone)]
pub(crate) struct Known {
    program: Program,
    dimension: usize,
}

/// The columns of a known function at points: its value, its first derivatives, the upper triangle of its second ones.
pub(crate) type KnownJets = Vec<Vec<f64>>;

impl Known {
    /// From an expression in the coordinates.
    pub(crate) fn new(expression: &Expr, dimension: usize) -> Self {
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

    /// Its columns at points given by coordinate.
    pub(crate) fn jets(&self, coordinates: &[Vec<f64>]) -> KnownJets {
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

/// Which column of a known function's jets a derivative is.
pub(crate) fn column(axes: &[usize], dimension: usize) -> usize {
    match axes {
        [] => 0,
        [i] => 1 + i,
        [i, j] => 1 + dimension + i * dimension - i * (i + 1) / 2 + j,
        _ => unreachable!("second order is the most that problems have"),
    }
}

/// Points by coordinate, with what is known at them.
pub(crate) struct Sites {
    /// For each coordinate n numbers.
    pub(crate) coordinates: Vec<Vec<f64>>,
    /// For each extra input its jets.
    pub(crate) inputs: Vec<KnownJets>,
    /// For each unknown the jets of its factor and its lift.
    pub(crate) ansatz: Vec<Option<[KnownJets; 2]>>,
    /// n
    pub(crate) n: usize,
}

/// The problem's known functions, compiled.
pub(crate) struct KnownParts {
    /// How many coordinates.
    pub(crate) dimension: usize,
    /// Extra inputs.
    pub(crate) inputs: Vec<Known>,
    /// For each unknown its factor and lift.
    pub(crate) ansatz: Vec<Option<[Known; 2]>>,
    /// For each unknown a first guess.
    pub(crate) guess: Vec<Option<Known>>,
}

impl KnownParts {
    /// What is known at points given row by row.
    pub(crate) fn sites(&self, points: &[f64]) -> Sites {
        let d = self.dimension;
        let n = points.len() / d;
        let coordinates: Vec<Vec<f64>> = (0..d)
            .map(|k| points.iter().skip(k).step_by(d).copied().collect())
            .collect();
        let jets = |pair: &[Known; 2]| [0, 1].map(|k| pair[k].jets(&coordinates));
        Sites {
            inputs: self.inputs.iter().map(|f| f.jets(&coordinates)).collect(),
            ansatz: self.ansatz.iter().map(|a| a.as_ref().map(jets)).collect(),
            coordinates,
            n,
        }
    }
}
