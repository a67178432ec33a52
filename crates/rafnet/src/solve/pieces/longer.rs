//! Slabs that are shortened for nothing.
//!
//! The flaws of a good conductor may come from what is around it, at any time: however short a slab is, it has them. Where flaws do not even
//! fall as lengths do, the longest slab is taken, and what it has is what the others may have.

use super::level::Solved;

/// Below this flaw, and this many tolerances, it is asked.
const SMALL: f64 = 1e-4;
const SMALL_OF: f64 = 100.0;
/// So many shorter slabs in a row that were no better are enough.
const ENOUGH: usize = 2;
/// What other slabs may have, over what the longest has.
const MORE: f64 = 1.5;

/// A slab before it was shortened, with its end, and how many shorter ones were no better.
#[derive(Default)]
pub(super) struct Longer {
    slab: Option<(Solved, f64)>,
    no_better: usize,
}

impl Longer {
    /// Keeps a slab that is about to be shortened, unless there is one that it was no better than.
    pub(super) fn keep(&mut self, slab: Option<(Solved, f64)>) {
        if self.no_better == 0 {
            self.slab = slab;
        }
    }

    /// The slab to take, and the flaws that others may have, once enough shorter ones were no better: this one has such a flaw.
    pub(super) fn or(
        &mut self,
        flaw: f64,
        [begin, end]: [f64; 2],
        tolerance: f64,
    ) -> Option<((Solved, f64), f64)> {
        let (with, until) = self.slab.as_ref()?;
        let small = with.flaw() < SMALL.min(SMALL_OF * tolerance);
        let shorter = (end - begin) / (until - begin);
        let no_better = small && flaw > shorter * with.flaw();
        self.no_better = if no_better { self.no_better + 1 } else { 0 };
        let floor = MORE * with.flaw();
        let enough = self.no_better == ENOUGH;
        let slab = enough.then(|| self.slab.take()).flatten()?;
        Some((slab, floor))
    }
}
