//! Values at points against enclosures of the boxes that hold them.

use super::{Defined, Interval};
use crate::{Binary, Expr, ExprError, Leaf, Scope, Unary, parse};

/// SplitMix64: numbers that follow from a seed.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// One of 0 … n − 1.
    fn below(&mut self, n: usize) -> usize {
        usize::try_from(self.next() % n as u64).expect("a small number")
    }

    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * ((self.next() >> 11) as f64 / (1u64 << 53) as f64)
    }
}

const BINARY: [Binary; 11] = [
    Binary::Power,
    Binary::Atan2,
    Binary::Min,
    Binary::Max,
    Binary::Mod,
    Binary::Less,
    Binary::LessEqual,
    Binary::Equal,
    Binary::NotEqual,
    Binary::And,
    Binary::Or,
];

/// An expression in x and y over every function.
fn any(numbers: &mut Numbers, depth: usize) -> Expr {
    if depth == 0 {
        return match numbers.below(5) {
            0 => Expr::number(f64::from(u8::try_from(numbers.below(5)).expect("small")) - 2.0),
            1 => Expr::number(numbers.between(-3.0, 3.0)),
            k => Expr::leaf(Leaf::Coordinate(k % 2)),
        };
    }
    let below = |numbers: &mut Numbers| any(numbers, depth - 1);
    match numbers.below(10) {
        0 | 1 => below(numbers) + below(numbers).scaled(numbers.between(-2.0, 2.0)),
        2 => below(numbers) * below(numbers),
        3 => below(numbers) / below(numbers),
        4 => {
            let n = i32::try_from(numbers.below(11)).expect("small") - 4;
            below(numbers).powi(n)
        }
        5 | 6 => {
            let k = numbers.below(Unary::CALLED.len() + 1);
            below(numbers).apply(Unary::CALLED.get(k).copied().unwrap_or(Unary::Not))
        }
        7 | 8 => {
            let function = BINARY[numbers.below(BINARY.len())];
            below(numbers).apply_with(function, below(numbers))
        }
        _ => below(numbers).choose(below(numbers), below(numbers)),
    }
}

/// Two intervals, now and then points, tiny or far from zero.
fn any_box(numbers: &mut Numbers) -> [Interval; 2] {
    [0, 1].map(|_| {
        let low = numbers.between(-3.0, 3.0) * [1.0, 1.0, 1.0, 50.0][numbers.below(4)];
        let width = [0.0, 1e-9, 0.01, 1.0, 4.0][numbers.below(5)];
        Interval::new(low, low + numbers.between(0.0, width))
    })
}

/// Whether a part is −0 or infinite at a point: enclosures do not follow the sign of a zero, nor that of its reciprocal.
fn needs_the_sign_of_zero(f: &Expr, x: &[f64]) -> bool {
    let mut found = false;
    f.visit(&mut |part| {
        let value = part.at(x);
        found |= value.is_infinite() || (value == 0.0 && value.is_sign_negative());
    });
    found
}

#[test]
fn every_value_lies_in_the_enclosure() {
    let mut numbers = Numbers(1);
    let mut tight = 0;
    for case in 0..6_000 {
        let f = any(&mut numbers, 1 + case % 5);
        let over = any_box(&mut numbers);
        let enclosure = f.enclosure(&mut |leaf| match leaf {
            Leaf::Coordinate(k) => over[*k],
            _ => Interval::WHOLE,
        });
        let range = enclosure.range;
        assert!(!range.low.is_nan() && !range.high.is_nan(), "{f:?}");
        tight += usize::from(range.is_bounded() && enclosure.defined == Defined::Everywhere);
        for point in 0..24 {
            let x = over.map(|side| match point {
                0 => side.low,
                1 => side.high,
                _ => numbers
                    .between(side.low, side.high)
                    .clamp(side.low, side.high),
            });
            if needs_the_sign_of_zero(&f, &x) {
                continue;
            }
            let value = f.at(&x);
            if value.is_nan() {
                assert_ne!(enclosure.defined, Defined::Everywhere, "{f:?} at {x:?}");
            } else {
                assert_ne!(
                    enclosure.defined,
                    Defined::Nowhere,
                    "{f:?} at {x:?}: {value}"
                );
                assert!(
                    range.contains(value),
                    "case {case}: {f:?} at {x:?} of {over:?}: {value} beyond {range:?}"
                );
            }
        }
    }
    assert!(tight > 2_000, "only {tight} say anything");
}

