//! The shapes of `[domain]` and of its parts.

use super::document::{Item, Value};
use super::fields::wrong_type;
use super::formula::Formula;
use super::names::Names;
use super::shape_table::ShapeTable;
use super::source::Source;
use crate::domain::{
    Combined, Cuboid, DomainError, Form, Given, Key, Kind, Operation, Said, Shape,
};
use crate::problem::error::ProblemError;
use crate::problem::fault::Fault;
use std::sync::Arc;

/// The most points of a list.
const MOST_POINTS: usize = 10_000;

/// The shape of a table, its coordinates in the order of `space`.
pub(super) fn build(
    table: ShapeTable<'_>,
    space: &[String],
    names: &Names<'_>,
    depth: usize,
) -> Result<Arc<dyn Shape>, ProblemError> {
    let fields = &table.fields;
    let refused = |error: DomainError, key: &str| {
        let spot = fields.get(key).map_or(fields.span(), |item| &item.span);
        fields.source.error(spot, Fault::Domain(error))
    };
    if let Some(kind) = table.plain() {
        let mut said = Vec::with_capacity(kind.keys.len());
        for key in kind.keys {
            said.push(read(&table, kind, key, space, names, depth)?);
        }
        let mut keys = kind.keys.iter();
        let size = keys.find(|key| !matches!(key.form, Form::PointOrOrigin));
        let size = size.map_or("kind", |key| key.name);
        return (kind.make)(Given::new(said)).map_err(|e| refused(e, size));
    }
    Ok(match table.kind {
        "box" | "interval" => {
            let own = own_coordinates(&table, space, depth)?;
            let mut bounds = Vec::with_capacity(space.len());
            for name in space {
                let item = match fields.get(name) {
                    Some(item) => item,
                    None => fields.require("each", "each = [0, 1]")?,
                };
                bounds.push(interval(names, name, item)?);
            }
            debug_assert_eq!(
                own.len(),
                bounds.len(),
                "a box has an interval a coordinate"
            );
            Arc::new(Cuboid::new(bounds).map_err(|e| refused(e, "kind"))?)
        }
        kind => {
            let operation = Operation::named(kind).unwrap_or(Operation::Union);
            let mut parts = Vec::new();
            for item in table.parts()?.unwrap_or_default() {
                parts.push(build(table.part(item, depth)?, space, names, depth + 1)?);
            }
            Arc::new(Combined::new(operation, parts).map_err(|e| refused(e, "kind"))?)
        }
    })
}

/// The coordinates as this table orders them, which must be those of the whole.
fn own_coordinates(
    table: &ShapeTable<'_>,
    space: &[String],
    depth: usize,
) -> Result<Vec<String>, ProblemError> {
    let fields = &table.fields;
    let named = table.is_box()
        || ["coordinates", "dimension"]
            .iter()
            .any(|key| fields.get(key).is_some());
    if !named {
        return Ok(space.to_vec());
    }
    let mut own = table.coordinates(depth)?;
    own.retain(|name| Some(name.as_str()) != table.time);
    let all = own.len() == space.len() && own.iter().all(|name| space.contains(name));
    if all {
        return Ok(own);
    }
    let fault = Fault::PartCoordinates {
        found: own.join(", "),
        expected: space.join(", "),
    };
    Err(fields.source.error(fields.span(), fault))
}

/// What a key of a plain shape says; what has a number for each coordinate comes in the order of `space`.
fn read(
    table: &ShapeTable<'_>,
    kind: &Kind,
    key: &Key,
    space: &[String],
    names: &Names<'_>,
    depth: usize,
) -> Result<Said, ProblemError> {
    let (fields, name) = (&table.fields, key.name);
    let own = own_coordinates(table, space, depth)?;
    if let Some(example) = key.form.example() {
        fields.require(name, &format!("{name} = {example}"))?;
    }
    let item = fields.get(name);
    if let (Some(reason), Some(item), true) = (kind.plane, item, space.len() != 2) {
        let fault = Fault::Length {
            key: "coordinates".into(),
            found: space.len(),
            expected: 2,
            reason: reason.into(),
        };
        return Err(fields.source.error(&item.span, fault));
    }
    let number = || {
        let text = fields.text(name)?;
        text.map(|text| names.number(&text)).transpose()
    };
    Ok(match key.form {
        Form::NumberOr(otherwise) => Said::Number(number()?.unwrap_or(otherwise)),
        Form::Number => Said::Number(number()?.unwrap_or_default()),
        Form::PointOrOrigin | Form::ByCoordinate => {
            let Some(item) = item else {
                return Ok(Said::Point(vec![0.0; space.len()]));
            };
            let reason = format!("one for each of {}", own.join(", "));
            let given = numbers(names, name, item, own.len(), &reason)?;
            Said::Point(reordered(&given, &own, space))
        }
        Form::Points => {
            let items = item
                .map(|item| points(fields.source, name, item))
                .transpose()?;
            let point = |item| {
                let given = numbers(names, name, item, 2, "a point is [x, y]")?;
                let point = reordered(&given, &own, space);
                Ok([point[0], point[1]])
            };
            let items = items.unwrap_or_default().iter();
            Said::Points(items.map(point).collect::<Result<_, ProblemError>>()?)
        }
    })
}

/// A list of points, of which there may not be too many.
fn points<'a>(source: &Source<'_>, name: &str, item: &'a Item) -> Result<&'a [Item], ProblemError> {
    let Value::Array(items) = &item.value else {
        return Err(wrong_type(source, name, item, "a list of points"));
    };
    if items.len() > MOST_POINTS {
        let fault = Fault::TooLarge {
            what: format!("the number of {name}"),
            found: items.len() as f64,
            limit: MOST_POINTS as f64,
        };
        return Err(source.error(&item.span, fault));
    }
    Ok(items)
}

/// Numbers given in the order `own`, put into the order `space`.
fn reordered(given: &[f64], own: &[String], space: &[String]) -> Vec<f64> {
    let place = |name| own.iter().position(|other| other == name).unwrap_or(0);
    space.iter().map(|name| given[place(name)]).collect()
}

/// `[low, high]` with low < high and a finite length.
pub(super) fn interval(
    names: &Names<'_>,
    name: &str,
    item: &Item,
) -> Result<[f64; 2], ProblemError> {
    let ends = numbers(names, name, item, 2, "an interval is [low, high]")?;
    let (low, high) = (ends[0], ends[1]);
    let name = name.into();
    let fault = if low >= high {
        Fault::EmptyInterval { name, low, high }
    } else if !(high - low).is_finite() {
        Fault::EndlessInterval { name, low, high }
    } else {
        return Ok([low, high]);
    };
    Err(names.source.error(&item.span, fault))
}

/// A list of this many numbers.
fn numbers(
    names: &Names<'_>,
    key: &str,
    item: &Item,
    expected: usize,
    reason: &str,
) -> Result<Vec<f64>, ProblemError> {
    let Value::Array(items) = &item.value else {
        return Err(wrong_type(names.source, key, item, "a list of numbers"));
    };
    if items.len() != expected {
        let fault = Fault::Length {
            key: key.into(),
            found: items.len(),
            expected,
            reason: reason.into(),
        };
        return Err(names.source.error(&item.span, fault));
    }
    let number = |item| names.number(&Formula::of(names.source, key, item)?);
    items.iter().map(number).collect()
}
