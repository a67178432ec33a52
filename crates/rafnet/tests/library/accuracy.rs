//! Rounding errors of sine, cosine, exponential and of every basis function with its derivatives, at every instruction
//! set that this processor has, over the whole range of arguments; and what happens to NaN, infinities, −0 and subnormals.
//!
//! The reference is double-double arithmetic (about 31 digits) written here. An error is counted in units in the last place
//! (ulp) of the exact result; where terms cancel (γ″ of the Gaussian, say) in ulp of the sum of their absolute values.
//! [`ROWS`] is the statement, the tests enforce it; the bounds of sine, cosine and exponential stand in their modules too.
#![allow(
    unsafe_code,
    reason = "registers are loaded and stored through pointers"
)]
#![allow(
    clippy::float_cmp,
    clippy::print_stdout,
    reason = "what is exact is compared exactly; RAFNET_SHOW prints the measured errors"
)]

use rafnet::basis::{Basis, rational};
use rafnet::expr::larger;
use rafnet::simd::{Isa, Kernel, Level, Real, Vector, dispatch_at, exp, sincos};

/// What is stated of a function.
struct Row {
    basis: Basis,
    /// Largest errors in ulp of (γ, γ′, γ″, γ‴), for f32 and f64. What is exact is 0; a correctly rounded operation is 0.5.
    bounds: [f64; 4],
    /// Where it and the squares and cubes on its way stay finite, for f32 and for f64.
    range: [f64; 2],
    /// Its tower in double-double arithmetic.
    exact: fn(Dd) -> [Exact; 4],
}

const fn row(basis: Basis, bounds: [f64; 4], range: [f64; 2], exact: fn(Dd) -> [Exact; 4]) -> Row {
    Row {
        basis,
        bounds,
        range,
        exact,
    }
}

const EVERYWHERE: [f64; 2] = [3e38, 1e308];
const SQUARED: [f64; 2] = [1e18, 1e150];
const TURNED: [f64; 2] = [32_768.0, 1_048_576.0];

/// A row for each function that has a name.
static ROWS: &[Row] = &[
    row(Basis::Identity, [0.0; 4], EVERYWHERE, identity),
    row(Basis::Square, [0.5, 0.0, 0.0, 0.0], SQUARED, square),
    row(Basis::Sine, [1.5; 4], TURNED, sine),
    row(Basis::Cosine, [1.5; 4], TURNED, cosine),
    // on top of these comes what the rounding of y² does to the exponential: y² ulp at most, see `more`
    row(Basis::Gaussian, [1.0, 1.5, 1.0, 2.0], [9.3, 26.6], gaussian),
    row(Basis::Relu, [0.0; 4], EVERYWHERE, relu),
    row(Basis::Relu3, [1.5, 1.5, 0.5, 0.0], [1e12, 1e100], relu3),
    row(Basis::Tanh, [3.5, 5.0, 8.0, 5.5], [43.0, 350.0], tanh),
    // 1/Q³ is formed, and must not vanish
    row(Basis::Rational, [4.0, 3.0, 3.0, 4.0], [1e6, 1e50], |v| {
        rational_tower(v, &rational::initial())
    }),
    row(Basis::Root, [1.0, 2.5, 6.0, 10.5], SQUARED, root),
    row(Basis::Floor, [0.0; 4], EVERYWHERE, floor),
    row(Basis::Exp2, [1.5, 2.0, 3.0, 4.0], [124.0, 1020.0], exp2),
    row(Basis::Step, [0.0; 4], EVERYWHERE, step),
];

fn row_of(basis: Basis) -> &'static Row {
    match ROWS.iter().find(|row| row.basis == basis) {
        Some(row) => row,
        None => panic!("`{basis}` has no row in ROWS, tests/library/accuracy.rs"),
    }
}

/// (sine and cosine, exponential) in f32 and f64: what `simd/sincos.rs` and `simd/exp.rs` say.
const SINCOS: [f64; 2] = [1.5, 1.5];
const EXP: [f64; 2] = [1.1, 1.1];

/// An unevaluated sum of two f64.
#[derive(Clone, Copy, Debug)]
struct Dd(f64, f64);

