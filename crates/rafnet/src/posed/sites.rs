//! Points with everything that is known there: extra inputs, factors and lifts, with derivatives up to second order.

use crate::engine::Device;
pub(crate) use crate::engine::ridges::Axes;
use crate::engine::ridges::Places;
use crate::expr::{Expr, Leaf, Program};
use std::sync::Arc;

/// Which derivatives of known functions are read, sorted: in a thousand dimensions there are half a million, of which an equation reads
/// a few thousand.
#[derive(Debug)]
pub(crate) struct Wanted(Vec<Axes>);

impl Wanted {
    /// The value, every first derivative, and for each of these jets it and what Leibniz' rule makes of it.
    pub(crate) fn new<'a>(dimension: usize, jets: impl Iterator<Item = &'a Axes>) -> Self {
        let mut all: Vec<Axes> = (0..dimension).map(|k| vec![k]).collect();
        all.push(Vec::new());
        all.extend(jets.cloned());
        all.sort_unstable();
        all.dedup();
        Self(all)
    }

    /// Which column of a known function's jets a derivative is.
    pub(crate) fn place(&self, axes: &[usize]) -> usize {
        let place = self.0.binary_search_by(|known| known[..].cmp(axes));
        place.unwrap_or_else(|_| unreachable!("{axes:?} is a derivative that no residual reads"))
    }
}

/// A known function with its wanted derivatives as one program.
#[derive(Clone)]
pub(crate) struct Known {
    program: Program,
    count: usize,
}

/// The columns of a known function at points, one for each wanted derivative.
pub(crate) type KnownJets = Vec<Vec<f64>>;

impl Known {
    /// From an expression in the coordinates.
    pub(crate) fn new(expression: &Expr, dimension: usize, wanted: &Wanted) -> Self {
        let first: Vec<Expr> = (0..dimension).map(|i| expression.derivative(i)).collect();
        let outputs = wanted.0.iter().map(|axes| match axes[..] {
            [] => expression.clone(),
            [i] => first[i].clone(),
            [i, j] => first[i].derivative(j),
            _ => unreachable!("second order is the most that problems have"),
        });
        let outputs: Vec<Expr> = outputs.collect();
        let inputs: Vec<Leaf> = (0..dimension).map(Leaf::Coordinate).collect();
        let program =
            Program::compile(&outputs, &inputs).expect("a known function names coordinates only");
        Self {
            program,
            count: outputs.len(),
        }
    }

    /// Its columns at points given by coordinate.
    pub(crate) fn jets(&self, coordinates: &[Vec<f64>]) -> KnownJets {
        let n = coordinates.first().map_or(0, Vec::len);
        let inputs: Vec<&[f64]> = coordinates.iter().map(Vec::as_slice).collect();
        let mut out = vec![vec![0.0; n]; self.count];
        let mut outputs: Vec<&mut [f64]> = out.iter_mut().map(Vec::as_mut_slice).collect();
        self.program
            .evaluate(&inputs, &mut outputs, &mut self.program.scratch());
        out
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
    /// Where each derivative stands among the jets.
    pub(crate) wanted: Arc<Wanted>,
    /// n
    pub(crate) n: usize,
    /// Where functions are computed there.
    pub(crate) device: Device,
}

impl Sites {
    /// What a device needs of them.
    pub(crate) fn places(&self) -> Places<'_> {
        Places {
            coordinates: &self.coordinates,
            inputs: &self.inputs,
            derivatives: &self.wanted.0,
        }
    }
}

/// The problem's known functions, compiled.
pub(crate) struct KnownParts {
    /// How many coordinates.
    pub(crate) dimension: usize,
    /// The derivatives that are read of them.
    pub(crate) wanted: Arc<Wanted>,
    /// Extra inputs.
    pub(crate) inputs: Vec<Known>,
    /// For each unknown its factor and lift.
    pub(crate) ansatz: Vec<Option<[Known; 2]>>,
    /// For each unknown a first guess.
    pub(crate) guess: Vec<Option<Known>>,
    /// Where functions of the points are computed.
    pub(crate) device: Device,
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
            wanted: Arc::clone(&self.wanted),
            n,
            device: self.device,
        }
    }

    /// The coordinates of points given row by row, and nothing else: for texts that read no unknown.
    pub(crate) fn bare_sites(&self, points: &[f64]) -> Sites {
        let d = self.dimension;
        Sites {
            coordinates: (0..d)
                .map(|k| points.iter().skip(k).step_by(d).copied().collect())
                .collect(),
            inputs: Vec::new(),
            ansatz: vec![None; self.ansatz.len()],
            wanted: Arc::clone(&self.wanted),
            n: points.len() / d,
            device: self.device,
        }
    }
}
