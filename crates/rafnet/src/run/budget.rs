//! The time of a run: until when it may go on, and when its state is to be saved.

use super::Outcome;
use std::time::Instant;

/// The clock of a run.
pub(crate) struct Budget {
    started: Instant,
    saved: Instant,
    /// Seconds in all.
    limit: f64,
    /// Seconds between checkpoints.
    every: f64,
}

impl Budget {
    /// For a run that began at `started`, has `limit` seconds and is saved every so many.
    pub(crate) fn new(started: Instant, limit: f64, every: f64) -> Self {
        Self {
            started,
            saved: started,
            limit,
            every,
        }
    }

    /// Seconds since the start.
    pub(crate) fn seconds(&self) -> f64 {
        self.started.elapsed().as_secs_f64()
    }

    /// Why the run is ended from outside: whoever watches stopped it, or its time was over at `seconds`.
    pub(crate) fn ended(&self, seconds: f64, stopped: bool) -> Option<Outcome> {
        match () {
            () if stopped => Some(Outcome::Stopped),
            () if seconds > self.limit => Some(Outcome::BudgetSpent),
            () => None,
        }
    }

    /// Whether the state is to be saved now; then the next time is as many seconds away.
    pub(crate) fn save_is_due(&mut self, at_once: bool) -> bool {
        let due = at_once || self.saved.elapsed().as_secs_f64() >= self.every;
        if due {
            self.saved = Instant::now();
        }
        due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_stops_a_run_comes_before_its_clock() {
        let mut budget = Budget::new(Instant::now(), 10.0, f64::INFINITY);
        assert_eq!(budget.ended(9.0, false), None);
        assert_eq!(budget.ended(11.0, false), Some(Outcome::BudgetSpent));
        assert_eq!(budget.ended(11.0, true), Some(Outcome::Stopped));
        assert!(!budget.save_is_due(false) && budget.save_is_due(true));
    }
}