impl Dd {
    const LN_2: [f64; 3] = [
        std::f64::consts::LN_2,
        2.319_046_813_846_299_6e-17,
        5.707_708_438_416_212e-34,
    ];
    const HALF_PI: [f64; 3] = [
        std::f64::consts::FRAC_PI_2,
        6.123_233_995_736_766e-17,
        -1.497_384_904_859_169_8e-33,
    ];

    fn of(value: f64) -> Self {
        Self(value, 0.0)
    }
    fn two_sum(a: f64, b: f64) -> Self {
        let s = a + b;
        let t = s - a;
        Self(s, (a - (s - t)) + (b - t))
    }
    fn two_product(a: f64, b: f64) -> Self {
        let p = a * b;
        Self(p, a.mul_add(b, -p))
    }
    fn add(self, other: Self) -> Self {
        let s = Self::two_sum(self.0, other.0);
        let t = Self::two_sum(self.1, other.1);
        let s = Self::two_sum(s.0, s.1 + t.0);
        Self::two_sum(s.0, s.1 + t.1)
    }
    fn neg(self) -> Self {
        Self(-self.0, -self.1)
    }
    fn mul(self, other: Self) -> Self {
        let p = Self::two_product(self.0, other.0);
        Self::two_sum(p.0, p.1 + (self.0 * other.1 + self.1 * other.0))
    }
    fn times(self, factor: f64) -> Self {
        self.mul(Self::of(factor))
    }
    fn div(self, other: Self) -> Self {
        let q = self.0 / other.0;
        let rest = self.add(other.times(q).neg());
        let q2 = rest.0 / other.0;
        let rest = rest.add(other.times(q2).neg());
        Self::two_sum(q, q2).add(Self::of(rest.0 / other.0))
    }
    fn sqrt(self) -> Self {
        let root = self.0.sqrt();
        let rest = self.add(Self::two_product(root, root).neg());
        Self::two_sum(root, rest.0 / (2.0 * root))
    }
    /// self − n·(parts)
    fn reduce(self, n: f64, parts: [f64; 3]) -> Self {
        parts
            .into_iter()
            .fold(self, |r, part| r.add(Self::two_product(n, part).neg()))
    }
    /// Σ rᵏ/k! over k = first, first + step, … with alternating signs if `sign` is −1.
    fn series(self, first: i32, step: i32, sign: f64) -> Self {
        let mut term = Self::of(1.0);
        let mut sum = Self::of(0.0);
        for k in 0..40 {
            if k >= first && (k - first) % step == 0 {
                let flip = sign.powi((k - first) / step);
                sum = sum.add(term.times(flip));
            }
            term = term.mul(self).div(Self::of(f64::from(k + 1)));
        }
        sum
    }
    /// (eˣ scaled by 2⁻ⁿ, n): apart, so that no result is lost to underflow.
    fn exp_parts(self) -> (Self, f64) {
        let n = (self.0 / Self::LN_2[0]).round();
        (self.reduce(n, Self::LN_2).series(0, 1, 1.0), n)
    }
    fn exp(self) -> Self {
        let (e, n) = self.exp_parts();
        // two steps reach the subnormal numbers without a factor that is one
        let half = (n / 2.0).floor();
        let scale = |v: f64| v * 2f64.powf(half) * 2f64.powf(n - half);
        Self(scale(e.0), scale(e.1))
    }
    fn sin_cos(self) -> (Self, Self) {
        let n = (self.0 / Self::HALF_PI[0]).round();
        let r = self.reduce(n, Self::HALF_PI);
        let (s, c) = (r.series(1, 2, -1.0), r.series(0, 2, -1.0));
        match n.rem_euclid(4.0) {
            0.0 => (s, c),
            1.0 => (c, s.neg()),
            2.0 => (s.neg(), c.neg()),
            _ => (c.neg(), s),
        }
    }
}

/// An exact result, and the sum of the absolute values of its terms.
type Exact = (Dd, f64);

fn single(v: Dd) -> Exact {
    (v, v.0.abs())
}

