//! What decides the bits of a run, part by part, so that a checkpoint is never taken up by another run.
//!
//! Time limits, targets, threads, the seconds between checkpoints and (where no rate depends on them) the number of steps are no part of it:
//! they may be others when a run goes on.

use super::CheckpointError;
use crate::model::Checksum;
use crate::optimise::Schedule;
use serde_json::{Map, Value};
use std::fmt::Display;

/// Named parts, each a text or the checksum of a content.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fingerprint(Vec<(String, String)>);

impl Fingerprint {
    /// A part that is a short text.
    pub(crate) fn text(&mut self, part: &str, text: impl Display) {
        self.0.push((part.to_owned(), text.to_string()));
    }

    /// A part that may be left out.
    pub(crate) fn choice(&mut self, part: &str, text: Option<impl Display>) {
        match text {
            Some(text) => self.text(part, text),
            None => self.text(part, "left out"),
        }
    }

    /// A part of which the checksum is kept.
    pub(crate) fn content(&mut self, part: &str, add: impl FnOnce(&mut Checksum)) {
        let mut sum = Checksum::new();
        add(&mut sum);
        self.text(part, format_args!("#{}", sum.digits()));
    }

    /// How the rate falls, with the steps it depends on.
    pub(crate) fn schedule(&mut self, schedule: Schedule, steps: Option<u64>) {
        match steps.or(schedule.length()) {
            Some(steps) => self.text("schedule", format_args!("{schedule} over {steps} steps")),
            None => self.text("schedule", schedule),
        }
    }

    /// Says in what another run's differs.
    ///
    /// # Errors
    /// [`CheckpointError::OtherRun`] with the first part that differs.
    pub(crate) fn expect(&self, found: &Self) -> Result<(), CheckpointError> {
        let of = |run: &Self, part: &str| {
            let known = run.0.iter().find(|(name, _)| name == part);
            known.map_or("nothing".to_owned(), |(_, text)| text.clone())
        };
        let mut parts = self.0.iter().chain(&found.0).map(|(part, _)| part);
        let differs = parts.find(|part| of(self, part) != of(found, part));
        differs.map_or(Ok(()), |part| {
            Err(CheckpointError::OtherRun {
                part: part.clone(),
                found: of(found, part),
                expected: of(self, part),
            })
        })
    }

    pub(super) fn to_json(&self) -> String {
        let parts = self.0.iter().map(|(k, v)| (k.clone(), v.as_str().into()));
        Value::Object(parts.collect()).to_string()
    }

    pub(super) fn from_json(text: &str) -> Option<Self> {
        let parts: Map<String, Value> = serde_json::from_str(text).ok()?;
        let text = |(k, v): (String, Value)| Some((k, v.as_str()?.to_owned()));
        parts.into_iter().map(text).collect::<Option<_>>().map(Self)
    }
}
