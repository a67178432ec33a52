//! The elementary functions over slices: the one place where a vector implementation is plugged in.

use crate::function::{Binary, Unary};

/// A function of one argument over a slice; both slices have the same length.
type Map = fn(&[f64], &mut [f64]);

/// A function of two arguments over slices of the same length.
type Map2 = fn(&[f64], &[f64], &mut [f64]);

/// The functions that are not a few machine instructions, over slices.
///
/// ```
/// use rafnet::expr::{Elementary, Leaf, Program, Scope, parse};
/// fn small_angle(a: &[f64], out: &mut [f64]) {
///     out.copy_from_slice(a);
/// }
/// let table = Elementary { sin: small_angle, ..Elementary::standard() };
/// let sine = parse("sin(x)", &Scope::new(["x"]))?;
/// let program = Program::compile(&[sine], &[Leaf::Coordinate(0)])?.with_elementary(table);
/// let mut out = [0.0];
/// program.evaluate(&[&[0.5]], &mut [&mut out], &mut program.scratch());
/// assert_eq!(out, [0.5]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
#[expect(missing_docs, reason = "the fields are named after their functions")]
pub struct Elementary {
    pub sin: Map,
    pub cos: Map,
    pub tan: Map,
    pub asin: Map,
    pub acos: Map,
    pub atan: Map,
    pub sinh: Map,
    pub cosh: Map,
    pub tanh: Map,
    pub exp: Map,
    pub log: Map,
    pub cbrt: Map,
    pub erf: Map,
    pub power: Map2,
    pub atan2: Map2,
    pub modulo: Map2,
}

impl Elementary {
    /// The standard library's functions, one lane after the other.
    pub const fn standard() -> Self {
        Self {
            sin: |a, out| map(a, out, f64::sin),
            cos: |a, out| map(a, out, f64::cos),
            tan: |a, out| map(a, out, f64::tan),
            asin: |a, out| map(a, out, f64::asin),
            acos: |a, out| map(a, out, f64::acos),
            atan: |a, out| map(a, out, f64::atan),
            sinh: |a, out| map(a, out, f64::sinh),
            cosh: |a, out| map(a, out, f64::cosh),
            tanh: |a, out| map(a, out, f64::tanh),
            exp: |a, out| map(a, out, f64::exp),
            log: |a, out| map(a, out, f64::ln),
            cbrt: |a, out| map(a, out, f64::cbrt),
            erf: |a, out| map(a, out, |x| Unary::Erf.value(x)),
            power: |a, b, out| map2(a, b, out, f64::powf),
            atan2: |a, b, out| map2(a, b, out, f64::atan2),
            modulo: |a, b, out| map2(a, b, out, |x, y| Binary::Mod.value(x, y)),
        }
    }

    /// f(a) over slices.
    pub(super) fn unary(&self, function: Unary, a: &[f64], out: &mut [f64]) {
        let elementary: Map = match function {
            Unary::Sin => self.sin,
            Unary::Cos => self.cos,
            Unary::Tan => self.tan,
            Unary::Asin => self.asin,
            Unary::Acos => self.acos,
            Unary::Atan => self.atan,
            Unary::Sinh => self.sinh,
            Unary::Cosh => self.cosh,
            Unary::Tanh => self.tanh,
            Unary::Exp => self.exp,
            Unary::Log => self.log,
            Unary::Cbrt => self.cbrt,
            Unary::Erf => self.erf,
            // The rest are a few instructions each; naming them here lets every loop be compiled on its own.
            Unary::Sqrt => |a, out| map(a, out, f64::sqrt),
            Unary::Abs => |a, out| map(a, out, f64::abs),
            Unary::Floor => |a, out| map(a, out, f64::floor),
            Unary::Sign => |a, out| map(a, out, |x| Unary::Sign.value(x)),
            Unary::Not => |a, out| map(a, out, |x| Unary::Not.value(x)),
        };
        elementary(a, out);
    }

    /// f(a, b) over slices.
    pub(super) fn binary(&self, function: Binary, a: &[f64], b: &[f64], out: &mut [f64]) {
        let elementary: Map2 = match function {
            Binary::Power => self.power,
            Binary::Atan2 => self.atan2,
            Binary::Mod => self.modulo,
            Binary::Min => |a, b, out| map2(a, b, out, |x, y| Binary::Min.value(x, y)),
            Binary::Max => |a, b, out| map2(a, b, out, |x, y| Binary::Max.value(x, y)),
            Binary::Less => |a, b, out| map2(a, b, out, |x, y| Binary::Less.value(x, y)),
            Binary::LessEqual => |a, b, out| map2(a, b, out, |x, y| Binary::LessEqual.value(x, y)),
            Binary::Equal => |a, b, out| map2(a, b, out, |x, y| Binary::Equal.value(x, y)),
            Binary::NotEqual => |a, b, out| map2(a, b, out, |x, y| Binary::NotEqual.value(x, y)),
            Binary::And => |a, b, out| map2(a, b, out, |x, y| Binary::And.value(x, y)),
            Binary::Or => |a, b, out| map2(a, b, out, |x, y| Binary::Or.value(x, y)),
        };
        elementary(a, b, out);
    }
}

/// out = f(a), lane by lane.
#[inline]
pub(super) fn map(a: &[f64], out: &mut [f64], f: impl Fn(f64) -> f64) {
    for (out, a) in out.iter_mut().zip(a) {
        *out = f(*a);
    }
}

/// out = f(a, b), lane by lane.
#[inline]
pub(super) fn map2(a: &[f64], b: &[f64], out: &mut [f64], f: impl Fn(f64, f64) -> f64) {
    for ((out, a), b) in out.iter_mut().zip(a).zip(b) {
        *out = f(*a, *b);
    }
}
