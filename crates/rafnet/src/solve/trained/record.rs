//! What a trained run records at every step: loss, error, its best, its mean over 100 steps and the best of that.

use crate::domain::{DomainError, Draw, Sampler};
use crate::expr::{Leaf, Program};
use crate::problem::Problem;
use std::collections::VecDeque;

/// Steps of the moving average.
const WINDOW: u64 = 100;

/// The errors of a run so far.
#[derive(Clone, Debug)]
pub(super) struct Record {
    recent: VecDeque<f64>,
    /// Errors that 100 steps give.
    window: usize,
    pub(super) best: f64,
    pub(super) best_average: f64,
}

impl Record {
    /// For an error every so many steps.
    pub(super) fn new(every: u64) -> Self {
        let window = usize::try_from(WINDOW / every).unwrap_or(1).max(1);
        Self {
            recent: VecDeque::with_capacity(window),
            window,
            best: f64::INFINITY,
            best_average: f64::INFINITY,
        }
    }

    pub(super) fn add(&mut self, error: f64) {
        if self.recent.len() == self.window {
            self.recent.pop_front();
        }
        self.recent.push_back(error);
        self.best = self.best.min(error);
        if self.recent.len() == self.window {
            // summed anew in a fixed order: a resumed run has the same bits
            let average = self.recent.iter().sum::<f64>() / self.window as f64;
            self.best_average = self.best_average.min(average);
        }
    }

    /// The last error.
    pub(super) fn last(&self) -> f64 {
        self.recent.back().copied().unwrap_or(f64::INFINITY)
    }

    /// As numbers, for a checkpoint.
    pub(super) fn to_numbers(&self) -> Vec<f64> {
        [self.best, self.best_average]
            .into_iter()
            .chain(self.recent.iter().copied())
            .collect()
    }

    pub(super) fn from_numbers(numbers: &[f64], every: u64) -> Option<Self> {
        let [best, best_average, recent @ ..] = numbers else {
            return None;
        };
        Some(Self {
            recent: recent.iter().copied().collect(),
            best: *best,
            best_average: *best_average,
            ..Self::new(every)
        })
    }
}

/// The exact solution at fresh points, for the record alone.
pub(super) struct Exact {
    program: Program,
    /// Which unknowns have one.
    pub(super) unknowns: Vec<usize>,
}

impl Exact {
    /// `None` where no unknown has a known solution.
    pub(super) fn new(problem: &Problem) -> Option<Self> {
        let known = problem.exact.iter().enumerate();
        let (unknowns, texts): (Vec<_>, Vec<_>) =
            known.filter_map(|(u, e)| e.clone().map(|e| (u, e))).unzip();
        let inputs: Vec<Leaf> = (0..problem.coordinates.len())
            .map(Leaf::Coordinate)
            .collect();
        let program = Program::compile(&texts, &inputs)
            .ok()
            .filter(|_| !unknowns.is_empty())?;
        Some(Self { program, unknowns })
    }

    /// Fresh points of a step and the exact values there, by unknown.
    pub(super) fn draw(
        &self,
        problem: &Problem,
        n: usize,
        seed: u64,
        step: u64,
    ) -> Result<(Vec<f64>, Vec<Vec<f64>>), DomainError> {
        let draw = Draw::new(Sampler::Random, seed).held_out().round(step);
        let points = problem.domain.interior(n, &draw)?;
        let d = problem.coordinates.len();
        let columns: Vec<Vec<f64>> = (0..d)
            .map(|k| points.iter().skip(k).step_by(d).copied().collect())
            .collect();
        let inputs: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
        let mut values = vec![vec![0.0; n]; self.unknowns.len()];
        let mut outputs: Vec<&mut [f64]> = values.iter_mut().map(Vec::as_mut_slice).collect();
        self.program
            .evaluate(&inputs, &mut outputs, &mut self.program.scratch());
        Ok((points, values))
    }

    /// The worst unknown's relative L2 error.
    pub(super) fn error(&self, exact: &[Vec<f64>], found: &[f64], n: usize) -> f64 {
        let one = |(k, u): (usize, &usize)| {
            let (mut square, mut total) = (0.0, 0.0);
            for (truth, value) in exact[k].iter().zip(&found[u * n..(u + 1) * n]) {
                (square, total) = (square + (truth - value).powi(2), total + truth * truth);
            }
            (square / total).sqrt()
        };
        self.unknowns
            .iter()
            .enumerate()
            .map(one)
            .fold(0.0, f64::max)
    }
}
