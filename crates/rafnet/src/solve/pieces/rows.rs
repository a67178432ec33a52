//! What a box must meet, as points with known values, and what it shares with its neighbours, as rows.

use super::functions::Functions;
use super::pieced::Pieced;
use super::points::grid;
use super::slab::Join;
use super::{Bounds, Posed};
use crate::solve::lsq::each_function;
use crate::solve::system::Block;
use faer::Mat;
use std::sync::atomic::AtomicBool;

/// Where blocks get the known start from.
pub(super) enum Beginning<'a> {
    /// The problem's own initial values.
    Given,
    /// The end of the slab before.
    After(&'a Pieced),
}

/// Points inside over functions.
const OVERSAMPLED: f64 = 1.7;

/// Points along an axis inside a box, and on a face.
pub(super) fn points_an_axis(functions: &Functions, d: usize) -> [usize; 2] {
    let inside = (OVERSAMPLED * functions.len() as f64)
        .powf(1.0 / d as f64)
        .ceil();
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a small positive number"
    )]
    let inside = inside as usize;
    let face = match d {
        1 => 1,
        2 => functions.degree + 8,
        _ => functions.degree + 3,
    };
    [inside, face]
}

/// The points of one box for every residual that it must meet.
pub(super) fn blocks(
    posed: &Posed,
    functions: &Functions,
    bounds: &Bounds,
    beginning: &Beginning<'_>,
) -> Vec<Block> {
    let (system, problem) = (&posed.system, &posed.system.problem);
    let [inside, face] = points_an_axis(functions, bounds.len());
    let points = grid(bounds, inside, None);
    let sites = || system.known.bare_sites(&points);
    let mut blocks: Vec<Block> = (0..problem.equations.len())
        .map(|r| Block::new(r, sites()))
        .collect();
    blocks.extend(on_boundary(
        posed,
        bounds,
        face,
        matches!(beginning, Beginning::Given),
    ));
    if let (Beginning::After(before), Some(time)) = (beginning, posed.time) {
        let points = grid(bounds, face, Some((time, bounds[time][0])));
        for (u, axes) in posed.joined(time) {
            let r = posed.known(u, &axes);
            let block = Block::new(r, system.known.bare_sites(&points));
            let values = before
                .jets(posed, &system.residuals[r], &block)
                .swap_remove(0);
            blocks.push(block.with_observed(&values));
        }
    }
    blocks
}

/// The conditions on the faces of a box that lie in the boundary, those at the start of time if they are wanted.
#[expect(
    clippy::float_cmp,
    reason = "faces have the domain's own numbers, copied"
)]
pub(super) fn on_boundary(posed: &Posed, bounds: &Bounds, n: usize, initial: bool) -> Vec<Block> {
    let (system, problem) = (&posed.system, &posed.system.problem);
    let mut blocks = Vec::new();
    for (c, condition) in problem.conditions.iter().enumerate() {
        let faces = condition
            .pieces
            .iter()
            .filter_map(|p| problem.domain.pieces()[*p].face.fixed());
        for (axis, at) in faces {
            let starts = posed.time == Some(axis);
            let side = bounds[axis].iter().position(|x| *x == at);
            let Some(side) = side.filter(|_| initial || !starts) else {
                continue;
            };
            let d = bounds.len();
            let mut points = grid(bounds, n, Some((axis, at)));
            if let Some(filter) = &condition.filter {
                let kept = points.chunks_exact(d).filter(|x| filter.at(x) > 0.5);
                points = kept.flatten().copied().collect();
            }
            if points.is_empty() {
                continue;
            }
            let normal = |k: usize| match (k == axis, side) {
                (true, 0) => -1.0,
                (true, _) => 1.0,
                _ => 0.0,
            };
            let normals: Vec<f64> = (0..points.len()).map(|i| normal(i % d)).collect();
            let sites = system.known.bare_sites(&points);
            let mut block = Block::new(problem.equations.len() + c, sites).with_normals(&normals);
            block.weight = condition.weight.unwrap_or(1.0);
            blocks.push(block);
        }
    }
    blocks
}

/// The rows between all neighbours.
pub(super) fn joins(
    posed: &Posed,
    functions: &Functions,
    boxes: &[Bounds],
    sizes: &[f64],
) -> Vec<Join> {
    let (n, unknowns) = (functions.len(), posed.unknowns());
    let [_, face] = points_an_axis(functions, posed.system.known.dimension);
    let mut joins = Vec::new();
    for shared in super::cut::shared_faces(&posed.system.problem, boxes) {
        let continuous = posed.joined(shared.axis);
        let [p, q] = shared.pieces;
        let mut pieces = vec![p, q];
        pieces.sort_unstable();
        pieces.dedup();
        let count =
            grid(&shared.bounds, face, Some((shared.axis, 0.0))).len() / shared.bounds.len();
        if continuous.is_empty() {
            continue;
        }
        let width = n * unknowns;
        let mut entries = Mat::<f64>::zeros(continuous.len() * count, pieces.len() * width + 2);
        let half = |p: usize| 0.5 * (boxes[p][shared.axis][1] - boxes[p][shared.axis][0]);
        for (piece, at, sign) in [(p, shared.at[0], 1.0), (q, shared.at[1], -1.0)] {
            let points = grid(&shared.bounds, face, Some((shared.axis, at)));
            let layer = functions.on(&boxes[piece]);
            let column = if piece == pieces[0] { 0 } else { width };
            for (k, (u, axes)) in continuous.iter().enumerate() {
                let r = posed.known(*u, axes);
                let block = Block::new(r, posed.system.known.bare_sites(&points));
                let scale = axes
                    .iter()
                    .fold(sign / sizes[*u], |s, _| s * half(p).max(half(q)));
                let never = AtomicBool::new(false);
                each_function(
                    &layer,
                    &posed.system.residuals[r],
                    &block,
                    &never,
                    |j, _, values| {
                        for (i, v) in values.iter().enumerate() {
                            entries[(k * count + i, column + u * n + j)] += scale * v;
                        }
                    },
                );
            }
        }
        joins.push(Join { pieces, entries });
    }
    joins
}
