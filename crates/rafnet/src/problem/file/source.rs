//! The text being read and its name, from which every message takes its line.

use crate::problem::error::{Place, ProblemError};
use crate::problem::fault::Fault;
use std::ops::Range;
use std::path::Path;

/// A text with a name.
#[derive(Clone, Copy, Debug)]
pub(super) struct Source<'a> {
    pub(super) name: &'a str,
    pub(super) text: &'a str,
    /// Where other files are looked for.
    pub(super) folder: Option<&'a Path>,
}

impl Source<'_> {
    /// The mistake at these bytes.
    pub(super) fn error(&self, span: &Range<usize>, fault: Fault) -> ProblemError {
        let place = Place::new(self.text, span);
        ProblemError::new(self.name, Some(place), fault)
    }

    /// A mistake of the text as a whole.
    pub(super) fn error_without_line(&self, fault: Fault) -> ProblemError {
        ProblemError::new(self.name, None, fault)
    }

    /// The line, from 1, on which a byte stands.
    pub(super) fn line(&self, at: usize) -> usize {
        1 + self.text[..at].matches('\n').count()
    }
}
