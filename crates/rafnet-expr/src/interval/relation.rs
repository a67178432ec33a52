//! Functions of two arguments over intervals: comparisons, extremes, remainders, angles, real powers, and choices.
//!
//! A comparison with a missing value is false (`!=` is true), `and`, `or` and `where` take a missing value as true, and x⁰ = 1ʸ = 1
//! for missing ones too: conditions and powers exist where their arguments do not.

use std::f64::consts::PI;

use super::round::{above_library, below_library};
use super::{Defined, Enclosure, Interval};
use crate::function::Binary;
use crate::{larger, smaller};

/// Exponents up to here are integers if they look like it.
const LARGEST_INTEGER: f64 = 1e9;

impl Enclosure {
    /// f(a, b).
    pub(super) fn apply_with(self, function: Binary, other: Self) -> Self {
        let (a, b) = (self.range, other.range);
        match function {
            Binary::Less => self.condition(other, a.high < b.low, a.low < b.high),
            Binary::LessEqual => self.condition(other, a.high <= b.low, a.low <= b.high),
            Binary::Equal => self.condition(other, same(a, b), meet(a, b)),
            Binary::NotEqual => self.unequal(other),
            Binary::And => {
                let (a, b) = (self.truth(), other.truth());
                Self::everywhere(a.low.min(b.low), a.high.min(b.high))
            }
            Binary::Or => {
                let (a, b) = (self.truth(), other.truth());
                Self::everywhere(a.low.max(b.low), a.high.max(b.high))
            }
            Binary::Min => self.both(other, |a, b| {
                (Interval::new(a.low.min(b.low), a.high.min(b.high)), false)
            }),
            Binary::Max => self.both(other, |a, b| {
                (Interval::new(a.low.max(b.low), a.high.max(b.high)), false)
            }),
            Binary::Mod if other.range.is_zero() => Self::NOWHERE,
            Binary::Mod => self.both(other, remainder),
            Binary::Atan2 => self.both(other, |y, x| (angle(y, x), false)),
            Binary::Power => self.real_power(other),
        }
    }

    /// `then` where this is not 0, `otherwise` elsewhere.
    pub(super) fn choose(self, then: Self, otherwise: Self) -> Self {
        let truth = self.truth();
        if truth.low > 0.0 {
            then
        } else if truth.high == 0.0 {
            otherwise
        } else {
            then.either(otherwise)
        }
    }

    /// 0, 1 or open: whether the value is not 0; a missing value is not 0.
    fn truth(self) -> Interval {
        let surely = !self.range.contains(0.0);
        let surely_not = self.range.is_zero() && self.defined == Defined::Everywhere;
        Interval::new(number(surely), number(!surely_not))
    }

    /// A comparison that holds for all values or for some.
    fn condition(self, other: Self, always: bool, sometimes: bool) -> Self {
        match self.defined.max(other.defined) {
            Defined::Everywhere => Self::everywhere(number(always), number(sometimes)),
            Defined::Perhaps => Self::everywhere(0.0, number(sometimes)),
            Defined::Nowhere => Self::everywhere(0.0, 0.0),
        }
    }

    fn unequal(self, other: Self) -> Self {
        let equal = self.condition(
            other,
            same(self.range, other.range),
            meet(self.range, other.range),
        );
        Self::everywhere(1.0 - equal.range.high, 1.0 - equal.range.low)
    }

    fn real_power(self, exponent: Self) -> Self {
        let whole = self.both(exponent, power);
        if self.defined.max(exponent.defined) == Defined::Everywhere {
            return whole;
        }
        whole.either(Self::everywhere(1.0, 1.0))
    }
}

fn number(truth: bool) -> f64 {
    f64::from(u8::from(truth))
}

/// Whether both are one and the same number.
#[expect(clippy::float_cmp, reason = "`==` in a text means exact equality")]
fn same(a: Interval, b: Interval) -> bool {
    a.low == a.high && b.low == b.high && a.low == b.low
}

fn meet(a: Interval, b: Interval) -> bool {
    a.low <= b.high && b.low <= a.high
}

