//! A table with a `kind`: its keys, its coordinates in their order, its parts.

use super::document::{Item, Table, Value};
use super::fields::{Fields, wrong_type};
use super::source::Source;
use crate::domain::{Form, KINDS, Kind, Operation};
use crate::problem::error::ProblemError;
use crate::problem::fault::Fault;
use crate::problem::suggestion::closest;

/// Boxes, whose keys are the coordinates.
const BOXES: [&str; 2] = ["box", "interval"];

/// The names of all kinds of domain.
fn kinds() -> Vec<String> {
    let boxes = BOXES.iter().map(ToString::to_string);
    let plain = KINDS.iter().map(|kind| kind.name.to_owned());
    let operations = Operation::ALL.iter().map(ToString::to_string);
    boxes.chain(plain).chain(operations).collect()
}

/// Keys with lists that have no meaning in a box, where other lists are bounds of coordinates.
const LISTS_ELSEWHERE: [&str; 6] = [
    "coordinates",
    "center",
    "vertices",
    "parts",
    "periodic",
    "time",
];

/// The most coordinates.
pub(super) const MOST_COORDINATES: usize = 1000;

/// How deep parts may be nested.
const DEEPEST_PARTS: usize = 16;

/// A table that says what kind of shape it is.
#[derive(Clone, Copy)]
pub(super) struct ShapeTable<'a> {
    pub(super) fields: Fields<'a>,
    pub(super) kind: &'a str,
    pub(super) time: Option<&'a str>,
}

impl<'a> ShapeTable<'a> {
    pub(super) fn new(
        source: &'a Source<'a>,
        name: &'a str,
        table: &'a Table,
    ) -> Result<Self, ProblemError> {
        let fields = Fields {
            source,
            name,
            table,
        };
        let item = fields.require("kind", "kind = \"box\"")?;
        let kind = fields.word("kind")?.unwrap_or_default();
        let known = kinds();
        if !known.iter().any(|name| name == kind) {
            let names: Vec<&str> = known.iter().map(String::as_str).collect();
            let fault = Fault::UnknownWord {
                key: "kind".into(),
                found: kind.into(),
                closest: closest(kind, &names),
                known,
            };
            return Err(source.error(&item.span, fault));
        }
        let whole = name == "[domain]";
        let time = if whole { fields.word("time")? } else { None };
        let shape = Self { fields, kind, time };
        shape.check_keys(whole)?;
        Ok(shape)
    }

    fn check_keys(&self, whole: bool) -> Result<(), ProblemError> {
        let mut known = match self.kind {
            "box" | "interval" => vec!["kind", "dimension", "each"],
            _ => vec!["kind", "coordinates"],
        };
        match self.plain() {
            Some(kind) => {
                known.extend(kind.plane.is_none().then_some("dimension"));
                known.extend(kind.keys.iter().map(|key| key.name));
            }
            None if self.is_box() => {}
            None => known.push("parts"),
        }
        if whole {
            known.extend(["time", "periodic"]);
            known.extend(self.time);
        }
        for entry in &self.fields.table.entries {
            let key = entry.key.as_str();
            let list = matches!(entry.item.value, Value::Array(_));
            let coordinate = self.is_box() && list && !LISTS_ELSEWHERE.contains(&key);
            if coordinate || known.contains(&key) {
                continue;
            }
            let probably_bounds = self.is_box() && closest(key, &known).is_none();
            if probably_bounds && matches!(entry.item.value, Value::Text(_)) {
                let expected = "a list [low, high]";
                return Err(wrong_type(self.fields.source, key, &entry.item, expected));
            }
            return Err(self.fields.unknown_key(entry, &known));
        }
        Ok(())
    }

    pub(super) fn is_box(&self) -> bool {
        BOXES.contains(&self.kind)
    }

