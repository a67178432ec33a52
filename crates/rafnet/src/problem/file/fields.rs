//! A table whose keys are known: what is asked for by name comes out typed, everything else is refused.

use super::document::{Entry, Item, Table, Value};
use super::formula::Formula;
use super::source::Source;
use crate::problem::error::ProblemError;
use crate::problem::fault::Fault;
use crate::problem::suggestion::closest;
use std::ops::Range;

/// A table with its name in messages, such as `[domain]`.
#[derive(Clone, Copy)]
pub(super) struct Fields<'a> {
    pub(super) source: &'a Source<'a>,
    pub(super) name: &'a str,
    pub(super) table: &'a Table,
}

impl<'a> Fields<'a> {
    /// The table, refused when it has other keys than these.
    pub(super) fn new(
        source: &'a Source<'a>,
        name: &'a str,
        table: &'a Table,
        known: &[&str],
    ) -> Result<Self, ProblemError> {
        let fields = Self {
            source,
            name,
            table,
        };
        let strange = |entry: &&Entry| !known.contains(&entry.key.as_str());
        match table.entries.iter().find(strange) {
            Some(entry) => Err(fields.unknown_key(entry, known)),
            None => Ok(fields),
        }
    }

    pub(super) fn unknown_key(&self, entry: &Entry, known: &[&str]) -> ProblemError {
        let fault = Fault::UnknownKey {
            key: entry.key.clone(),
            table: self.name.into(),
            closest: closest(&entry.key, known),
            known: known.iter().map(|key| (*key).into()).collect(),
        };
        self.source.error(&entry.key_span, fault)
    }

    pub(super) fn get(&self, key: &str) -> Option<&'a Item> {
        self.table.get(key).map(|entry| &entry.item)
    }

    /// The place of the table itself.
    pub(super) fn span(&self) -> &Range<usize> {
        &self.table.span
    }

    /// The value of a key that must be there; `example` is what one would type.
    pub(super) fn require(&self, key: &str, example: &str) -> Result<&'a Item, ProblemError> {
        self.get(key).ok_or_else(|| {
            let fault = Fault::MissingKey {
                key: key.into(),
                table: self.name.into(),
                example: example.into(),
            };
            self.source.error(self.span(), fault)
        })
    }

    /// A text, or a number as its text.
    pub(super) fn text(&self, key: &str) -> Result<Option<Formula>, ProblemError> {
        self.get(key)
            .map(|item| Formula::of(self.source, key, item))
            .transpose()
    }

    /// A text that is a word and not an expression.
    pub(super) fn word(&self, key: &str) -> Result<Option<&'a str>, ProblemError> {
        self.get(key)
            .map(|item| word(self.source, key, item))
            .transpose()
    }

    /// A whole number from 1 to `limit`.
    pub(super) fn count(&self, key: &str, limit: usize) -> Result<Option<usize>, ProblemError> {
        let Some(item) = self.get(key) else {
            return Ok(None);
        };
        let Value::Number(found) = item.value else {
            return Err(wrong_type(self.source, key, item, "a whole number"));
        };
        let fault = if found > limit as f64 {
            Fault::TooLarge {
                what: format!("`{key}`"),
                found,
                limit: limit as f64,
            }
        } else if found >= 1.0 && found.fract() == 0.0 {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "whole, from 1 to the limit"
            )]
            return Ok(Some(found as usize));
        } else {
            Fault::NotACount {
                key: key.into(),
                found,
            }
        };
        Err(self.source.error(&item.span, fault))
    }

    /// A list of words.
    pub(super) fn words(&self, key: &str) -> Result<Option<Vec<Word>>, ProblemError> {
        let Some(item) = self.get(key) else {
            return Ok(None);
        };
        let Value::Array(items) = &item.value else {
            return Err(wrong_type(self.source, key, item, "a list of names"));
        };
        let words = items.iter().map(|item| {
            Ok(Word {
                text: word(self.source, key, item)?.into(),
                span: item.span.clone(),
            })
        });
        words.collect::<Result<_, _>>().map(Some)
    }
}

/// A name and where it stands.
#[derive(Clone, Debug)]
pub(super) struct Word {
    pub(super) text: String,
    pub(super) span: Range<usize>,
}

fn word<'a>(source: &Source<'_>, key: &str, item: &'a Item) -> Result<&'a str, ProblemError> {
    match &item.value {
        Value::Text(text) => Ok(text),
        _ => Err(wrong_type(source, key, item, "a text")),
    }
}

/// `key` holds something else than expected.
pub(super) fn wrong_type(
    source: &Source<'_>,
    key: &str,
    item: &Item,
    expected: &'static str,
) -> ProblemError {
    let fault = Fault::WrongType {
        key: key.into(),
        found: item.kind(),
        expected,
    };
    source.error(&item.span, fault)
}
