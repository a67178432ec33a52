//! A theorem's network, built: its size as stated and as built, its bound and its measured error.

use crate::PaperError;
use crate::record::Made;
use rafnet_theory::{Construction, TheoryError};
use serde_json::{Value, json};

/// A construction by its name.
#[derive(Clone, Debug)]
pub(crate) struct Theorem {
    pub(crate) name: &'static str,
    pub(crate) build: fn() -> Result<Construction, TheoryError>,
}

impl Theorem {
    pub(super) fn settings(&self) -> Value {
        json!({ "construction": self.name })
    }

    pub(super) fn perform(&self) -> Result<Made, PaperError> {
        let built = (self.build)().map_err(|e| PaperError::run(e.to_string()))?;
        let mut made = Made::default();
        made.put("width", built.width());
        made.put("depth", built.depth());
        made.put("neurons", built.neurons());
        made.put("parameters", built.parameters());
        if let Some(stated) = &built.statement {
            made.put("stated_width", stated.width);
            made.put("stated_depth", stated.depth);
            made.put("stated_parameters", stated.parameters);
        }
        made.put("bound", built.bound.value);
        made.put("rounding", built.bound.rounding);
        made.put("origin", built.bound.origin.name());
        made.put("max_error", built.max_error);
        for (name, value) in &built.figures {
            made.put(name, *value);
        }
        Ok(made)
    }
}
