//! A slab: boxes side by side, their rows, and Newton's method over all of them.
//!
//! ```text
//! equations      at Chebyshev points of every box                                      divided by the largest entry of their rows, each
//! conditions     on the faces of boxes that lie in the boundary                        unknown in units of its size
//! start          u (and u_t) of the slab before, on the faces that begin it
//! joins          u (and u_n) of two neighbours, on the face that they share: their difference is zero
//! ```
//!
//! Rows of one box are condensed to a triangle at once, in parallel; [`Fronts`] joins the triangles.

use super::functions::Functions;
use super::pieced::Pieced;
use super::points::grid;
use super::{Bounds, Posed};
use crate::optimise::{Fronts, Rows, condensed, in_parallel};
use crate::solve::lsq::{each_function, jets_of};
use crate::solve::system::{Block, JetColumns, Residual};
use faer::Mat;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;

/// Most Newton steps, and most halvings of one.
const MOST_STEPS: usize = 20;
const MOST_HALVINGS: i32 = 6;
/// Newton ends when the sum of squares is this near to what the linearised rows foretold, or a full step lowers it by less than that.
const FORETOLD: f64 = 1.1;
const IDLE: f64 = 0.5;
/// Points inside over functions.
const OVERSAMPLED: f64 = 1.7;

/// Boxes with their points.
pub(super) struct Slab<'a> {
    pub(super) posed: &'a Posed,
    pub(super) functions: &'a Functions,
    pub(super) boxes: Vec<Bounds>,
    /// The points of every box.
    pub(super) blocks: Vec<Vec<Block>>,
    pub(super) joins: Vec<Join>,
    /// How large each unknown is.
    pub(super) sizes: Vec<f64>,
    pub(super) threads: usize,
}

/// What two neighbours share: rows over the columns of both, which should be zero.
pub(super) struct Join {
    /// Ascending; one that closes on itself is there once.
    pub(super) pieces: Vec<usize>,
    pub(super) entries: Mat<f64>,
}

/// Where blocks get the known start from.
pub(super) enum Beginning<'a> {
    /// The problem's own initial values.
    Given,
    /// The end of the slab before.
    After(&'a Pieced),
}

/// Points along an axis inside a box, and on a face.
pub(super) fn points_an_axis(functions: &Functions, d: usize) -> [usize; 2] {
    let inside = (OVERSAMPLED * functions.len() as f64).powf(1.0 / d as f64).ceil();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small positive number")]
    let inside = inside as usize;
    let face = match d {
        1 => 1,
        2 => functions.degree + 8,
        _ => functions.degree + 3,
    };
    [inside, face]
}

impl<'a> Slab<'a> {
    pub(super) fn new(
        posed: &'a Posed,
        functions: &'a Functions,
        boxes: Vec<Bounds>,
        beginning: &Beginning<'_>,
        sizes: Vec<f64>,
        threads: usize,
    ) -> Self {
        let blocks: Vec<Vec<Block>> = boxes.iter().map(|b| blocks(posed, functions, b, beginning)).collect();
        let joins = joins(posed, functions, &boxes, &sizes);
        Self { posed, functions, boxes, blocks, joins, sizes, threads }
    }

    /// The same with conditions that weigh so much less.
    pub(super) fn with_conditions_weighing(mut self, weight: f64) -> Self {
        let problem = &self.posed.system.problem;
        let of_condition = problem.equations.len()..problem.equations.len() + problem.conditions.len();
        let blocks = self.blocks.iter_mut().flatten();
        blocks.filter(|b| of_condition.contains(&b.residual)).for_each(|b| b.weight *= weight);
        self
    }

    pub(super) fn width(&self) -> usize {
        self.functions.len() * self.posed.unknowns()
    }

