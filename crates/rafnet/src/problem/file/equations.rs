//! `[equation]`: residuals, and sources that are manufactured from the exact solution.
//!
//! With r = c·f + r₀, c a constant, and the exact solution put into r₀, the source is f = −r₀(exact)/c.

use super::document::{Item, Value};
use super::fields::{Fields, wrong_type};
use super::formula::Formula;
use super::setting::Setting;
use super::source::Source;
use super::tables::required;
use crate::expr::{Expr, Flux, LARGEST_DERIVATIVE, Leaf, Outgrown};
use crate::problem::error::ProblemError;
use crate::problem::fault::Fault;
use crate::problem::suggestion::closest;
use std::ops::Range;

/// The most equations.
const MOST_EQUATIONS: usize = 64;

/// The texts of `[equation]`.
#[derive(Clone)]
pub(super) struct Equations {
    pub(super) residuals: Vec<Formula>,
    /// The names that stand for manufactured sources, one an equation; empty when the sources are written out.
    pub(super) sources: Vec<String>,
}

impl Equations {
    /// Reads `[equation]`, which the file must have.
    pub(super) fn of_file(file: &Fields<'_>) -> Result<Self, ProblemError> {
        let table = required(file, "equation", "[equation]` with `residual = \"…\"")?;
        let fields = Fields::new(file.source, "[equation]", table, &["residual", "source"])?;
        Self::read(file.source, fields)
    }

