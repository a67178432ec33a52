//! A round of attempts, as many at a time as there are threads.

use super::{Candidate, Search};
use crate::domain::DomainError;
use crate::halt::Why;
use crate::solve::Progress;
use crate::solve::eigen::attempt::Attempt;
use crate::solve::eigen::tuning::REMEMBERED;
use crate::solve::side_by_side::side_by_side;
use std::sync::atomic::AtomicBool;

impl Search<'_> {
    /// Tries all candidates; what comes out does not depend on the number of threads.
    pub(super) fn round(&mut self, candidates: &[Candidate]) -> Result<(), DomainError> {
        let mut done: Vec<Option<Attempt>> = vec![None; candidates.len()];
        let mut failure = None;
        let asked = (self.eigen.count, self.eigen.start);
        let ways = std::mem::take(&mut self.ways);
        let known = self.attempts.first().cloned();
        let known = known.as_ref().map(|best| (&ways[best.way], best));
        let halt = self.halt;
        let attempt = |i: usize| {
            let (way, recipe) = &candidates[i];
            ways[*way].attempt(*way, recipe, asked, known, halt)
        };
        let (threads, stop) = (self.options.threads(), AtomicBool::new(false));
        side_by_side(candidates.len(), threads, &stop, &attempt, &mut |news| {
            match news {
                Some((i, Ok(attempt))) => {
                    self.tried += 1;
                    self.watch(candidates[i].1.n, attempt.as_ref());
                    done[i] = attempt;
                }
                Some((_, Err(error))) => failure = Some(error),
                None => self.watch(0, None),
            }
            !self.over()
        });
        self.ways = ways;
        if let Some(error) = failure {
            return Err(error);
        }
        self.attempts.extend(done.into_iter().flatten());
        self.attempts
            .sort_by(|a, b| a.residual.total_cmp(&b.residual));
        self.attempts.truncate(REMEMBERED);
        Ok(())
    }

    fn watch(&mut self, width: usize, attempt: Option<&Attempt>) {
        let seconds = self.started.elapsed().as_secs_f64();
        self.expired |= self.halt.why() == Some(Why::Expired);
        let residual = attempt.map_or(f64::INFINITY, |a| a.residual);
        let best = self.attempts.first().map_or(f64::INFINITY, |a| a.residual);
        let progress = Progress {
            seconds,
            step: self.tried,
            width,
            residual,
            best: best.min(residual),
            ..Progress::START
        };
        self.stopped |= (self.progress)(&progress).is_break();
    }
}
