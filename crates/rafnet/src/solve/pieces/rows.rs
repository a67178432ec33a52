//! What a box must meet, as points with known values, and what it shares with its neighbours, as rows.

use super::cut::{Shared, shared_faces};
use super::functions::Functions;
use super::pieced::Pieced;
use super::slab::Join;
use super::surface::{OnSurface, Surface};
use super::{Bounds, Posed};
use crate::engine::ridges::Layer;
use crate::expr::smaller;
use crate::frozen::each_function;
use crate::halt::{Crew, Halt};
use crate::optimise::each;
use crate::posed::Block;
use faer::{Mat, MatMut};
use std::f64::consts::TAU;

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

/// Cells with the parts of the boundary that belong to each.
pub(super) struct Cut<'a> {
    posed: &'a Posed,
    cells: &'a [Bounds],
    boxes: &'a [Bounds],
    /// For each surface the cells of its points.
    owners: Vec<Vec<usize>>,
}

impl<'a> Cut<'a> {
    pub(super) fn new(posed: &'a Posed, cells: &'a [Bounds], boxes: &'a [Bounds]) -> Self {
        let owners = |s: &Surface| s.owners(&posed.region.domain, cells);
        Self {
            posed,
            cells,
            boxes,
            owners: posed.surfaces.iter().map(owners).collect(),
        }
    }

    /// The points of one box for every residual that it must meet.
    pub(super) fn blocks(
        &self,
        functions: &Functions,
        p: usize,
        beginning: &Beginning<'_>,
    ) -> Vec<Block> {
        let (posed, bounds) = (self.posed, &self.boxes[p]);
        let (system, problem) = (&posed.system, &posed.system.problem);
        let [inside, face] = points_an_axis(functions, bounds.len());
        let points = posed.region.inside(bounds, inside, None);
        let sites = || posed.sites(functions, bounds, &points);
        let mut blocks: Vec<Block> = (0..problem.equations.len())
            .map(|r| Block::new(r, sites()))
            .collect();
        let given = matches!(beginning, Beginning::Given);
        blocks.extend(self.on_boundary(functions, p, face, given));
        if let (Beginning::After(before), Some(time)) = (beginning, posed.time) {
            let held = Some((time, bounds[time][0]));
            let points = posed.region.inside(bounds, face, held);
            for (u, axes) in posed.joined(time) {
                let r = posed.known(u, &axes);
                let block = Block::new(r, posed.sites(functions, bounds, &points));
                let values = before
                    .jets(posed, &system.residuals[r], &block)
                    .swap_remove(0);
                blocks.push(block.with_observed(&values));
            }
        }
        blocks
    }

    /// The conditions on what of the boundary belongs to a cell, those at the start of time if they are wanted.
    pub(super) fn on_boundary(
        &self,
        functions: &Functions,
        p: usize,
        n: usize,
        initial: bool,
    ) -> Vec<Block> {
        let problem = &self.posed.system.problem;
        let d = self.cells[p].len();
        let mut blocks = Vec::new();
        for (c, condition) in problem.conditions.iter().enumerate() {
            for piece in &condition.pieces {
                let mut on = self.on_piece(p, *piece, n, initial);
                if let Some(filter) = &condition.filter {
                    let pairs = on.points.chunks_exact(d).zip(on.normals.chunks_exact(d));
                    let kept = pairs.filter(|(x, _)| filter.at(x) > 0.5);
                    let (points, normals): (Vec<&[f64]>, Vec<&[f64]>) = kept.unzip();
                    on = OnSurface {
                        points: points.concat(),
                        normals: normals.concat(),
                    };
                }
                if on.points.is_empty() {
                    continue;
                }
                let sites = self.posed.sites(functions, &self.boxes[p], &on.points);
                let block = Block::new(problem.equations.len() + c, sites);
                let mut block = block.with_normals(&on.normals);
                block.weight = condition.weight.unwrap_or(1.0);
                blocks.push(block);
            }
        }
        blocks
    }

    /// Points of a cell on a piece of the boundary.
    #[expect(
        clippy::float_cmp,
        reason = "faces have the domain's own numbers, copied"
    )]
    fn on_piece(&self, p: usize, piece: usize, n: usize, initial: bool) -> OnSurface {
        let (region, bounds) = (&self.posed.region, &self.boxes[p]);
        let face = region.domain.pieces()[piece].face;
        if !region.is_plain() && !face.is_time() {
            let mut all = self.posed.surfaces.iter().zip(&self.owners);
            let found = all.find(|(s, _)| s.piece() == piece);
            let on = found.map(|(s, owners)| s.within(&region.domain, (p, bounds), owners, 2 * n));
            return on.unwrap_or_default();
        }
        let Some((axis, at)) = face.fixed() else {
            return OnSurface::default();
        };
        let starts = self.posed.time == Some(axis);
        let side = bounds[axis].iter().position(|x| *x == at);
        let Some(side) = side.filter(|_| initial || !starts) else {
            return OnSurface::default();
        };
        let d = bounds.len();
        let points = region.inside(bounds, n, Some((axis, at)));
        let normal = |k: usize| match (k == axis, side) {
            (true, 0) => -1.0,
            (true, _) => 1.0,
            _ => 0.0,
        };
        OnSurface {
            normals: (0..points.len()).map(|i| normal(i % d)).collect(),
            points,
        }
    }
}

