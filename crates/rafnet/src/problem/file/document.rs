//! The file as a tree of values, each with its place in the text; keys keep their order.

use super::source::Source;
use crate::problem::error::ProblemError;
use crate::problem::fault::Fault;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A value and the bytes where it stands.
#[derive(Clone, Debug)]
pub(super) struct Item {
    pub(super) span: Range<usize>,
    pub(super) value: Value,
}

/// What a value is.
#[derive(Clone, Debug)]
pub(super) enum Value {
    Text(String),
    Number(f64),
    Boolean(bool),
    Date,
    Array(Vec<Item>),
    Table(Table),
}

/// A table; `span` is its header or its braces.
#[derive(Clone, Debug)]
pub(super) struct Table {
    pub(super) span: Range<usize>,
    pub(super) entries: Vec<Entry>,
}

/// A key with its value.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) key: String,
    pub(super) key_span: Range<usize>,
    pub(super) item: Item,
}

/// Larger files are no problem files.
const LARGEST_FILE: usize = 16 << 20;

/// Reads the whole text.
pub(super) fn read(source: &Source<'_>) -> Result<Table, ProblemError> {
    let text = source.text;
    if text.len() > LARGEST_FILE {
        let fault = Fault::TooLarge {
            what: "the file's size in bytes".into(),
            found: text.len() as f64,
            limit: LARGEST_FILE as f64,
        };
        return Err(source.error_without_line(fault));
    }
    if text.trim().is_empty() {
        return Err(source.error_without_line(Fault::EmptyFile));
    }
    let document = DeTable::parse(text).map_err(|error| {
        let message = error.message().to_owned();
        let end = text.trim_end().len();
        let span = error.span().unwrap_or(end..end);
        source.error(&span, Fault::Syntax { message })
    })?;
    Ok(table(document.span(), document.get_ref()))
}

fn table(span: Range<usize>, entries: &DeTable<'_>) -> Table {
    let entries = entries.iter().map(|(key, value)| Entry {
        key: key.get_ref().to_string(),
        key_span: key.span(),
        item: item(value),
    });
    let entries = entries.collect();
    Table { span, entries }
}

fn item(value: &Spanned<DeValue<'_>>) -> Item {
    let span = value.span();
    let value = match value.get_ref() {
        DeValue::String(text) => Value::Text(text.to_string()),
        DeValue::Integer(digits) => Value::Number(integer(digits.as_str(), digits.radix())),
        DeValue::Float(digits) => Value::Number(digits.as_str().parse().unwrap_or(f64::NAN)),
        DeValue::Boolean(value) => Value::Boolean(*value),
        DeValue::Datetime(_) => Value::Date,
        DeValue::Array(items) => Value::Array(items.iter().map(item).collect()),
        DeValue::Table(entries) => Value::Table(table(span.clone(), entries)),
    };
    Item { span, value }
}

/// Decimal digits as the nearest double; others exactly, up to 64 bits.
fn integer(digits: &str, radix: u32) -> f64 {
    match radix {
        10 => digits.parse().unwrap_or(f64::NAN),
        _ => i64::from_str_radix(digits, radix).map_or(f64::NAN, |value| value as f64),
    }
}

impl Item {
    /// What it is, for messages.
    pub(super) fn kind(&self) -> &'static str {
        match self.value {
            Value::Text(_) => "a text",
            Value::Number(_) => "a number",
            Value::Boolean(_) => "true or false",
            Value::Date => "a date",
            Value::Array(_) => "a list",
            Value::Table(_) => "a table",
        }
    }
}

impl Table {
    /// The entry of a key.
    pub(super) fn get(&self, key: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.key == key)
    }
}
