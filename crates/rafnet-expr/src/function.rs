//! The functions of one and two arguments, by name and by value.
//!
//! Conventions that would surprise: sign(0) = 0; mod(a, b) lies in [0, |b|); min and max hand a NaN on instead of
//! hiding it; comparisons and `and`, `or`, `not` give 1 or 0.

/// A function of one argument.
///
/// ```
/// use rafnet::expr::Unary;
/// assert_eq!(Unary::named("cbrt"), Some(Unary::Cbrt));
/// assert_eq!(Unary::Cbrt.value(-8.0), -2.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names are the documentation")]
pub enum Unary {
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Sinh,
    Cosh,
    Tanh,
    Exp,
    Log,
    Sqrt,
    Cbrt,
    Abs,
    Sign,
    Floor,
    Erf,
    Not,
}

/// A function of two arguments.
///
/// ```
/// use rafnet::expr::Binary;
/// assert_eq!(Binary::Mod.value(-1.0, 3.0), 2.0);
/// assert_eq!(Binary::Less.value(1.0, 2.0), 1.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names are the documentation")]
pub enum Binary {
    Power,
    Atan2,
    Min,
    Max,
    Mod,
    Less,
    LessEqual,
    Equal,
    NotEqual,
    And,
    Or,
}

impl Unary {
    /// Those that are written as calls.
    pub const CALLED: [Self; 17] = [
        Self::Sin,
        Self::Cos,
        Self::Tan,
        Self::Asin,
        Self::Acos,
        Self::Atan,
        Self::Sinh,
        Self::Cosh,
        Self::Tanh,
        Self::Exp,
        Self::Log,
        Self::Sqrt,
        Self::Cbrt,
        Self::Abs,
        Self::Sign,
        Self::Floor,
        Self::Erf,
    ];

    /// The name in texts.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sin => "sin",
            Self::Cos => "cos",
            Self::Tan => "tan",
            Self::Asin => "asin",
            Self::Acos => "acos",
            Self::Atan => "atan",
            Self::Sinh => "sinh",
            Self::Cosh => "cosh",
            Self::Tanh => "tanh",
            Self::Exp => "exp",
            Self::Log => "log",
            Self::Sqrt => "sqrt",
            Self::Cbrt => "cbrt",
            Self::Abs => "abs",
            Self::Sign => "sign",
            Self::Floor => "floor",
            Self::Erf => "erf",
            Self::Not => "not",
        }
    }

    /// The function of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::CALLED.into_iter().find(|f| f.name() == name)
    }

    /// The value at one argument.
    pub fn value(self, a: f64) -> f64 {
        match self {
            Self::Sin => a.sin(),
            Self::Cos => a.cos(),
            Self::Tan => a.tan(),
            Self::Asin => a.asin(),
            Self::Acos => a.acos(),
            Self::Atan => a.atan(),
            Self::Sinh => a.sinh(),
            Self::Cosh => a.cosh(),
            Self::Tanh => a.tanh(),
            Self::Exp => a.exp(),
            Self::Log => a.ln(),
            Self::Sqrt => a.sqrt(),
            Self::Cbrt => a.cbrt(),
            Self::Abs => a.abs(),
            Self::Sign => sign(a),
            Self::Floor => a.floor(),
            Self::Erf => libm::erf(a),
            Self::Not => truth(a == 0.0),
        }
    }
}

impl Binary {
    /// Those that are written as calls.
    pub const CALLED: [Self; 4] = [Self::Atan2, Self::Min, Self::Max, Self::Mod];

    /// The name or the sign in texts.
    pub fn name(self) -> &'static str {
        match self {
            Self::Power => "^",
            Self::Atan2 => "atan2",
            Self::Min => "min",
            Self::Max => "max",
            Self::Mod => "mod",
            Self::Less => "<",
            Self::LessEqual => "<=",
            Self::Equal => "==",
            Self::NotEqual => "!=",
            Self::And => "and",
            Self::Or => "or",
        }
    }

    /// The function of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::CALLED.into_iter().find(|f| f.name() == name)
    }

    /// The value at one pair of arguments.
    #[expect(clippy::float_cmp, reason = "`==` in a text means exact equality")]
    #[inline]
    pub fn value(self, a: f64, b: f64) -> f64 {
        match self {
            Self::Power => a.powf(b),
            Self::Atan2 => a.atan2(b),
            Self::Min => lesser(a, b),
            Self::Max => -lesser(-a, -b),
            Self::Mod => modulo(a, b),
            Self::Less => truth(a < b),
            Self::LessEqual => truth(a <= b),
            Self::Equal => truth(a == b),
            Self::NotEqual => truth(a != b),
            Self::And => truth(a != 0.0 && b != 0.0),
            Self::Or => truth(a != 0.0 || b != 0.0),
        }
    }
}

#[inline]
fn truth(condition: bool) -> f64 {
    if condition { 1.0 } else { 0.0 }
}

#[inline]
fn sign(a: f64) -> f64 {
    if a > 0.0 {
        1.0
    } else if a < 0.0 {
        -1.0
    } else {
        a * 0.0 + 0.0 // 0, or NaN for NaN
    }
}

#[inline]
fn lesser(a: f64, b: f64) -> f64 {
    if a <= b {
        a
    } else if b < a {
        b
    } else {
        f64::NAN
    }
}

/// The remainder in [0, |b|). `rem_euclid` can round up to |b| itself for tiny negative a.
fn modulo(a: f64, b: f64) -> f64 {
    let r = a % b;
    if r >= 0.0 {
        return r;
    }
    let lifted = r + b.abs();
    if lifted < b.abs() || lifted.is_nan() {
        lifted
    } else {
        0.0
    }
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "these values are exact")]
mod tests {
    use super::*;

    #[test]
    fn modulo_stays_below_the_divisor() {
        assert_eq!(Binary::Mod.value(-1e-20, 1.0), 0.0);
        assert_eq!(Binary::Mod.value(5.5, 2.0), 1.5);
        assert_eq!(Binary::Mod.value(-0.5, 2.0), 1.5);
        assert_eq!(Binary::Mod.value(-0.5, -2.0), 1.5);
        assert!(Binary::Mod.value(1.0, 0.0).is_nan());
    }

    #[test]
    fn nan_is_never_hidden() {
        for f in [Binary::Min, Binary::Max] {
            assert!(f.value(f64::NAN, 1.0).is_nan());
            assert!(f.value(1.0, f64::NAN).is_nan());
        }
        assert!(Unary::Sign.value(f64::NAN).is_nan());
    }

    #[test]
    fn extremes_and_signs() {
        assert_eq!(Binary::Min.value(1.0, 2.0), 1.0);
        assert_eq!(Binary::Max.value(1.0, 2.0), 2.0);
        assert_eq!(Unary::Sign.value(-0.0), 0.0);
        assert_eq!(Unary::Sign.value(-3.0), -1.0);
    }

    #[test]
    fn every_called_function_is_found_by_its_name() {
        for f in Unary::CALLED {
            assert_eq!(Unary::named(f.name()), Some(f));
        }
        for f in Binary::CALLED {
            assert_eq!(Binary::named(f.name()), Some(f));
        }
        assert_eq!(Unary::named("not"), None);
    }
}
