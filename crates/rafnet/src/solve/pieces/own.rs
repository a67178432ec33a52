//! What belongs to one piece of a slab: its rows, each block of them divided by its largest entry.

use super::functions::Own;
use super::scale::{Terms, halves};
use super::slab::Slab;
use crate::expr::largest;
use crate::frozen::jets_unless;
use crate::optimise::Condensed;
use crate::posed::{Block, JetColumns};
use faer::Mat;

impl Slab<'_> {
    /// How large the terms of residual `r` are in a piece, from its partial derivatives there.
    pub(super) fn terms(&self, p: usize, r: usize, partials: &[Vec<f64>]) -> Terms {
        let problem = &self.posed.system.problem;
        let domain = halves(problem.domain.bounds());
        let of = [&halves(&self.boxes[p])[..], &domain];
        let residual = &self.posed.system.residuals[r];
        let terms = Terms::new(residual, partials, &self.sizes, of, problem.time);
        let is_equation = r < problem.equations.len();
        let contrast = if is_equation { self.contrasts[p] } else { 1.0 };
        Terms {
            strict: terms.strict / contrast,
            ..terms
        }
    }

    /// The jets of coefficients at a piece's blocks.
    pub(super) fn jets(&self, p: usize, coefficients: &[f64]) -> Vec<JetColumns> {
        let layer = self.posed.layer(self.functions, &self.boxes[p]);
        let residual = |b: &Block| &self.posed.system.residuals[b.residual];
        self.blocks[p]
            .iter()
            .map(|b| jets_unless(self.crew.halt, &layer, coefficients, residual(b), b))
            .collect()
    }

    /// The sum of squares of a piece's scaled residuals.
    pub(super) fn squares(&self, p: usize, jets: &[JetColumns], scales: &[f64]) -> f64 {
        let one = |((block, jets), scale): ((&Block, &JetColumns), &f64)| {
            let r = &self.posed.system.residuals[block.residual].respond(block, jets, &[])[0];
            r.iter().map(|r| (r * scale).powi(2)).sum::<f64>()
        };
        self.blocks[p].iter().zip(jets).zip(scales).map(one).sum()
    }

    /// The scaled rows of one piece over what they leave open, and the scale of each of its blocks.
    pub(super) fn piece_rows(
        &self,
        p: usize,
        jets: &[JetColumns],
        known: Option<&[f64]>,
    ) -> (Condensed, Vec<f64>) {
        let (rows, scales) = self.scaled_rows(p, jets, known);
        (self.over_open(p, rows), scales)
    }

    /// The rows of one piece, each block of them divided by its largest entry or as is known, and the scale of each.
    pub(super) fn scaled_rows(
        &self,
        p: usize,
        jets: &[JetColumns],
        known: Option<&[f64]>,
    ) -> (Mat<f64>, Vec<f64>) {
        let (system, n) = (&self.posed.system, self.functions.len());
        let layer = self.posed.layer(self.functions, &self.boxes[p]);
        let mut rows = system.rows(&layer, &self.blocks[p], jets, &[], self.crew.halt);
        let (mut at, mut scales) = (0, Vec::new());
        for (k, block) in self.blocks[p].iter().enumerate() {
            let count = block.n_rows();
            let scale = known.map_or_else(
                || {
                    let largest = largest((0..self.width()).map(|j| {
                        let column = rows.col(j).subrows(at, count);
                        column.norm_max() * self.sizes[j / n]
                    }));
                    let residual = &system.residuals[block.residual];
                    let response = residual.respond(block, &jets[k], &[]);
                    let terms = self.terms(p, block.residual, &response[1..]);
                    let stricter = Some(terms.plain / terms.strict)
                        .filter(|s| s.is_finite())
                        .unwrap_or(1.0);
                    if largest > 0.0 {
                        stricter * block.weight / largest
                    } else {
                        1.0
                    }
                },
                |known| known[k],
            );
            let mut part = rows.subrows_mut(at, count);
            part *= faer::Scale(scale);
            scales.push(scale);
            at += count;
        }
        (rows, scales)
    }

    /// The rows of one piece over what they leave open.
    pub(super) fn over_open(&self, p: usize, rows: Mat<f64>) -> Condensed {
        let n = self.functions.len();
        let own = self.posed.own(self.functions, &self.boxes[p]);
        let noise = noise(&rows, n, own.len());
        // waves that solve the equations are all that is needed
        let alone = matches!(own, Own::Waves(_));
        let needless = |j: usize| alone && j % n < n - own.len();
        self.open.condensed(rows, &noise, &needless, self.crew.halt)
    }
}

/// Waves and a corner's functions may solve equation and conditions exactly: what is left of such a column is rounding, and it is open. Below which
/// norm that is, over those of the waves, which are as large.
const ROUNDING: f64 = 1e-9;

/// The norms below which columns of a piece are rounding: of `n` functions for each unknown the last `known` are its own.
fn noise(rows: &Mat<f64>, n: usize, known: usize) -> Vec<f64> {
    if known == 0 {
        return Vec::new();
    }
    let largest = |first: usize| {
        let waves = (first..first + n - known).map(|j| rows.col(j).norm_l2());
        largest(waves)
    };
    let of_unknown = |u: usize| {
        let least = ROUNDING * largest(u * n);
        (0..n).map(move |j| if j < n - known { 0.0 } else { least })
    };
    (0..rows.ncols() / n).flat_map(of_unknown).collect()
}
