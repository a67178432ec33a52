//! The syntax tree: the text's structure, before names have a meaning.
//!
//! Chains of one operator are lists, so a sum of ten thousand terms is no deeper than a sum of two.

use std::ops::Range;

use crate::function::Binary;

/// A part of the text, and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tree {
    pub(super) kind: Kind,
    pub(super) span: Range<usize>,
}

/// What a part is.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kind {
    Number(f64),
    Name(String),
    /// `name[index]`
    Index(String, Box<Tree>),
    /// `name(arguments)`
    Call(Call),
    Negate(Box<Tree>),
    /// Terms with their signs.
    Sum(Vec<(Sign, Tree)>),
    /// Factors, above or below the line.
    Product(Vec<(Side, Tree)>),
    Power(Box<Tree>, Box<Tree>),
    Compare(Comparison, Box<Tree>, Box<Tree>),
    Not(Box<Tree>),
    /// `and` or `or` of several conditions.
    Junction(Binary, Vec<Tree>),
}

/// A call and where the function's name stands.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Call {
    pub(super) name: String,
    pub(super) name_span: Range<usize>,
    pub(super) arguments: Vec<Tree>,
}

/// The sign of a term.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Sign {
    Plus,
    Minus,
}

/// The side of a factor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Side {
    Above,
    Below,
}

/// A comparison as one of the stored ones, with its operands in the order written or exchanged.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Comparison {
    pub(super) function: Binary,
    pub(super) order: Order,
}

/// The order of a comparison's operands: a > b is kept as b < a.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Order {
    Written,
    Exchanged,
}

impl Comparison {
    /// The comparison a sign stands for.
    pub(super) fn of_sign(sign: &str) -> Option<Self> {
        let (function, order) = match sign {
            "<" => (Binary::Less, Order::Written),
            "<=" => (Binary::LessEqual, Order::Written),
            ">" => (Binary::Less, Order::Exchanged),
            ">=" => (Binary::LessEqual, Order::Exchanged),
            "==" => (Binary::Equal, Order::Written),
            "!=" => (Binary::NotEqual, Order::Written),
            _ => return None,
        };
        Some(Self { function, order })
    }
}
