//! Vector arithmetic: one generic code, compiled for AVX-512, for AVX2 with FMA and for any machine, chosen at run time.
//!
//! A [`Vector`] is one register of numbers. Everything numerical is written once over `V: Vector`, marked
//! `#[inline(always)]`, and entered through [`dispatch`], whose three bodies carry the instruction sets:
//!
//! ```text
//! Kernel::run::<I: Isa>  ←  dispatch  ←  level()     (found once, from the processor)
//! ```
//!
//! The convention that would surprise: a function that is *not* inlined into a dispatched body is compiled for the
//! baseline machine, and each vector operation in it becomes a call. So every function from a `run` down to the
//! arithmetic is `#[inline(always)]`.

#![allow(
    unsafe_code,
    reason = "the trait's loads and stores go through pointers"
)]

#[cfg(target_arch = "x86_64")]
#[macro_use]
mod register;

mod avx2;
mod avx512;
mod columns;
mod exp;
mod portable;
mod real;
mod sincos;
mod slices;
mod sse2;
mod transpose;
mod two;

pub use columns::{inner_products, take_away};
pub use exp::{exp, expm1_parts};
pub use portable::Lanes;
pub use real::Real;
pub use sincos::{sin, sincos};
pub use slices::{add_products, add_scaled, cosines, exponentials, sines, sum_of_products};
pub use transpose::{reduce_rows, transpose};
pub use two::Two;

#[cfg(not(target_arch = "x86_64"))]
use portable::Baseline;
#[cfg(target_arch = "x86_64")]
use sse2::Baseline;
use std::sync::OnceLock;

/// One register of `LANES` numbers and the operations that the engine's formulas need.
///
/// Comparisons follow the x86 convention: `a.max(b)` is `b` when either is NaN.
pub trait Vector: Copy {
    /// The number in a lane.
    type Element: Real;
    /// How many numbers one register holds.
    const LANES: usize;

    /// Reads `LANES` consecutive numbers.
    ///
    /// # Safety
    /// `from` must be valid for reads of `LANES` elements.
    unsafe fn load(from: *const Self::Element) -> Self;
    /// Writes `LANES` consecutive numbers.
    ///
    /// # Safety
    /// `to` must be valid for writes of `LANES` elements.
    unsafe fn store(self, to: *mut Self::Element);
    /// The same number in every lane.
    fn splat(value: Self::Element) -> Self;
    /// `self + other`
    fn add(self, other: Self) -> Self;
    /// `self − other`
    fn sub(self, other: Self) -> Self;
    /// `self · other`
    fn mul(self, other: Self) -> Self;
    /// `self / other`
    fn div(self, other: Self) -> Self;
    /// `self · factor + term`, rounded once where the machine can.
    fn mul_add(self, factor: Self, term: Self) -> Self;
    /// `term − self · factor`, rounded once where the machine can.
    fn neg_mul_add(self, factor: Self, term: Self) -> Self;
    /// The larger of two; `other` when either is NaN.
    fn max(self, other: Self) -> Self;
    /// The smaller of two; `other` when either is NaN.
    fn min(self, other: Self) -> Self;
    /// √self
    fn sqrt(self) -> Self;
    /// The largest whole number that is not above.
    fn floor(self) -> Self;
    /// `self · 2ⁿ` for a whole-numbered `n`, right down to subnormal results.
    fn scale(self, n: Self) -> Self;
    /// The bit pattern moved left by `N` places.
    fn shift_left<const N: u32>(self) -> Self;
    /// Bitwise and.
    fn and(self, other: Self) -> Self;
    /// Bitwise exclusive or.
    fn xor(self, other: Self) -> Self;
    /// `negative` where the sign bit of `self` is set, `positive` elsewhere.
    fn select_by_sign(self, negative: Self, positive: Self) -> Self;
    /// `then` where `self > bound`, `otherwise` elsewhere (also for NaN).
    fn select_above(self, bound: Self, then: Self, otherwise: Self) -> Self;
    /// Whether every lane is at most `bound` (a NaN is not).
    fn all_at_most(self, bound: Self) -> bool;
    /// The sum of all lanes, in a fixed order.
    fn sum(self) -> Self::Element;
    /// Interleaves: `(a₀ b₀ a₁ b₁ …)` and its second half.
    fn zip(self, other: Self) -> (Self, Self);
    /// `f` of both numbers of each lane, one lane after the other: for functions that have no vector code.
    fn lanewise(
        self,
        other: Self,
        f: impl Fn(Self::Element, Self::Element) -> Self::Element,
    ) -> Self;

    /// Zero in every lane.
    #[inline(always)]
    fn zero() -> Self {
        Self::splat(Self::Element::ZERO)
    }
    /// A constant of the formulas in every lane.
    #[inline(always)]
    fn constant(value: f64) -> Self {
        Self::splat(Self::Element::from_f64(value))
    }
    /// |self|
    #[inline(always)]
    fn abs(self) -> Self {
        self.max(Self::zero().sub(self))
    }
}

/// An instruction set: which register holds f32, which f64.
pub trait Isa: Copy + 'static {
    /// Register of f32.
    type F32: Vector<Element = f32>;
    /// Register of f64.
    type F64: Vector<Element = f64>;
    /// Rows of a product that fit the registers beside two columns of vectors (see `engine::cpu::product`).
    const ROWS: usize;
}

/// A computation that can be compiled for any instruction set.
pub trait Kernel {
    /// What it returns.
    type Output;
    /// The computation; mark it `#[inline(always)]`.
    fn run<I: Isa>(self) -> Self::Output;
}

/// What the processor offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// 512-bit registers.
    Avx512,
    /// 256-bit registers with fused multiply-add.
    Avx2,
    /// What the compiler's baseline has.
    Portable,
}

impl Level {
    /// Every level that this processor can run, best first.
    pub fn available() -> Vec<Self> {
        let mut levels = Vec::new();
        #[cfg(target_arch = "x86_64")]
        {
            if avx512::detected() {
                levels.push(Self::Avx512);
            }
            if avx2::detected() {
                levels.push(Self::Avx2);
            }
        }
        levels.push(Self::Portable);
        levels
    }
}

/// The best level of this processor, or the one named by `RAFNET_SIMD` (`avx512`, `avx2`, `portable`) if it can run it.
pub fn level() -> Level {
    static LEVEL: OnceLock<Level> = OnceLock::new();
    *LEVEL.get_or_init(|| {
        let available = Level::available();
        let wanted = match std::env::var("RAFNET_SIMD").as_deref() {
            Ok("avx2") => Level::Avx2,
            Ok("portable") => Level::Portable,
            _ => Level::Avx512,
        };
        if available.contains(&wanted) {
            wanted
        } else {
            available[0]
        }
    })
}

/// Runs a kernel compiled for the best instruction set here.
#[inline]
pub fn dispatch<K: Kernel>(kernel: K) -> K::Output {
    dispatch_at(level(), kernel)
}

/// Runs a kernel compiled for a given level.
///
/// # Panics
/// If this processor lacks the level: levels come from [`level`] or [`Level::available`].
#[inline]
pub fn dispatch_at<K: Kernel>(level: Level, kernel: K) -> K::Output {
    match level {
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => avx512::run(kernel),
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => avx2::run(kernel),
        _ => kernel.run::<Baseline>(),
    }
}
