//! Sums, products, quotients and integer powers of enclosures.

use super::round::{above, below, down, up};
use super::{Defined, Enclosure, Interval};
use crate::algebra::integer_power;

impl Enclosure {
    /// What a function of two numbers has where both exist.
    #[inline]
    pub(super) fn both(
        self,
        other: Self,
        of: impl FnOnce(Interval, Interval) -> (Interval, bool),
    ) -> Self {
        let defined = self.defined.max(other.defined);
        if defined == Defined::Nowhere {
            return Self::NOWHERE;
        }
        let (range, missing) = of(self.range, other.range);
        if range.is_empty() {
            return Self::NOWHERE;
        }
        Self { range, defined }.perhaps_missing(missing)
    }

    /// What a function of one number has where that exists.
    #[inline]
    pub(super) fn map(self, of: impl FnOnce(Interval) -> Interval) -> Self {
        match self.defined {
            Defined::Nowhere => self,
            defined => Self {
                range: of(self.range),
                defined,
            },
        }
    }

    pub(super) fn add(self, other: Self) -> Self {
        self.both(other, add)
    }

    pub(super) fn scale(self, c: f64) -> Self {
        if !c.is_finite() {
            return self.multiply(Self::number(c));
        }
        self.map(|a| {
            let (p, q) = (c * a.low, c * a.high);
            // 0 · ∞: the coefficient 0 is not written by the algebra, and NaN must not stay
            let (p, q) = if c == 0.0 { (0.0, 0.0) } else { (p, q) };
            Interval::new(down(p.min(q)), up(p.max(q)))
        })
    }

    pub(super) fn shift(self, c: f64) -> Self {
        if c.is_finite() {
            self.map(|a| Interval::new(down(a.low + c), up(a.high + c)))
        } else {
            self.add(Self::number(c))
        }
    }

    pub(super) fn multiply(self, other: Self) -> Self {
        self.both(other, multiply)
    }

    pub(super) fn divide(self, other: Self) -> Self {
        self.both(other, divide)
    }

    /// xⁿ by multiplications, n ≥ 1.
    pub(super) fn power(self, n: i32) -> Self {
        self.map(|a| integer_power_of(a, n))
    }
}

fn add(a: Interval, b: Interval) -> (Interval, bool) {
    let against = |a: Interval, b: Interval| a.low == f64::NEG_INFINITY && b.high == f64::INFINITY;
    let missing = against(a, b) || against(b, a);
    let (mut low, mut high) = (a.low + b.low, a.high + b.high);
    if low.is_nan() {
        low = f64::NEG_INFINITY;
    }
    if high.is_nan() {
        high = f64::INFINITY;
    }
    (Interval::new(down(low), up(high)), missing)
}

/// The hull of the products of the ends, 0 · ∞ taken as 0: the limit of 0 · x.
fn multiply(a: Interval, b: Interval) -> (Interval, bool) {
    let times = |x: f64, y: f64| {
        let product = x * y;
        if product.is_nan() { 0.0 } else { product }
    };
    let products = [
        times(a.low, b.low),
        times(a.low, b.high),
        times(a.high, b.low),
        times(a.high, b.high),
    ];
    let low = products[0]
        .min(products[1])
        .min(products[2].min(products[3]));
    let high = products[0]
        .max(products[1])
        .max(products[2].max(products[3]));
    let against = |a: Interval, b: Interval| a.contains(0.0) && b.reaches_infinity();
    let missing = against(a, b) || against(b, a);
    (Interval::new(down(low), up(high)), missing)
}

fn divide(a: Interval, b: Interval) -> (Interval, bool) {
    let missing =
        (a.contains(0.0) && b.contains(0.0)) || (a.reaches_infinity() && b.reaches_infinity());
    if !b.contains(0.0) {
        let over = |x: f64, y: f64| {
            let quotient = x / y;
            if quotient.is_nan() { 0.0 } else { quotient } // ∞/∞: from 0 to ∞, and the other ends give ∞
        };
        let quotients = [
            over(a.low, b.low),
            over(a.low, b.high),
            over(a.high, b.low),
            over(a.high, b.high),
        ];
        let low = quotients[0]
            .min(quotients[1])
            .min(quotients[2].min(quotients[3]));
        let high = quotients[0]
            .max(quotients[1])
            .max(quotients[2].max(quotients[3]));
        let low = if missing && low < 0.0 {
            f64::NEG_INFINITY
        } else {
            low
        };
        let high = if missing && high > 0.0 {
            f64::INFINITY
        } else {
            high
        };
        return (Interval::new(down(low), up(high)), missing);
    }
    if a.is_zero() && !b.is_zero() {
        return (Interval::point(0.0), missing);
    }
    // the reciprocals of b: from 1/high on, to 1/low, or both
    let range = if b.low == 0.0 && b.high > 0.0 {
        multiply(a, Interval::new(down(1.0 / b.high), f64::INFINITY)).0
    } else if b.high == 0.0 && b.low < 0.0 {
        multiply(a, Interval::new(f64::NEG_INFINITY, up(1.0 / b.low))).0
    } else {
        Interval::WHOLE
    };
    // a quotient is rounded once, a product with a reciprocal twice
    (Interval::new(down(range.low), up(range.high)), missing)
}

/// n − 1 multiplications, each of which may be off by half a unit; the errors of squares double.
pub(super) fn integer_power_of(a: Interval, n: i32) -> Interval {
    let units = f64::from(n);
    let of = |x: f64| integer_power(x, n);
    let (low, high) = if n % 2 == 1 {
        (of(a.low), of(a.high))
    } else if a.contains(0.0) {
        (0.0, of(a.low.abs().max(a.high.abs())))
    } else {
        let (p, q) = (of(a.low), of(a.high));
        (p.min(q), p.max(q))
    };
    if n == 2 {
        return Interval::new(down(low), up(high));
    }
    Interval::new(below(low, units), above(high, units))
}
