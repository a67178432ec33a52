//! The shapes of `[domain]` and of its parts.

use super::document::{Item, Value};
use super::fields::{Fields, wrong_type};
use super::formula::Formula;
use super::names::Names;
use super::shape_table::{ShapeTable, operation};
use crate::domain::{Annulus, Ball, Combined, Cuboid, DomainError, Operation, Polygon, Shape};
use crate::problem::error::ProblemError;
use crate::problem::fault::Fault;
use std::sync::Arc;

/// The most vertices of a polygon.
const MOST_VERTICES: usize = 10_000;

/// The shape of a table, its coordinates in the order of `space`.
pub(super) fn build(
    table: ShapeTable<'_>,
    space: &[String],
    names: &Names<'_>,
    depth: usize,
) -> Result<Arc<dyn Shape>, ProblemError> {
    let fields = &table.fields;
    let key = match table.kind {
        "ball" => "radius",
        "annulus" => "inner",
        "polygon" => "vertices",
        _ => "kind",
    };
    let spot = fields.get(key).map_or(fields.span(), |item| &item.span);
    let refused = |error: DomainError| fields.source.error(spot, Fault::Domain(error));
    let number = |key: &str| {
        fields
            .text(key)?
            .map(|text| names.number(&text))
            .transpose()
    };
    let required = |key: &str| {
        fields.require(key, &format!("{key} = 1"))?;
        number(key).map(Option::unwrap_or_default)
    };
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
            Arc::new(Cuboid::new(bounds).map_err(refused)?)
        }
        "ball" => {
            let centre = centre(&table, space, names, depth)?;
            let radius = number("radius")?.unwrap_or(1.0);
            Arc::new(Ball::new(centre, radius).map_err(refused)?)
        }
        "annulus" => {
            let centre = centre(&table, space, names, depth)?;
            let (inner, outer) = (required("inner")?, required("outer")?);
            Arc::new(Annulus::new(centre, inner, outer).map_err(refused)?)
        }
        "polygon" => {
            let own = own_coordinates(&table, space, depth)?;
            Arc::new(Polygon::new(vertices(fields, &own, space, names)?).map_err(refused)?)
        }
        kind => {
            let operation = operation(kind).unwrap_or(Operation::Union);
            let mut parts = Vec::new();
            for item in table.parts()?.unwrap_or_default() {
                parts.push(build(table.part(item, depth)?, space, names, depth + 1)?);
            }
            Arc::new(Combined::new(operation, parts).map_err(refused)?)
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

/// `center`, the origin unless told, in the order of `space`.
fn centre(
    table: &ShapeTable<'_>,
    space: &[String],
    names: &Names<'_>,
    depth: usize,
) -> Result<Vec<f64>, ProblemError> {
    let own = own_coordinates(table, space, depth)?;
    let Some(item) = table.fields.get("center") else {
        return Ok(vec![0.0; space.len()]);
    };
    let given = numbers(
        names,
        "center",
        item,
        own.len(),
        &format!("one for each of {}", own.join(", ")),
    )?;
    Ok(reordered(&given, &own, space))
}

fn vertices(
    fields: &Fields<'_>,
    own: &[String],
    space: &[String],
    names: &Names<'_>,
) -> Result<Vec<[f64; 2]>, ProblemError> {
    let source = fields.source;
    let item = fields.require("vertices", "vertices = [[0, 0], [1, 0], [0, 1]]")?;
    let Value::Array(items) = &item.value else {
        return Err(wrong_type(source, "vertices", item, "a list of points"));
    };
    if space.len() != 2 {
        let fault = Fault::Length {
            key: "coordinates".into(),
            found: space.len(),
            expected: 2,
            reason: "a polygon lies in the plane".into(),
        };
        return Err(source.error(&item.span, fault));
    }
    if items.len() > MOST_VERTICES {
        let fault = Fault::TooLarge {
            what: "the number of vertices".into(),
            found: items.len() as f64,
            limit: MOST_VERTICES as f64,
        };
        return Err(source.error(&item.span, fault));
    }
    let point = |item| {
        let given = numbers(names, "vertices", item, 2, "a vertex is [x, y]")?;
        let point = reordered(&given, own, space);
        Ok([point[0], point[1]])
    };
    items.iter().map(point).collect()
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
