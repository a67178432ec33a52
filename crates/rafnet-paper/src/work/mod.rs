//! What a run does: solve an equation, fit a signal, take a kernel's spectrum, build a theorem's network.

mod cost;
mod equation;
mod kernel;
mod quality;
mod signal;
mod theorem;

pub(crate) use equation::{Equation, Source};
pub(crate) use kernel::Kernel;
pub(crate) use signal::{Fit, Piece};
pub(crate) use theorem::Theorem;

use crate::record::Made;
use crate::{Asked, PaperError, Rate, Store, Watch};
use serde_json::Value;

/// One run, by the name of its file.
#[derive(Clone, Debug)]
pub struct Run {
    /// Where its record lies, such as `poisson/psg-parity-0`.
    pub key: String,
    pub(crate) work: Work,
}

#[derive(Clone, Debug)]
pub(crate) enum Work {
    Equation(Equation),
    Fit(Fit),
    Kernel(Kernel),
    Theorem(Theorem),
}

impl Run {
    pub(crate) fn new(key: impl Into<String>, work: Work) -> Self {
        Self {
            key: key.into(),
            work,
        }
    }

    /// Everything that decides the numbers.
    pub(crate) fn settings(&self, asked: &Asked) -> Value {
        match &self.work {
            Work::Equation(work) => work.settings(),
            Work::Fit(work) => work.settings(asked),
            Work::Kernel(work) => work.settings(),
            Work::Theorem(work) => work.settings(),
        }
    }

    /// The seconds it is likely to take.
    pub fn seconds(&self, rate: Rate) -> f64 {
        match &self.work {
            Work::Equation(work) => work.seconds(rate),
            Work::Fit(work) => work.seconds(rate),
            Work::Kernel(work) => work.seconds(rate),
            Work::Theorem(_) => 0.1,
        }
    }

    /// What came of it, and the seconds it took.
    pub(crate) fn perform(
        &self,
        asked: &Asked,
        watch: &mut dyn Watch,
    ) -> Result<(Made, f64), PaperError> {
        let state = Store::of(asked).state(&self.key);
        let made = match &self.work {
            Work::Equation(work) => work.perform(asked, &state, watch),
            Work::Fit(work) => work.perform(asked, &state, watch),
            Work::Kernel(work) => work.perform(asked, watch),
            Work::Theorem(work) => work.perform(),
        }?;
        Ok((made, state.seconds()))
    }
}