/// Sums, products, quotients, powers and roots of positive numbers lose nothing by cancellation: each adds at most 2·(4 + 1) units to
/// the relative widths of its operands, and the width of xⁿ is n times that of x and 2(n + 1) units.
#[test]
fn the_enclosure_of_a_point_is_as_narrow_as_rounding_allows() {
    fn positive(numbers: &mut Numbers, depth: usize) -> (Expr, f64) {
        if depth == 0 {
            return (Expr::leaf(Leaf::Coordinate(numbers.below(2))), 0.0);
        }
        let (a, units) = positive(numbers, depth - 1);
        let (b, more) = positive(numbers, depth - 1);
        match numbers.below(5) {
            0 => (a + b, units.max(more) + 10.0),
            1 => (a * b, units + more + 10.0),
            2 => (a / b, units + more + 10.0),
            3 => (a.powi(3), 3.0 * units + 8.0),
            _ => (a.apply(Unary::Cbrt), units + 10.0),
        }
    }
    let mut numbers = Numbers(2);
    for case in 0..500 {
        let (f, units) = positive(&mut numbers, 1 + case % 4);
        let x = [0, 1].map(|_| numbers.between(0.5, 2.0));
        let range = f
            .enclosure(&mut |leaf| match leaf {
                Leaf::Coordinate(k) => Interval::point(x[*k]),
                _ => Interval::WHOLE,
            })
            .range;
        let value = f.at(&x);
        assert!(range.contains(value));
        // what is rounded on the way may be written differently: xx as x², a sum's equal terms together
        let bound = 2.0 * (units + 1.0) * f64::EPSILON * value;
        assert!(range.width() <= bound, "{f:?}: {} {bound}", range.width());
    }
}

fn over_line(text: &str, low: f64, high: f64) -> Result<super::Enclosure, ExprError> {
    let f = parse(text, &Scope::new(["x"]))?;
    Ok(f.enclosure(&mut |_| Interval::new(low, high)))
}

