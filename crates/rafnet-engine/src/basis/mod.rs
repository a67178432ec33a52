//! Basis functions: scalar functions γ with their first three derivatives, one a file.
//!
//! A PDE residual needs γ′ and γ″; its gradient by the reverse sweep needs γ‴. Each file states
//!
//! ```text
//! tower(y) = [γ(y), γ′(y), γ″(y), γ‴(y)]
//! ```
//!
//! over a register of numbers, so that one `sincos` or one `exp` serves all four, and what nobody reads costs nothing.
//! The tables of experiments and the derivative formulas are checked against differences and reference values in
//! `tests/library/basis.rs`, the rounding errors in `tests/library/accuracy.rs`.

mod cosine;
mod exp2;
mod floor;
mod function;
mod gaussian;
mod identity;
pub mod rational;
mod relu;
mod relu3;
mod root;
mod sine;
mod square;
mod step;
mod tanh;
mod text;

pub(crate) use function::{Function, Visitor};
pub use text::{MOST_NAMES, Text, TextError};

use crate::simd::{Isa, Kernel, Lanes, Real, Vector, dispatch};

/// A basis function, by its name in files and on the command line.
///
/// ```
/// use rafnet::basis::Basis;
/// let square: Basis = "x2".parse()?;
/// assert_eq!(square.derivatives(3.0f64), [9.0, 6.0, 2.0, 0.0]);
/// # Ok::<(), rafnet::basis::UnknownBasis>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Basis {
    /// `x`: y
    Identity,
    /// `x2`: y²
    Square,
    /// `sin`: sin y
    Sine,
    /// `cos`: cos y
    Cosine,
    /// `gauss`: exp(−y²); with y = x/(√2 s) the bump exp(−x²/2s²) of width s
    Gaussian,
    /// `relu`: max(0, y)
    Relu,
    /// `relu3`: max(0, y)³
    Relu3,
    /// `tanh`: tanh y
    Tanh,
    /// `rational`: a cubic over a quadratic polynomial with coefficients of its own
    Rational,
    /// `root`: √(y² + 1); ε·√((x/ε)² + 1) is √(x² + ε²)
    Root,
    /// `floor`: ⌊y⌋
    Floor,
    /// `exp2`: 2^y
    Exp2,
    /// `step`: 1 for y ≥ 0, else 0
    Step,
    /// Any text in x, with names that are trained
    Text(Text),
}

/// What is no basis function.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum UnknownBasis {
    /// A name that nobody knows.
    #[error(
        "unknown basis `{name}`; known: x, x2, sin, cos, gauss, relu, relu3, tanh, rational, root, floor, exp2, step, or a text in x \
         such as a*sin(b*x)"
    )]
    Name {
        /// What was asked for.
        name: String,
    },
    /// A text that cannot be used.
    #[error(transparent)]
    Text(#[from] TextError),
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
    /// Every basis function that has a name.
    pub const ALL: [Self; 13] = [
        Self::Identity,
        Self::Square,
        Self::Sine,
        Self::Cosine,
        Self::Gaussian,
        Self::Relu,
        Self::Relu3,
        Self::Tanh,
        Self::Rational,
        Self::Root,
        Self::Floor,
        Self::Exp2,
        Self::Step,
    ];

    /// Its name in files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Identity => "x",
            Self::Square => "x2",
            Self::Sine => "sin",
            Self::Cosine => "cos",
            Self::Gaussian => "gauss",
            Self::Relu => "relu",
            Self::Relu3 => "relu3",
            Self::Tanh => "tanh",
            Self::Rational => "rational",
            Self::Root => "root",
            Self::Floor => "floor",
            Self::Exp2 => "exp2",
            Self::Step => "step",
            Self::Text(text) => text.name(),
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

    /// Whether it or its slope decays to almost nothing: arithmetic there ends in subnormal numbers.
    pub fn has_tail(self) -> bool {
        matches!(
            self,
            Self::Gaussian | Self::Tanh | Self::Exp2 | Self::Text(_)
        )
    }

    /// Where its own coefficients start.
    pub fn shape_start(self) -> Vec<f64> {
        match self {
            Self::Rational => rational::initial::<f64>().to_vec(),
            Self::Text(text) => text.start().to_vec(),
            _ => Vec::new(),
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
