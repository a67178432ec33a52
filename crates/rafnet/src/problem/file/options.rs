//! `[network]` and `[solver]`: options of the command line under their own names.

use super::document::{Item, Table, Value};
use super::fields::{Fields, wrong_type};
use super::source::Source;
use crate::problem::error::ProblemError;
use crate::problem::fault::Fault;
use crate::problem::option::{SOLVER_OPTIONS, SolverOption};

/// A folder, which the command line takes as a path.
const OUT: &str = "out";

/// Name and value of every option, in order; lists are joined by commas.
pub(super) fn options<'a>(
    source: &'a Source<'a>,
    name: &'a str,
    table: &'a Table,
) -> Result<Vec<(String, String)>, ProblemError> {
    let keys = SOLVER_OPTIONS.iter().map(SolverOption::key);
    let keys: Vec<String> = keys.chain([OUT.to_owned()]).collect();
    let known: Vec<&str> = keys.iter().map(String::as_str).collect();
    let fields = Fields {
        source,
        name,
        table,
    };
    let mut options = Vec::new();
    for entry in &table.entries {
        let key = entry.key.replace('-', "_");
        if !known.contains(&key.as_str()) {
            return Err(fields.unknown_key(entry, &known));
        }
        if let Some(most) = SolverOption::named(&key).and_then(|option| option.most) {
            fields.count(&entry.key, most)?;
        }
        options.push((key.clone(), value(source, &key, &entry.item)?));
    }
    Ok(options)
}

fn value(source: &Source<'_>, key: &str, item: &Item) -> Result<String, ProblemError> {
    Ok(match &item.value {
        Value::Text(text) => text.clone(),
        Value::Boolean(value) => value.to_string(),
        Value::Number(value) if value.is_finite() => value.to_string(),
        Value::Number(value) => {
            let key = key.into();
            return Err(source.error(&item.span, Fault::NotFiniteNumber { key, found: *value }));
        }
        Value::Array(items) => {
            let values = items.iter().map(|item| value(source, key, item));
            values.collect::<Result<Vec<_>, _>>()?.join(",")
        }
        _ => return Err(wrong_type(source, key, item, "a text, a number or a list")),
    })
}
