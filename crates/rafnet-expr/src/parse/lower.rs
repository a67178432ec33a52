//! Syntax tree → expression: every name gets its meaning, every vector is written out.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Range;

use super::names::{CONSTANTS, Meaning};
use super::scope::{NormalUse, Scope, Symbol, UnknownUse};
use super::syntax::{Kind, Order, Tree};
use super::value::{self, Value};
use super::{call, grammar};
use crate::error::{ExprError, Mistake, Source, closest};
use crate::flux::Flux;
use crate::function::Unary;
use crate::leaf::{Jet, Leaf};
use crate::node::Expr;

/// How deep a text and the definitions it uses may be nested together.
const DEEPEST_TREE: usize = 120;

/// How deep an expression may be, derivatives included: evaluation and differentiation recurse.
const DEEPEST_EXPRESSION: usize = 400;

/// One lowering: where it reads, and what it knows.
pub(super) struct Lowering<'a> {
    pub(super) scope: &'a Scope,
    /// The text being read: the one that was given, or that of a definition.
    source: Source,
    /// Loop names of `sum` and `prod`, innermost last.
    pub(super) loops: Vec<(String, f64)>,
    /// Terms written out by all loops so far.
    pub(super) n_terms: usize,
    /// Definitions that are known already.
    known: HashMap<String, Value>,
    /// Definitions that are being read, outermost first.
    open: Vec<String>,
    /// How many trees are being lowered inside one another, through definitions too.
    depth: usize,
    /// What was differentiated across jumps, where that is allowed.
    pub(super) fluxes: Option<RefCell<Vec<Flux>>>,
}

impl<'a> Lowering<'a> {
    pub(super) fn new(scope: &'a Scope, source: Source) -> Self {
        Self {
            scope,
            source,
            loops: Vec::new(),
            n_terms: 0,
            known: HashMap::new(),
            open: Vec::new(),
            depth: 0,
            fluxes: None,
        }
    }

    pub(super) fn error(&self, span: &Range<usize>, mistake: Mistake) -> ExprError {
        self.source.error(span.clone(), mistake)
    }

    pub(super) fn text(&self, span: &Range<usize>) -> &str {
        &self.source.text[span.clone()]
    }

    /// The value of a tree.
    pub(super) fn lower(&mut self, tree: &Tree) -> Result<Value, ExprError> {
        if self.depth == DEEPEST_TREE {
            let limit = DEEPEST_TREE;
            return Err(self.error(&tree.span, Mistake::TooDeep { limit }));
        }
        self.depth += 1;
        let value = self.lower_kind(tree)?;
        self.depth -= 1;
        self.check_depth(&value, &tree.span)?;
        Ok(value)
    }

    fn lower_kind(&mut self, tree: &Tree) -> Result<Value, ExprError> {
        Ok(match &tree.kind {
            Kind::Number(number) => Value::Number(Expr::number(*number)),
            Kind::Name(name) => self.name(name, &tree.span)?,
            Kind::Index(name, index) => self.index(name, index, &tree.span)?,
            Kind::Call(call) => call::lower(self, call, &tree.span)?,
            Kind::Negate(inner) => {
                let value = self.lower(inner)?;
                value
                    .negated()
                    .map_err(|mistake| self.error(&inner.span, mistake))?
            }
            Kind::Sum(terms) => self.chain(terms, value::sum)?,
            Kind::Product(factors) => self.chain(factors, value::product)?,
            Kind::Power(base, exponent) => {
                let (base, exponent) = (self.number(base)?, self.number(exponent)?);
                Value::Number(base.pow(&exponent))
            }
            Kind::Compare(comparison, left, right) => {
                let (left, right) = (self.number(left)?, self.number(right)?);
                let (left, right) = match comparison.order {
                    Order::Written => (left, right),
                    Order::Exchanged => (right, left),
                };
                Value::Condition(left.apply_with(comparison.function, right))
            }
            Kind::Not(inner) => Value::Condition(self.condition(inner)?.apply(Unary::Not)),
            Kind::Junction(function, conditions) => {
                let mut all = self.condition(&conditions[0])?;
                for condition in &conditions[1..] {
                    all = all.apply_with(*function, self.condition(condition)?);
                }
                Value::Condition(all)
            }
        })
    }

    /// The value of a tree, which must be a number.
    pub(super) fn number(&mut self, tree: &Tree) -> Result<Expr, ExprError> {
        let value = self.lower(tree)?;
        value.number().map_err(|m| self.error(&tree.span, m))
    }

    /// The value of a tree, which must be a condition.
    pub(super) fn condition(&mut self, tree: &Tree) -> Result<Expr, ExprError> {
        let value = self.lower(tree)?;
        value.condition().map_err(|m| self.error(&tree.span, m))
    }

    /// The value of a tree, which must be a vector.
    pub(super) fn vector(&mut self, tree: &Tree) -> Result<Vec<Expr>, ExprError> {
        let value = self.lower(tree)?;
        value.vector().map_err(|m| self.error(&tree.span, m))
    }

    fn chain<S: Copy>(
        &mut self,
        parts: &[(S, Tree)],
        join: impl FnOnce(Vec<(S, Value)>) -> Result<Value, (usize, Mistake)>,
    ) -> Result<Value, ExprError> {
        let mut values = Vec::with_capacity(parts.len());
        for (mark, part) in parts {
            values.push((*mark, self.lower(part)?));
        }
        join(values).map_err(|(at, mistake)| self.error(&parts[at].1.span, mistake))
    }