    /// The best coefficients, from given jets at every block; `None` where nothing finite comes out or `go_on` says no.
    pub(super) fn fit(
        &self,
        start: &(dyn Fn(usize, &Residual, &Block) -> JetColumns + Sync),
        go_on: &mut dyn FnMut() -> bool,
    ) -> Option<Pieced> {
        let system = &self.posed.system;
        let nonlinear = self.blocks.iter().flatten().any(|b| system.residuals[b.residual].nonlinear);
        let first = |p: usize| {
            let of_block = |b: &Block| start(p, &system.residuals[b.residual], b);
            self.blocks[p].iter().map(of_block).collect::<Vec<JetColumns>>()
        };
        let mut jets = self.each(&first);
        let mut scales: Vec<Vec<f64>> = Vec::new();
        let mut best: Option<(Vec<Vec<f64>>, f64)> = None;
        for _ in 0..if nonlinear { MOST_STEPS } else { 1 } {
            if !go_on() {
                return None;
            }
            let known = (!scales.is_empty()).then_some(&scales);
            let condense = |p: usize| self.piece_rows(p, &jets[p], known.map(|s| &s[p][..]));
            let (triangles, now): (Vec<Mat<f64>>, Vec<Vec<f64>>) = self.each(&condense).into_iter().unzip();
            scales = now;
            let own = triangles.into_iter().enumerate().map(|(p, entries)| Rows { groups: vec![p], entries });
            let joins = self.joins.iter().map(|j| Rows { groups: j.pieces.clone(), entries: j.entries.clone() });
            let widths = vec![self.width(); self.boxes.len()];
            let factored = Fronts::new(&widths, own.chain(joins).collect(), 2, self.threads);
            let before = best.as_ref().map_or(f64::INFINITY, |b| b.1);
            let (found, merit, next, whole) = self.step(&factored, &scales, before)?;
            let foretold = factored.misfit(&[1.0, -1.0]).powi(2);
            let done = whole && (merit <= FORETOLD * foretold || merit > IDLE * before);
            if merit < before {
                best = Some((found, merit));
                jets = next;
            }
            if done || !whole {
                break;
            }
        }
        let (coefficients, _) = best?;
        Some(Pieced {
            functions: self.functions.clone(),
            boxes: self.boxes.clone(),
            coefficients,
        })
    }

    /// The longest step, from a whole one down by halves, that lowers the sum of squares; whether it is whole.
    #[expect(clippy::type_complexity, reason = "coefficients, sum of squares, jets")]
    fn step(
        &self,
        factored: &Fronts,
        scales: &[Vec<f64>],
        before: f64,
    ) -> Option<(Vec<Vec<f64>>, f64, Vec<Vec<JetColumns>>, bool)> {
        let mut last = None;
        for halving in 0..=MOST_HALVINGS {
            let found = factored.solve(&[1.0, -(0.5f64.powi(halving))]);
            if found.iter().flatten().any(|v| !v.is_finite()) {
                return None;
            }
            let at = |p: usize| self.jets(p, &found[p]);
            let jets = self.each(&at);
            let square = |p: usize| self.squares(p, &jets[p], &scales[p]);
            let own: f64 = self.each(&square).iter().sum();
            let joined: f64 = self.joins.iter().map(|j| j.square(&found, self.width())).sum();
            let merit = own + joined;
            if merit.is_finite() {
                let lower = merit < before;
                last = Some((found, merit, jets, halving == 0));
                if lower {
                    break;
                }
            }
            if before.is_infinite() {
                break;
            }
        }
        last
    }

    /// Calls `job` for every piece, in parallel.
    pub(super) fn each<T: Send>(&self, job: &(dyn Fn(usize) -> T + Sync)) -> Vec<T> {
        let places: Vec<Mutex<Option<T>>> = self.boxes.iter().map(|_| Mutex::new(None)).collect();
        in_parallel(self.boxes.len(), self.threads, &|p| {
            let made = job(p);
            if let Ok(mut place) = places[p].lock() {
                *place = Some(made);
            }
        });
        places.into_iter().filter_map(|p| p.into_inner().ok().flatten()).collect()
    }

    /// The jets of coefficients at a piece's blocks.
    pub(super) fn jets(&self, p: usize, coefficients: &[f64]) -> Vec<JetColumns> {
        let layer = self.functions.on(&self.boxes[p]);
        let residual = |b: &Block| &self.posed.system.residuals[b.residual];
        self.blocks[p].iter().map(|b| jets_of(&layer, coefficients, residual(b), b)).collect()
    }

    fn squares(&self, p: usize, jets: &[JetColumns], scales: &[f64]) -> f64 {
        let one = |((block, jets), scale): ((&Block, &JetColumns), &f64)| {
            let r = &self.posed.system.residuals[block.residual].respond(block, jets, &[])[0];
            r.iter().map(|r| (r * scale).powi(2)).sum::<f64>()
        };
        self.blocks[p].iter().zip(jets).zip(scales).map(one).sum()
    }

