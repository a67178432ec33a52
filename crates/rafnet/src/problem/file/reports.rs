//! `[[report]]`: figures that are wanted of the solution.

use super::constraints::point;
use super::document::Table;
use super::fields::Fields;
use super::formula::Formula;
use super::region::Region;
use super::setting::Setting;
use crate::problem::error::ProblemError;
use crate::problem::fault::Fault;
use crate::problem::{Figure, Over};

/// Reads one `[[report]]`.
pub(super) fn report(setting: &Setting<'_>, table: &Table) -> Result<Figure, ProblemError> {
    let source = setting.source;
    let known = ["name", "integral", "over", "value", "at"];
    let fields = Fields::new(source, "[[report]]", table, &known)?;
    fields.require("name", "name = \"flux\"")?;
    let name = fields.word("name")?.unwrap_or_default().to_owned();
    let place = fields.get("at");
    let (key, example) = match place {
        Some(_) => ("value", "value = \"u\""),
        None => ("integral", "integral = \"u\""),
    };
    let other = if place.is_some() {
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
    let over = match (place, fields.text("over")?) {
        (Some(item), _) => Over::Point(point(setting, item, None)?),
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
