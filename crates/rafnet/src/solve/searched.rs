//! What a search ends with that those who watch it may stop.

use super::{Options, Progress, SolveError};
use crate::problem::Problem;
use crate::run::Watch;
use std::ops::ControlFlow;
use std::time::Instant;

impl Problem {
    /// What a search finds; where that is nothing, why: it was stopped, its time was over, or else `nothing`.
    pub(super) fn searched<T>(
        &self,
        options: &Options,
        watch: &mut dyn Watch<Progress>,
        nothing: SolveError,
        search: impl FnOnce(
            &mut dyn FnMut(&Progress) -> ControlFlow<()>,
        ) -> Result<Option<T>, SolveError>,
    ) -> Result<T, SolveError> {
        let (started, mut stopped) = (Instant::now(), false);
        let found = search(&mut |p: &Progress| {
            let flow = watch.progress(p);
            stopped |= flow.is_break();
            flow
        })?;
        let (problem, limit) = (self.name.clone(), options.time_limit);
        found.ok_or_else(|| {
            if stopped {
                SolveError::Stopped { problem }
            } else if started.elapsed().as_secs_f64() > limit {
                SolveError::NoTime { problem, limit }
            } else {
                nothing
            }
        })
    }
}