    fn read<'a>(source: &'a Source<'a>, fields: Fields<'a>) -> Result<Self, ProblemError> {
        let item = fields.require("residual", "residual = \"-laplacian(u) - 1\"")?;
        let residuals = Self::texts(source, "residual", item)?;
        let sources = match fields.word("source")? {
            None => Vec::new(),
            Some("manufactured") if residuals.len() == 1 => vec!["f".into()],
            Some("manufactured") => (1..=residuals.len()).map(|k| format!("f{k}")).collect(),
            Some(other) => {
                let fault = Fault::UnknownWord {
                    key: "source".into(),
                    found: other.into(),
                    closest: closest(other, &["manufactured"]),
                    known: vec!["\"manufactured\"".into()],
                };
                let item = fields.require("source", "source = \"manufactured\"")?;
                return Err(source.error(&item.span, fault));
            }
        };
        Ok(Self { residuals, sources })
    }

    /// The text of `key`, or its list of texts.
    pub(super) fn texts(
        source: &Source<'_>,
        key: &str,
        item: &Item,
    ) -> Result<Vec<Formula>, ProblemError> {
        let texts = match &item.value {
            Value::Array(items) if items.is_empty() => {
                return Err(wrong_type(
                    source,
                    key,
                    item,
                    "a text, or a list with a text for each unknown",
                ));
            }
            Value::Array(items) => {
                let texts = items.iter().map(|item| Formula::of(source, key, item));
                texts.collect::<Result<Vec<_>, _>>()?
            }
            _ => vec![Formula::of(source, key, item)?],
        };
        if texts.len() > MOST_EQUATIONS {
            let fault = Fault::TooLarge {
                what: "the number of equations".into(),
                found: texts.len() as f64,
                limit: MOST_EQUATIONS as f64,
            };
            return Err(source.error(&item.span, fault));
        }
        Ok(texts)
    }

    /// The residuals as expressions, sources put in, and the fluxes in them.
    pub(super) fn build(
        &self,
        setting: &Setting<'_>,
        exact: &[Option<Expr>],
    ) -> Result<(Vec<Expr>, Vec<Flux>), ProblemError> {
        let scope = setting
            .names
            .scope
            .clone()
            .columns(self.sources.iter().cloned());
        let mut equations = Vec::with_capacity(self.residuals.len());
        let mut fluxes: Vec<Flux> = Vec::new();
        let mut found_source = self.sources.is_empty();
        for (k, text) in self.residuals.iter().enumerate() {
            let (residual, found) = setting.names.equation(text, &scope)?;
            for flux in found {
                if !fluxes.contains(&flux) {
                    fluxes.push(flux);
                }
            }
            if residual.order().is_none() {
                let unknowns = setting.unknowns.to_vec();
                return Err(setting
                    .source
                    .error(&text.span, Fault::NothingUnknown { unknowns }));
            }
            let columns = residual.leaves().into_iter().filter_map(|leaf| match leaf {
                Leaf::Column(column) => Some(column),
                _ => None,
            });
            let columns: Vec<usize> = columns.collect();
            if let Some(&other) = columns.iter().find(|column| **column != k) {
                let fault = Fault::SourceElsewhere {
                    name: self.sources[other].clone(),
                    belongs: other + 1,
                    equation: k + 1,
                };
                return Err(setting.source.error(&text.span, fault));
            }
            found_source |= !columns.is_empty();
            equations.push(if columns.is_empty() {
                residual
            } else {
                self.manufacture(setting, text, k, &residual, exact)?
            });
        }
        // jumps along two axes meet in corners, where a solution is singular and a good conductor makes much of a small error
        if fluxes.iter().any(|flux| flux.axis != fluxes[0].axis) {
            for text in &self.residuals {
                setting.names.parse(text, &scope)?;
            }
        }
        if !found_source {
            let name = self.sources[0].clone();
            let span = &self.residuals[0].span;
            return Err(setting.source.error(span, Fault::SourceAbsent { name }));
        }
        Ok((equations, fluxes))
    }

    /// The residual with its source put in.
    fn manufacture(
        &self,
        setting: &Setting<'_>,
        text: &Formula,
        equation: usize,
        residual: &Expr,
        exact: &[Option<Expr>],
    ) -> Result<Expr, ProblemError> {
        let source = Leaf::Column(equation);
        let refused = |fault| Err(setting.source.error(&text.span, fault));
        let name = || self.sources[equation].clone();
        let Some(factor) = residual.partial(&source).constant().filter(|c| *c != 0.0) else {
            return refused(Fault::SourceFactor { name: name() });
        };
        let with_source = |value: &Expr| {
            residual.replace(&mut |leaf: &Leaf| (*leaf == source).then(|| value.clone()))
        };
        let without = with_source(&Expr::number(0.0));
        if let Some(parameter) = setting.names.sought_in(&without) {
            let what = format!("the manufactured source `{}`", name());
            let parameter = parameter.into();
            return refused(Fault::DependsOnSought { what, parameter });
        }
        let jets = without.jets();
        let missing = jets.iter().find(|jet| exact[jet.unknown()].is_none());
        if let Some(jet) = missing {
            let unknown = setting.unknowns[jet.unknown()].clone();
            return refused(Fault::ExactMissing { unknown });
        }
        let solutions: Vec<Expr> = exact
            .iter()
            .map(|exact| exact.clone().unwrap_or_else(|| Expr::number(0.0)))
            .collect();
        let places = setting.names.scope.places();
        for jet in &jets {
            if let Some(jump) = solutions[jet.unknown()].lost_under(jet.axes(), places) {
                let coordinate = &setting.coordinates[jump.axis];
                let (function, at) = (jump.function, jump.at);
                let coordinate = coordinate.clone();
                return refused(Fault::SourceJumps {
                    name: name(),
                    function,
                    coordinate,
                    at,
                });
            }
        }
        match without.substitute_within(&solutions, LARGEST_DERIVATIVE) {
            Ok(value) => Ok(with_source(&value.scaled(-1.0 / factor))),
            Err(Outgrown { limit }) => {
                let what = "the exact solution".into();
                refused(Fault::Outgrown { what, limit })
            }
        }
    }
}

/// At least as many equations as unknowns; data may stand in for some.
pub(super) fn count(
    setting: &Setting<'_>,
    equations: &[Expr],
    n_data: usize,
    span: &Range<usize>,
) -> Result<(), ProblemError> {
    let unknowns = setting.unknowns.len();
    let enough = equations.len() >= unknowns || n_data > 0;
    if !enough {
        let equations = equations.len();
        let fault = Fault::EquationCount {
            equations,
            unknowns,
        };
        return Err(setting.source.error(span, fault));
    }
    let unused = |k: &usize| equations.iter().all(|e| e.order_of(*k).is_none());
    match (0..unknowns).find(unused) {
        Some(k) => {
            let unknown = setting.unknowns[k].clone();
            Err(setting.source.error(span, Fault::UnusedUnknown { unknown }))
        }
        None => Ok(()),
    }
}
