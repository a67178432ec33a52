//! `[domain]`: the names of the coordinates, which the parameters in its bounds need first, and then the whole domain.

use super::document::Table;
use super::fields::Fields;
use super::names::Names;
use super::shape_table::{MOST_COORDINATES, ShapeTable};
use super::shapes::{build, interval};
use super::source::Source;
use crate::domain::{Cuboid, Domain};
use crate::problem::error::ProblemError;
use crate::problem::fault::Fault;
use crate::problem::suggestion::closest;
use std::sync::Arc;

/// The coordinates of a domain, in their order.
pub(super) struct Outline<'a> {
    fields: Fields<'a>,
    pub(super) coordinates: Vec<String>,
    pub(super) time: Option<usize>,
}

impl<'a> Outline<'a> {
    /// Reads the names of the coordinates.
    pub(super) fn read(source: &'a Source<'a>, table: &'a Table) -> Result<Self, ProblemError> {
        let shape = ShapeTable::new(source, "[domain]", table)?;
        let fields = shape.fields;
        if let Some(name) = shape.time {
            fields.require(name, &format!("{name} = [0, 1]"))?;
        }
        let coordinates = shape.coordinates(0)?;
        if coordinates.is_empty() {
            let example = "x = [0, 1]".into();
            let fault = Fault::MissingKey {
                key: "x".into(),
                table: "[domain]".into(),
                example,
            };
            return Err(source.error(&table.span, fault));
        }
        if coordinates.len() > MOST_COORDINATES {
            let fault = Fault::TooLarge {
                what: "the number of coordinates".into(),
                found: coordinates.len() as f64,
                limit: MOST_COORDINATES as f64,
            };
            return Err(source.error(&table.span, fault));
        }
        let time = shape
            .time
            .and_then(|time| coordinates.iter().position(|name| name == time));
        Ok(Self {
            fields,
            coordinates,
            time,
        })
    }

    /// The domain itself.
    pub(super) fn build(&self, names: &Names<'_>) -> Result<Domain, ProblemError> {
        let source = self.fields.source;
        let shape = ShapeTable::new(source, "[domain]", self.fields.table)?;
        let mut space = self.coordinates.clone();
        let time = self.time.map(|axis| (axis, space.remove(axis)));
        let Some((axis, name)) = time else {
            return Ok(Domain::new(build(shape, &space, names, 0)?));
        };
        let item = self.fields.require(&name, "t = [0, 1]")?;
        let interval = interval(names, &name, item)?;
        let refused = |error| source.error(&item.span, Fault::Domain(error));
        if space.is_empty() {
            // an ODE: time is the only coordinate, its ends are those of an interval
            let line = Cuboid::new(vec![interval]).map_err(refused)?;
            return Ok(Domain::new(Arc::new(line)));
        }
        Domain::with_time(build(shape, &space, names, 0)?, axis, interval).map_err(refused)
    }

    /// The axes named in `periodic`.
    pub(super) fn periodic(&self, domain: &Domain) -> Result<Vec<usize>, ProblemError> {
        let source = self.fields.source;
        let mut axes = Vec::new();
        for word in self.fields.words("periodic")?.unwrap_or_default() {
            let known: Vec<&str> = self.coordinates.iter().map(String::as_str).collect();
            let Some(axis) = known.iter().position(|name| *name == word.text) else {
                let fault = Fault::NotACoordinate {
                    closest: closest(&word.text, &known),
                    known: self.coordinates.clone(),
                    name: word.text,
                };
                return Err(source.error(&word.span, fault));
            };
            if domain.as_cuboid().is_none() {
                let fault = Fault::PeriodicShape { name: word.text };
                return Err(source.error(&word.span, fault));
            }
            axes.push(axis);
        }
        axes.sort_unstable();
        axes.dedup();
        Ok(axes)
    }
}
