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
//! `tests/basis.rs`, the rounding errors in `tests/accuracy.rs`.

mod cosine;
mod exp2;
mod floor;
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
}

/// A name that is no basis function.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "unknown basis `{name}`; known: x, x2, sin, cos, gauss, relu, relu3, tanh, rational, root, floor, exp2, step"
)]
pub struct UnknownBasis {
    /// What was asked for.
    pub name: String,
}

impl std::str::FromStr for Basis {
    type Err = UnknownBasis;
    fn from_str(name: &str) -> Result<Self, UnknownBasis> {
        Self::ALL
            .into_iter()
            .find(|b| b.name() == name)
            .ok_or_else(|| UnknownBasis {
                name: name.to_owned(),
            })
    }
}

impl std::fmt::Display for Basis {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

impl Basis {
    /// Every basis function.
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
    pub const fn name(self) -> &'static str {
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
        }
    }

    /// How many coefficients of its own it has: seven for the rational function, none for the others.
    pub const fn shape_len(self) -> usize {
        if matches!(self, Self::Rational) {
            rational::COEFFICIENTS
        } else {
            0
        }
    }

    /// [γ, γ′, γ″, γ‴] over a register; `shape` holds the function's own coefficients.
    #[inline(always)]
    pub fn tower<V: Vector>(self, y: V, shape: &[V::Element]) -> [V; 4] {
        match self {
            Self::Identity => identity::tower(y),
            Self::Square => square::tower(y),
            Self::Sine => sine::tower(y),
            Self::Cosine => cosine::tower(y),
            Self::Gaussian => gaussian::tower(y),
            Self::Relu => relu::tower(y),
            Self::Relu3 => relu3::tower(y),
            Self::Tanh => tanh::tower(y),
            Self::Rational => rational::tower(y, shape),
            Self::Root => root::tower(y),
            Self::Floor => floor::tower(y),
            Self::Exp2 => exp2::tower(y),
            Self::Step => step::tower(y),
        }
    }

    /// [γ, γ′, γ″, γ‴] at one point (the rational function with its initial coefficients).
    pub fn derivatives<T: Real>(self, y: T) -> [T; 4]
    where
        Lanes<T, 1>: Vector<Element = T>,
    {
        self.tower(Lanes([y]), &rational::initial::<T>())
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
        dispatch(Slice {
            basis: self,
            y,
            out,
        });
    }
}

/// The tower over a slice; the tail goes through a padded register, so that every element meets the same code.
struct Slice<'a, T> {
    basis: Basis,
    y: &'a [T],
    out: [&'a mut [T]; 4],
}

#[allow(unsafe_code, reason = "vector loads and stores at checked places")]
impl<T: Real> Kernel for Slice<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run<I: Isa>(mut self) {
        let shape = rational::initial::<T>();
        let lanes = T::Register::<I>::LANES;
        for start in (0..self.y.len()).step_by(lanes) {
            let n = lanes.min(self.y.len() - start);
            let mut chunk = [T::ZERO; 16];
            chunk[..n].copy_from_slice(&self.y[start..start + n]);
            // SAFETY: a register has at most 16 lanes.
            let tower = self
                .basis
                .tower(unsafe { T::Register::<I>::load(chunk.as_ptr()) }, &shape);
            for (out, value) in self.out.iter_mut().zip(tower) {
                // SAFETY: as above.
                unsafe { value.store(chunk.as_mut_ptr()) };
                out[start..start + n].copy_from_slice(&chunk[..n]);
            }
        }
    }
}
