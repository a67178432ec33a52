//! What a search ends with that those who watch it may stop.

use super::watched::Attended;
use super::{Options, Progress, SolveError};
use crate::halt::{Halt, Why};
use crate::problem::Problem;
use crate::run::Watch;
use std::ops::ControlFlow;
use std::time::Instant;

impl Problem {
    /// What a search finds that is watched while it works; where that is nothing, why: it was stopped, its time was over, or else `nothing`.
    pub(super) fn searched<T: Send>(
        &self,
        options: &Options,
        watch: &mut dyn Watch,
        nothing: SolveError,
        search: impl FnOnce(
            &mut dyn FnMut(&Progress) -> ControlFlow<()>,
            &Halt,
        ) -> Result<Option<T>, SolveError>
        + Send,
    ) -> Result<T, SolveError> {
        let halt = &Halt::default();
        let attended = Attended {
            watch,
            halt,
            started: Instant::now(),
            limit: options.time_limit,
            last: Progress::START,
        };
        let found = attended.during(|progress| search(progress, halt))?;
        let (problem, limit) = (self.name.clone(), options.time_limit);
        found.ok_or_else(|| match halt.why() {
            Some(Why::Stopped) => SolveError::Stopped { problem },
            Some(Why::Expired) => SolveError::NoTime { problem, limit },
            None => nothing,
        })
    }
}
