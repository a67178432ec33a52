//! What a part of a text stands for: a number, a condition or a vector, and how they combine.

use super::syntax::{Side, Sign};
use crate::error::{Mistake, Shape};
use crate::node::Expr;

/// The value of a part of a text.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    Number(Expr),
    Condition(Expr),
    /// One component an axis of space, or the entries of an array.
    Vector(Vec<Expr>),
}

impl Value {
    pub(super) fn shape(&self) -> Shape {
        match self {
            Self::Number(_) => Shape::Number,
            Self::Condition(_) => Shape::Condition,
            Self::Vector(_) => Shape::Vector,
        }
    }

    /// The value as a number, or what it is instead.
    pub(super) fn number(self) -> Result<Expr, Mistake> {
        match self {
            Self::Number(expr) => Ok(expr),
            other => Err(other.instead_of(Shape::Number)),
        }
    }

    /// The value as a condition, or what it is instead.
    pub(super) fn condition(self) -> Result<Expr, Mistake> {
        match self {
            Self::Condition(expr) => Ok(expr),
            other => Err(other.instead_of(Shape::Condition)),
        }
    }

    /// The value as a vector, or what it is instead.
    pub(super) fn vector(self) -> Result<Vec<Expr>, Mistake> {
        match self {
            Self::Vector(components) => Ok(components),
            other => Err(other.instead_of(Shape::Vector)),
        }
    }

    fn instead_of(&self, expected: Shape) -> Mistake {
        let found = self.shape();
        Mistake::Shape { found, expected }
    }

    /// The value with its sign changed.
    pub(super) fn negated(self) -> Result<Self, Mistake> {
        match self {
            Self::Vector(components) => {
                Ok(Self::Vector(components.into_iter().map(|c| -c).collect()))
            }
            other => Ok(Self::Number(-other.number()?)),
        }
    }
}

/// The expressions that stand at one place of every term or factor, or the part at fault and what is wrong with it.
type Fault = (usize, Mistake);

/// Σ ± terms: all numbers, or all vectors of one length. A fault names the term.
pub(super) fn sum(terms: Vec<(Sign, Value)>) -> Result<Value, Fault> {
    let signed = |(sign, expr)| match sign {
        Sign::Plus => (1.0, expr),
        Sign::Minus => (-1.0, expr),
    };
    let Some((_, Value::Vector(first))) = terms.first() else {
        let mut numbers = Vec::with_capacity(terms.len());
        for (at, (sign, term)) in terms.into_iter().enumerate() {
            numbers.push(signed((sign, term.number().map_err(|fault| (at, fault))?)));
        }
        return Ok(Value::Number(Expr::linear(0.0, numbers)));
    };
    let length = first.len();
    let mut columns = vec![Vec::new(); length];
    for (at, (sign, term)) in terms.into_iter().enumerate() {
        let components = term.vector().map_err(|fault| (at, fault))?;
        check_lengths(length, components.len()).map_err(|fault| (at, fault))?;
        for (column, component) in columns.iter_mut().zip(components) {
            column.push(signed((sign, component)));
        }
    }
    let components = columns.into_iter().map(|column| Expr::linear(0.0, column));
    Ok(Value::Vector(components.collect()))
}

/// Π factors: numbers, with at most one vector, above the line. A fault names the factor.
pub(super) fn product(factors: Vec<(Side, Value)>) -> Result<Value, Fault> {
    let mut vector = None;
    let mut numbers = Vec::with_capacity(factors.len());
    for (at, (side, factor)) in factors.into_iter().enumerate() {
        match (side, factor, &vector) {
            (Side::Above, Value::Vector(components), None) => vector = Some(components),
            (side, factor, _) => {
                let exponent = if side == Side::Above { 1 } else { -1 };
                numbers.push((factor.number().map_err(|fault| (at, fault))?, exponent));
            }
        }
    }
    let times = |component: Option<Expr>| {
        let all = component.map(|c| (c, 1)).into_iter();
        Expr::product_of_powers(all.chain(numbers.iter().cloned()))
    };
    Ok(match vector {
        None => Value::Number(times(None)),
        Some(components) => Value::Vector(components.into_iter().map(|c| times(Some(c))).collect()),
    })
}

/// Refuses vectors of different lengths.
pub(super) fn check_lengths(left: usize, right: usize) -> Result<(), Mistake> {
    if left == right {
        Ok(())
    } else {
        Err(Mistake::Length { left, right })
    }
}
