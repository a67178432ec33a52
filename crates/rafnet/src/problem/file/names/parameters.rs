//! `[parameters]`: numbers, texts that come out as numbers, arrays of them, and what is sought.

use super::Names;
use crate::expr::Leaf;
use crate::problem::Sought;
use crate::problem::error::ProblemError;
use crate::problem::fault::Fault;
use crate::problem::file::document::{Entry, Item, Table, Value};
use crate::problem::file::fields::{Fields, wrong_type};
use crate::problem::file::formula::Formula;

/// The most entries of an array.
const LONGEST_ARRAY: usize = 100_000;

impl Names<'_> {
    /// Declares them all, each as what it comes out as.
    pub(super) fn parameters(&mut self, entries: &[Entry]) -> Result<(), ProblemError> {
        let mut arrays = Vec::new();
        for entry in entries {
            match &entry.item.value {
                Value::Table(table) => self.seek(&entry.key, table)?,
                Value::Array(items) => arrays.push((entry, items)),
                _ => self.define(entry)?,
            }
        }
        self.arrays(arrays)?;
        for entry in entries {
            if matches!(entry.item.value, Value::Text(_) | Value::Number(_)) {
                self.evaluate(&entry.key)?;
            }
        }
        Ok(())
    }

    /// `{ find = true, start = 1.0, min = 0, max = 10 }`
    fn seek(&mut self, name: &str, table: &Table) -> Result<(), ProblemError> {
        let keys = ["find", "start", "min", "max"];
        let fields = Fields::new(self.source, name, table, &keys)?;
        let find = fields.require("find", "{ find = true, start = 1.0 }")?;
        if !matches!(find.value, Value::Boolean(true)) {
            return Err(wrong_type(self.source, "find", find, "`true`"));
        }
        let number = |key: &str| {
            let text = fields.text(key)?;
            text.map(|text| self.number(&text)).transpose()
        };
        let (min, max) = (number("min")?, number("max")?);
        let [low, high] = [
            min.unwrap_or(f64::NEG_INFINITY),
            max.unwrap_or(f64::INFINITY),
        ];
        let within = |x: f64| low <= x && x <= high;
        // 1, or the nearest number that is allowed
        let start = number("start")?.unwrap_or_else(|| 1f64.max(low).min(high));
        if low >= high || !within(start) {
            let name = name.to_owned();
            let fault = Fault::SoughtBounds { name, start };
            return Err(self.source.error(&table.span, fault));
        }
        let name = name.to_owned();
        self.declare(|scope| scope.parameters([name.clone()]));
        self.sought.push(Sought {
            name,
            start,
            min,
            max,
        });
        Ok(())
    }

    /// Arrays, in an order in which each finds the others that it uses.
    fn arrays(&mut self, mut waiting: Vec<(&Entry, &Vec<Item>)>) -> Result<(), ProblemError> {
        while !waiting.is_empty() {
            let before = waiting.len();
            let mut refused = None;
            let mut left = Vec::new();
            for (entry, items) in waiting {
                match self.array(entry, items) {
                    Ok(values) => self.declare(|scope| scope.array(&entry.key, values)),
                    Err(error) => {
                        refused.get_or_insert(error);
                        left.push((entry, items));
                    }
                }
            }
            if let (true, Some(error)) = (left.len() == before, refused) {
                return Err(error);
            }
            waiting = left;
        }
        Ok(())
    }

    fn array(&self, entry: &Entry, items: &[Item]) -> Result<Vec<f64>, ProblemError> {
        if items.len() > LONGEST_ARRAY {
            let fault = Fault::TooLarge {
                what: format!("the length of `{}`", entry.key),
                found: items.len() as f64,
                limit: LONGEST_ARRAY as f64,
            };
            return Err(self.source.error(&entry.item.span, fault));
        }
        let values = items.iter().map(|item| match item.value {
            Value::Number(value) if value.is_finite() => Ok(value),
            _ => self.number(&Formula::of(self.source, &entry.key, item)?),
        });
        values.collect()
    }

    /// A parameter becomes its number; one that depends on sought parameters alone stays a text.
    fn evaluate(&mut self, name: &str) -> Result<(), ProblemError> {
        let Some(text) = self.definitions.get(name) else {
            return Ok(());
        };
        let expr = self.parse(text, &self.scope)?;
        let sought = |leaf: &Leaf| matches!(leaf, Leaf::Parameter(_));
        if expr.constant().is_none() && expr.leaves().iter().all(sought) {
            return Ok(());
        }
        let value = self.number(text)?;
        self.declare(|scope| scope.number(name, value));
        self.numbers.push((name.to_owned(), value));
        Ok(())
    }
}
