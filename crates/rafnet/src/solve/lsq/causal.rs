//! A problem in time, a little time first.

use super::attempt::Way;
use super::search::Search;
use super::tuning::{FIRST_PART, LONGER_PART, PART_FUNCTIONS};
use crate::domain::DomainError;
use crate::frozen::Start;
use crate::posed::LOST;
use crate::problem::{Extent, Problem};
use crate::solve::event::{Event, Tried};

impl Search<'_> {
    /// Where Newton's method finds nothing from the guess, a problem in time is solved for a short time first, then for longer and
    /// longer ones, each from the one before. Time alone is a matter of slabs, which take less than the first of these.
    pub(super) fn causal(&mut self, problem: &Problem) -> Result<(), DomainError> {
        let Some(axis) = problem.time.filter(|_| self.ways[0].system.nonlinear()) else {
            return Ok(());
        };
        let [first, last] = problem.domain.bounds()[axis];
        let for_slabs = self.yields && problem.coordinates.len() == 1;
        if self.residual() < LOST || for_slabs || self.ended() {
            return Ok(());
        }
        let mut starts: Vec<Option<Start>> = Vec::new();
        let mut share = FIRST_PART;
        while share < 1.0 && !self.ended() {
            let until = first + share * (last - first);
            let Some(shorter) = shortened(problem, axis, until)? else {
                return Ok(());
            };
            let progress = &mut *self.progress;
            let mut part = Search::new(&shorter, self.options, self.started, progress, self.halt)?;
            part.starts = starts;
            part.tried = self.tried;
            part.coarse()?;
            part.widen_until(PART_FUNCTIONS, LOST * LOST)?;
            (self.tried, self.stopped, self.expired) = (part.tried, part.stopped, part.expired);
            self.work += part.work;
            let reached = part.residual();
            let residual = reached;
            self.events
                .push(Event::new("lsq", Tried::Part { until, residual }));
            // what so many functions do not resolve for a part of the time is a matter of slabs
            let for_slabs = reached > LOST * LOST && self.yields;
            if reached >= LOST || for_slabs {
                return Ok(());
            }
            let state_of = |w: usize| {
                let mine = part.attempts.iter().find(|a| a.candidate.way == w);
                mine.map(|a| Start {
                    state: a.state.clone(),
                    until: Some((axis, until)),
                })
            };
            let names = part.ways.iter().map(|way| way.name);
            let found = names.enumerate().map(|(w, name)| (name, state_of(w)));
            let found: Vec<(&str, Option<Start>)> = found.collect();
            let of_way = |way: &Way| found.iter().find(|(name, _)| *name == way.name)?.1.clone();
            starts = self.ways.iter().map(of_way).collect();
            share *= LONGER_PART;
        }
        if self.stopped || self.expired {
            return Ok(()); // what was found before stays
        }
        let before = std::mem::take(&mut self.attempts);
        self.starts = starts;
        self.coarse()?;
        if self.attempts.is_empty() {
            self.attempts = before; // the time was over before there was anything better
        }
        Ok(())
    }
}

/// The problem up to a time: what is given at the last time, of the whole time or after its end is left out.
fn shortened(problem: &Problem, axis: usize, until: f64) -> Result<Option<Problem>, DomainError> {
    let d = problem.coordinates.len();
    let last = problem.domain.bounds()[axis][1];
    let Some(domain) = problem.domain.until(axis, until)? else {
        return Ok(None);
    };
    let mut shorter = problem.clone();
    let ends = |piece: &usize| problem.domain.pieces()[*piece].face.fixed() == Some((axis, last));
    for condition in &mut shorter.conditions {
        condition.pieces.retain(|piece| !ends(piece));
    }
    shorter.conditions.retain(|c| !c.pieces.is_empty());
    for observation in &mut shorter.data {
        let rows = observation.points.chunks_exact(d).zip(&observation.values);
        let early: Vec<(Vec<f64>, f64)> = rows
            .filter(|(x, _)| x[axis] <= until)
            .map(|(x, value)| (x.to_vec(), *value))
            .collect();
        observation.values = early.iter().map(|row| row.1).collect();
        observation.points = early.into_iter().flat_map(|row| row.0).collect();
    }
    shorter.data.retain(|o| !o.values.is_empty());
    shorter.constraints.retain(|c| match (&c.over, c.each) {
        (_, Some(_)) => true,
        (Extent::Point(at), None) => at[axis] <= until,
        _ => false,
    });
    shorter.domain = domain;
    Ok(Some(shorter))
}
