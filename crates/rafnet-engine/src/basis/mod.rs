//! Basis functions: scalar functions γ with their first three derivatives, one a file.
//!
//! A PDE residual needs γ′ and γ″; its gradient by the reverse sweep needs γ‴. Each file states
//!
//! ```text
//! tower(y) = [γ(y), γ′(y), γ″(y), γ‴(y)]
//! ```
//!
//! over a register of numbers, so that one `sincos` or one `exp` serves all four, and what nobody reads costs nothing, and `HAS_TAIL`.
//! A function is a file and a line of the table below, by which it has its name, and its formula as a text in x: exported models, the
//! check of every device and cards without a kernel of its own take that.
//! The tables of experiments and the derivative formulas are checked against differences and reference values in
//! `tests/library/basis.rs`, the rounding errors in `tests/library/accuracy.rs`.

#[macro_use]
mod table;

mod function;
pub mod rational;
mod text;

pub(crate) use function::{Function, Visitor};
pub use text::{MOST_NAMES, Text, TextError};

use crate::simd::{Isa, Kernel, Lanes, Real, Vector, dispatch};
use rational::Rational;
use std::sync::LazyLock;

functions! {
    Identity  identity  "x"         = "x",
    Square    square    "x2"        = "x^2",
    Sine      sine      "sin"       = "sin(x)",
    Cosine    cosine    "cos"       = "cos(x)",
    /// with x → x/(√2 s) the bump exp(−x²/2s²) of width s
    Gaussian  gaussian  "gauss"     = "exp(-x^2)",
    Relu      relu      "relu"      = "max(0, x)",
    Relu3     relu3     "relu3"     = "max(0, x)^3",
    Tanh      tanh      "tanh"      = "tanh(x)",
    /// a cubic over a quadratic polynomial with coefficients of its own
    Rational  rational  "rational",
    /// ε·√((x/ε)² + 1) is √(x² + ε²)
    Root      root      "root"      = "sqrt(x^2 + 1)",
    Floor     floor     "floor"     = "floor(x)",
    Exp2      exp2      "exp2"      = "2^x",
    Step      step      "step"      = "where(x >= 0, 1, 0)",
}

/// What is no basis function.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum UnknownBasis {
    /// A name that nobody knows.
    #[error(
        "unknown basis `{name}`; known: {}, or a text in x such as a*sin(b*x)",
        names()
    )]
    Name {
        /// What was asked for.
        name: String,
    },
    /// A text that cannot be used.
    #[error(transparent)]
    Text(#[from] TextError),
}

fn names() -> String {
    Basis::ALL.map(Basis::name).join(", ")
}

impl std::str::FromStr for Basis {
    type Err = UnknownBasis;
    fn from_str(name: &str) -> Result<Self, UnknownBasis> {
        let known = Self::ALL.into_iter().find(|b| b.name() == name);
        match known {
            Some(basis) => Ok(basis),
            None if Text::is_meant(name) => Ok(Self::Text(name.parse()?)),
            None => Err(UnknownBasis::Name {
                name: name.to_owned(),
            }),
        }
    }
}

impl std::fmt::Display for Basis {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

impl Basis {
    /// Itself as the only basis function of a set.
    pub(crate) fn as_slice(&self) -> &'static [Self] {
        static ALL: &[Basis] = &Basis::ALL;
        match self {
            Self::Text(text) => text.as_basis(),
            named => ALL.chunks(1).find(|one| one[0] == *named).unwrap_or(&[]),
        }
    }

    /// How many coefficients of its own it has: seven for the rational function, a text's names, none for the others.
    pub fn shape_len(self) -> usize {
        match self {
            Self::Rational => rational::COEFFICIENTS,
            Self::Text(text) => text.names().len(),
            _ => 0,
        }
    }

    /// Whether every neuron has coefficients of its own: a text's names. The rational function's belong to the layer.
    pub fn shape_is_by_neuron(self) -> bool {
        matches!(self, Self::Text(_))
    }

    /// Where its own coefficients start.
    pub fn shape_start(self) -> Vec<f64> {
        match self {
            Self::Rational => rational::initial::<f64>().to_vec(),
            Self::Text(text) => text.start().to_vec(),
            _ => Vec::new(),
        }
    }

    /// The function as a text, for what needs its formula and not its speed; none of the rational function, whose coefficients belong to
    /// a layer.
    ///
    /// ```
    /// use rafnet::basis::Basis;
    /// assert_eq!(Basis::Root.as_text().map(|text| text.name()), Some("sqrt(x^2 + 1)"));
    /// ```
    pub fn as_text(self) -> Option<Text> {
        static TEXTS: LazyLock<Vec<(Basis, Text)>> = LazyLock::new(|| {
            let all = Basis::ALL.into_iter();
            all.filter_map(|b| Some((b, read(b, b.formula()?))))
                .collect()
        });
        match self {
            Self::Text(text) => Some(text),
            named => TEXTS.iter().find(|(b, _)| *b == named).map(|(_, t)| *t),
        }
    }

    /// [γ, γ′, γ″, γ‴] at one point (its own coefficients where they start).
    pub fn derivatives<T: Real>(self, y: T) -> [T; 4]
    where
        Lanes<T, 1>: Vector<Element = T>,
    {
        let shape = self.shape_start().into_iter().map(T::from_f64);
        self.tower::<_, 3>(Lanes([y]), &shape.collect::<Vec<T>>())
            .map(|v| v.0[0])
    }

    /// [γ, γ′, γ″, γ‴] at many points, vectorised; `out[k]` receives the k-th derivative.
    ///
    /// # Panics
    /// If the four outputs are not as long as `y`.
    pub fn derivatives_into<T: Real>(self, y: &[T], out: [&mut [T]; 4]) {
        assert!(
            out.iter().all(|o| o.len() == y.len()),
            "the outputs must be as long as the input"
        );
        let shape = self.shape_start().into_iter().map(T::from_f64);
        dispatch(Slice {
            basis: self,
            shape: &shape.collect::<Vec<T>>(),
            y,
            out,
        });
    }
}

/// The text of the table.
fn read(basis: Basis, formula: &str) -> Text {
    match formula.parse::<Text>() {
        Ok(text) if text.names().is_empty() => text,
        Ok(_) => panic!("the formula of `{basis}` is a text in x and has no other names"),
        Err(error) => panic!("the formula of `{basis}`: {error}"),
    }
}

/// The tower over a slice; the tail goes through a padded register, so that every element meets the same code.
struct Slice<'a, T> {
    basis: Basis,
    shape: &'a [T],
    y: &'a [T],
    out: [&'a mut [T]; 4],
}

#[allow(unsafe_code, reason = "vector loads and stores at checked places")]
impl<T: Real> Kernel for Slice<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run<I: Isa>(mut self) {
        let lanes = T::Register::<I>::LANES;
        for start in (0..self.y.len()).step_by(lanes) {
            let n = lanes.min(self.y.len() - start);
            let mut chunk = [T::ZERO; 16];
            chunk[..n].copy_from_slice(&self.y[start..start + n]);
            // SAFETY: a register has at most 16 lanes.
            let tower = self.basis.tower::<_, 3>(
                unsafe { T::Register::<I>::load(chunk.as_ptr()) },
                self.shape,
            );
            for (out, value) in self.out.iter_mut().zip(tower) {
                // SAFETY: as above.
                unsafe { value.store(chunk.as_mut_ptr()) };
                out[start..start + n].copy_from_slice(&chunk[..n]);
            }
        }
    }
}
