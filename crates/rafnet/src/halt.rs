//! Work that may be ended before it is done.
//!
//! A [`Halt`] is raised once, by whoever watches a run, and heard inside long work: products, factorisations, sweeps over functions. These
//! then come back at once with whatever they have, and that is of no use: whoever asked for it looks at the halt next, and throws it away.

use std::sync::atomic::{AtomicU8, Ordering};

/// Whether work is to end, and why.
#[derive(Debug, Default)]
pub(crate) struct Halt(AtomicU8);

/// Why work is to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Why {
    /// Whoever watches said so.
    Stopped,
    /// The time is over.
    Expired,
}

const STOPPED: u8 = 1;
const EXPIRED: u8 = 2;

impl Halt {
    /// Ends the work; the first reason stays.
    pub(crate) fn raise(&self, why: Why) {
        let number = match why {
            Why::Stopped => STOPPED,
            Why::Expired => EXPIRED,
        };
        // another reason came first: nothing to do
        let _ = self
            .0
            .compare_exchange(0, number, Ordering::Relaxed, Ordering::Relaxed);
    }

    pub(crate) fn is_raised(&self) -> bool {
        self.0.load(Ordering::Relaxed) != 0
    }

    pub(crate) fn why(&self) -> Option<Why> {
        match self.0.load(Ordering::Relaxed) {
            STOPPED => Some(Why::Stopped),
            EXPIRED => Some(Why::Expired),
            _ => None,
        }
    }

    /// `made`, unless the work was ended before that.
    pub(crate) fn unless<T>(&self, made: T) -> Option<T> {
        (!self.is_raised()).then_some(made)
    }
}

/// The threads that work together, and what ends them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Crew<'a> {
    pub(crate) threads: usize,
    pub(crate) halt: &'a Halt,
}

impl<'a> Crew<'a> {
    pub(crate) fn new(threads: usize, halt: &'a Halt) -> Self {
        Self { threads, halt }
    }

    /// One thread.
    pub(crate) fn single(halt: &'a Halt) -> Self {
        Self::new(1, halt)
    }

    /// As many threads as these, if the work is worth waking them.
    pub(crate) fn or_single(self, few: bool) -> Self {
        Self {
            threads: if few { 1 } else { self.threads },
            ..self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Halt, Why};

    #[test]
    fn the_first_reason_stays() {
        let halt = Halt::default();
        assert_eq!((halt.why(), halt.unless(7)), (None, Some(7)));
        halt.raise(Why::Expired);
        halt.raise(Why::Stopped);
        assert_eq!((halt.why(), halt.unless(7)), (Some(Why::Expired), None));
    }
}
