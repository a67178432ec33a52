//! The exponential of a register.
//!
//! ```text
//! n = ⌊x / ln 2⌉      r = x − n ln 2 (in two parts), |r| ≤ ln 2 / 2      eˣ = 2ⁿ (1 + r + r² E(r))
//! ```
//!
//! E is a near-minimax polynomial (Chebyshev interpolation in 60-digit arithmetic). Overflow gives infinity, underflow
//! goes through subnormal numbers to zero, NaN stays NaN.
//! Error where the result is a normal number: at most 1.1 ulp, in f32 (every number: 1.072) and in f64 (0.99 in 70,000),
//! enforced by `tests/library/accuracy.rs`.

use super::sincos::polynomial;
use super::{Real, Vector};

struct Constants {
    low: f64,
    high: f64,
    magic: f64,
    ln2: [f64; 2],
    tail: &'static [f64],
}

const F32: Constants = Constants {
    low: -105.0,
    high: 90.0,
    magic: 12_582_912.0,
    ln2: [0.693_145_751_953_125, 1.428_606_765_330_187e-6], // 15 bits, then the rest
    tail: &[
        0.5,
        0.166_665_733_819_008_45,
        0.041_666_550_110_305_12,
        0.008_363_773_874_405_574,
        0.001_392_692_661_402_190_7,
    ],
};

const F64: Constants = Constants {
    low: -746.0,
    high: 710.0,
    magic: 6_755_399_441_055_744.0,
    ln2: [0.693_147_180_369_123_8, 1.908_214_929_270_587_7e-10], // 33 bits, then the rest
    tail: &[
        0.500_000_000_000_000_1,
        0.166_666_666_666_666_69,
        0.041_666_666_666_620_64,
        0.008_333_333_333_329_793,
        0.001_388_888_891_893_916_8,
        0.000_198_412_698_643_805_13,
        2.480_151_864_139_599_3e-5,
        2.755_726_641_861_23e-6,
        2.762_133_866_914_292_5e-7,
        2.510_134_692_835_034e-8,
    ],
};

/// n and eʳ − 1 with eˣ = 2ⁿ (1 + (eʳ − 1)): what both eˣ and eˣ − 1 are put together from.
#[inline(always)]
pub fn expm1_parts<V: Vector>(x: V) -> (V, V) {
    let c = if V::Element::FRACTION_BITS == 23 {
        &F32
    } else {
        &F64
    };
    let x = V::constant(c.low).max(x); // a NaN stays: `max` returns its argument then
    let x = V::constant(c.high).min(x);
    let magic = V::constant(c.magic);
    let n = x
        .mul_add(V::constant(std::f64::consts::LOG2_E), magic)
        .sub(magic);
    let r = n.neg_mul_add(V::constant(c.ln2[0]), x);
    let r = n.neg_mul_add(V::constant(c.ln2[1]), r);
    (n, polynomial::<V>(c.tail, r).mul(r).mul_add(r, r))
}

/// eˣ
#[inline(always)]
pub fn exp<V: Vector>(x: V) -> V {
    let (n, p) = expm1_parts(x);
    p.add(V::constant(1.0)).scale(n)
}
