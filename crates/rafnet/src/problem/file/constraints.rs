//! `[[condition]]`: means, integrals and values at points that are given, once or at every time.
//!
//! ```text
//! mean = "u"        integral = "u^2"        at = [0, 0] with value = "p"                equals = 0 unless told, each = "t": at every time
//! ```

use super::document::{Item, Table, Value};
use super::fields::{Fields, wrong_type};
use super::formula::Formula;
use super::setting::Setting;
use crate::expr::{Expr, Leaf};
use crate::problem::error::ProblemError;
use crate::problem::fault::Fault;
use crate::problem::{Constraint, Extent};

/// Reads one `[[condition]]`.
pub(super) fn constraint(setting: &Setting<'_>, table: &Table) -> Result<Constraint, ProblemError> {
    let source = setting.source;
    let known = ["mean", "integral", "value", "at", "equals", "each"];
    let fields = Fields::new(source, "[[condition]]", table, &known)?;
    let each = each(setting, &fields)?;
    let kinds = ["mean", "integral", "at"];
    let given: Vec<&str> = kinds
        .into_iter()
        .filter(|kind| fields.get(kind).is_some())
        .collect();
    let [kind] = given[..] else {
        let fault = Fault::OneOf {
            table: "[[condition]]".into(),
            found: if given.is_empty() {
                "none of them".into()
            } else {
                given.join(" and ")
            },
            expected: kinds.map(Into::into).to_vec(),
        };
        return Err(source.error(fields.span(), fault));
    };
    let over = match (kind, fields.get("at")) {
        ("mean", _) => Extent::Mean,
        (_, Some(item)) => Extent::Point(point(setting, item, each)?),
        _ => Extent::Integral,
    };
    let (key, example) = match kind {
        "at" => ("value", "value = \"u\""),
        kind => (kind, "mean = \"u\""),
    };
    let text = Formula::of(source, key, fields.require(key, example)?)?;
    let of = setting.names.parse(&text, &setting.names.scope)?;
    if of.jets().is_empty() {
        let unknowns = setting.unknowns.to_vec();
        return Err(source.error(&text.span, Fault::NothingUnknown { unknowns }));
    }
    // `mean = "u"` with `value = 2` says the same as with `equals = 2`
    let equals = match (fields.text("equals")?, kind) {
        (None, "mean" | "integral") => fields.text("value")?,
        (equals, _) => equals,
    };
    let equals = equals.map_or(Ok(Expr::number(0.0)), |text| equal_to(setting, &text, each))?;
    Ok(Constraint {
        of,
        equals,
        over,
        each,
    })
}

/// The axis of `each`, which is time.
fn each(setting: &Setting<'_>, fields: &Fields<'_>) -> Result<Option<usize>, ProblemError> {
    let (Some(name), Some(item)) = (fields.word("each")?, fields.get("each")) else {
        return Ok(None);
    };
    let fault = match setting.time {
        Some(axis) if setting.coordinates[axis] == name => return Ok(Some(axis)),
        Some(axis) => Fault::UnknownWord {
            key: "each".into(),
            found: name.into(),
            closest: None,
            known: vec![format!("\"{}\"", setting.coordinates[axis])],
        },
        None => Fault::NoTime {
            what: "`each`".into(),
        },
    };
    Err(setting.source.error(&item.span, fault))
}

/// What a constraint equals: a number (of sought parameters too), with `each` a text in time.
fn equal_to(
    setting: &Setting<'_>,
    text: &Formula,
    each: Option<usize>,
) -> Result<Expr, ProblemError> {
    let equals = setting.names.known(text)?;
    let strange = equals.coordinates().into_iter().find(|k| Some(*k) != each);
    if let Some(axis) = strange {
        let coordinate = setting.coordinates[axis].clone();
        let fault = Fault::EqualsVaries {
            coordinate,
            each: each.map(|axis| setting.coordinates[axis].clone()),
        };
        return Err(setting.source.error(&text.span, fault));
    }
    let bounds = setting.domain.bounds();
    let at = |share: f64| {
        equals.eval(&|leaf: &Leaf| match leaf {
            Leaf::Coordinate(k) => bounds[*k][0] + share * (bounds[*k][1] - bounds[*k][0]),
            Leaf::Parameter(k) => setting.names.sought[*k].start,
            _ => 0.0,
        })
    };
    let odd = (0..=16)
        .map(|k| at(f64::from(k) / 16.0))
        .find(|v| !v.is_finite());
    match odd {
        Some(found) => {
            let key = text.key.clone();
            let fault = Fault::NotFiniteNumber { key, found };
            Err(setting.source.error(&text.span, fault))
        }
        None => Ok(equals),
    }
}

/// The numbers of `at`, a point of the domain; one that holds at every time may leave its time out.
pub(super) fn point(
    setting: &Setting<'_>,
    item: &Item,
    each: Option<usize>,
) -> Result<Vec<f64>, ProblemError> {
    let expected = match each {
        Some(_) => "a list with a number for each coordinate of space",
        None => "a list with a number for each coordinate",
    };
    let refused = || wrong_type(setting.source, "at", item, expected);
    let Value::Array(items) = &item.value else {
        return Err(refused());
    };
    let number = |item| {
        let text = Formula::of(setting.source, "at", item)?;
        setting.names.number(&text)
    };
    let mut point = items.iter().map(number).collect::<Result<Vec<f64>, _>>()?;
    if let Some(axis) = each.filter(|_| items.len() + 1 == setting.coordinates.len()) {
        point.insert(axis, setting.domain.bounds()[axis][0]);
    }
    if point.len() != setting.coordinates.len() {
        return Err(refused());
    }
    if !setting.domain.contains(&point) {
        let place = setting.point(&point);
        return Err(setting
            .source
            .error(&item.span, Fault::ReportOutside { place }));
    }
    Ok(point)
}