#[test]
#[expect(clippy::float_cmp, reason = "infinite ends are equal or not")]
fn ranges_that_are_known() -> Result<(), ExprError> {
    let half_pi = std::f64::consts::FRAC_PI_2;
    let inf = f64::INFINITY;
    for (text, [low, high], [least, most]) in [
        ("x^2", [-1.0, 2.0], [0.0, 4.0]),
        ("x*x", [-1.0, 2.0], [0.0, 4.0]),
        ("x^3", [-1.0, 2.0], [-1.0, 8.0]),
        ("x^4", [-3.0, 2.0], [0.0, 81.0]),
        ("x^-2", [-1.0, 2.0], [0.25, inf]),
        ("x^2.5", [1.0, 4.0], [1.0, 32.0]),
        ("sin(x)", [0.0, 3.0], [0.0, 1.0]),
        ("sin(x)", [-0.1, 0.1], [-(0.1f64.sin()), 0.1f64.sin()]),
        ("sin(x)", [4.0, 6.0], [-1.0, 6f64.sin()]),
        ("cos(x)", [-1.0, 0.5], [1f64.cos(), 1.0]),
        ("cos(x)", [0.0, 7.0], [-1.0, 1.0]),
        ("tan(x)", [-1.0, 1.0], [-(1f64.tan()), 1f64.tan()]),
        ("tan(x)", [1.0, 2.0], [-inf, inf]),
        ("1/x", [0.0, 2.0], [0.5, inf]),
        ("1/x", [-2.0, 0.0], [-inf, -0.5]),
        ("1/x", [-2.0, 1.0], [-inf, inf]),
        ("log(x)", [0.0, 1.0], [-inf, 0.0]),
        ("acos(x)", [0.0, 1.0], [0.0, half_pi]),
        ("cosh(x)", [-1.0, 2.0], [1.0, 2f64.cosh()]),
        ("abs(x)", [-3.0, 2.0], [0.0, 3.0]),
        ("sign(x)", [-3.0, 2.0], [-1.0, 1.0]),
        ("floor(x)", [0.5, 2.5], [0.0, 2.0]),
        ("mod(x, 2)", [4.5, 5.5], [0.5, 1.5]),
        ("mod(x, 2)", [3.5, 4.5], [0.0, 2.0]),
        ("mod(x, 2)", [-0.5, -0.25], [1.5, 1.75]),
        ("atan2(x, 1)", [-1.0, 1.0], [-half_pi / 2.0, half_pi / 2.0]),
        ("where(x < 1, 1, 0)", [0.0, 0.5], [1.0, 1.0]),
        ("where(x < 1, 1, 0)", [0.0, 1.0], [0.0, 1.0]),
        ("where(x <= 1, 1, 0)", [0.0, 1.0], [1.0, 1.0]),
        ("where(x > 1, 1, 0)", [0.0, 1.0], [0.0, 0.0]),
        ("where(x < 1, 5, x)", [0.0, 0.5], [5.0, 5.0]),
        ("where(x < 1, 5, x)", [0.0, 2.0], [0.0, 5.0]),
        ("where(x < 1, 5, x)", [1.0, 2.0], [1.0, 2.0]),
        ("exp(-x^2)", [-1.0, 3.0], [(-9f64).exp(), 1.0]),
        ("tanh(x/1e-6)", [-1.0, 1.0], [-1.0, 1.0]),
    ] {
        let found = over_line(text, low, high)?.range;
        let close = |a: f64, b: f64| a == b || (a - b).abs() <= 1e-14 * b.abs();
        assert!(
            close(found.low, least) && close(found.high, most),
            "{text}: {found:?}"
        );
        assert!(
            found.low <= least && most <= found.high,
            "{text}: {found:?}"
        );
    }
    Ok(())
}

#[test]
fn what_is_undefined_is_said() -> Result<(), ExprError> {
    for (text, [low, high], defined) in [
        ("log(x)", [1.0, 2.0], Defined::Everywhere),
        ("log(x)", [-1.0, 2.0], Defined::Perhaps),
        ("log(x)", [-2.0, -1.0], Defined::Nowhere),
        ("sqrt(x^2*(x - 1)^2)", [-3.0, 3.0], Defined::Everywhere),
        ("1/x", [-1.0, 1.0], Defined::Everywhere), // infinite at 0, which is a value
        ("sin(x)/x", [-1.0, 1.0], Defined::Perhaps),
        ("asin(x)", [2.0, 3.0], Defined::Nowhere),
        ("x^2.5", [-2.0, -1.0], Defined::Nowhere),
        ("x^2.5", [-2.0, 1.0], Defined::Perhaps),
        ("mod(x, 0)", [1.0, 2.0], Defined::Nowhere),
        ("where(x > 0, log(x), 1)", [-2.0, -1.0], Defined::Everywhere),
        ("where(x > 0, log(x), 1)", [-2.0, 2.0], Defined::Perhaps),
        ("1/x - 1/x^2", [0.0, 1.0], Defined::Perhaps),
        ("where(log(x) < 0, 1, 0)", [-2.0, -1.0], Defined::Everywhere), // a comparison with what is missing is false
    ] {
        let found = over_line(text, low, high)?;
        assert_eq!(found.defined, defined, "{text}");
        assert_eq!(
            found.range.is_empty(),
            defined == Defined::Nowhere,
            "{text}"
        );
    }
    assert_eq!(
        over_line("where(log(x) < 0, 1, 0)", -2.0, -1.0)?.range,
        Interval::point(0.0)
    );
    Ok(())
}
