//! What a user may choose, and what is said on the way and at the end.

use std::ops::ControlFlow;

/// What a user may choose.
#[derive(Clone, Debug)]
pub struct Options {
    /// The same seed, the same bits.
    pub seed: u64,
    /// Held-out residual, relative to its own terms, at which the search ends.
    pub target: f64,
    /// Seconds after which the best so far is returned.
    pub time_limit: f64,
    /// The most functions of a layer; `None` leaves it to the solver.
    pub width: Option<usize>,
    /// Threads; 0 takes one for each core. The answer does not depend on it.
    pub threads: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            seed: 0,
            target: 1e-12,
            time_limit: 300.0,
            width: None,
            threads: 0,
        }
    }
}

impl Options {
    /// How many threads that is here.
    pub(crate) fn threads(&self) -> usize {
        match self.threads {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            n => n,
        }
    }
}

/// What is said on the way; the answer is whether to go on.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Seconds since the start.
    pub seconds: f64,
    /// Layers tried so far.
    pub step: usize,
    /// Functions of the layer just tried.
    pub width: usize,
    /// Its held-out residual.
    pub residual: f64,
    /// The best so far.
    pub best: f64,
}

impl Progress {
    /// Go on.
    pub fn go_on(&self) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    /// Stop here and return the best so far.
    pub fn stop(&self) -> ControlFlow<()> {
        ControlFlow::Break(())
    }
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The held-out residual is at the target.
    TargetReached,
    /// Nothing improves any more.
    Converged,
    /// The time limit came first.
    BudgetSpent,
    /// The caller stopped it.
    Stopped,
}

impl Outcome {
    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::TargetReached => "target reached",
            Self::Converged => "converged",
            Self::BudgetSpent => "budget spent",
            Self::Stopped => "stopped",
        }
    }
}
