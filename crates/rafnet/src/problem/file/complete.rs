//! Whether the conditions are as many as the equations need.
//!
//! Counted by the order of the highest derivative across a piece. An unknown of order n takes n conditions at both ends of an axis together
//! and ⌊n/2⌋ of them at least at each; on other boundaries, where every point faces only itself, ⌊n/2⌋. First order takes them where
//! characteristics enter, which only the user knows, order 0 takes none. Order n in time takes n conditions at the ends of time. Data may stand in
//! for any of them, and so may more equations than there are unknowns.

use super::setting::Setting;
use crate::expr::{Expr, Leaf};
use crate::problem::error::ProblemError;
use crate::problem::fault::Fault;
use crate::problem::{Condition, Constraint, Observation};
use std::ops::Range;

/// Everything that fixes the unknowns.
pub(super) struct Given<'a> {
    pub(super) equations: &'a [Expr],
    pub(super) conditions: &'a [Condition],
    pub(super) data: &'a [Observation],
    pub(super) constraints: &'a [Constraint],
    /// Where `residual` stands.
    pub(super) span: &'a Range<usize>,
}

/// How many conditions the equations may take on each piece of the boundary in space.
pub(super) fn wanted(setting: &Setting<'_>, equations: &[Expr]) -> Vec<usize> {
    let pieces = 0..setting.domain.pieces().len();
    let most = |piece| {
        let orders = wanting(setting, equations, piece);
        orders.iter().map(|(_, order)| order.div_ceil(2)).sum()
    };
    pieces.map(most).collect()
}

/// The unknowns that are differentiated at least twice across a piece, and how often they are.
fn wanting(setting: &Setting<'_>, equations: &[Expr], piece: usize) -> Vec<(usize, usize)> {
    if setting.is_time(piece) || setting.periodic_axis(piece).is_some() {
        return Vec::new();
    }
    let across = match axis_of(setting, piece) {
        Some(axis) => vec![axis],
        None => setting.space(),
    };
    let order_across = |axes: &[usize]| {
        let often = |axis: &usize| axes.iter().filter(|k| *k == axis).count();
        if across.len() == 1 {
            return across.iter().map(often).sum();
        }
        // u_xy alone is no second derivative across anything
        let pairs: usize = across.iter().map(|axis| often(axis) / 2).sum();
        if pairs > 0 {
            across.iter().map(often).sum()
        } else {
            0
        }
    };
    let order = |unknown: usize| {
        let jets = equations.iter().flat_map(Expr::jets);
        let own = jets.filter(|jet| jet.unknown() == unknown);
        own.map(|jet| order_across(jet.axes())).max().unwrap_or(0)
    };
    let orders = (0..setting.unknowns.len()).map(|unknown| (unknown, order(unknown)));
    orders.filter(|(_, order)| *order >= 2).collect()
}

/// The axis across which a face of a box lies.
fn axis_of(setting: &Setting<'_>, piece: usize) -> Option<usize> {
    let (axis, _) = setting.domain.pieces()[piece].face.fixed()?;
    setting.domain.as_cuboid().map(|_| axis)
}

fn has(expr: &Expr, leaf: &Leaf) -> bool {
    expr.leaves().binary_search(leaf).is_ok()
}

fn involves(expr: &Expr, unknown: usize) -> bool {
    expr.order_of(unknown).is_some()
}

