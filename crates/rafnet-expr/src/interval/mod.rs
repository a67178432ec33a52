//! Enclosures: a range that holds every value of an expression over a box.
//!
//! ```text
//! F(X) ⊇ { f(x) : x ∈ X }        X = [l₁, h₁] × … × [l_d, h_d]
//! ```
//!
//! Every operation is replaced by one on intervals and rounded outwards (Moore 1966): by one unit in the last place where IEEE
//! arithmetic is correctly rounded, by [a few](round) where a library function is not. An operand that occurs twice is taken as two
//! operands, so enclosures are too wide by what cancels; they tighten as the box shrinks. Integer powers and waves have rules of
//! their own.
//!
//! Two conventions. A value that does not exist (the logarithm of −1, 0/0, ∞ − ∞) is no number and stands outside of the range;
//! [`Defined`] says so. The sign of a zero is that of the rest of its interval: 1/x over [0, 1] is [1, ∞], not the whole line.
//! Oracle: values at points of the box by [`Expr::eval`], in `interval/tests.rs`.

mod arithmetic;
mod elementary;
mod enclosing;
mod relation;
mod round;
#[cfg(test)]
mod tests;

pub use enclosing::Enclosing;

use super::leaf::Leaf;
use super::node::Expr;

/// The numbers between two, both ends included; an end may be infinite, none is NaN. Nothing, if `low` is above `high`.
///
/// ```
/// use rafnet::expr::Interval;
/// let a = Interval::new(-1.0, 3.0);
/// assert_eq!((a.width(), a.middle()), (4.0, 1.0));
/// assert!(a.contains(0.0) && !a.contains(4.0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The lowest.
    pub low: f64,
    /// The highest.
    pub high: f64,
}

impl Interval {
    /// Every number.
    pub const WHOLE: Self = Self::new(f64::NEG_INFINITY, f64::INFINITY);
    /// No number.
    pub const EMPTY: Self = Self::new(f64::INFINITY, f64::NEG_INFINITY);

    /// [low, high].
    pub const fn new(low: f64, high: f64) -> Self {
        Self { low, high }
    }

    /// One number.
    pub const fn point(x: f64) -> Self {
        Self::new(x, x)
    }

    /// high − low.
    pub fn width(self) -> f64 {
        self.high - self.low
    }

    /// Half way between the ends.
    pub fn middle(self) -> f64 {
        0.5 * self.low + 0.5 * self.high
    }

    /// Whether it holds a number.
    pub fn contains(self, x: f64) -> bool {
        self.low <= x && x <= self.high
    }

    /// Whether it holds no number.
    pub fn is_empty(self) -> bool {
        self.low > self.high
    }

    /// Whether both ends are finite.
    pub fn is_bounded(self) -> bool {
        self.low.is_finite() && self.high.is_finite()
    }

    /// The smallest interval that holds both.
    #[must_use]
    pub fn hull(self, other: Self) -> Self {
        Self::new(self.low.min(other.low), self.high.max(other.high))
    }

    /// Whether it is the one number 0.
    fn is_zero(self) -> bool {
        self.low == 0.0 && self.high == 0.0
    }

    /// Whether an end is infinite.
    fn reaches_infinity(self) -> bool {
        self.low == f64::NEG_INFINITY || self.high == f64::INFINITY
    }
}

/// Where an expression has a value.
///
/// ```
/// use rafnet::expr::{Defined, Interval, Leaf, Scope, parse};
/// let root = parse("sqrt(x)", &Scope::new(["x"]))?;
/// let over = |low, high| root.enclosure(&mut |_: &Leaf| Interval::new(low, high)).defined;
/// assert_eq!(over(1.0, 4.0), Defined::Everywhere);
/// assert_eq!(over(-1.0, 4.0), Defined::Perhaps);
/// assert_eq!(over(-2.0, -1.0), Defined::Nowhere);
/// # Ok::<(), rafnet::expr::ExprError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Defined {
    /// At every point of the box.
    Everywhere,
    /// Perhaps not at every point.
    Perhaps,
    /// At none.
    Nowhere,
}

/// What is known of an expression's values over a box.
///
/// ```
/// use rafnet::expr::{Interval, Leaf, Scope, parse};
/// let square = parse("x^2", &Scope::new(["x"]))?;
/// let over = square.enclosure(&mut |_: &Leaf| Interval::new(-1.0, 2.0));
/// assert_eq!((over.range.low, over.range.high), (0.0, 4f64.next_up()));
/// # Ok::<(), rafnet::expr::ExprError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Enclosure {
    /// Holds every value; empty where there is none.
    pub range: Interval,
    /// Where there are values.
    pub defined: Defined,
}

impl Enclosure {
    const NOWHERE: Self = Self {
        range: Interval::EMPTY,
        defined: Defined::Nowhere,
    };

    /// The values of something that has one everywhere.
    const fn everywhere(low: f64, high: f64) -> Self {
        Self {
            range: Interval::new(low, high),
            defined: Defined::Everywhere,
        }
    }

    /// A number; NaN is none.
    fn number(x: f64) -> Self {
        if x.is_nan() {
            Self::NOWHERE
        } else {
            Self::everywhere(x, x)
        }
    }

    /// The same where values may be missing, if they may.
    fn perhaps_missing(self, missing: bool) -> Self {
        let defined = if missing {
            self.defined.max(Defined::Perhaps)
        } else {
            self.defined
        };
        Self { defined, ..self }
    }

    /// One of two, it is open which.
    fn either(self, other: Self) -> Self {
        let defined = if self.defined == other.defined {
            self.defined
        } else {
            Defined::Perhaps
        };
        Self {
            range: self.range.hull(other.range),
            defined,
        }
    }
}

impl Expr {
    /// What is known of the values where each leaf runs through the interval that `over` gives. Many boxes are enclosed faster by
    /// [`Enclosing`].
    ///
    /// ```
    /// use rafnet::expr::{Interval, Leaf, Scope, parse};
    /// let f = parse("1/(1 + x^2)", &Scope::new(["x"]))?;
    /// let range = f.enclosure(&mut |_: &Leaf| Interval::new(-1.0, 3.0)).range;
    /// assert!((range.low - 0.1).abs() < 1e-15 && (range.high - 1.0).abs() < 1e-15);
    /// # Ok::<(), rafnet::expr::ExprError>(())
    /// ```
    pub fn enclosure(&self, over: &mut dyn FnMut(&Leaf) -> Interval) -> Enclosure {
        let leaves = self.leaves();
        let inputs: Vec<Interval> = leaves.iter().map(over).collect();
        let Ok(enclosing) = Enclosing::compile(self, &leaves) else {
            unreachable!("every leaf is an input")
        };
        enclosing.enclose(&inputs, &mut enclosing.registers())
    }
}
