//! What the names in a problem's texts mean: coordinates, unknowns, parameters, functions and features.
//!
//! Parameters and functions may use each other, in any order and without cycles. A parameter that comes out as a number
//! becomes that number; functions and features stay texts, put in where they are used.

mod parameters;

use super::document::{Entry, Table};
use super::formula::Formula;
use super::source::Source;
use crate::expr::{Expr, ExprError, Flux, Leaf, Mistake, Scope};
use crate::expr::{parse, parse_condition, parse_equation, parse_number};
use crate::problem::Sought;
use crate::problem::error::ProblemError;
use crate::problem::fault::Fault;
use crate::problem::second_order::HIGHEST_ORDER;
use std::collections::HashMap;
use std::ops::Range;

/// All names, and the texts behind those that are defined.
pub(super) struct Names<'a> {
    pub(super) source: &'a Source<'a>,
    /// Coordinates, unknowns and everything that is declared.
    pub(super) scope: Scope,
    pub(super) sought: Vec<Sought>,
    /// Parameters that come out as numbers.
    pub(super) numbers: Vec<(String, f64)>,
    definitions: HashMap<String, Formula>,
}

/// Where names come from.
pub(super) struct Declarations<'a, 'd> {
    pub(super) source: &'a Source<'a>,
    pub(super) coordinates: &'d [String],
    pub(super) time: Option<usize>,
    pub(super) unknowns: &'d [(String, Range<usize>)],
    pub(super) sources: &'d [String],
    pub(super) parameters: Option<&'d Table>,
    pub(super) functions: Option<&'d Table>,
    pub(super) features: Option<&'d Table>,
}

impl<'a> Names<'a> {
    /// Declares everything and evaluates the parameters.
    pub(super) fn read(given: &Declarations<'a, '_>) -> Result<Self, ProblemError> {
        let mut taken: HashMap<String, &'static str> = HashMap::new();
        let mut take = |name: &str, what: &'static str, span: &Range<usize>| {
            check_name(given.source, name, span)?;
            match taken.insert(name.into(), what) {
                None => Ok(()),
                Some(first) => {
                    let fault = Fault::DeclaredTwice {
                        name: name.into(),
                        first,
                        second: what,
                    };
                    Err(given.source.error(span, fault))
                }
            }
        };
        for name in given.sources {
            take(name, "manufactured source", &(0..0))?;
        }
        for name in given.coordinates {
            take(name, "coordinate", &place_of_coordinate(given.source, name))?;
        }
        for (name, span) in given.unknowns {
            take(name, "unknown", span)?;
        }
        let parameters = entries(given.parameters);
        let functions = entries(given.functions);
        let features = entries(given.features);
        for (entries, what) in [
            (parameters, "parameter"),
            (functions, "function"),
            (features, "feature"),
        ] {
            for entry in entries {
                take(&entry.key, what, &entry.key_span)?;
            }
        }