    /// The scaled rows of one piece as a triangle, and the scale of each of its blocks.
    fn piece_rows(&self, p: usize, jets: &[JetColumns], known: Option<&[f64]>) -> (Mat<f64>, Vec<f64>) {
        let (system, n) = (&self.posed.system, self.functions.len());
        let layer = self.functions.on(&self.boxes[p]);
        let never = AtomicBool::new(false);
        let mut rows = system.rows(&layer, &self.blocks[p], jets, &[], &never);
        let (mut at, mut scales) = (0, Vec::new());
        for (k, block) in self.blocks[p].iter().enumerate() {
            let count = block.n_rows();
            let scale = known.map_or_else(
                || {
                    let largest = (0..self.width()).fold(0.0, |most: f64, j| {
                        let column = rows.col(j).subrows(at, count);
                        most.max(column.norm_max() * self.sizes[j / n])
                    });
                    if largest > 0.0 { block.weight / largest } else { 1.0 }
                },
                |known| known[k],
            );
            let mut part = rows.subrows_mut(at, count);
            part *= faer::Scale(scale);
            scales.push(scale);
            at += count;
        }
        (condensed(rows, 2), scales)
    }
}

impl Join {
    /// The sum of squares of the jumps.
    pub(super) fn square(&self, coefficients: &[Vec<f64>], width: usize) -> f64 {
        let values = self.pieces.iter().flat_map(|p| &coefficients[*p]);
        let mut jumps = vec![0.0; self.entries.nrows()];
        for (j, c) in values.enumerate().take(self.pieces.len() * width) {
            jumps.iter_mut().zip(self.entries.col(j).iter()).for_each(|(jump, e)| *jump += e * c);
        }
        jumps.iter().map(|j| j * j).sum()
    }
}

/// The points of one box for every residual that it must meet.
fn blocks(posed: &Posed, functions: &Functions, bounds: &Bounds, beginning: &Beginning<'_>) -> Vec<Block> {
    let (system, problem) = (&posed.system, &posed.system.problem);
    let [inside, face] = points_an_axis(functions, bounds.len());
    let points = grid(bounds, inside, None);
    let sites = || system.known.bare_sites(&points);
    let mut blocks: Vec<Block> = (0..problem.equations.len()).map(|r| Block::new(r, sites())).collect();
    blocks.extend(on_boundary(posed, bounds, face, matches!(beginning, Beginning::Given)));
    if let (Beginning::After(before), Some(time)) = (beginning, posed.time) {
        let points = grid(bounds, face, Some((time, bounds[time][0])));
        for (u, axes) in posed.joined(time) {
            let r = posed.known(u, &axes);
            let block = Block::new(r, system.known.bare_sites(&points));
            let values = before.jets(posed, &system.residuals[r], &block).swap_remove(0);
            blocks.push(block.with_observed(&values));
        }
    }
    blocks
}

/// The conditions on the faces of a box that lie in the boundary, those at the start of time if they are wanted.
pub(super) fn on_boundary(posed: &Posed, bounds: &Bounds, n: usize, initial: bool) -> Vec<Block> {
    let (system, problem) = (&posed.system, &posed.system.problem);
    let mut blocks = Vec::new();
    for (c, condition) in problem.conditions.iter().enumerate() {
        let faces = condition.pieces.iter().filter_map(|p| problem.domain.pieces()[*p].face.fixed());
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
fn joins(posed: &Posed, functions: &Functions, boxes: &[Bounds], sizes: &[f64]) -> Vec<Join> {
    let (n, unknowns) = (functions.len(), posed.unknowns());
    let [_, face] = points_an_axis(functions, posed.system.known.dimension);
    let mut joins = Vec::new();
    for shared in super::cut::shared_faces(&posed.system.problem, boxes) {
        let continuous = posed.joined(shared.axis);
        let [p, q] = shared.pieces;
        let mut pieces = vec![p, q];
        pieces.sort_unstable();
        pieces.dedup();
        let count = grid(&shared.bounds, face, Some((shared.axis, 0.0))).len() / shared.bounds.len();
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
                let scale = axes.iter().fold(sign / sizes[*u], |s, _| s * half(p).max(half(q)));
                let never = AtomicBool::new(false);
                each_function(&layer, &posed.system.residuals[r], &block, &never, |j, _, values| {
                    for (i, v) in values.iter().enumerate() {
                        entries[(k * count + i, column + u * n + j)] += scale * v;
                    }
                });
            }
        }
        joins.push(Join { pieces, entries });
    }
    joins
}