/// a mod b in [0, |b|]; between two multiples of one b the remainder grows with a.
#[expect(clippy::float_cmp, reason = "one divisor")]
fn remainder(a: Interval, b: Interval) -> (Interval, bool) {
    let missing = b.contains(0.0) || a.reaches_infinity();
    let most = b.low.abs().max(b.high.abs());
    if b.low == b.high && a.width() < most {
        let of = |x: f64| Binary::Mod.value(x, most);
        let (p, q) = (of(a.low), of(a.high));
        if p <= q {
            let range = Interval::new(below_library(p).max(0.0), above_library(q).min(most));
            return (range, missing);
        }
    }
    (Interval::new(0.0, most), missing)
}

/// The angle of (x, y): by the corners of the box, unless it meets the cut along the negative x-axis from below.
fn angle(y: Interval, x: Interval) -> Interval {
    let all = Interval::new(-PI, PI);
    if y.low < 0.0 && y.high >= 0.0 && x.low < 0.0 {
        return Interval::new(below_library(-PI), above_library(PI));
    }
    let corners = [
        y.low.atan2(x.low),
        y.low.atan2(x.high),
        y.high.atan2(x.low),
        y.high.atan2(x.high),
    ];
    let mut low = corners.into_iter().fold(all.high, smaller);
    let mut high = corners.into_iter().fold(all.low, larger);
    if x.contains(0.0) && y.contains(0.0) {
        (low, high) = (low.min(0.0), high.max(0.0)); // what the origin has
    }
    Interval::new(below_library(low), above_library(high))
}

/// xʸ = e^(y log x): bilinear in y and log x, so the corners have the extremes where x is not negative.
#[expect(clippy::float_cmp, reason = "one exponent, an integer")]
fn power(x: Interval, y: Interval) -> (Interval, bool) {
    let one = y.low == y.high;
    if one && y.low.fract() == 0.0 && y.low.abs() <= LARGEST_INTEGER {
        return (whole_power(x, y.low), false);
    }
    if x.low >= 0.0 {
        return (power_by_corners(x, y), false);
    }
    let sizes = Interval::new(0.0, x.low.abs().max(x.high));
    let sized = power_by_corners(sizes, y);
    if one && x.low.is_finite() {
        if x.high < 0.0 {
            return (Interval::EMPTY, true);
        }
        return (power_by_corners(Interval::new(0.0, x.high), y), true);
    }
    // integers among the exponents give negative powers
    (Interval::new(-sized.high, sized.high), true)
}

fn power_by_corners(x: Interval, y: Interval) -> Interval {
    let corners = [
        x.low.powf(y.low),
        x.low.powf(y.high),
        x.high.powf(y.low),
        x.high.powf(y.high),
    ];
    let low = corners
        .into_iter()
        .filter(|c| !c.is_nan())
        .fold(f64::INFINITY, smaller);
    let high = corners
        .into_iter()
        .filter(|c| !c.is_nan())
        .fold(0.0, larger);
    Interval::new(below_library(low).max(0.0), above_library(high))
}

/// xⁿ for an integer n, by the power function.
fn whole_power(x: Interval, n: f64) -> Interval {
    let of = |x: f64| x.powf(n);
    let even = n.rem_euclid(2.0) == 0.0;
    if n < 0.0 && x.contains(0.0) {
        let nearest = of(x.low).min(of(x.high)); // of an even power: what the farther end has
        return match (even, x.low == 0.0, x.high == 0.0) {
            (true, ..) => Interval::new(below_library(nearest), f64::INFINITY),
            (false, true, _) => Interval::new(below_library(of(x.high)), f64::INFINITY),
            (false, _, true) => Interval::new(f64::NEG_INFINITY, above_library(of(x.low))),
            _ => Interval::WHOLE,
        };
    }
    let (p, q) = (of(x.low), of(x.high));
    let (mut low, high) = (p.min(q), p.max(q));
    if n > 0.0 && even && x.contains(0.0) {
        low = 0.0;
    }
    Interval::new(below_library(low), above_library(high))
}