/// The rows between all neighbours.
pub(super) fn joins(
    posed: &Posed,
    functions: &Functions,
    [cells, boxes]: [&[Bounds]; 2],
    sizes: &[f64],
    crew: Crew<'_>,
) -> Vec<Join> {
    let faces = shared_faces(&posed.system.problem, cells);
    let join = |k: usize| join(posed, functions, &faces[k], boxes, sizes, crew.halt);
    each(faces.len(), crew, &join)
        .into_iter()
        .flatten()
        .collect()
}

/// The rows of two neighbours, if there are any.
fn join(
    posed: &Posed,
    functions: &Functions,
    shared: &Shared,
    boxes: &[Bounds],
    sizes: &[f64],
    halt: &Halt,
) -> Option<Join> {
    let width = functions.len() * posed.unknowns();
    let [_, face] = points_an_axis(functions, posed.system.known.dimension);
    let (continuous, fluxes) = (posed.joined(shared.axis), posed.fluxes(shared.axis));
    let [p, q] = shared.pieces;
    let mut pieces = vec![p, q];
    pieces.sort_unstable();
    pieces.dedup();
    let points = posed
        .region
        .between(&shared.bounds, face, shared.axis, shared.at);
    let count = points.len() / shared.bounds.len();
    let height = (continuous.len() + fluxes.len()) * count;
    if height == 0 {
        return None;
    }
    let held = |at: f64| {
        let mut points = points.clone();
        let across = points.iter_mut().skip(shared.axis);
        across.step_by(shared.bounds.len()).for_each(|x| *x = at);
        points
    };
    // coefficients are those of one side of the jump
    let [low, high] = posed.system.problem.domain.bounds()[shared.axis];
    let beside = BESIDE * (high - low);
    let within = [held(shared.at[0] - beside), held(shared.at[1] + beside)];
    // by the weaker side: it is the one whose solution a missing flux changes
    let strength = |r: usize| {
        let sides = within.iter().map(|x| posed.strength(r, shared.axis, x));
        sides.fold(f64::INFINITY, smaller).max(f64::MIN_POSITIVE)
    };
    let mut entries = Mat::<f64>::zeros(height, pieces.len() * width + 2);
    let half = |p: usize| 0.5 * (boxes[p][shared.axis][1] - boxes[p][shared.axis][0]);
    let longest = half(p).max(half(q));
    for (side, sign) in [1.0, -1.0].into_iter().enumerate() {
        let piece = shared.pieces[side];
        let column = if piece == pieces[0] { 0 } else { width };
        let mut share = Share {
            posed,
            functions,
            bounds: &boxes[piece],
            layer: posed.layer(functions, &boxes[piece]),
            entries: entries.subcols_mut(column, width),
            halt,
        };
        let there = held(shared.at[side]);
        for (k, (u, axes)) in continuous.iter().enumerate() {
            let scale = axes.iter().fold(sign / sizes[*u], |s, _| s * longest);
            share.add(posed.known(*u, axes), &there, k * count, scale);
        }
        for (k, (r, u)) in fluxes.iter().enumerate() {
            let scale = sign * longest / (sizes[*u] * strength(*r));
            share.add(*r, &within[side], (continuous.len() + k) * count, scale);
        }
    }
    let is_slope = |k: &usize| continuous.get(*k).is_none_or(|(_, axes)| !axes.is_empty());
    let slopes = (0..continuous.len() + fluxes.len()).filter(is_slope);
    let slopes = slopes.flat_map(|k| k * count..(k + 1) * count);
    Some(Join {
        pieces,
        entries,
        slopes: slopes.collect(),
        gentle: longest / (high - low),
        points: count,
        reach: reach(posed, shared, longest),
    })
}

/// What a slope that jumps by one of its units on a face, size over `longest`, makes far from it, over the size: a source of the strength jump · area
/// makes it times 1/(2π Rᵈ⁻²) at a distance R, about. On a line it is told otherwise.
fn reach(posed: &Posed, shared: &Shared, longest: f64) -> f64 {
    let domain = posed.system.problem.domain.bounds();
    let across = || (0..domain.len()).filter(|k| *k != shared.axis);
    let extent = |[low, high]: [f64; 2]| high - low;
    let area: f64 = across().map(|k| extent(shared.bounds[k])).product();
    let whole: f64 = across().map(|k| 0.5 * extent(domain[k])).product();
    let others = domain.len() as f64 - 1.0;
    let radius = whole.powf((others - 1.0) / others);
    area / (longest * radius * TAU)
}

/// How far from a cut the coefficients of a flux are taken, over the extent of the domain.
const BESIDE: f64 = 1e-14;

/// What one of two neighbours has of their join.
struct Share<'a> {
    posed: &'a Posed,
    functions: &'a Functions,
    bounds: &'a Bounds,
    layer: Layer,
    entries: MatMut<'a, f64>,
    halt: &'a Halt,
}

impl Share<'_> {
    /// Adds rows of a linear residual from a given one on.
    fn add(&mut self, r: usize, points: &[f64], first: usize, scale: f64) {
        let (system, n) = (&self.posed.system, self.layer.len());
        let residual = &system.residuals[r];
        let sites = self.posed.sites(self.functions, self.bounds, points);
        let block = Block::new(r, sites);
        let nothing = vec![vec![0.0; block.sites.n]; residual.jets.len()];
        let response = residual.respond(&block, &nothing, &[]);
        each_function(&self.layer, residual, &block, self.halt, |j, k, values| {
            let column = residual.jets[k].0 * n + j;
            for (i, (v, c)) in values.iter().zip(&response[1 + k]).enumerate() {
                self.entries[(first + i, column)] += scale * c * v;
            }
        });
    }
}
