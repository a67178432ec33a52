//! What is said of a run on the way, by solvers and by fits, to whoever watches it.

use std::ops::ControlFlow;

/// What is said on the way; the answer is whether to go on.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Seconds since the start.
    pub seconds: f64,
    /// Layers tried (`lsq`) or steps taken so far.
    pub step: u64,
    /// Steps there will be, where that is known.
    pub steps: Option<u64>,
    /// Functions of the layer just tried, or neurons of a trained layer.
    pub width: usize,
    /// The loss at this step, for methods that have one; of a fit the mean square of the batch before it, over samples and channels.
    pub loss: Option<f64>,
    /// The relative L2 error at fresh points, where the exact solution is known and the method records it.
    pub error: Option<f64>,
    /// The held-out residual just found.
    pub residual: f64,
    /// The best so far.
    pub best: f64,
    /// The last look of a fit at its samples, if there was one.
    pub look: Option<Look>,
}

/// What a look at a fit's samples found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Look {
    /// Steps taken until then.
    pub step: u64,
    /// Mean square over the held-out samples.
    pub held_out: Option<f64>,
    /// Largest difference over the trained samples, where it was worth asking.
    pub largest: Option<f64>,
}

impl Progress {
    /// Before anything is known.
    pub(crate) const START: Self = Self {
        seconds: 0.0,
        step: 0,
        steps: None,
        width: 0,
        loss: None,
        error: None,
        residual: f64::INFINITY,
        best: f64::INFINITY,
        look: None,
    };

    /// Go on.
    pub fn go_on(&self) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    /// Stop here and return the best so far.
    pub fn stop(&self) -> ControlFlow<()> {
        ControlFlow::Break(())
    }
}
