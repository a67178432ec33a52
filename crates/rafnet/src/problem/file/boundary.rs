//! `[[boundary]]`: a condition on a part of the boundary, by its kind.
//!
//! ```text
//! dirichlet  u − g        neumann  ∂u/∂n − g        robin  a u + b ∂u/∂n − g        residual  as written
//! ```

use super::conditions::{Class, Draft, MANNERS, Manner};
use super::document::{Table, Value};
use super::fields::{Fields, wrong_type};
use super::formula::Formula;
use super::region::Region;
use super::setting::Setting;
use crate::expr::{Expr, Leaf};
use crate::problem::error::ProblemError;
use crate::problem::fault::Fault;

/// The kinds of boundary condition.
const KINDS: [&str; 4] = ["dirichlet", "neumann", "robin", "residual"];

/// Reads one `[[boundary]]`.
pub(super) fn boundary(setting: &Setting<'_>, table: &Table) -> Result<Draft, ProblemError> {
    let source = setting.source;
    let known: Vec<&str> = KINDS
        .into_iter()
        .chain(MANNERS)
        .chain(["on", "unknown"])
        .collect();
    let fields = Fields::new(source, "[[boundary]]", table, &known)?;
    let on = fields.require("on", "on = \"all\"")?;
    let on = Formula::of(source, "on", on)?;
    let region = Region::read(setting, &on)?;
    let given: Vec<&str> = KINDS
        .into_iter()
        .filter(|kind| fields.get(kind).is_some())
        .collect();
    let at_time = region.pieces.iter().any(|piece| setting.is_time(*piece));
    let allowed: &[&str] = if at_time {
        &["dirichlet", "residual"]
    } else {
        &KINDS
    };
    let [kind] = given[..] else {
        return Err(one_of(setting, &fields, &given, &KINDS));
    };
    if !allowed.contains(&kind) {
        return Err(one_of(setting, &fields, &given, allowed));
    }
    let unknown = condition_unknown(setting, &fields, kind)?;
    let part = condition(setting, &fields, kind, unknown)?;
    let manner = Manner::read(setting, &fields)?;
    let initial = setting
        .start()
        .is_some_and(|start| region.pieces == [start]);
    Ok(Draft {
        line: source.line(table.span.start),
        span: table.span.clone(),
        value_span: fields.get(kind).map_or(0..0, |item| item.span.clone()),
        unknown,
        class: match kind {
            "dirichlet" => Class::Value,
            _ => Class::Derivative(part.residual.order().unwrap_or(1).max(1)),
        },
        region,
        residual: part.residual.expand_normal(setting.space()),
        dirichlet: part.dirichlet,
        initial,
        enforce: manner.enforce,
        weight: manner.weight,
        points: manner.points,
    })
}

fn one_of(
    setting: &Setting<'_>,
    fields: &Fields<'_>,
    given: &[&str],
    expected: &[&str],
) -> ProblemError {
    let fault = Fault::OneOf {
        table: fields.name.into(),
        found: match given {
            [] => "no condition".into(),
            given => given.join(" and "),
        },
        expected: expected.iter().map(|kind| (*kind).into()).collect(),
    };
    setting.source.error(fields.span(), fault)
}

/// The unknown a condition is for; a general one in a system needs none.
fn condition_unknown(
    setting: &Setting<'_>,
    fields: &Fields<'_>,
    kind: &str,
) -> Result<Option<usize>, ProblemError> {
    if let (Some(name), Some(item)) = (fields.word("unknown")?, fields.get("unknown")) {
        return setting.unknown(name, &item.span).map(Some);
    }
    match (setting.unknowns.len(), kind) {
        (1, _) => Ok(Some(0)),
        (_, "residual") => Ok(None),
        _ => {
            let unknowns = setting.unknowns.to_vec();
            Err(setting
                .source
                .error(fields.span(), Fault::WhichUnknown { unknowns }))
        }
    }
}

/// What should be zero.
struct Part {
    residual: Expr,
    dirichlet: Option<(usize, Expr)>,
}

fn condition(
    setting: &Setting<'_>,
    fields: &Fields<'_>,
    kind: &str,
    unknown: Option<usize>,
) -> Result<Part, ProblemError> {
    let names = setting.names;
    let k = unknown.unwrap_or(0);
    let value = Expr::leaf(Leaf::jet(k, &[]));
    let slope = Expr::leaf(Leaf::NormalDerivative(k));
    let on_boundary = names.scope.clone().allow_normal();
    let data = on_boundary.clone().forbid_unknowns();
    let mut dirichlet = None;
    let item = fields.require(kind, "dirichlet = \"0\"")?;
    if kind == "robin" {
        let Value::Table(table) = &item.value else {
            let expected = "a table { a = …, b = …, g = … }";
            return Err(wrong_type(setting.source, "robin", item, expected));
        };
        let robin = Fields::new(setting.source, "`robin`", table, &["a", "b", "g"])?;
        let part = |key: &str| {
            let item = robin.require(key, "robin = { a = 1, b = 1, g = 0 }")?;
            names.parse(&Formula::of(setting.source, key, item)?, &data)
        };
        let residual = part("a")? * value + part("b")? * slope - part("g")?;
        let dirichlet = None;
        return Ok(Part {
            residual,
            dirichlet,
        });
    }
    let text = Formula::of(setting.source, kind, item)?;
    let residual = match kind {
        "dirichlet" => {
            let given = names.known(&text)?;
            if names.sought_in(&given).is_none() {
                dirichlet = Some((k, given.clone()));
            }
            value - given
        }
        "neumann" => slope - names.parse(&text, &data)?,
        _ => {
            let residual = names.parse(&text, &on_boundary)?;
            if residual.order().is_none() {
                let unknowns = setting.unknowns.to_vec();
                let fault = Fault::NothingUnknown { unknowns };
                return Err(setting.source.error(&text.span, fault));
            }
            residual
        }
    };
    Ok(Part {
        residual,
        dirichlet,
    })
}
