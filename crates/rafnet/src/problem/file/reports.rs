//! `[[report]]`: figures that are wanted of the solution.

use super::document::{Table, Value};
use super::fields::{Fields, wrong_type};
use super::formula::Formula;
use super::region::Region;
use super::setting::Setting;
use crate::problem::error::{Fault, ProblemError};
use crate::problem::{Figure, Over};

/// Reads one `[[report]]`.
pub(super) fn report(setting: &Setting<'_>, table: &Table) -> Result<Figure, ProblemError> {
    let source = setting.source;
    let known = ["name", "integral", "over", "value", "at"];
    let fields = Fields::new(source, "[[report]]", table, &known)?;
    fields.require("name", "name = \"flux\"")?;
    let name = fields.word("name")?.unwrap_or_default().to_owned();
    let point = fields.get("at");
    let (key, example) = match point {
        Some(_) => ("value", "value = \"u\""),
        None => ("integral", "integral = \"u\""),
    };
    let other = if point.is_some() {
        ["integral", "over"]
    } else {
        ["value", "at"]
    };
    if let Some((other, item)) = other.iter().find_map(|k| Some((k, fields.get(k)?))) {
        let fault = Fault::ReportKeys {
            key: (*other).to_owned(),
        };
        return Err(source.error(&item.span, fault));
    }
    let text = Formula::of(source, key, fields.require(key, example)?)?;
    let over = match (point, fields.text("over")?) {
        (Some(item), _) => Over::Point(coordinates(setting, item)?),
        (None, Some(on)) => {
            let Region { pieces, filter } = Region::read(setting, &on)?;
            Over::Boundary { pieces, filter }
        }
        (None, None) => Over::Domain,
    };
    let mut scope = setting.names.scope.clone();
    if matches!(over, Over::Boundary { .. }) {
        scope = scope.allow_normal();
    }
    let of = setting.names.parse(&text, &scope)?;
    let of = of.expand_normal(setting.space());
    if of.jets().is_empty() {
        let unknowns = setting.unknowns.to_vec();
        return Err(source.error(&text.span, Fault::ReportOfNothing { unknowns }));
    }
    Ok(Figure { name, of, over })
}

/// The numbers of `at`, a point of the domain.
fn coordinates(
    setting: &Setting<'_>,
    item: &super::document::Item,
) -> Result<Vec<f64>, ProblemError> {
    let expected = "a list with a number for each coordinate";
    let refused = || wrong_type(setting.source, "at", item, expected);
    let Value::Array(items) = &item.value else {
        return Err(refused());
    };
    if items.len() != setting.coordinates.len() {
        return Err(refused());
    }
    let number = |item| {
        let text = Formula::of(setting.source, "at", item)?;
        setting.names.number(&text)
    };
    let point = items.iter().map(number).collect::<Result<Vec<f64>, _>>()?;
    if !setting.domain.contains(&point) {
        let place = setting.point(&point);
        return Err(setting
            .source
            .error(&item.span, Fault::ReportOutside { place }));
    }
    Ok(point)
}