fn scaled((v, size): Exact, by: Dd) -> Exact {
    (v.mul(by), size * by.0.abs())
}

fn sum(a: Dd, b: Dd) -> Exact {
    (a.add(b), a.0.abs() + b.0.abs())
}

/// A tower of numbers without cancellation.
fn singles(tower: [Dd; 4]) -> [Exact; 4] {
    tower.map(single)
}

const ZERO: Dd = Dd(0.0, 0.0);
const ONE: Dd = Dd(1.0, 0.0);

fn identity(v: Dd) -> [Exact; 4] {
    singles([v, ONE, ZERO, ZERO])
}

fn square(v: Dd) -> [Exact; 4] {
    singles([v.mul(v), v.times(2.0), Dd::of(2.0), ZERO])
}

fn sine(v: Dd) -> [Exact; 4] {
    let (s, c) = v.sin_cos();
    singles([s, c, s.neg(), c.neg()])
}

fn cosine(v: Dd) -> [Exact; 4] {
    let (s, c) = v.sin_cos();
    singles([c, s.neg(), c.neg(), s])
}

fn gaussian(v: Dd) -> [Exact; 4] {
    let square = v.mul(v);
    let g = square.neg().exp();
    [
        single(g),
        single(v.mul(g).times(-2.0)),
        scaled(sum(square.times(4.0), Dd::of(-2.0)), g),
        scaled(sum(Dd::of(12.0), square.times(-8.0)), v.mul(g)),
    ]
}

fn relu(v: Dd) -> [Exact; 4] {
    singles(if v.0 > 0.0 {
        [v, ONE, ZERO, ZERO]
    } else {
        [ZERO; 4]
    })
}

fn relu3(v: Dd) -> [Exact; 4] {
    let square = v.mul(v);
    singles(if v.0 > 0.0 {
        [square.mul(v), square.times(3.0), v.times(6.0), Dd::of(6.0)]
    } else {
        [ZERO; 4]
    })
}

fn root(v: Dd) -> [Exact; 4] {
    let h = v.mul(v).add(ONE).sqrt();
    let i = ONE.div(h);
    let cube = i.mul(i).mul(i);
    singles([h, v.mul(i), cube, v.times(-3.0).mul(cube).mul(i).mul(i)])
}

fn floor(v: Dd) -> [Exact; 4] {
    singles([Dd::of(v.0.floor()), ZERO, ZERO, ZERO])
}

fn exp2(v: Dd) -> [Exact; 4] {
    let ln2 = Dd(Dd::LN_2[0], Dd::LN_2[1]);
    let n = v.0.round();
    let p = Dd::of(v.0 - n).mul(ln2).exp();
    let half = (n / 2.0).floor();
    let scale = |v: f64| v * 2f64.powf(half) * 2f64.powf(n - half);
    let p = Dd(scale(p.0), scale(p.1));
    let first = p.mul(ln2);
    let second = first.mul(ln2);
    singles([p, first, second, second.mul(ln2)])
}

fn step(v: Dd) -> [Exact; 4] {
    singles([if v.0 >= 0.0 { ONE } else { ZERO }, ZERO, ZERO, ZERO])
}

fn tanh(v: Dd) -> [Exact; 4] {
    let size = if v.0 < 0.0 { v.neg() } else { v };
    let e = size.times(-2.0).exp();
    let below = Dd::of(1.0).add(e);
    let t = if size.0 < 1e-4 {
        // y − y³/3 + 2y⁵/15 − 17y⁷/315: the next term is below 1e-33 relative
        let square = v.mul(v);
        let third = Dd::of(-1.0).div(Dd::of(3.0));
        let inner = Dd::of(-17.0 / 315.0)
            .mul(square)
            .add(Dd::of(2.0).div(Dd::of(15.0)));
        v.mul(inner.mul(square).add(third).mul(square).add(Dd::of(1.0)))
    } else {
        let t = Dd::of(1.0).add(e.neg()).div(below);
        if v.0 < 0.0 { t.neg() } else { t }
    };
    let s = e.times(4.0).div(below).div(below);
    [
        single(t),
        single(s),
        single(t.mul(s).times(-2.0)),
        (
            Dd::of(4.0).add(s.times(-6.0)).mul(s),
            (4.0 + 6.0 * s.0) * s.0,
        ),
    ]
}

