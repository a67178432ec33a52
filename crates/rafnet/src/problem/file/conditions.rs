//! Conditions as they are drafted by [`boundary`] and [`initial`]: whatever their kind, residuals on parts of the boundary.

use super::fields::Fields;
use super::formula::Formula;
use super::probe::Probe;
use super::region::Region;
use super::setting::Setting;
use super::tables::several;
use super::{boundary, initial};
use crate::expr::Expr;
use crate::problem::Enforce;
use crate::problem::error::ProblemError;
use crate::problem::fault::Fault;
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

/// What every condition may say about how it is met.
pub(super) const MANNERS: [&str; 3] = ["enforce", "weight", "points"];

/// The most points of one condition.
const MOST_POINTS: usize = 100_000_000;

/// How a condition is to be met.
pub(super) struct Manner {
    pub(super) enforce: Enforce,
    pub(super) weight: Option<f64>,
    pub(super) points: Option<usize>,
}

impl Manner {
    pub(super) fn read(setting: &Setting<'_>, fields: &Fields<'_>) -> Result<Self, ProblemError> {
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

/// Every `[[boundary]]` and `[[initial]]`, in order, finite on its own set.
pub(super) fn drafts(
    setting: &Setting<'_>,
    probe: &Probe<'_>,
    file: &Fields<'_>,
) -> Result<Vec<Draft>, ProblemError> {
    let mut drafts = Vec::new();
    for table in several(file, "boundary")? {
        drafts.push(boundary::boundary(setting, table)?);
    }
    for table in several(file, "initial")? {
        drafts.extend(initial::initial(setting, table)?);
    }
    for draft in &drafts {
        let when = if draft.initial { "initial" } else { "boundary" };
        let what = format!("the {when} condition");
        let (region, span) = (&draft.region, &draft.value_span);
        let filter = region.filter.as_ref();
        probe.on(&region.pieces, filter, &draft.residual, &what, span)?;
    }
    Ok(drafts)
}
