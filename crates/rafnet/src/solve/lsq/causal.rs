//! A problem in time, a little time first.

use super::newton::Start;
use super::search::Search;
use crate::domain::DomainError;
use crate::problem::Problem;
use crate::solve::system::LOST;

/// The first share of the time, and how much longer each next one is.
const SHORTEST: f64 = 0.05;
const LONGER: f64 = 1.4;
/// The most functions for a part of the time.
pub(super) const PART: usize = 600;

impl Search<'_> {
    /// Where Newton's method finds nothing from the guess, a problem in time is solved for a short time first, then for longer and
    /// longer ones, each from the one before.
    pub(super) fn causal(&mut self, problem: &Problem) -> Result<(), DomainError> {
        let Some(axis) = problem.time.filter(|_| self.ways[0].system.nonlinear()) else {
            return Ok(());
        };
        let [first, last] = problem.domain.bounds()[axis];
        let ends =
            |piece: &usize| problem.domain.pieces()[*piece].face.fixed() == Some((axis, last));
        let forward = problem.data.is_empty()
            && problem.constraints.is_empty()
            && !problem.conditions.iter().any(|c| c.pieces.iter().any(ends));
        if !forward || self.residual() < LOST || self.stopped || self.expired {
            return Ok(());
        }
        let mut starts: Vec<Option<Start>> = Vec::new();
        let mut share = SHORTEST;
        while share < 1.0 && !self.stopped && !self.expired {
            let until = first + share * (last - first);
            let mut shorter = problem.clone();
            let Some(domain) = problem.domain.until(axis, until)? else {
                return Ok(());
            };
            shorter.domain = domain;
            let progress = &mut *self.progress;
            let mut part = Search::new(&shorter, self.options, self.started, progress)?;
            part.starts = starts;
            part.tried = self.tried;
            part.coarse()?;
            part.widen_until(PART, LOST * LOST)?;
            (self.tried, self.stopped, self.expired) = (part.tried, part.stopped, part.expired);
            let reached = part.residual();
            self.decisions
                .push(format!("until {until:.3}: {reached:.1e}"));
            if reached >= LOST {
                return Ok(());
            }
            let state_of = |w: usize| {
                let mine = part.attempts.iter().find(|a| a.candidate.way == w);
                mine.map(|a| Start {
                    state: a.state.clone(),
                    until: Some((axis, until)),
                })
            };
            starts = (0..part.ways.len()).map(state_of).collect();
            share *= LONGER;
        }
        self.attempts.clear();
        self.starts = starts;
        self.coarse()
    }
}