/// P/Q by the quotient rule; sizes by the same rule on absolute values.
fn rational_tower(v: Dd, c: &[f64; 7]) -> [Exact; 4] {
    let at = |c: &[f64], v: Dd| {
        c.iter()
            .rev()
            .fold(Dd::of(0.0), |s, &c| s.mul(v).add(Dd::of(c)))
    };
    let [p0, p1, p2, p3, q0, q1, q2] = *c;
    let tops = [
        vec![p0, p1, p2, p3],
        vec![p1, 2.0 * p2, 3.0 * p3],
        vec![2.0 * p2, 6.0 * p3],
        vec![6.0 * p3],
    ];
    let bottoms = [vec![q0, q1, q2], vec![q1, 2.0 * q2], vec![2.0 * q2]];
    let p: Vec<Dd> = tops.iter().map(|c| at(c, v)).collect();
    let q: Vec<Dd> = bottoms.iter().map(|c| at(c, v)).collect();
    // (γQ)⁽ᵏ⁾ = P⁽ᵏ⁾: γ⁽ᵏ⁾Q = P⁽ᵏ⁾ − kγ⁽ᵏ⁻¹⁾Q′ − k(k−1)/2 γ⁽ᵏ⁻²⁾Q″
    let absolute = |c: &[f64]| {
        let c: Vec<f64> = c.iter().map(|c| c.abs()).collect();
        at(&c, Dd::of(v.0.abs())).0
    };
    let (p_size, q_size): (Vec<f64>, Vec<f64>) = (
        tops.iter().map(|c| absolute(c)).collect(),
        bottoms.iter().map(|c| absolute(c)).collect(),
    );
    let mut tower: Vec<Exact> = Vec::new();
    for k in 0..4usize {
        let (mut value, mut size) = (p[k], p_size[k]);
        for (j, factor) in [(1, k as f64), (2, (k * k.saturating_sub(1)) as f64 / 2.0)] {
            if j <= k {
                value = value.add(tower[k - j].0.mul(q[j]).times(-factor));
                size += tower[k - j].1 * q_size[j] * factor;
            }
        }
        tower.push((value.div(q[0]), size / q[0].0));
    }
    [tower[0], tower[1], tower[2], tower[3]]
}

/// A tower, or sine and cosine, or the exponential, over a list at one level.
struct Towers<'a, T> {
    basis: Basis,
    y: &'a [T],
}
struct Elementary<'a, T> {
    y: &'a [T],
}

impl<T: Real> Kernel for Towers<'_, T> {
    type Output = Vec<[T; 4]>;
    #[inline(always)]
    fn run<I: Isa>(self) -> Vec<[T; 4]> {
        let shape = rational::initial::<T>();
        let lanes = T::Register::<I>::LANES;
        let mut out = Vec::with_capacity(self.y.len());
        for chunk in self.y.chunks_exact(lanes) {
            let mut towers = [[T::ZERO; 16]; 4];
            // SAFETY: the chunk and the arrays hold a register's lanes.
            unsafe {
                let tower = self
                    .basis
                    .tower::<_, 3>(T::Register::<I>::load(chunk.as_ptr()), &shape);
                for (to, v) in towers.iter_mut().zip(tower) {
                    v.store(to.as_mut_ptr());
                }
            }
            out.extend((0..lanes).map(|l| towers.map(|t| t[l])));
        }
        out
    }
}

impl<T: Real> Kernel for Elementary<'_, T> {
    type Output = Vec<[T; 3]>;
    #[inline(always)]
    fn run<I: Isa>(self) -> Vec<[T; 3]> {
        let lanes = T::Register::<I>::LANES;
        let mut out = Vec::with_capacity(self.y.len());
        for chunk in self.y.chunks_exact(lanes) {
            let mut all = [[T::ZERO; 16]; 3];
            // SAFETY: as above.
            unsafe {
                let y = T::Register::<I>::load(chunk.as_ptr());
                let (s, c) = sincos(y);
                for (to, v) in all.iter_mut().zip([s, c, exp(y)]) {
                    v.store(to.as_mut_ptr());
                }
            }
            out.extend((0..lanes).map(|l| all.map(|t| t[l])));
        }
        out
    }
}

