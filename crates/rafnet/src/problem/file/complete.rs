//! Whether the conditions are as many as the equations need.
//!
//! Counted by the order of the highest derivative across a piece: second order in space takes one condition a piece (two
//! for both ends of an interval), first order takes them where characteristics enter, which only the user knows, order 0
//! takes none. Order n in time takes n conditions at the ends of time. Data may stand in for any of them.

use super::setting::Setting;
use crate::expr::{Expr, Leaf};
use crate::problem::error::{Fault, ProblemError};
use crate::problem::{Condition, Mean, Observation};
use std::ops::Range;

/// Everything that fixes the unknowns.
pub(super) struct Given<'a> {
    pub(super) equations: &'a [Expr],
    pub(super) conditions: &'a [Condition],
    pub(super) data: &'a [Observation],
    pub(super) means: &'a [Mean],
    /// Where `residual` stands.
    pub(super) span: &'a Range<usize>,
}

/// How many conditions the equations take on each piece of the boundary in space.
pub(super) fn wanted(setting: &Setting<'_>, equations: &[Expr]) -> Vec<usize> {
    let pieces = 0..setting.domain.pieces().len();
    pieces
        .map(|piece| wanting(setting, equations, piece).len())
        .collect()
}

/// The unknowns that are differentiated twice across a piece.
fn wanting(setting: &Setting<'_>, equations: &[Expr], piece: usize) -> Vec<usize> {
    if setting.is_time(piece) || setting.periodic_axis(piece).is_some() {
        return Vec::new();
    }
    let space = setting.space();
    let across = match setting.domain.pieces()[piece].face.fixed() {
        Some((axis, _)) if setting.domain.as_cuboid().is_some() => vec![axis],
        _ => space,
    };
    let twice = |unknown: &usize| {
        let seconds = across
            .iter()
            .map(|axis| Leaf::jet(*unknown, &[*axis, *axis]));
        seconds
            .into_iter()
            .any(|second| equations.iter().any(|e| has(e, &second)))
    };
    (0..setting.unknowns.len()).filter(twice).collect()
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
        if self.data.is_empty() {
            self.check_boundary(setting)?;
            self.check_initial(setting)?;
        }
        let differentiated = |k: &usize| self.equations.iter().any(|e| e.order_of(*k) > Some(0));
        let nothing = self.conditions.is_empty() && self.data.is_empty() && self.means.is_empty();
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
                || self.means.iter().any(|mean| involves(&mean.of, unknown));
            if !fixed {
                return refused(Fault::FreeConstant { unknown: name });
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
        let wanted = wanted(setting, self.equations);
        let found: Vec<usize> = pieces.iter().map(|k| self.fewest(setting, *k)).collect();
        let interval = setting.space().len() == 1;
        let total_found = found.iter().fold(0, |sum: usize, n| sum.saturating_add(*n));
        let total_wanted: usize = pieces.iter().map(|k| wanted[*k]).sum();
        if interval && total_found >= total_wanted {
            return Ok(());
        }
        for (&piece, &found) in pieces.iter().zip(&found) {
            if found < wanted[piece] {
                let wanting = wanting(setting, self.equations, piece);
                let here = |k: usize| {
                    let mut on_piece = self.conditions.iter().filter(|c| c.pieces.contains(&piece));
                    on_piece.any(|c| involves(&c.residual, k))
                };
                let open = wanting.iter().find(|k| !here(**k));
                let unknown = open.or(wanting.first()).copied().unwrap_or(0);
                let fault = Fault::MissingBoundary {
                    unknown: setting.unknowns[unknown].clone(),
                    piece: setting.piece_name(piece),
                };
                return Err(setting.source.error(self.span, fault));
            }
        }
        Ok(())
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
                let value = Leaf::jet(unknown, &[]);
                let has_value = at_ends.iter().any(|c| has(&c.residual, &value));
                let name = if has_value {
                    format!("{name}_{}", setting.coordinates[time])
                } else {
                    name.clone()
                };
                let fault = Fault::MissingInitial { name, order };
                return Err(setting.source.error(self.span, fault));
            }
        }
        Ok(())
    }
}