    fn check_depth(&self, value: &Value, span: &Range<usize>) -> Result<(), ExprError> {
        let deepest = match value {
            Value::Number(expr) | Value::Condition(expr) => expr.depth(),
            Value::Vector(components) => components.iter().map(Expr::depth).max().unwrap_or(0),
        };
        if deepest > DEEPEST_EXPRESSION {
            let limit = DEEPEST_EXPRESSION;
            return Err(self.error(span, Mistake::TooDeep { limit }));
        }
        Ok(())
    }

    fn name(&mut self, name: &str, span: &Range<usize>) -> Result<Value, ExprError> {
        if let Some((_, value)) = self.loops.iter().rev().find(|(other, _)| other == name) {
            return Ok(Value::Number(Expr::number(*value)));
        }
        let scope = self.scope;
        match scope.meaning(name) {
            Meaning::Symbol(symbol) => self.symbol(name, symbol, span),
            Meaning::Constant(value) => Ok(Value::Number(Expr::number(value))),
            Meaning::Jet(jet) => self.jet(jet, span),
            Meaning::DerivativeOf(base, axes) => {
                let base = self.definition(base, span)?.number();
                let base = base.map_err(|mistake| self.error(span, mistake))?;
                self.differentiate(base, &axes, span).map(Value::Number)
            }
            Meaning::NormalDerivative(unknown) => {
                self.check_unknown(unknown, 1, span)?;
                if scope.normal() == NormalUse::Forbidden {
                    let name = name.into();
                    return Err(self.error(span, Mistake::NormalNotAllowed { name }));
                }
                Ok(leaf(Leaf::NormalDerivative(unknown)))
            }
            Meaning::Normal(axis) => Ok(leaf(Leaf::Normal(axis))),
            Meaning::NoSuchCoordinate(rest) => {
                let span = span.end - rest.len()..span.end;
                Err(self.not_a_coordinate(rest, &span))
            }
            Meaning::Nothing => Err(self.unknown_name(name, span)),
        }
    }

    pub(super) fn symbol(
        &mut self,
        name: &str,
        symbol: &Symbol,
        span: &Range<usize>,
    ) -> Result<Value, ExprError> {
        Ok(match symbol {
            Symbol::Coordinate(k) => leaf(Leaf::Coordinate(*k)),
            Symbol::Unknown(k) => return self.jet(Jet::new(*k, &[]), span),
            Symbol::Parameter(k) => leaf(Leaf::Parameter(*k)),
            Symbol::Column(k) => leaf(Leaf::Column(*k)),
            Symbol::Number(value) => Value::Number(Expr::number(*value)),
            Symbol::Array(values) => {
                Value::Vector(values.iter().map(|value| Expr::number(*value)).collect())
            }
            Symbol::Definition(_) => return self.definition(name, span),
        })
    }

    fn jet(&self, jet: Jet, span: &Range<usize>) -> Result<Value, ExprError> {
        self.check_unknown(jet.unknown(), jet.order(), span)?;
        Ok(leaf(Leaf::Jet(jet)))
    }

    /// The value of a definition, read once.
    fn definition(&mut self, name: &str, span: &Range<usize>) -> Result<Value, ExprError> {
        if let Some(value) = self.known.get(name) {
            return Ok(value.clone());
        }
        if let Some(start) = self.open.iter().position(|other| other == name) {
            let mut path = self.open[start..].to_vec();
            path.push(name.into());
            return Err(self.error(span, Mistake::Cycle { path }));
        }
        let Some(Symbol::Definition(text)) = self.scope.symbol(name) else {
            return Err(self.unknown_name(name, span));
        };
        let inside = Source {
            text: text.as_str().into(),
            definition: Some(name.into()),
        };
        let tree = grammar::parse(&inside)?;
        let outside = std::mem::replace(&mut self.source, inside);
        let loops = std::mem::take(&mut self.loops);
        self.open.push(name.into());
        let value = self.lower(&tree)?;
        self.open.pop();
        self.loops = loops;
        self.source = outside;
        self.known.insert(name.into(), value.clone());
        Ok(value)
    }

    pub(super) fn check_unknown(
        &self,
        unknown: usize,
        order: usize,
        span: &Range<usize>,
    ) -> Result<(), ExprError> {
        let name = self.scope.name_of(&Leaf::jet(unknown, &[]));
        match self.scope.unknown_use() {
            UnknownUse::Forbidden => Err(self.error(span, Mistake::UnknownNotAllowed { name })),
            UnknownUse::UpToOrder(allowed) if order > allowed => {
                let mistake = Mistake::OrderTooHigh {
                    found: self.text(span).into(),
                    unknown: name,
                    order,
                    allowed,
                };
                Err(self.error(span, mistake))
            }
            UnknownUse::UpToOrder(_) => Ok(()),
        }
    }

    pub(super) fn not_a_coordinate(&self, found: &str, span: &Range<usize>) -> ExprError {
        let known = self.scope.coordinates();
        let mistake = Mistake::NotACoordinate {
            found: found.into(),
            closest: closest(found, known.iter().map(String::as_str)),
            known: known.to_vec(),
        };
        self.error(span, mistake)
    }

    pub(super) fn unknown_name(&self, name: &str, span: &Range<usize>) -> ExprError {
        if call::is_function(name) {
            let function = name.into();
            return self.error(span, Mistake::NotCalled { function });
        }
        let loops = self.loops.iter().map(|(name, _)| name.as_str());
        let constants = CONSTANTS.iter().map(|(name, _)| *name);
        let known = || self.scope.declared().chain(loops.clone());
        let mistake = Mistake::UnknownName {
            name: name.into(),
            closest: closest(name, known().chain(constants)),
            known: known().map(Into::into).collect(),
        };
        self.error(span, mistake)
    }
}

fn leaf(leaf: Leaf) -> Value {
    Value::Number(Expr::leaf(leaf))
}