impl Given<'_> {
    /// Refuses a problem that leaves something open.
    pub(super) fn check(&self, setting: &Setting<'_>) -> Result<(), ProblemError> {
        let refused = |fault| Err(setting.source.error(self.span, fault));
        if self.data.is_empty() && self.equations.len() <= setting.unknowns.len() {
            self.check_boundary(setting)?;
            self.check_initial(setting)?;
        }
        let differentiated = |k: &usize| self.equations.iter().any(|e| e.order_of(*k) > Some(0));
        let nothing =
            self.conditions.is_empty() && self.data.is_empty() && self.constraints.is_empty();
        for unknown in (0..setting.unknowns.len()).filter(differentiated) {
            let name = setting.unknowns[unknown].clone();
            if nothing && setting.periodic.is_empty() {
                return refused(Fault::NoConditions { unknown: name });
            }
            let value = Leaf::jet(unknown, &[]);
            let residuals = self.conditions.iter().map(|condition| &condition.residual);
            let fixed = self
                .equations
                .iter()
                .chain(residuals)
                .any(|e| has(e, &value))
                || self
                    .data
                    .iter()
                    .any(|data| involves(&data.observe, unknown))
                || self.constraints.iter().any(|c| involves(&c.of, unknown));
            if !fixed {
                let time = setting.time.filter(|time| {
                    let read = self.equations.iter().flat_map(Expr::jets);
                    let own = read.filter(|jet| jet.unknown() == unknown);
                    own.into_iter().all(|jet| jet.axes() != [*time])
                });
                let time = time.map(|time| setting.coordinates[time].clone());
                return refused(Fault::FreeConstant {
                    unknown: name,
                    time,
                });
            }
        }
        Ok(())
    }

    /// The fewest conditions that hold at a point of a piece.
    fn fewest(&self, setting: &Setting<'_>, piece: usize) -> usize {
        let points = &setting.probes[piece].points;
        let on_piece = self.conditions.iter().filter(|c| c.pieces.contains(&piece));
        let on_piece: Vec<&Condition> = on_piece.collect();
        let holding = |point: &[f64]| {
            let holds = |filter: &Expr| Setting::at(filter, point) != 0.0;
            on_piece
                .iter()
                .filter(|c| c.filter.as_ref().is_none_or(holds))
                .count()
        };
        let points = points.chunks(setting.coordinates.len());
        points.map(holding).min().unwrap_or(usize::MAX)
    }

    fn check_boundary(&self, setting: &Setting<'_>) -> Result<(), ProblemError> {
        let pieces = setting.space_pieces();
        let orders = pieces.iter().map(|k| wanting(setting, self.equations, *k));
        let orders: Vec<Vec<(usize, usize)>> = orders.collect();
        let found: Vec<usize> = pieces.iter().map(|k| self.fewest(setting, *k)).collect();
        let interval = setting.space().len() == 1;
        for (at, (&piece, wanting)) in pieces.iter().zip(&orders).enumerate() {
            let least: usize = wanting.iter().map(|(_, order)| order / 2).sum();
            let short = found[at] < least;
            // at both ends of an axis together
            let axis = axis_of(setting, piece);
            let ends = pieces
                .iter()
                .zip(&found)
                .filter(|(other, _)| axis.is_some() && axis_of(setting, **other) == axis);
            let ends: Vec<(&usize, &usize)> = ends.collect();
            let at_ends = ends
                .iter()
                .try_fold(0usize, |sum, (_, n)| sum.checked_add(**n));
            let order: usize = wanting.iter().map(|(_, order)| order).sum();
            let few = axis.is_some() && at_ends.is_some_and(|n| n < order);
            if few || short && !interval {
                let barest = ends.iter().min_by_key(|(_, n)| **n);
                let barest = barest
                    .filter(|_| !short)
                    .map_or(piece, |(other, _)| **other);
                return Err(self.missing(setting, barest, wanting));
            }
        }
        Ok(())
    }

    /// What is said of a piece with too few conditions.
    fn missing(
        &self,
        setting: &Setting<'_>,
        piece: usize,
        wanting: &[(usize, usize)],
    ) -> ProblemError {
        let here = |unknown: usize| {
            let on_piece = self.conditions.iter().filter(|c| c.pieces.contains(&piece));
            on_piece.filter(|c| involves(&c.residual, unknown)).count()
        };
        let open = wanting.iter().find(|(k, order)| here(*k) < order / 2);
        let (unknown, order) = open.or(wanting.first()).copied().unwrap_or((0, 2));
        let fault = Fault::MissingBoundary {
            unknown: setting.unknowns[unknown].clone(),
            piece: setting.piece_name(piece),
            order,
        };
        setting.source.error(self.span, fault)
    }

    fn check_initial(&self, setting: &Setting<'_>) -> Result<(), ProblemError> {
        let Some(time) = setting.time.filter(|time| !setting.periodic.contains(time)) else {
            return Ok(());
        };
        for (unknown, name) in setting.unknowns.iter().enumerate() {
            let jets = self.equations.iter().flat_map(Expr::jets);
            let own = jets.filter(|jet| jet.unknown() == unknown);
            let times = own.map(|jet| jet.axes().iter().filter(|axis| **axis == time).count());
            let order = times.max().unwrap_or(0);
            let at_ends = self.conditions.iter().filter(|c| {
                c.pieces.iter().any(|piece| setting.is_time(*piece))
                    && involves(&c.residual, unknown)
            });
            let at_ends: Vec<&Condition> = at_ends.collect();
            if at_ends.len() < order {
                // the lowest derivative in time that no condition reads
                let read = |n: usize| {
                    let leaf = Leaf::jet(unknown, &vec![time; n]);
                    at_ends.iter().any(|c| has(&c.residual, &leaf))
                };
                let lowest = (0..order).find(|n| !read(*n)).unwrap_or(0);
                let name = match lowest {
                    0 => name.clone(),
                    n => format!("{name}_{}", setting.coordinates[time].repeat(n)),
                };
                let fault = Fault::MissingInitial { name, order };
                return Err(setting.source.error(self.span, fault));
            }
        }
        Ok(())
    }
}
