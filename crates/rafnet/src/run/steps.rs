//! Steps that a device takes by itself: Adam's numbers as engines name them, and how many steps are asked for at a time.

use crate::engine::AdamState;
use crate::optimise::AdamData;
use std::time::{Duration, Instant};

impl<'a, T> From<AdamData<'a, T>> for AdamState<'a, T> {
    fn from(adam: AdamData<'a, T>) -> Self {
        Self {
            m: adam.m,
            v: adam.v,
            betas: adam.betas,
            epsilon: adam.epsilon,
            factors: adam.factors,
        }
    }
}

/// How long a device may be on its own, so that who watches is heard.
const ALONE: Duration = Duration::from_millis(300);

/// How fast steps were, and so how many may be asked for. What they give does not depend on it.
#[derive(Debug, Default)]
pub(crate) struct Pace {
    each: Option<Duration>,
}

impl Pace {
    /// So many, or fewer: one at first.
    pub(crate) fn most(&self, steps: u64) -> u64 {
        let each = self.each.map(|each| each.as_nanos().max(1));
        let fits = each.map_or(1, |each| ALONE.as_nanos() / each);
        steps.min(u64::try_from(fits).unwrap_or(u64::MAX).max(1))
    }

    /// So many were taken since then.
    pub(crate) fn took(&mut self, steps: u64, since: Instant) {
        let steps = u32::try_from(steps).unwrap_or(u32::MAX);
        self.each = since.elapsed().checked_div(steps).or(self.each);
    }
}
