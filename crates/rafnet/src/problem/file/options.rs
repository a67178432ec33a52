//! `[network]` and `[solver]`: options of the command line under their own names.

use super::document::{Item, Table, Value};
use super::fields::{Fields, wrong_type};
use super::source::Source;
use crate::engine::MOST_THREADS;
use crate::problem::error::{Fault, ProblemError};

/// What `[network]` may hold.
const NETWORK: [&str; 7] = [
    "activation",
    "width",
    "depth",
    "init_scale",
    "gaussian_width",
    "resnet",
    "sharing",
];

/// What `[solver]` may hold, and may stand in `[network]` too.
const SOLVER: [&str; 18] = [
    "method",
    "mode",
    "pieces",
    "slabs",
    "preset",
    "steps",
    "points",
    "boundary_points",
    "lr",
    "schedule",
    "weight_decay",
    "precision",
    "seed",
    "threads",
    "device",
    "target",
    "time_limit",
    "out",
];

/// Options that are sizes, and the most anyone could mean.
const SIZES: [(&str, usize); 7] = [
    ("pieces", 100_000),
    ("slabs", 1_000_000),
    ("width", 1_000_000),
    ("depth", 1000),
    ("points", 1_000_000_000),
    ("boundary_points", 1_000_000_000),
    ("threads", MOST_THREADS),
];

/// Name and value of every option, in order; lists are joined by commas.
pub(super) fn options<'a>(
    source: &'a Source<'a>,
    name: &'a str,
    table: &'a Table,
) -> Result<Vec<(String, String)>, ProblemError> {
    let known: Vec<&str> = NETWORK.into_iter().chain(SOLVER).collect();
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
        if let Some((_, limit)) = SIZES.iter().find(|(size, _)| *size == key) {
            fields.count(&entry.key, *limit)?;
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
