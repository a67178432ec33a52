//! `[eigenvalue]`: operator(u) = λ u, with u of a given mean square.
//!
//! The equations are operator − λ u with λ the only sought parameter; what fixes the size of u is kept beside them.

use super::document::Value;
use super::equations::Equations;
use super::fields::{Fields, wrong_type};
use super::setting::Setting;
use crate::expr::{Dependence, Expr, Leaf, Scope};
use crate::problem::error::ProblemError;
use crate::problem::fault::Fault;
use crate::problem::{Condition, Eigen, Sought};
use std::ops::Range;

/// The most eigenpairs.
const MOST_PAIRS: usize = 64;

/// Parts of a file that an eigenvalue problem cannot have.
const STRANGE: [&str; 6] = [
    "equation",
    "initial",
    "condition",
    "data",
    "ansatz",
    "report",
];

/// The texts of `[eigenvalue]`.
pub(super) struct Eigenvalue<'a> {
    fields: Fields<'a>,
    pub(super) operators: Equations,
}

impl<'a> Eigenvalue<'a> {
    /// `[eigenvalue]`, if the file has one.
    pub(super) fn read(file: &Fields<'a>) -> Result<Option<Self>, ProblemError> {
        let source = file.source;
        let Some(table) = super::tables::one(file, "eigenvalue")? else {
            return Ok(None);
        };
        if let Some(part) = STRANGE.into_iter().find(|part| file.get(part).is_some()) {
            let span = file.table.get(part).map_or(0..0, |e| e.key_span.clone());
            return Err(source.error(&span, Fault::BesideEigenvalue { part }));
        }
        let known = ["operator", "normalise", "count", "start", "positive"];
        let fields = Fields::new(source, "[eigenvalue]", table, &known)?;
        let item = fields.require("operator", "operator = \"-laplacian(u)\"")?;
        let residuals = Equations::texts(source, "operator", item)?;
        let operators = Equations {
            residuals,
            sources: Vec::new(),
        };
        Ok(Some(Self { fields, operators }))
    }

    /// The equations operator − λ u and what is asked of the pairs.
    pub(super) fn build(
        &self,
        setting: &Setting<'_>,
        operators: Vec<Expr>,
    ) -> Result<(Vec<Expr>, Eigen), ProblemError> {
        self.check_operators(setting, &operators)?;
        let nonlinear = operators
            .iter()
            .any(|o| o.dependence_on_unknowns() == Dependence::Nonlinear);
        let count = self.fields.count("count", MOST_PAIRS)?.unwrap_or(1);
        let positive = self.positive()?;
        let several = setting.unknowns.len() > 1;
        let reason = match (positive, nonlinear) {
            (true, _) if count > 1 => Some("only the first of them has one sign"),
            (_, true) if count > 1 => {
                Some("the operator is nonlinear, and its eigenfunctions are found one at a time")
            }
            _ => None,
        };
        if let Some(reason) = reason {
            return Err(self.refused("count", Fault::OnePair { count, reason }));
        }
        if positive && several {
            return Err(self.refused("positive", Fault::PositiveSystem));
        }
        let start = self.fields.text("start")?;
        let eigen = Eigen {
            count,
            start: start.map(|text| setting.names.number(&text)).transpose()?,
            positive,
            mean_square: self.mean_square(setting)?,
            operators: operators.clone(),
            nonlinear,
        };
        let lambda = Expr::leaf(Leaf::Parameter(0));
        let shifted = |(k, operator): (usize, Expr)| {
            operator - lambda.clone() * Expr::leaf(Leaf::jet(k, &[]))
        };
        let equations = operators.into_iter().enumerate().map(shifted).collect();
        Ok((equations, eigen))
    }

    /// Refuses other parameters that are sought.
    pub(super) fn alone(&self, sought: &[Sought]) -> Result<(), ProblemError> {
        match sought.first() {
            None => Ok(()),
            Some(other) => {
                let fault = Fault::SoughtBesideEigenvalue {
                    name: other.name.clone(),
                };
                Err(self.fields.source.error(self.fields.span(), fault))
            }
        }
    }

    fn refused(&self, key: &str, fault: Fault) -> ProblemError {
        let entry = self.fields.table.get(key);
        let span = entry.map_or(self.fields.span().clone(), |e| e.item.span.clone());
        self.fields.source.error(&span, fault)
    }