        let mut scope = Scope::new(given.coordinates.iter().cloned()).limit_order(HIGHEST_ORDER);
        if let Some(axis) = given.time {
            scope = scope.time(&given.coordinates[axis]);
        }
        scope = scope.unknowns(given.unknowns.iter().map(|(name, _)| name.clone()));
        let mut names = Self {
            source: given.source,
            scope,
            sought: Vec::new(),
            numbers: Vec::new(),
            definitions: HashMap::new(),
        };
        for entry in functions.iter().chain(features) {
            names.define(entry)?;
        }
        names.parameters(parameters)?;
        for entry in functions {
            names.check_function(&entry.key)?;
        }
        Ok(names)
    }

    /// From now on derivatives of what jumps between these points are refused.
    pub(super) fn look_for_jumps(&mut self, points: Vec<Vec<f64>>) {
        self.declare(|scope| scope.within(points));
    }

    fn define(&mut self, entry: &Entry) -> Result<(), ProblemError> {
        let text = Formula::of(self.source, &entry.key, &entry.item)?;
        self.declare(|scope| scope.define(&entry.key, &text.text));
        self.definitions.insert(entry.key.clone(), text);
        Ok(())
    }

    /// Adds a name to the scope, which is not copied for it: a file may have very many.
    fn declare(&mut self, add: impl FnOnce(Scope) -> Scope) {
        self.scope = add(std::mem::take(&mut self.scope));
    }

    /// A function must make sense even where it is not used; it may be a vector, or a function of unknowns.
    fn check_function(&self, name: &str) -> Result<(), ProblemError> {
        let Some(text) = self.definitions.get(name) else {
            return Ok(());
        };
        match parse(&text.text, &self.scope.clone().allow_normal()) {
            Err(error) if !is_vector(&error) => Err(self.expression_error(text, error)),
            _ => Ok(()),
        }
    }

    /// The expression of a text in a scope.
    pub(super) fn parse(&self, text: &Formula, scope: &Scope) -> Result<Expr, ProblemError> {
        parse(&text.text, scope).map_err(|error| self.expression_error(text, error))
    }

    /// The residual of an equation, and the fluxes in it.
    pub(super) fn equation(
        &self,
        text: &Formula,
        scope: &Scope,
    ) -> Result<(Expr, Vec<Flux>), ProblemError> {
        parse_equation(&text.text, scope).map_err(|error| self.expression_error(text, error))
    }

    /// The expression of a text that may not use unknowns.
    pub(super) fn known(&self, text: &Formula) -> Result<Expr, ProblemError> {
        self.parse(text, &self.scope.clone().forbid_unknowns())
    }

    /// The same, which may not use sought parameters either; `what` it is for messages.
    pub(super) fn given(&self, text: &Formula, what: &str) -> Result<Expr, ProblemError> {
        let expr = self.known(text)?;
        match self.sought_in(&expr) {
            Some(parameter) => {
                let fault = Fault::DependsOnSought {
                    what: what.into(),
                    parameter: parameter.into(),
                };
                Err(self.source.error(&text.span, fault))
            }
            None => Ok(expr),
        }
    }

    /// The condition of a text on the coordinates.
    pub(super) fn condition(&self, text: &Formula) -> Result<Expr, ProblemError> {
        let scope = self.scope.clone().forbid_unknowns();
        parse_condition(&text.text, &scope).map_err(|error| self.expression_error(text, error))
    }

    /// The finite number of a text.
    pub(super) fn number(&self, text: &Formula) -> Result<f64, ProblemError> {
        let value = parse_number(&text.text, &self.scope)
            .map_err(|error| self.expression_error(text, error))?;
        if value.is_finite() {
            return Ok(value);
        }
        let fault = Fault::NotFiniteNumber {
            key: text.key.clone(),
            found: value,
        };
        Err(self.source.error(&text.span, fault))
    }

    /// The first sought parameter in an expression.
    pub(super) fn sought_in(&self, expr: &Expr) -> Option<&str> {
        expr.leaves().iter().find_map(|leaf| match leaf {
            Leaf::Parameter(k) => Some(self.sought[*k].name.as_str()),
            _ => None,
        })
    }

    /// A mistake in a text, at its line; in a definition, at the definition's line.
    pub(super) fn expression_error(&self, text: &Formula, error: ExprError) -> ProblemError {
        let defined = error
            .definition()
            .and_then(|name| self.definitions.get(name));
        let at = defined.unwrap_or(text);
        let span = at.place(&error.span());
        let key = text.key.clone();
        self.source.error(&span, Fault::Expression { error, key })
    }
}

fn entries(table: Option<&Table>) -> &[Entry] {
    table.map_or(&[], |table| &table.entries)
}

fn is_vector(error: &ExprError) -> bool {
    use crate::expr::Shape;
    let found_vector = matches!(
        error.mistake(),
        Mistake::Shape {
            found: Shape::Vector | Shape::Condition,
            expected: Shape::Number
        }
    );
    found_vector && error.definition().is_none() && error.span() == (0..error.text().len())
}

/// A name must read back as a name.
fn check_name(source: &Source<'_>, name: &str, span: &Range<usize>) -> Result<(), ProblemError> {
    let read = parse(name, &Scope::new([name]));
    if read.is_ok_and(|expr| expr.as_leaf().is_some()) {
        return Ok(());
    }
    Err(source.error(span, Fault::NotAName { name: name.into() }))
}

/// Where a coordinate is first written, for messages about its name.
fn place_of_coordinate(source: &Source<'_>, name: &str) -> Range<usize> {
    let domain = source.text.find("[domain]").unwrap_or(0);
    let at = source.text[domain..].find(name).map_or(0, |at| domain + at);
    at..at + name.len().min(source.text.len() - at)
}
