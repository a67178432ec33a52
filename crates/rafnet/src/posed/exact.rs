//! The error against a known solution, for reports and records alone.

use crate::expr::{Leaf, Program};
use crate::problem::Problem;

/// The exact solutions that a problem states.
pub(crate) struct Exact {
    program: Program,
    /// Which unknowns have one.
    unknowns: Vec<usize>,
    dimension: usize,
}

impl Exact {
    /// `None` where no unknown has a known solution.
    pub(crate) fn new(problem: &Problem) -> Option<Self> {
        let known = problem.exact.iter().enumerate();
        let (unknowns, texts): (Vec<_>, Vec<_>) =
            known.filter_map(|(u, e)| e.clone().map(|e| (u, e))).unzip();
        let dimension = problem.coordinates.len();
        let inputs: Vec<Leaf> = (0..dimension).map(Leaf::Coordinate).collect();
        let program = Program::compile(&texts, &inputs)
            .ok()
            .filter(|_| !unknowns.is_empty())?;
        Some(Self {
            program,
            unknowns,
            dimension,
        })
    }

    /// `[relative L2, relative L∞]` of each unknown with a known solution at points (n × d by rows), `found(i, u)` being unknown `u` at
    /// point `i`. Against a solution that is zero the errors are absolute.
    pub(crate) fn errors(
        &self,
        points: &[f64],
        found: impl Fn(usize, usize) -> f64,
    ) -> Vec<(usize, [f64; 2])> {
        let d = self.dimension;
        let n = points.len() / d;
        let columns: Vec<Vec<f64>> = (0..d)
            .map(|k| points.iter().skip(k).step_by(d).copied().collect())
            .collect();
        let inputs: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
        let mut exact = vec![vec![0.0; n]; self.unknowns.len()];
        let mut outputs: Vec<&mut [f64]> = exact.iter_mut().map(Vec::as_mut_slice).collect();
        self.program
            .evaluate(&inputs, &mut outputs, &mut self.program.scratch());
        let one = |(&u, truth): (&usize, &Vec<f64>)| {
            let (mut square, mut total, mut largest, mut most) = (0.0, 0.0, 0.0f64, 0.0f64);
            for (i, truth) in truth.iter().enumerate() {
                let difference = found(i, u) - truth;
                (square, total) = (square + difference * difference, total + truth * truth);
                (largest, most) = (largest.max(difference.abs()), most.max(truth.abs()));
            }
            let (total, most) = if most > 0.0 {
                (total, most)
            } else {
                (n as f64, 1.0)
            };
            (u, [(square / total).sqrt(), largest / most])
        };
        self.unknowns.iter().zip(&exact).map(one).collect()
    }
}