/// The distance between neighbouring numbers of `T` at a value.
fn ulp<T: Real>(value: f64) -> f64 {
    let (bits, least) = if T::FRACTION_BITS == 23 {
        (23, -126)
    } else {
        (52, -1022)
    };
    let exponent = if value == 0.0 {
        least
    } else {
        #[allow(clippy::cast_possible_truncation, reason = "exponents are small")]
        let e = value.abs().log2().floor() as i32;
        e.max(least)
    };
    2f64.powf(f64::from(exponent - bits)) // `powi` would go through 1/∞
}

/// An error in ulp of the sum of absolute values; subtracting the two parts one by one keeps digits beyond f64.
fn error<T: Real>(found: T, exact: Exact) -> f64 {
    let difference = (found.to_f64() - exact.0.0) - exact.0.1;
    difference.abs() / ulp::<T>(exact.1)
}

fn real<T: Real>(values: impl Iterator<Item = f64>) -> Vec<T> {
    let mut all: Vec<T> = values.map(T::from_f64).collect();
    all.truncate(all.len() / 16 * 16);
    all
}

/// Dense where functions bend, every magnitude, and the neighbourhood of multiples of π/2, where sine or cosine is tiny.
fn arguments<T: Real>(most: f64) -> Vec<T> {
    let dense = (0..30_000).map(|k| (f64::from(k) - 15_000.0) / 15_000.0 * most.min(12.0));
    let least: f64 = if T::FRACTION_BITS == 23 {
        1e-44
    } else {
        1e-320
    };
    let span = (most / least).log10();
    let magnitudes = (0..20_000).map(|k| {
        let size = least * 10f64.powf(span * f64::from(k) / 20_000.0);
        if k % 2 == 0 { size } else { -size }
    });
    let turns = (0..20_000).map(|k| {
        let n = (f64::from(k) * most * std::f64::consts::FRAC_2_PI / 20_000.0).floor();
        n * std::f64::consts::FRAC_PI_2
    });
    real(
        dense
            .chain(magnitudes)
            .chain(turns)
            .filter(|y| y.abs() <= most),
    )
}

fn precision<T: Real>() -> usize {
    usize::from(T::FRACTION_BITS == 52)
}

/// The largest errors of sine, cosine and exponential.
fn elementary<T: Real>() {
    let limit = if T::FRACTION_BITS == 23 {
        32_768.0
    } else {
        1_048_576.0
    };
    let (low, high) = if T::FRACTION_BITS == 23 {
        (-87.3, 88.7)
    } else {
        (-708.3, 709.7)
    };
    let y = arguments::<T>(limit);
    let exact: Vec<[Dd; 3]> = y
        .iter()
        .map(|y| {
            let v = y.to_f64();
            let (s, c) = Dd::of(v).sin_cos();
            [s, c, Dd::of(v.clamp(low, high)).exp()]
        })
        .collect();
    for level in Level::available() {
        let mut worst = [0.0f64; 3];
        for ((found, exact), y) in dispatch_at(level, Elementary { y: &y })
            .iter()
            .zip(&exact)
            .zip(&y)
        {
            for k in 0..3 {
                if k == 2 && !(low..high).contains(&y.to_f64()) {
                    continue;
                }
                worst[k] = larger(worst[k], error(found[k], single(exact[k])));
            }
        }
        let at = precision::<T>();
        for (name, worst, bound) in [
            ("sin", worst[0], SINCOS[at]),
            ("cos", worst[1], SINCOS[at]),
            ("exp", worst[2], EXP[at]),
        ] {
            report::<T>(name, level, worst, bound);
        }
    }
}

