//! `[[boundary]]` and `[[initial]]`: whatever their kind, residuals on parts of the boundary.
//!
//! ```text
//! dirichlet  u − g        neumann  ∂u/∂n − g        robin  a u + b ∂u/∂n − g        residual  as written
//! ```

use super::document::{Table, Value};
use super::fields::{Fields, wrong_type};
use super::formula::Formula;
use super::region::Region;
use super::setting::Setting;
use crate::expr::{Expr, Leaf};
use crate::problem::Enforce;
use crate::problem::error::ProblemError;
use crate::problem::fault::Fault;
use crate::problem::second_order::HIGHEST_ORDER;
use crate::problem::suggestion::closest;
use std::ops::Range;

/// A condition before it is known which later ones take points from it.
#[derive(Clone)]
pub(super) struct Draft {
    /// The line on which it begins.
    pub(super) line: usize,
    /// Where it stands, for messages.
    pub(super) span: Range<usize>,
    /// Where its text stands.
    pub(super) value_span: Range<usize>,
    /// Whose condition it is; `None` for a general one in a system.
    pub(super) unknown: Option<usize>,
    pub(super) class: Class,
    pub(super) region: Region,
    pub(super) residual: Expr,
    pub(super) dirichlet: Option<(usize, Expr)>,
    pub(super) initial: bool,
    pub(super) enforce: Enforce,
    pub(super) weight: Option<f64>,
    pub(super) points: Option<usize>,
}

/// What a condition gives: two of one class on one place contradict each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Class {
    /// The unknown itself.
    Value,
    /// A derivative of this order.
    Derivative(usize),
}

/// The kinds of boundary condition.
const KINDS: [&str; 4] = ["dirichlet", "neumann", "robin", "residual"];

/// What every condition may say about how it is met.
const MANNERS: [&str; 3] = ["enforce", "weight", "points"];

/// The most points of one condition.
const MOST_POINTS: usize = 100_000_000;

/// How a condition is to be met.
struct Manner {
    enforce: Enforce,
    weight: Option<f64>,
    points: Option<usize>,
}

impl Manner {
    fn read(setting: &Setting<'_>, fields: &Fields<'_>) -> Result<Self, ProblemError> {
        let enforce = match fields.word("enforce")? {
            None | Some("auto") => Enforce::Auto,
            Some("exact") => Enforce::Exact,
            Some("penalty") => Enforce::Penalty,
            Some(other) => {
                let known = ["auto", "exact", "penalty"];
                let fault = Fault::UnknownWord {
                    key: "enforce".into(),
                    found: other.into(),
                    closest: closest(other, &known),
                    known: known.map(Into::into).to_vec(),
                };
                let item = fields.require("enforce", "enforce = \"auto\"")?;
                return Err(setting.source.error(&item.span, fault));
            }
        };
        let weight = match fields.text("weight")? {
            None => None,
            Some(text) => Some(positive(setting, &text)?),
        };
        let points = fields.count("points", MOST_POINTS)?;
        Ok(Self {
            enforce,
            weight,
            points,
        })
    }
}

/// A positive number.
pub(super) fn positive(setting: &Setting<'_>, text: &Formula) -> Result<f64, ProblemError> {
    let found = setting.names.number(text)?;
    if found > 0.0 {
        return Ok(found);
    }
    let fault = Fault::OutOfRange {
        key: text.key.clone(),
        found,
        expected: "a positive number",
    };
    Err(setting.source.error(&text.span, fault))
}

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

/// Reads one `[[initial]]`: `u`, `u_t`, `u_tt` and `u_ttt` at the first time.
pub(super) fn initial(setting: &Setting<'_>, table: &Table) -> Result<Vec<Draft>, ProblemError> {
    let source = setting.source;
    let (Some(axis), Some(start)) = (setting.time, setting.start()) else {
        let what = "initial data".into();
        return Err(source.error(&table.span, Fault::NoTime { what }));
    };
    let time = &setting.coordinates[axis];
    let n = setting.unknowns.len();
    let mut known: Vec<String> = setting.unknowns.to_vec();
    for order in 1..HIGHEST_ORDER {
        let derivative = time.repeat(order);
        let names = setting.unknowns.iter();
        known.extend(names.map(|name| format!("{name}_{derivative}")));
    }
    let keys: Vec<&str> = known.iter().map(String::as_str).chain(MANNERS).collect();
    let fields = Fields::new(source, "[[initial]]", table, &keys)?;
    let manner = Manner::read(setting, &fields)?;
    let mut drafts = Vec::new();
    for entry in &table.entries {
        let Some(place) = known.iter().position(|name| *name == entry.key) else {
            continue;
        };
        let (unknown, order) = (place % n, place / n);
        let class = match order {
            0 => Class::Value,
            order => Class::Derivative(order),
        };
        let axes = vec![axis; order];
        let text = Formula::of(source, &entry.key, &entry.item)?;
        let given = setting.names.known(&text)?;
        let value = class == Class::Value && setting.names.sought_in(&given).is_none();
        drafts.push(Draft {
            line: source.line(entry.key_span.start),
            span: entry.key_span.clone(),
            value_span: entry.item.span.clone(),
            unknown: Some(unknown),
            class,
            region: Region {
                pieces: vec![start],
                filter: None,
            },
            dirichlet: value.then(|| (unknown, given.clone())),
            residual: Expr::leaf(Leaf::jet(unknown, &axes)) - given,
            initial: true,
            enforce: manner.enforce,
            weight: manner.weight,
            points: manner.points,
        });
    }
    if drafts.is_empty() {
        let name = &setting.unknowns[0];
        let fault = Fault::MissingKey {
            key: name.clone(),
            table: "[[initial]]".into(),
            example: format!("{name} = \"…\""),
        };
        return Err(source.error(&table.span, fault));
    }
    Ok(drafts)
}