    /// Of an order, and zero where the unknowns are.
    fn check_operators(
        &self,
        setting: &Setting<'_>,
        operators: &[Expr],
    ) -> Result<(), ProblemError> {
        let texts = &self.operators.residuals;
        for (operator, text) in operators.iter().zip(texts) {
            if setting.time.is_some() {
                return Err(setting.source.error(&text.span, Fault::EigenvalueInTime));
            }
            let nothing = without_unknowns(operator);
            let zero = setting.probes.iter().all(|probe| {
                let mut points = probe.points.chunks(setting.coordinates.len());
                points.all(|x| Setting::at(&nothing, x) == 0.0)
            });
            if nothing.constant() != Some(0.0) && !zero {
                return Err(setting.source.error(&text.span, Fault::OperatorOfNothing));
            }
        }
        if operators.iter().all(|o| o.order() == Some(0)) {
            return Err(setting.source.error(&texts[0].span, Fault::OperatorOrder));
        }
        Ok(())
    }

    fn positive(&self) -> Result<bool, ProblemError> {
        match self.fields.get("positive") {
            None => Ok(false),
            Some(item) => match item.value {
                Value::Boolean(positive) => Ok(positive),
                _ => Err(wrong_type(
                    self.fields.source,
                    "positive",
                    item,
                    "`true` or `false`",
                )),
            },
        }
    }

    /// `mean(u^2) = 1` or `integral(u^2) = 1`, over all unknowns together: the mean square that is asked for.
    fn mean_square(&self, setting: &Setting<'_>) -> Result<f64, ProblemError> {
        let Some(text) = self.fields.text("normalise")? else {
            return Ok(1.0);
        };
        let usual: Vec<String> = setting.unknowns.iter().map(|u| format!("{u}^2")).collect();
        let usual = usual.join(" + ");
        let refused = || {
            let found = text.text.clone();
            let usual = usual.clone();
            setting
                .source
                .error(&text.span, Fault::Normalisation { found, usual })
        };
        let (left, right) = text.text.split_once('=').ok_or_else(refused)?;
        let left = left.trim();
        let inside = |word: &str| {
            let rest = left.strip_prefix(word)?.trim_start();
            rest.strip_prefix('(')?.strip_suffix(')')
        };
        let (inner, measure) = match (inside("mean"), inside("integral")) {
            (Some(inner), _) => (inner, 1.0),
            (None, Some(inner)) => (inner, setting.domain.measure()),
            _ => return Err(refused()),
        };
        let scope: &Scope = &setting.names.scope;
        let found = crate::expr::parse(inner, scope).map_err(|_| refused())?;
        let squares = (0..setting.unknowns.len()).map(|k| Expr::leaf(Leaf::jet(k, &[])).powi(2));
        if (found - Expr::sum(squares)).constant() != Some(0.0) {
            return Err(refused());
        }
        let value = crate::expr::parse_number(right.trim(), scope).map_err(|_| refused())?;
        if !(value.is_finite() && value > 0.0) {
            return Err(refused());
        }
        Ok(value / measure)
    }
}

/// What fixes u is complete, up to a factor: conditions hold for u = 0, and where nothing is said at an end the coordinate may have been
/// meant to be periodic.
pub(super) fn check(
    setting: &Setting<'_>,
    complete: Result<(), ProblemError>,
    conditions: &[Condition],
    span: &Range<usize>,
) -> Result<(), ProblemError> {
    let open = |unknown: &String, piece: String| {
        let unknown = unknown.clone();
        setting
            .source
            .error(span, Fault::OpenEnd { unknown, piece })
    };
    complete.map_err(|error| match error.fault() {
        Fault::MissingBoundary { unknown, piece, .. } => open(unknown, piece.clone()),
        Fault::NoConditions { unknown } => open(unknown, "all".into()),
        _ => error,
    })?;
    let holds = |condition: &Condition| {
        let nothing = without_unknowns(&condition.residual);
        nothing.constant() == Some(0.0)
            || condition.pieces.iter().all(|piece| {
                let mut points = setting.probes[*piece]
                    .points
                    .chunks(setting.coordinates.len());
                points.all(|x| Setting::at(&nothing, x) == 0.0)
            })
    };
    if conditions.iter().all(holds) {
        return Ok(());
    }
    Err(setting.source.error(span, Fault::NotHomogeneous))
}

/// The expression where every unknown is zero.
fn without_unknowns(expr: &Expr) -> Expr {
    expr.replace(&mut |leaf| matches!(leaf, Leaf::Jet(_)).then(|| Expr::number(0.0)))
}
