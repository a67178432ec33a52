//! Which pieces are split, along which axes, and where.

use super::Bounds;
use super::cut::halves;
use super::flaws::Flaw;
use super::level::{Level, Solved};
use crate::expr::largest;

/// Pieces are split that have more than this share of the largest flaw.
const SHARE: f64 = 0.2;
/// Where so many pieces are split, everything is too coarse: each along every axis that is so nearly as rough as the roughest.
const MOST: f64 = 0.7;
const NEARLY: f64 = 0.3;
/// Where a piece is split, as a share of its extent, at least; nearer to the middle than this it is split there.
const NEAREST: f64 = 0.1;
const MIDDLE: f64 = 0.2;
/// A piece that is this much shorter than the domain is not split any more.
const SHORTEST: f64 = 1e-9;

impl Level<'_> {
    /// The cells with those split that have large flaws.
    pub(super) fn split(&self, solved: &Solved) -> Vec<Bounds> {
        let flaws = &solved.flaws;
        let worst = largest(flaws.iter().map(|f| f.size));
        let limit = self.asked.tolerance.max(SHARE * worst);
        let many = flaws.iter().filter(|f| f.size > limit).count() as f64;
        let nearly = if many > MOST * flaws.len() as f64 {
            NEARLY
        } else {
            1.0
        };
        let pieced = &solved.pieced;
        let pieces = pieced.cells.iter().zip(&pieced.boxes).zip(flaws);
        let parts = pieces.flat_map(|((cell, bounds), flaw)| {
            if flaw.size > limit {
                self.parts(cell, bounds, flaw, nearly)
            } else {
                vec![cell.clone()]
            }
        });
        parts.collect()
    }

    /// A cell, split along the axis in which the solution is rough and those that are nearly as rough, where half of the flaw lies on each side.
    fn parts(&self, cell: &Bounds, bounds: &Bounds, flaw: &Flaw, nearly: f64) -> Vec<Bounds> {
        let domain = self.posed.system.problem.domain.bounds();
        let length = |[low, high]: [f64; 2]| high - low;
        let long = |k: &usize| length(bounds[*k]) > SHORTEST * length(domain[*k]);
        let in_space = |k: &usize| Some(*k) != self.posed.time;
        let axes: Vec<usize> = (0..bounds.len()).filter(in_space).filter(long).collect();
        let roughest = largest(axes.iter().map(|k| flaw.tails[*k]));
        let mut parts = vec![cell.clone()];
        for axis in axes
            .into_iter()
            .filter(|k| flaw.tails[*k] >= nearly * roughest)
        {
            let share = flaw.middle[axis].clamp(NEAREST, 1.0 - NEAREST);
            let share = if (share - 0.5).abs() < MIDDLE {
                0.5
            } else {
                share
            };
            let at = bounds[axis][0] + share * length(bounds[axis]);
            parts = parts
                .iter()
                .flat_map(|part| halves(part, axis, at))
                .collect();
        }
        self.posed.region.kept(parts)
    }
}
