//! Functions of one argument over an interval: monotone ones by their ends, waves by the extremes they pass.

use std::f64::consts::PI;

use super::round::{above_library, below_library, down, up};
use super::{Defined, Enclosure, Interval};
use crate::function::Unary;

/// Beyond this size an argument's place within a wave is lost when it is divided by π: any value is possible.
const FAR: f64 = 1e9;

impl Enclosure {
    /// f(a).
    pub(super) fn apply(self, function: Unary) -> Self {
        if function == Unary::Not {
            return self.not();
        }
        let Some((a, missing)) = self.within(natural_domain(function)) else {
            return Self::NOWHERE;
        };
        let f = |x: f64| function.value(x);
        let range = match function {
            // extremes at π/2 + kπ and at kπ
            Unary::Sin => wave(a, 0.5, f),
            Unary::Cos => wave(a, 0.0, f),
            Unary::Tan => tangent(a),
            Unary::Acos => monotone(Interval::new(a.high, a.low), f),
            Unary::Cosh => monotone(size(a), f),
            Unary::Abs => size(a),
            Unary::Sign | Unary::Floor => Interval::new(f(a.low), f(a.high)),
            Unary::Sqrt => Interval::new(down(f(a.low)), up(f(a.high))),
            _ => monotone(a, f),
        };
        let values = values(function);
        let range = Interval::new(range.low.max(values.low), range.high.min(values.high));
        let of_infinity = matches!(function, Unary::Sin | Unary::Cos | Unary::Tan);
        Self {
            range,
            defined: self.defined,
        }
        .perhaps_missing(missing || (of_infinity && a.reaches_infinity()))
    }

    /// The part of the range in which a function exists, and whether anything was cut off.
    fn within(self, domain: Interval) -> Option<(Interval, bool)> {
        let a = self.range;
        let part = Interval::new(a.low.max(domain.low), a.high.min(domain.high));
        let nothing = self.defined == Defined::Nowhere || part.is_empty();
        (!nothing).then_some((part, part != a))
    }

    /// 1 where the value is 0; a missing value is not.
    fn not(self) -> Self {
        let zero = self.range.is_zero() && self.defined == Defined::Everywhere;
        let possible = self.range.contains(0.0);
        Self::everywhere(f64::from(u8::from(zero)), f64::from(u8::from(possible)))
    }
}

/// Where a function has values.
fn natural_domain(function: Unary) -> Interval {
    match function {
        Unary::Asin | Unary::Acos => Interval::new(-1.0, 1.0),
        Unary::Log | Unary::Sqrt => Interval::new(0.0, f64::INFINITY),
        _ => Interval::WHOLE,
    }
}

/// What rounding must not go beyond.
fn values(function: Unary) -> Interval {
    match function {
        Unary::Sin | Unary::Cos | Unary::Tanh | Unary::Erf => Interval::new(-1.0, 1.0),
        Unary::Exp | Unary::Sqrt | Unary::Abs | Unary::Acos => Interval::new(0.0, f64::INFINITY),
        Unary::Cosh => Interval::new(1.0, f64::INFINITY),
        _ => Interval::WHOLE,
    }
}

/// From f(low) to f(high), a little wider.
fn monotone(a: Interval, f: impl Fn(f64) -> f64) -> Interval {
    Interval::new(below_library(f(a.low)), above_library(f(a.high)))
}

/// |a|.
fn size(a: Interval) -> Interval {
    let far = a.low.abs().max(a.high.abs());
    if a.contains(0.0) {
        Interval::new(0.0, far)
    } else {
        Interval::new(a.low.abs().min(a.high.abs()), far)
    }
}

/// The integers between low/π − shift and high/π − shift, as the first and how many.
fn passed(a: Interval, shift: f64) -> (f64, f64) {
    let (from, to) = (a.low / PI - shift, a.high / PI - shift);
    let slack = 4.0 * f64::EPSILON * (1.0 + from.abs().max(to.abs()));
    let first = (from - slack).ceil();
    (first, (to + slack).floor() - first + 1.0)
}

/// A wave that is 1 at (shift + 2k)π, −1 half a period later.
fn wave(a: Interval, shift: f64, f: impl Fn(f64) -> f64) -> Interval {
    let far = a.low.abs().max(a.high.abs()) > FAR;
    let (first, count) = passed(a, shift);
    if far || count >= 2.0 {
        return Interval::new(-1.0, 1.0);
    }
    let (p, q) = (f(a.low), f(a.high));
    let mut range = Interval::new(below_library(p.min(q)), above_library(p.max(q)));
    if count > 0.0 {
        if first.rem_euclid(2.0) == 0.0 {
            range.high = 1.0;
        } else {
            range.low = -1.0;
        }
    }
    range
}

fn tangent(a: Interval) -> Interval {
    let far = a.low.abs().max(a.high.abs()) > FAR;
    if far || passed(a, 0.5).1 > 0.0 {
        Interval::WHOLE
    } else {
        monotone(a, f64::tan)
    }
}
