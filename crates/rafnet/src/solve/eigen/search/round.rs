//! A round of attempts, as many at a time as there are threads.

use super::{Candidate, REMEMBERED, Search};
use crate::domain::DomainError;
use crate::solve::Progress;
use crate::solve::eigen::attempt::Attempt;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::Duration;

impl Search<'_> {
    /// Tries all candidates, as many at a time as there are threads; what comes out does not depend on their number.
    pub(super) fn round(&mut self, candidates: &[Candidate]) -> Result<(), DomainError> {
        let (next, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
        let mut done: Vec<Option<Attempt>> = vec![None; candidates.len()];
        let mut failure = None;
        let (count, start) = (self.eigen.count, self.eigen.start);
        let threads = self.options.threads().clamp(1, candidates.len().max(1));
        let ways = std::mem::take(&mut self.ways);
        let known = self.attempts.first().cloned();
        let known = known.as_ref().map(|best| (&ways[best.way], best));
        std::thread::scope(|scope| {
            let (sender, receiver) = mpsc::channel();
            for _ in 0..threads {
                let (sender, next, stop, ways) = (sender.clone(), &next, &stop, &ways);
                scope.spawn(move || {
                    loop {
                        let i = next.fetch_add(1, Ordering::Relaxed);
                        let candidate = candidates.get(i);
                        let Some((way, recipe)) =
                            candidate.filter(|_| !stop.load(Ordering::Relaxed))
                        else {
                            return;
                        };
                        let attempt = ways[*way].attempt(*way, recipe, (count, start), known);
                        if sender.send((i, attempt)).is_err() {
                            return;
                        }
                    }
                });
            }
            drop(sender);
            loop {
                match receiver.recv_timeout(Duration::from_millis(100)) {
                    Ok((i, Ok(attempt))) => {
                        self.tried += 1;
                        self.watch(candidates[i].1.n, attempt.as_ref());
                        done[i] = attempt;
                    }
                    Ok((_, Err(error))) => failure = Some(error),
                    Err(mpsc::RecvTimeoutError::Timeout) => self.watch(0, None),
                    Err(mpsc::RecvTimeoutError::Disconnected) => break,
                }
                stop.store(self.over(), Ordering::Relaxed);
            }
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
        self.expired |= seconds > self.options.time_limit;
        let residual = attempt.map_or(f64::INFINITY, |a| a.residual);
        let best = self.attempts.first().map_or(f64::INFINITY, |a| a.residual);
        let progress = Progress {
            seconds,
            step: self.tried,
            steps: None,
            width,
            loss: None,
            error: None,
            residual,
            best: best.min(residual),
        };
        self.stopped |= (self.progress)(&progress).is_break();
    }
}
