//! What is heard of a fit while it runs: every step, and every look at held-out samples.

use std::ops::ControlFlow;

/// After every step.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Since the start.
    pub seconds: f64,
    /// Steps taken.
    pub step: u64,
    /// Steps in all.
    pub steps: u64,
    /// Mean square of the batch before the step, over samples and channels.
    pub loss: f64,
    /// The last look, if there was one.
    pub look: Option<Look>,
}

impl Progress {
    /// Go on.
    pub fn go_on(&self) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    /// Stop here: what was reached is measured and returned.
    pub fn stop(&self) -> ControlFlow<()> {
        ControlFlow::Break(())
    }
}

/// What a look found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Look {
    /// Steps taken until then.
    pub step: u64,
    /// Mean square over the held-out samples.
    pub held_out: Option<f64>,
    /// Largest difference over the trained samples, where it was worth asking.
    pub largest: Option<f64>,
}