#[track_caller]
fn report<T: Real>(name: &str, level: Level, worst: f64, bound: f64) {
    if std::env::var_os("RAFNET_SHOW").is_some() {
        println!(
            "{name} {} {level:?}: {worst:.3} ulp, bound {bound}",
            T::NAME
        );
        return;
    }
    assert!(
        worst <= bound,
        "{name} in {} at {level:?}: {worst:.3} ulp, above the {bound} that is stated",
        T::NAME
    );
}

#[test]
fn sine_cosine_and_exponential() {
    elementary::<f32>();
    elementary::<f64>();
}

/// Every f32 whose sine and cosine the vector code computes (beyond 2⁻¹² in size; below, sin x is x and cos x is 1 to the
/// ulp), and every f32 whose exponential is a normal number, against the standard library in f64.
#[test]
#[ignore = "half a minute: all numbers of f32"]
fn every_single_precision_number() {
    let level = Level::available()[0];
    let mut worst = [0.0f64; 3];
    let (first, last) = ((1.0f32 / 4096.0).to_bits(), 32_768.0f32.to_bits());
    let mut y: Vec<f32> = Vec::with_capacity(1 << 16);
    for start in (first..=last).step_by(1 << 15) {
        y.clear();
        let bits = start..(start + (1 << 15)).min(last + 1);
        y.extend(bits.flat_map(|b| [f32::from_bits(b), -f32::from_bits(b)]));
        y.resize(y.len().next_multiple_of(16), 1.0);
        for (found, &y) in dispatch_at(level, Elementary { y: &y }).iter().zip(&y) {
            let (s, c) = f64::from(y).sin_cos();
            worst[0] = larger(worst[0], error(found[0], single(Dd::of(s))));
            worst[1] = larger(worst[1], error(found[1], single(Dd::of(c))));
            if (-87.3..88.7).contains(&y) {
                let e = f64::from(y).exp();
                worst[2] = larger(worst[2], error(found[2], single(Dd::of(e))));
            }
        }
    }
    for (name, worst, bound) in [
        ("every sin", worst[0], SINCOS[0]),
        ("every cos", worst[1], SINCOS[0]),
        ("every exp", worst[2], EXP[0]),
    ] {
        report::<f32>(name, level, worst, bound);
    }
}

/// y² is rounded before the exponential sees it: half an ulp of y² is up to y²·ε/2 relative, up to y² ulp of the result.
fn more(basis: Basis, y: f64) -> f64 {
    if basis == Basis::Gaussian { y * y } else { 0.0 }
}

fn towers<T: Real>() {
    for basis in Basis::ALL {
        let row = row_of(basis);
        let y = arguments::<T>(row.range[precision::<T>()]);
        let shape = rational::initial::<T>().map(Real::to_f64);
        let exact: Vec<[Exact; 4]> = y
            .iter()
            .map(|y| match basis {
                // with the coefficients as this precision holds them
                Basis::Rational => rational_tower(Dd::of(y.to_f64()), &shape),
                _ => (row.exact)(Dd::of(y.to_f64())),
            })
            .collect();
        for level in Level::available() {
            let mut worst = [0.0f64; 4];
            let found = dispatch_at(level, Towers { basis, y: &y });
            for ((found, exact), y) in found.iter().zip(&exact).zip(&y) {
                for k in 0..4 {
                    // results that are not normal numbers are looked at in `the_ends_of_the_range`
                    if exact[k].1 != 0.0 && exact[k].1 < smallest::<T>() {
                        continue;
                    }
                    let error = error(found[k], exact[k]);
                    worst[k] = larger(worst[k], error - more(basis, y.to_f64()));
                }
            }
            for (k, (worst, bound)) in worst.into_iter().zip(row.bounds).enumerate() {
                report::<T>(&format!("{basis}, derivative {k},"), level, worst, bound);
            }
        }
    }
}

fn smallest<T: Real>() -> f64 {
    if T::FRACTION_BITS == 23 {
        f64::from(f32::MIN_POSITIVE) * 4.0
    } else {
        f64::MIN_POSITIVE * 4.0
    }
}

#[test]
fn basis_functions_and_their_derivatives_f32() {
    towers::<f32>();
}

#[test]
fn basis_functions_and_their_derivatives_f64() {
    towers::<f64>();
}