    /// What is known of a shape that is neither a box nor combined.
    pub(super) fn plain(&self) -> Option<&'static Kind> {
        Kind::of(self.kind)
    }

    /// The coordinates in space and, with its name, time, in the order in which they are written.
    pub(super) fn coordinates(&self, depth: usize) -> Result<Vec<String>, ProblemError> {
        let mut found = Vec::new();
        if self.is_box() {
            for entry in &self.fields.table.entries {
                match entry.key.as_str() {
                    "kind" | "time" | "periodic" | "each" => {}
                    "dimension" => found.extend(self.numbered()?),
                    name => found.push(name.to_owned()),
                }
            }
            return Ok(found);
        }
        let space = self.space(depth)?;
        let first = ["coordinates", "dimension", "parts"]
            .into_iter()
            .find_map(|key| self.position(key));
        let time = self.time.and_then(|name| self.position(name));
        match (self.time, time, first) {
            (Some(name), Some(time), Some(first)) if time < first => {
                found.push(name.to_owned());
                found.extend(space);
            }
            (name, _, _) => {
                found.extend(space);
                found.extend(name.map(Into::into));
            }
        }
        Ok(found)
    }

    fn position(&self, key: &str) -> Option<usize> {
        let entries = &self.fields.table.entries;
        entries.iter().position(|entry| entry.key == key)
    }

    fn numbered(&self) -> Result<Vec<String>, ProblemError> {
        let count = self.fields.count("dimension", MOST_COORDINATES)?;
        Ok((1..=count.unwrap_or(0)).map(|k| format!("x{k}")).collect())
    }

    /// The coordinates in space of a shape that is no box.
    fn space(&self, depth: usize) -> Result<Vec<String>, ProblemError> {
        let fields = &self.fields;
        if let Some(words) = fields.words("coordinates")? {
            return Ok(words.into_iter().map(|word| word.text).collect());
        }
        if fields.get("dimension").is_some() {
            return self.numbered();
        }
        if let Some(parts) = self.parts()? {
            let item = parts.first();
            let first = item.map(|item| self.part(item, depth)).transpose()?;
            return match first {
                Some(first) => first.coordinates(depth + 1),
                None => Ok(Vec::new()),
            };
        }
        // as many as the numbers of a key with one for each
        let keys = self.plain().map_or(&[][..], |kind| kind.keys).iter();
        let by_coordinate =
            keys.filter(|k| matches!(k.form, Form::PointOrOrigin | Form::ByCoordinate));
        let given = by_coordinate.filter_map(|key| match &fields.get(key.name)?.value {
            Value::Array(items) => Some(items.len()),
            _ => None,
        });
        let length = given.min().unwrap_or(2);
        Ok(match length {
            0..=3 => ["x", "y", "z"][..length]
                .iter()
                .map(|name| (*name).into())
                .collect(),
            _ => (1..=length).map(|k| format!("x{k}")).collect(),
        })
    }

    pub(super) fn parts(&self) -> Result<Option<&'a [Item]>, ProblemError> {
        if Operation::named(self.kind).is_none() {
            return Ok(None);
        }
        let item = self
            .fields
            .require("parts", "parts = [{ kind = … }, { kind = … }]")?;
        match &item.value {
            Value::Array(items) => Ok(Some(items)),
            _ => Err(wrong_type(
                self.fields.source,
                "parts",
                item,
                "a list of tables",
            )),
        }
    }

    pub(super) fn part(
        &self,
        item: &'a Item,
        depth: usize,
    ) -> Result<ShapeTable<'a>, ProblemError> {
        let Value::Table(table) = &item.value else {
            return Err(wrong_type(
                self.fields.source,
                "parts",
                item,
                "a list of tables",
            ));
        };
        if depth == DEEPEST_PARTS {
            let fault = Fault::TooLarge {
                what: "the depth of `parts` within `parts`".into(),
                found: depth as f64 + 1.0,
                limit: DEEPEST_PARTS as f64,
            };
            return Err(self.fields.source.error(&item.span, fault));
        }
        ShapeTable::new(self.fields.source, "this part", table)
    }
}
