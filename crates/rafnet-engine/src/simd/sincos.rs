//! Sine and cosine of a register.
//!
//! ```text
//! n = ⌊x · 2/π⌉        r = x − n·π/2  (π/2 in three parts)        |r| ≤ π/4
//! sin r = r + r³ S(r²)             cos r = 1 − r²/2 + r⁴ C(r²)
//! n odd swaps the two; bit 1 of n (of n + 1) is the sign of the sine (cosine)
//! ```
//!
//! S and C are near-minimax polynomials (Chebyshev interpolation in 60-digit arithmetic). n stands in the low bits of
//! x·2/π + 1.5·2^fraction, so no conversion to integers is needed. Beyond |x| = 2¹⁵ (f32) or 2²⁰ (f64), and for
//! infinities and NaN, the standard library answers lane by lane.
//! Error inside that range: at most 1.5 ulp, in f32 (every number: 1.495) and in f64 (1.36 in 70,000, those near multiples
//! of π/2 among them), enforced by `tests/library/accuracy.rs`. In f32 the sine of −0 is +0.

use super::{Real, Vector};

/// What sine and cosine need to know of their number type.
struct Constants {
    limit: f64,
    magic: f64,
    half_pi: [f64; 3],
    sine: &'static [f64],
    cosine: &'static [f64],
}

const F32: Constants = Constants {
    limit: 32_768.0,
    magic: 12_582_912.0, // 1.5 · 2²³
    half_pi: [
        1.570_796_370_506_286_6,
        -4.371_138_828_673_793e-8,
        -1.715_124_510_005_881_9e-15,
    ],
    sine: &[
        -0.166_666_645_399_896_12,
        0.008_332_724_732_630_293,
        -0.000_195_828_558_507_899_9,
    ],
    cosine: &[
        0.041_666_664_536_946_09,
        -0.001_388_827_944_964_953_8,
        2.454_289_633_694_463e-5,
    ],
};

// The first two parts of π/2 have 33 bits: their products with n ≤ 2²⁰ are exact without a fused operation too.
const F64: Constants = Constants {
    limit: 1_048_576.0,
    magic: 6_755_399_441_055_744.0, // 1.5 · 2⁵²
    half_pi: [
        1.570_796_326_734_125_6,
        6.077_100_506_303_966e-11,
        2.022_266_248_795_950_7e-21,
    ],
    sine: &[
        -0.166_666_666_666_666_66,
        0.008_333_333_333_330_7,
        -0.000_198_412_698_363_873_45,
        2.755_731_591_191_116e-6,
        -2.505_109_250_706_138_5e-8,
        1.591_532_321_227_14e-10,
    ],
    cosine: &[
        0.041_666_666_666_666_664,
        -0.001_388_888_888_888_724_1,
        2.480_158_729_853_345_6e-5,
        -2.755_731_715_246_704e-7,
        2.087_612_165_887_116e-9,
        -1.138_087_694_816_971_7e-11,
    ],
};

#[inline(always)]
const fn constants<T: Real>() -> &'static Constants {
    if T::FRACTION_BITS == 23 { &F32 } else { &F64 }
}

/// c₀ + c₁ t + c₂ t² + … by Horner's rule.
#[inline(always)]
pub(super) fn polynomial<V: Vector>(coefficients: &[f64], t: V) -> V {
    let last = coefficients.len() - 1;
    let mut sum = V::constant(coefficients[last]);
    for &c in coefficients[..last].iter().rev() {
        sum = sum.mul_add(t, V::constant(c));
    }
    sum
}

/// (sin x, cos x)
#[inline(always)]
pub fn sincos<V: Vector>(x: V) -> (V, V) {
    let c = constants::<V::Element>();
    if !x.abs().all_at_most(V::constant(c.limit)) {
        return beyond(x);
    }
    let magic = V::constant(c.magic);
    let tagged = x.mul_add(V::constant(std::f64::consts::FRAC_2_PI), magic); // n in the low bits
    let n = tagged.sub(magic);
    let r = n.neg_mul_add(V::constant(c.half_pi[0]), x);
    let r = n.neg_mul_add(V::constant(c.half_pi[1]), r);
    let r = n.neg_mul_add(V::constant(c.half_pi[2]), r);
    let t = r.mul(r);
    let sine = polynomial::<V>(c.sine, t).mul(t).mul_add(r, r);
    let cosine = polynomial::<V>(c.cosine, t)
        .mul_add(t, V::constant(-0.5))
        .mul_add(t, V::constant(1.0));
    // bit 0 of n moved to the sign bit, and bit 1
    let sign = V::constant(-0.0);
    let (odd, second) = if V::Element::FRACTION_BITS == 23 {
        (tagged.shift_left::<31>(), tagged.shift_left::<30>())
    } else {
        (tagged.shift_left::<63>(), tagged.shift_left::<62>())
    };
    let sin = odd.select_by_sign(cosine, sine).xor(second.and(sign));
    let cos = odd
        .select_by_sign(sine, cosine)
        .xor(second.xor(odd).and(sign));
    (sin, cos)
}

/// sin x
#[inline(always)]
pub fn sin<V: Vector>(x: V) -> V {
    sincos(x).0
}

/// Lane by lane by the standard library, for numbers too large for the reduction.
#[cold]
#[inline(never)]
fn beyond<V: Vector>(x: V) -> (V, V) {
    (
        x.lanewise(x, |x, _| x.sincos_std().0),
        x.lanewise(x, |x, _| x.sincos_std().1),
    )
}

#[cfg(test)]
mod tests {
    use super::super::Lanes;
    use super::{sin, sincos};

    /// However many lanes: each has its own sine.
    #[test]
    fn large_numbers_in_many_lanes() {
        let x: [f64; 64] = std::array::from_fn(|i| 1e9 + i as f64);
        let bits = |v: [f64; 64]| v.map(f64::to_bits);
        assert_eq!(bits(sin(Lanes(x)).0), bits(x.map(f64::sin)));
        let x: [f32; 33] = std::array::from_fn(|i| 1e9 + 1e4 * i as f32);
        let bits = |v: [f32; 33]| v.map(f32::to_bits);
        assert_eq!(bits(sincos(Lanes(x)).1.0), bits(x.map(f32::cos)));
    }
}