fn at<T: Real>(level: Level, basis: Basis, y: f64) -> [f64; 4] {
    // the other lanes are ordinary, so that one lane's trouble must not reach its neighbours
    let mut list = vec![T::from_f64(0.5); 16];
    list[3] = T::from_f64(y);
    let all = dispatch_at(level, Towers { basis, y: &list });
    let (ordinary, found) = (all[2].map(Real::to_f64), all[3].map(Real::to_f64));
    let alone = dispatch_at(
        level,
        Towers {
            basis,
            y: &[T::from_f64(0.5); 16],
        },
    );
    for (a, b) in alone[0].map(Real::to_f64).into_iter().zip(ordinary) {
        assert!(
            (a - b).abs() <= 2.0 * T::EPSILON * b.abs(),
            "{basis} beside {y}: {b}, alone {a}"
        );
    }
    found
}

fn ends<T: Real>() {
    for level in Level::available() {
        let of = |basis, y| at::<T>(level, basis, y);
        for basis in Basis::ALL {
            if basis != Basis::Step {
                assert!(of(basis, f64::NAN)[0].is_nan(), "{basis}(NaN) at {level:?}");
            }
            let tiny = if T::FRACTION_BITS == 23 {
                1e-44
            } else {
                5e-324
            };
            for y in [0.0, -0.0, tiny, -tiny] {
                assert!(
                    of(basis, y).iter().all(|v| v.is_finite()),
                    "{basis}({y}) at {level:?}"
                );
            }
        }
        for odd in [Basis::Identity, Basis::Sine, Basis::Tanh] {
            // the sign of zero is kept but by the sine in f32, whose reduction adds +0
            let zero = of(odd, -0.0)[0];
            assert!(zero == 0.0, "{odd}(−0) is {zero} at {level:?}");
            assert!(
                odd == Basis::Sine || zero.is_sign_negative(),
                "{odd}(−0) at {level:?}"
            );
            let tiny = T::from_f64(if T::FRACTION_BITS == 23 {
                1e-40
            } else {
                1e-310
            })
            .to_f64();
            let found = of(odd, tiny)[0];
            assert!(
                (found - tiny).abs() <= ulp::<T>(tiny),
                "{odd}({tiny:e}) is {found:e} at {level:?}"
            );
        }
        for y in [f64::INFINITY, f64::NEG_INFINITY] {
            assert!(of(Basis::Sine, y)[0].is_nan() && of(Basis::Cosine, y)[0].is_nan());
            assert_eq!(
                of(Basis::Tanh, y),
                [y.signum(), 0.0, -0.0 * y.signum(), 0.0]
            );
            assert_eq!(of(Basis::Gaussian, y)[0], 0.0);
            assert_eq!(of(Basis::Relu, y)[0], y.max(0.0));
            assert_eq!(of(Basis::Step, y)[0], if y > 0.0 { 1.0 } else { 0.0 });
            assert_eq!(
                of(Basis::Exp2, y)[0],
                if y > 0.0 { f64::INFINITY } else { 0.0 }
            );
        }
        // far out in the Gaussian's tail nothing is left, and nothing is NaN although y² overflows
        let far = if T::FRACTION_BITS == 23 { 1e20 } else { 1e200 };
        for y in [far, -far, 40.0, -40.0] {
            assert_eq!(
                of(Basis::Gaussian, y).map(f64::abs),
                [0.0; 4],
                "at {y}, {level:?}"
            );
        }
        // beyond the vector code's range the standard library answers
        for y in [1e6, -3e9, 1e15, 1.5e38] {
            let y = T::from_f64(y).to_f64();
            let (s, c) = T::from_f64(y).sincos_std();
            assert_eq!(
                of(Basis::Sine, y)[0].to_bits(),
                reference_beyond::<T>(y, s.to_f64(), 0).to_bits()
            );
            assert_eq!(
                of(Basis::Cosine, y)[0].to_bits(),
                reference_beyond::<T>(y, c.to_f64(), 1).to_bits()
            );
        }
        // whole powers of two are exact, and go down through the subnormal numbers
        let least = if T::FRACTION_BITS == 23 { -149 } else { -1074 };
        for n in [0, 1, -1, 10, -100, 127, -126, -140, -149, least] {
            assert_eq!(
                of(Basis::Exp2, f64::from(n))[0],
                2f64.powi(n / 2) * 2f64.powi(n - n / 2),
                "2^{n} at {level:?}"
            );
        }
        assert_eq!(of(Basis::Exp2, f64::from(least - 2))[0], 0.0);
    }
}

