//! `[[data]]`: observed values, in rows of the file or in a table of their own.

use super::conditions::positive;
use super::csv::{Csv, unknown_column};
use super::document::{Item, Table, Value};
use super::fields::{Fields, wrong_type};
use super::formula::Formula;
use super::setting::Setting;
use super::source::Source;
use crate::expr::{Expr, Leaf, largest};
use crate::problem::Observation;
use crate::problem::error::ProblemError;
use crate::problem::fault::Fault;
use std::ops::Range;

/// Points this part of the domain's size outside still count as on its boundary: tables are rounded.
const ROUNDING: f64 = 1e-6;

/// Points with what was observed there, a column for each observed expression.
struct Rows {
    /// n × d
    points: Vec<f64>,
    /// One column for each observed expression; NaN where nothing was observed.
    columns: Vec<(Expr, Vec<f64>)>,
}

/// Reads one `[[data]]`.
pub(super) fn data(setting: &Setting<'_>, table: &Table) -> Result<Vec<Observation>, ProblemError> {
    let source = setting.source;
    let fields = Fields::new(
        source,
        "[[data]]",
        table,
        &["file", "rows", "observe", "sigma"],
    )?;
    let observe = match fields.text("observe")? {
        Some(text) => {
            let expr = setting.names.parse(&text, &setting.names.scope)?;
            if expr.order().is_none() {
                let unknowns = setting.unknowns.to_vec();
                return Err(source.error(&text.span, Fault::NothingUnknown { unknowns }));
            }
            Some(expr)
        }
        None => None,
    };
    let sigma = fields.text("sigma")?;
    let sigma = sigma.map(|text| positive(setting, &text)).transpose()?;
    let rows = match (fields.get("file"), fields.get("rows")) {
        (Some(item), None) => from_csv(setting, &fields, item, observe.as_ref())?,
        (None, Some(item)) => from_rows(setting, item, observe)?,
        (file, _) => {
            let fault = Fault::OneOf {
                table: "[[data]]".into(),
                found: if file.is_some() {
                    "file and rows"
                } else {
                    "no values"
                }
                .into(),
                expected: vec!["file".into(), "rows".into()],
            };
            return Err(source.error(&table.span, fault));
        }
    };
    let observations: Vec<Observation> = rows.observations(setting.coordinates.len(), sigma);
    if observations.is_empty() {
        return Err(source.error(&table.span, Fault::NoData));
    }
    Ok(observations)
}

impl Rows {
    fn observations(self, dimension: usize, sigma: Option<f64>) -> Vec<Observation> {
        let points = self.points;
        let observations = self.columns.into_iter().map(|(observe, column)| {
            let rows = points.chunks(dimension).zip(&column);
            let seen = rows.filter(|(_, value)| !value.is_nan());
            Observation {
                points: seen.clone().flat_map(|(point, _)| point).copied().collect(),
                values: seen.map(|(_, value)| *value).collect(),
                observe,
                sigma,
            }
        });
        observations
            .filter(|observation| !observation.values.is_empty())
            .collect()
    }
}

/// What the columns after the coordinates hold.
fn observed(setting: &Setting<'_>, observe: Option<Expr>) -> Vec<Expr> {
    match observe {
        Some(expr) => vec![expr],
        None => (0..setting.unknowns.len())
            .map(|k| Expr::leaf(Leaf::jet(k, &[])))
            .collect(),
    }
}

