//! The kinds of mistake.

use std::fmt;

/// What a part of a text stands for.
///
/// ```
/// assert_eq!(rafnet::expr::Shape::Condition.to_string(), "a condition");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// One number a point.
    Number,
    /// True or false at a point.
    Condition,
    /// One number a point and axis of space, such as a gradient.
    Vector,
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Number => "a number",
            Self::Condition => "a condition",
            Self::Vector => "a vector",
        })
    }
}

/// The kinds of mistake a text can hold, with what a message needs.
///
/// ```
/// use rafnet::expr::{Mistake, Scope, parse};
/// let error = parse("atan2(x)", &Scope::new(["x"])).unwrap_err();
/// assert_eq!(
///     *error.mistake(),
///     Mistake::ArgumentCount { function: "atan2".into(), least: 2, most: Some(2), found: 1 }
/// );
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the fields are named after what they hold")]
pub enum Mistake {
    /// Nothing but blanks.
    Empty,
    /// A character that means nothing here.
    Character { found: char },
    /// Digits that make no finite number.
    Number { found: String },
    /// Something else should stand here.
    Unexpected {
        found: String,
        expected: &'static str,
    },
    /// Two operands with nothing between them.
    MissingOperator { left: String, right: String },
    /// `(` or `[` without its partner.
    Unclosed { open: char },
    /// `)` or `]` without its partner.
    Unopened { close: char },
    /// `a < b < c`.
    ChainedComparison,
    /// More brackets, signs or powers inside one another than the limit.
    TooDeep { limit: usize },
    /// A derivative of an expression of more parts than the limit.
    TooLarge { limit: usize },
    /// A name that is not declared.
    UnknownName {
        name: String,
        closest: Option<String>,
        known: Vec<String>,
    },
    /// A function that does not exist.
    UnknownFunction {
        name: String,
        closest: Option<String>,
        known: Vec<String>,
    },
    /// A function without its arguments.
    NotCalled { function: String },
    /// Something else used as a function.
    NotAFunction { name: String, argument: String },
    /// Too few or too many arguments; `most` is `None` for any number.
    ArgumentCount {
        function: String,
        least: usize,
        most: Option<usize>,
        found: usize,
    },
    /// A number, condition or vector where another of them is needed.
    Shape { found: Shape, expected: Shape },
    /// Two vectors, or a vector and space, of different lengths.
    Length { left: usize, right: usize },
    /// `name[…]` where neither an array `name` nor numbered names `name1`, `name2`, … exist.
    NotIndexed { name: String },
    /// An index outside 1 … `count`.
    IndexOutOfRange {
        name: String,
        index: i64,
        count: usize,
    },
    /// An index, a bound or a text that should be a whole number or a number, and depends on `on` or is `found`.
    NotConstant {
        role: &'static str,
        on: Option<String>,
    },
    /// A number that should be whole.
    NotWhole { role: &'static str, found: f64 },
    /// The first argument of `sum` or `prod` is not a plain name.
    LoopName { function: String },
    /// A sum or product of more terms than the limit, or all of them together.
    TooManyTerms {
        function: String,
        count: usize,
        limit: usize,
    },
    /// A derivative by something that is not a coordinate.
    NotACoordinate {
        found: String,
        closest: Option<String>,
        known: Vec<String>,
    },
    /// `grad`, `div` or `laplacian` where time is the only coordinate.
    NoSpace { function: String },
    /// A derivative of higher order than allowed.
    OrderTooHigh {
        found: String,
        unknown: String,
        order: usize,
        allowed: usize,
    },
    /// An unknown where only known functions may stand.
    UnknownNotAllowed { name: String },
    /// A normal derivative away from a boundary.
    NormalNotAllowed { name: String },
    /// A derivative of something that is known at single points only.
    NotDifferentiable { name: String },
    /// A derivative of something that jumps, or of a kink twice; with an unknown in it, or not.
    Jump {
        function: &'static str,
        coordinate: String,
        at: f64,
        unknown: bool,
    },
    /// Definitions that use each other in a ring; the first name is also the last.
    Cycle { path: Vec<String> },
}