/// For f32 beyond the range: sine and cosine in f64, rounded; the library's f32 function must agree to its last place.
fn reference_beyond<T: Real>(y: f64, answer: f64, which: usize) -> f64 {
    if y.abs() <= 1_048_576.0 && T::FRACTION_BITS == 52 {
        // still inside the vector code's range: one ulp may differ, so the code's own answer is checked elsewhere
        return at::<T>(Level::Portable, [Basis::Sine, Basis::Cosine][which], y)[0];
    }
    if T::FRACTION_BITS == 23 {
        let exact = [y.sin(), y.cos()][which];
        assert!(
            (answer - exact).abs() <= ulp::<T>(exact),
            "the library's own answer at {y}"
        );
    }
    answer
}

#[test]
fn the_ends_of_the_range() {
    ends::<f32>();
    ends::<f64>();
}

/// eˣ where the result is subnormal, infinite or zero.
fn exponential_ends<T: Real>() {
    let (low, high, least) = if T::FRACTION_BITS == 23 {
        (-104.5, 89.5, 2f64.powi(-149))
    } else {
        (-746.0, 711.0, f64::from_bits(1))
    };
    let most = if T::FRACTION_BITS == 23 {
        f64::from(f32::MAX)
    } else {
        f64::MAX
    };
    let steps = (0..4000).map(|k| low + (high - low) * f64::from(k) / 4000.0);
    let special = [f64::INFINITY, f64::NEG_INFINITY, 1e30, -1e30, 0.0, -0.0];
    let y = real::<T>(special.into_iter().chain(steps));
    for level in Level::available() {
        for (found, y) in dispatch_at(level, Elementary { y: &y }).iter().zip(&y) {
            let (found, exact) = (found[2].to_f64(), y.to_f64().exp());
            let exact = if exact > most { f64::INFINITY } else { exact };
            let slack = 1.5 * ulp::<T>(exact).max(least);
            // right at the edge of overflow either answer is right to an ulp
            let edge = (y.to_f64() - most.ln()).abs() < 1e-4;
            assert!(
                found == exact || (found - exact).abs() <= slack || edge,
                "exp({y}) is {found:e}, expected {exact:e}, {level:?}"
            );
        }
    }
}

#[test]
fn exponential_overflows_and_underflows_gradually() {
    exponential_ends::<f32>();
    exponential_ends::<f64>();
}

/// `Basis::derivatives` and `derivatives_into` are the same function, whatever the length of the list.
#[test]
fn lists_of_any_length_meet_the_same_code() {
    let y: Vec<f64> = (0..37).map(|k| f64::from(k) * 0.3 - 5.0).collect();
    for basis in Basis::ALL {
        let mut whole = [(); 4].map(|()| vec![0.0; 37]);
        let [a, b, c, d] = &mut whole;
        basis.derivatives_into(&y, [a, b, c, d]);
        for n in [0, 1, 7, 8, 9, 36] {
            let mut part = [(); 4].map(|()| vec![0.0; n]);
            let [a, b, c, d] = &mut part;
            basis.derivatives_into(&y[..n], [a, b, c, d]);
            for (part, whole) in part.iter().zip(&whole) {
                assert_eq!(part[..], whole[..n], "{basis}, {n} numbers");
            }
        }
        for (i, &y) in y.iter().enumerate() {
            for (k, scalar) in basis.derivatives(y).into_iter().enumerate() {
                let size = (row_of(basis).exact)(Dd::of(y))[k].1;
                assert!(
                    (scalar - whole[k][i]).abs() <= 8.0 * f64::EPSILON * size * (1.0 + y * y),
                    "{basis}({y}), derivative {k}"
                );
            }
        }
    }
}
