//! Texts that are expressions, with the way back from a spot in one to its line in the file.

use super::document::{Item, Value};
use super::fields::wrong_type;
use super::source::Source;
use crate::problem::error::ProblemError;
use crate::problem::fault::Fault;
use std::ops::Range;

/// An expression's text and where it stands.
#[derive(Clone, Debug)]
pub(super) struct Formula {
    /// The key it was given under.
    pub(super) key: String,
    pub(super) text: String,
    /// The whole value, quotation marks included.
    pub(super) span: Range<usize>,
    /// Where in the file the text begins, when it stands there letter for letter.
    begin: Option<usize>,
}

impl Formula {
    /// The text of a value; a number counts as its text.
    pub(super) fn of(source: &Source<'_>, key: &str, item: &Item) -> Result<Self, ProblemError> {
        let (text, begin) = match &item.value {
            Value::Text(text) => (text.clone(), begin(source.text, &item.span, text)),
            Value::Number(number) if number.is_finite() => (format!("{number:?}"), None),
            Value::Number(number) => {
                let fault = Fault::NotFiniteNumber {
                    key: key.into(),
                    found: *number,
                };
                return Err(source.error(&item.span, fault));
            }
            _ => return Err(wrong_type(source, key, item, "a text or a number")),
        };
        Ok(Self {
            key: key.into(),
            text,
            span: item.span.clone(),
            begin,
        })
    }

    /// A part of the text, as a text of its own.
    pub(super) fn part(&self, within: Range<usize>) -> Self {
        Self {
            key: self.key.clone(),
            text: self.text[within.clone()].into(),
            span: self.place(&within),
            begin: self.begin.map(|begin| begin + within.start),
        }
    }

    /// The bytes of the file for a range of the text; all of the value when escapes stand between.
    pub(super) fn place(&self, within: &Range<usize>) -> Range<usize> {
        match self.begin {
            Some(begin) => begin + within.start..begin + within.end,
            None => self.span.clone(),
        }
    }
}

/// Where the text begins in a value that has no escapes: behind the quotation marks and the line break after three.
fn begin(file: &str, span: &Range<usize>, text: &str) -> Option<usize> {
    let written = &file[span.clone()];
    let behind_marks = written.find(|c| c != '"' && c != '\'')?;
    let behind_break = written[behind_marks..].find(|c| c != '\r' && c != '\n');
    let offsets = [behind_marks, behind_marks + behind_break.unwrap_or(0)];
    let offset = offsets
        .into_iter()
        .find(|at| written[*at..].starts_with(text))?;
    Some(span.start + offset)
}
