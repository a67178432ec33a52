//! What Newton's method starts from in a slab: an earlier solution of it, what the one before ended with, or the initial values, standing still.

use super::Posed;
use super::level::Level;
use super::pieced::Pieced;
use super::rows::{Cut, points_an_axis};
use super::slab::Slab;
use crate::posed::{Block, JetColumns, Residual};

impl Level<'_> {
    /// The initial values, standing still: what Newton's method starts from in the first slab.
    pub(super) fn still(&self, slab: &Slab<'_>, time: usize) -> Option<Pieced> {
        let system = &self.posed.system;
        if !system.nonlinear() {
            return None;
        }
        let [inside, face] = points_an_axis(&self.functions, slab.boxes[0].len());
        let cut = Cut::new(self.posed, &slab.cells, &slab.boxes);
        let blocks = |p: usize| {
            let mut blocks = cut.on_boundary(&self.functions, p, face, true);
            blocks.retain(|b| {
                let c = b.residual - system.problem.equations.len();
                system.problem.conditions[c].initial
            });
            let points = self.posed.region.inside(&slab.boxes[p], inside, None);
            for u in 0..self.posed.unknowns() {
                let r = self.posed.known(u, &[time]);
                let sites = self.posed.sites(&self.functions, &slab.boxes[p], &points);
                blocks.push(Block::new(r, sites));
            }
            blocks
        };
        let standing = Slab {
            posed: self.posed,
            functions: &self.functions,
            cells: slab.cells.clone(),
            boxes: slab.boxes.clone(),
            blocks: (0..slab.boxes.len()).map(blocks).collect(),
            joins: Vec::new(),
            sizes: slab.sizes.clone(),
            contrasts: slab.contrasts.clone(),
            crew: slab.crew,
            open: slab.open,
        };
        let nothing = |_: usize, r: &Residual, b: &Block| vec![vec![0.0; b.sites.n]; r.jets.len()];
        standing.fit(&nothing, &mut || true).map(|f| f.0)
    }
}

/// The slab's solution by Newton's method: from an earlier one of the same slab, from the end of the one before, or from the guess.
pub(super) fn fit(
    slab: &Slab<'_>,
    time: usize,
    before: Option<&Pieced>,
    start: Option<&Pieced>,
) -> Option<(Pieced, f64)> {
    let (posed, begin) = (slab.posed, slab.boxes[0][time][0]);
    let jets = |_: usize, r: &Residual, b: &Block| match (start, before) {
        (Some(pieced), _) => pieced.jets(posed, r, b),
        (None, Some(before)) => at_rest(posed, before, time, begin, r, b),
        (None, None) => posed.system.guessed(b),
    };
    slab.fit(&jets, &mut || true)
}

/// The end of the slab before, standing still.
fn at_rest(
    posed: &Posed,
    before: &Pieced,
    time: usize,
    begin: f64,
    r: &Residual,
    b: &Block,
) -> JetColumns {
    let (d, n) = (b.sites.coordinates.len(), b.sites.n);
    let held = |at: usize| {
        if at % d == time {
            begin
        } else {
            b.sites.coordinates[at % d][at / d]
        }
    };
    let points: Vec<f64> = (0..n * d).map(held).collect();
    let there = Block::new(b.residual, posed.system.known.bare_sites(&points));
    let mut jets = before.jets(posed, r, &there);
    for ((_, axes), column) in r.jets.iter().zip(&mut jets) {
        if axes.contains(&time) {
            column.fill(0.0);
        }
    }
    jets
}