/// `rows = [[x, …, u], …]`
fn from_rows(
    setting: &Setting<'_>,
    item: &Item,
    observe: Option<Expr>,
) -> Result<Rows, ProblemError> {
    let source = setting.source;
    let Value::Array(rows) = &item.value else {
        return Err(wrong_type(source, "rows", item, "a list of rows"));
    };
    let dimension = setting.coordinates.len();
    let last = if observe.is_some() {
        vec!["value".to_owned()]
    } else {
        setting.unknowns.to_vec()
    };
    let mut columns: Vec<(Expr, Vec<f64>)> = observed(setting, observe)
        .into_iter()
        .map(|e| (e, Vec::new()))
        .collect();
    let mut points = Vec::new();
    for (k, row) in rows.iter().enumerate() {
        let Value::Array(cells) = &row.value else {
            return Err(wrong_type(
                source,
                "rows",
                row,
                "a list of rows, each a list of numbers",
            ));
        };
        let expected = dimension + columns.len();
        if cells.len() != expected {
            let fault = Fault::RowLength {
                row: k + 1,
                found: cells.len(),
                expected,
                reason: setting
                    .coordinates
                    .iter()
                    .chain(&last)
                    .cloned()
                    .collect::<Vec<_>>()
                    .join(", "),
            };
            return Err(source.error(&row.span, fault));
        }
        let start = points.len();
        for cell in &cells[..dimension] {
            points.push(setting.names.number(&Formula::of(source, "rows", cell)?)?);
        }
        check_point(setting, source, &row.span, &points[start..])?;
        for (cell, (_, column)) in cells[dimension..].iter().zip(&mut columns) {
            let absent = match &cell.value {
                Value::Number(value) => value.is_nan(),
                Value::Text(text) => text.trim().is_empty(),
                _ => false,
            };
            column.push(if absent {
                f64::NAN
            } else {
                setting.names.number(&Formula::of(source, "rows", cell)?)?
            });
        }
    }
    Ok(Rows { points, columns })
}

/// `file = "points.csv"`
fn from_csv(
    setting: &Setting<'_>,
    fields: &Fields<'_>,
    item: &Item,
    observe: Option<&Expr>,
) -> Result<Rows, ProblemError> {
    let name = fields.word("file")?.unwrap_or_default();
    let path = setting
        .source
        .folder
        .map_or_else(|| name.into(), |folder| folder.join(name));
    let text = rafnet_memory::read_to_string(&path).map_err(|error| {
        let fault = Fault::DataFile {
            path: name.into(),
            reason: match error.kind() {
                std::io::ErrorKind::NotFound => "there is no such file".into(),
                _ => error.to_string(),
            },
        };
        setting.source.error(&item.span, fault)
    })?;
    let source = Source {
        name,
        text: &text,
        folder: None,
    };
    let table = Csv::read(&source)?;
    let coordinates = setting
        .coordinates
        .iter()
        .map(|name| table.column(&source, name));
    let coordinates = coordinates.collect::<Result<Vec<usize>, _>>()?;
    let mut values = Vec::new();
    for (place, column) in table.header.iter().enumerate() {
        if coordinates.contains(&place) {
            continue;
        }
        let known: Vec<&str> = setting.unknowns.iter().map(String::as_str).collect();
        let unknown = known.iter().position(|name| *name == column.text);
        match (observe, unknown) {
            (Some(expr), _) if values.is_empty() => values.push((place, expr.clone())),
            (None, Some(k)) => values.push((place, Expr::leaf(Leaf::jet(k, &[])))),
            _ => return Err(unknown_column(&source, column, setting.coordinates, &known)),
        }
    }
    if values.is_empty() {
        let name = if observe.is_some() {
            "value"
        } else {
            &setting.unknowns[0]
        };
        return Err(table.no_column(&source, name));
    }
    let mut rows = Rows {
        points: Vec::new(),
        columns: values
            .iter()
            .map(|(_, expr)| (expr.clone(), Vec::new()))
            .collect(),
    };
    for row in &table.rows {
        let start = rows.points.len();
        for place in &coordinates {
            rows.points.push(table.number(&source, row, *place)?);
        }
        check_point(setting, &source, &row.span, &rows.points[start..])?;
        for ((place, _), (_, column)) in values.iter().zip(&mut rows.columns) {
            let empty = row.cells[*place].text.is_empty();
            column.push(if empty {
                f64::NAN
            } else {
                table.number(&source, row, *place)?
            });
        }
    }
    Ok(rows)
}

/// Refuses a point outside the domain.
fn check_point(
    setting: &Setting<'_>,
    source: &Source<'_>,
    span: &Range<usize>,
    point: &[f64],
) -> Result<(), ProblemError> {
    let bounds = setting.domain.bounds();
    let size = largest(bounds.iter().map(|[low, high]| high - low));
    if setting.domain.shape().level(point) <= ROUNDING * size {
        return Ok(());
    }
    let point = setting.point(point);
    Err(source.error(span, Fault::PointOutside { point }))
}
