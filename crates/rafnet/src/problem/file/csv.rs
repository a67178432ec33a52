//! Tables of numbers with a header, cells separated by commas (or semicolons, or tabs).

use super::fields::Word;
use super::source::Source;
use crate::problem::error::ProblemError;
use crate::problem::fault::Fault;
use crate::problem::suggestion::closest;
use rafnet_table::{Record, Records};
use std::collections::HashSet;
use std::ops::Range;

/// A table of texts.
pub(super) struct Csv {
    pub(super) header: Vec<Word>,
    pub(super) rows: Vec<Row>,
}

/// A row and where it stands.
pub(super) struct Row {
    pub(super) cells: Vec<Word>,
    pub(super) span: Range<usize>,
}

impl Csv {
    pub(super) fn read(source: &Source<'_>) -> Result<Self, ProblemError> {
        let mut rows = Vec::new();
        let (mut records, mut record) = (Records::new(source.text.as_bytes()), Record::default());
        loop {
            match records.read(&mut record) {
                Ok(true) => rows.push(row(&record)),
                Ok(false) => break,
                Err(error) => {
                    let reason = error.to_string();
                    return Err(source.error_without_line(Fault::NoTable { reason }));
                }
            }
        }
        if rows.is_empty() {
            return Err(source.error_without_line(Fault::NoData));
        }
        let header = rows.remove(0).cells;
        let mut seen = HashSet::new();
        for column in &header {
            if !seen.insert(column.text.as_str()) {
                let column_name = column.text.clone();
                return Err(source.error(
                    &column.span,
                    Fault::RepeatedColumn {
                        column: column_name,
                    },
                ));
            }
        }
        let table = Self { header, rows };
        let expected = table.header.len();
        let odd = table
            .rows
            .iter()
            .enumerate()
            .find(|(_, row)| row.cells.len() != expected);
        match odd {
            Some((k, row)) => {
                let names: Vec<&str> = table
                    .header
                    .iter()
                    .map(|column| column.text.as_str())
                    .collect();
                let fault = Fault::RowLength {
                    row: k + 1,
                    found: row.cells.len(),
                    expected,
                    reason: names.join(", "),
                };
                Err(source.error(&row.span, fault))
            }
            None => Ok(table),
        }
    }

    /// The place of a column.
    pub(super) fn column(&self, source: &Source<'_>, name: &str) -> Result<usize, ProblemError> {
        let place = self.header.iter().position(|column| column.text == name);
        place.ok_or_else(|| self.no_column(source, name))
    }

    pub(super) fn no_column(&self, source: &Source<'_>, name: &str) -> ProblemError {
        let span = match (self.header.first(), self.header.last()) {
            (Some(first), Some(last)) => first.span.start..last.span.end,
            _ => 0..0,
        };
        let fault = Fault::NoColumn {
            column: name.into(),
            found: self
                .header
                .iter()
                .map(|column| column.text.clone())
                .collect(),
        };
        source.error(&span, fault)
    }

    /// The finite number in a cell.
    pub(super) fn number(
        &self,
        source: &Source<'_>,
        row: &Row,
        place: usize,
    ) -> Result<f64, ProblemError> {
        let cell = &row.cells[place];
        match cell.text.parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(value),
            _ => {
                let fault = Fault::Cell {
                    column: self.header[place].text.clone(),
                    found: cell.text.clone(),
                };
                Err(source.error(&cell.span, fault))
            }
        }
    }
}

fn row(record: &Record) -> Row {
    let cells = (0..record.len()).map(|k| Word {
        text: record.cell(k).into_owned(),
        span: record.span(k),
    });
    Row {
        cells: cells.collect(),
        span: record.whole_span(),
    }
}

/// A column that is neither a coordinate nor observed.
pub(super) fn unknown_column(
    source: &Source<'_>,
    column: &Word,
    coordinates: &[String],
    unknowns: &[&str],
) -> ProblemError {
    let known: Vec<&str> = coordinates
        .iter()
        .map(String::as_str)
        .chain(unknowns.iter().copied())
        .collect();
    let fault = Fault::UnknownColumn {
        column: column.text.clone(),
        closest: closest(&column.text, &known),
        known: known.iter().map(|name| (*name).into()).collect(),
    };
    source.error(&column.span, fault)
}
