//! Numbers as text that reads well and is read back to the same bits.
//!
//! π and its small multiples are recognised, and so are fractions of small integers whose decimals would not end.
//! Each form is used only if evaluating it in floating point, as the parser does, gives exactly the number.

use std::f64::consts::PI;

/// Largest numerator, denominator or multiple that is tried.
const LARGEST: u32 = 200;

/// Decimals of at most this many characters are left as they are.
const SHORT: usize = 8;

/// How tightly the text of a number holds together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Tightness {
    /// `-3`: a sign in front.
    Sum,
    /// `2*pi`, `1/3`: an operator inside.
    Product,
    /// `pi^2`
    Power,
    /// `0.5`, `pi`
    Atom,
}

/// The text of a number and how tightly it holds together.
pub(crate) fn text(value: f64) -> (String, Tightness) {
    if value.is_nan() {
        return ("0/0".into(), Tightness::Product);
    }
    if value < 0.0 {
        return (format!("-{}", text(-value).0), Tightness::Sum);
    }
    if value == f64::INFINITY {
        return ("1/0".into(), Tightness::Product);
    }
    let decimal = decimal(value);
    if decimal.len() <= SHORT {
        return (decimal, Tightness::Atom);
    }
    if let Some(found) = multiple_of_pi(value).or_else(|| fraction(value)) {
        return found;
    }
    (decimal, Tightness::Atom)
}

/// The shortest decimal that is read back to the same bits.
fn decimal(value: f64) -> String {
    let text = format!("{value:?}");
    match text.strip_suffix(".0") {
        Some(whole) => whole.into(),
        None => text,
    }
}

#[expect(clippy::float_cmp, reason = "only the exact number will do")]
fn multiple_of_pi(value: f64) -> Option<(String, Tightness)> {
    for (unit, name, alone) in [
        (PI, "pi", Tightness::Atom),
        (PI * PI, "pi^2", Tightness::Power),
    ] {
        if value == unit {
            return Some((name.into(), alone));
        }
        if let Some(n) = small(value / unit).filter(|n| f64::from(*n) * unit == value) {
            return Some((format!("{n}*{name}"), Tightness::Product));
        }
        if let Some(n) = small(unit / value).filter(|n| unit / f64::from(*n) == value) {
            return Some((format!("{name}/{n}"), Tightness::Product));
        }
    }
    None
}

#[expect(clippy::float_cmp, reason = "only the exact number will do")]
fn fraction(value: f64) -> Option<(String, Tightness)> {
    (2..=LARGEST).find_map(|below| {
        let above = small(value * f64::from(below))?;
        (f64::from(above) / f64::from(below) == value)
            .then(|| (format!("{above}/{below}"), Tightness::Product))
    })
}

/// The nearest integer, if it is close and small.
fn small(value: f64) -> Option<u32> {
    let rounded = value.round();
    let close = (value - rounded).abs() < 1e-9 && (1.0..=f64::from(LARGEST)).contains(&rounded);
    #[expect(clippy::cast_possible_truncation, reason = "between 1 and LARGEST")]
    #[expect(clippy::cast_sign_loss, reason = "between 1 and LARGEST")]
    close.then_some(rounded as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        for (value, expected) in [
            (3.0, "3"),
            (0.5, "0.5"),
            (-0.25, "-0.25"),
            (1e-7, "1e-7"),
            (1e300, "1e300"),
            (1.0 / 3.0, "1/3"),
            (-2.0 / 7.0, "-2/7"),
            (PI, "pi"),
            (4.0 * PI, "4*pi"),
            (PI / 3.0, "pi/3"),
            (PI * PI, "pi^2"),
            (2.0 * (PI * PI), "2*pi^2"),
            (0.1 + 0.2, "0.30000000000000004"),
        ] {
            assert_eq!(text(value).0, expected);
        }
    }
}
