//! Sine, cosine and exponential of many numbers, and sums of products number by number, a register at a time.

use super::{Isa, Kernel, Vector, dispatch, exp, sincos};

/// Which function.
#[derive(Clone, Copy)]
enum Of {
    Sine,
    Cosine,
    Exponential,
}

/// It at every number.
struct Map<'a> {
    of: Of,
    x: &'a [f64],
    out: &'a mut [f64],
}

impl Of {
    #[inline(always)]
    fn at<V: Vector>(self, x: V) -> V {
        match self {
            Self::Sine => sincos(x).0,
            Self::Cosine => sincos(x).1,
            Self::Exponential => exp(x),
        }
    }
}

impl Kernel for Map<'_> {
    type Output = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        match self.of {
            Of::Sine => map::<I>(Of::Sine, self.x, self.out),
            Of::Cosine => map::<I>(Of::Cosine, self.x, self.out),
            Of::Exponential => map::<I>(Of::Exponential, self.x, self.out),
        }
    }
}

#[inline(always)]
fn map<I: Isa>(of: Of, x: &[f64], out: &mut [f64]) {
    let lanes = I::F64::LANES;
    let whole = x.len() / lanes * lanes;
    let (x, rest) = x.split_at(whole);
    let (out, rest_out) = out.split_at_mut(whole);
    for (x, out) in x.chunks_exact(lanes).zip(out.chunks_exact_mut(lanes)) {
        // SAFETY: both chunks are one register long.
        unsafe { of.at(I::F64::load(x.as_ptr())).store(out.as_mut_ptr()) };
    }
    for (x, out) in rest.iter().zip(rest_out) {
        // a register of equal numbers
        *out = of.at(I::F64::splat(*x)).sum() / lanes as f64;
    }
}

/// out = sin x
///
/// # Panics
/// If the lengths differ, as all three.
pub fn sines(x: &[f64], out: &mut [f64]) {
    assert_eq!(x.len(), out.len(), "as many answers as numbers");
    dispatch(Map {
        of: Of::Sine,
        x,
        out,
    });
}

/// out = cos x
pub fn cosines(x: &[f64], out: &mut [f64]) {
    assert_eq!(x.len(), out.len(), "as many answers as numbers");
    dispatch(Map {
        of: Of::Cosine,
        x,
        out,
    });
}

/// out = eˣ
pub fn exponentials(x: &[f64], out: &mut [f64]) {
    assert_eq!(x.len(), out.len(), "as many answers as numbers");
    dispatch(Map {
        of: Of::Exponential,
        x,
        out,
    });
}

/// Numbers that stay in the first-level cache while several terms are added to them.
const CHUNK: usize = 512;

struct AddScaled<'a> {
    to: &'a mut [f64],
    factor: f64,
    x: &'a [f64],
}

struct AddProducts<'a> {
    to: &'a mut [f64],
    x: &'a [f64],
    y: &'a [f64],
}

struct SumOfProducts<'a> {
    to: &'a mut [f64],
    terms: &'a [(f64, usize, usize)],
    x: &'a [Vec<f64>],
    y: &'a [Vec<f64>],
}

// Plain loops: the compiler makes registers of them in a body that has the instruction set. It never fuses a product with a sum, so the
// bits are those of any machine.

impl Kernel for AddScaled<'_> {
    type Output = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        for (to, x) in self.to.iter_mut().zip(self.x) {
            *to += self.factor * x;
        }
    }
}

impl Kernel for AddProducts<'_> {
    type Output = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        for ((to, x), y) in self.to.iter_mut().zip(self.x).zip(self.y) {
            *to += x * y;
        }
    }
}

impl Kernel for SumOfProducts<'_> {
    type Output = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        let mut from = 0;
        for to in self.to.chunks_mut(CHUNK) {
            let part = from..from + to.len();
            from = part.end;
            to.fill(0.0);
            for &(factor, x, y) in self.terms {
                let pairs = self.x[x][part.clone()].iter().zip(&self.y[y][part.clone()]);
                for (to, (x, y)) in to.iter_mut().zip(pairs) {
                    *to += factor * x * y;
                }
            }
        }
    }
}

/// to ← to + a x
///
/// # Panics
/// If the lengths differ, as all three.
pub fn add_scaled(to: &mut [f64], factor: f64, x: &[f64]) {
    assert_eq!(to.len(), x.len(), "as many sums as numbers");
    dispatch(AddScaled { to, factor, x });
}

/// to ← to + x y, number by number
pub fn add_products(to: &mut [f64], x: &[f64], y: &[f64]) {
    assert_eq!([x.len(); 2], [to.len(), y.len()], "as many sums as numbers");
    dispatch(AddProducts { to, x, y });
}

/// to ← Σ a x_i y_j, number by number, over terms (a, i, j)
pub fn sum_of_products(
    to: &mut [f64],
    terms: &[(f64, usize, usize)],
    x: &[Vec<f64>],
    y: &[Vec<f64>],
) {
    let fits = |(_, i, j): &(f64, usize, usize)| [x[*i].len(), y[*j].len()] == [to.len(); 2];
    assert!(terms.iter().all(fits), "as many sums as numbers");
    dispatch(SumOfProducts { to, terms, x, y });
}

#[cfg(test)]
mod tests {
    use super::{add_products, add_scaled, cosines, exponentials, sines, sum_of_products};

    /// The same bits as one number after the other, for every length around a register's and around a chunk.
    #[test]
    fn sums_have_the_bits_of_plain_loops() {
        for n in (0..20).chain(508..516) {
            let column = |k: usize| -> Vec<f64> {
                (0..n).map(|i| ((i * 7 + k * 13) as f64).sin()).collect()
            };
            let (x, y): (Vec<_>, Vec<_>) = (0..3).map(|k| (column(k), column(k + 3))).unzip();
            let terms = [(1.0, 0, 2), (-0.3, 1, 1), (1.7, 2, 0)];
            let mut found = vec![f64::NAN; n];
            sum_of_products(&mut found, &terms, &x, &y);
            let mut expected = vec![0.0; n];
            for (a, k, l) in terms {
                for i in 0..n {
                    expected[i] += a * x[k][i] * y[l][i];
                }
            }
            assert_eq!(found, expected);
            add_scaled(&mut found, 0.1, &x[1]);
            add_products(&mut found, &x[0], &y[0]);
            for i in 0..n {
                expected[i] += 0.1 * x[1][i];
                expected[i] += x[0][i] * y[0][i];
            }
            assert_eq!(found, expected);
        }
    }

    /// Every length around a register's, against the standard library.
    #[test]
    fn every_length() {
        for n in 0..20 {
            let x: Vec<f64> = (0..n).map(|i| 0.7 * f64::from(i) - 5.0).collect();
            let mut out = vec![0.0; x.len()];
            for (map, of) in [
                (sines as fn(&[f64], &mut [f64]), f64::sin as fn(f64) -> f64),
                (cosines, f64::cos),
                (exponentials, f64::exp),
            ] {
                map(&x, &mut out);
                for (x, out) in x.iter().zip(&out) {
                    let expected = of(*x);
                    assert!((out - expected).abs() <= 4.0 * f64::EPSILON * expected.abs());
                }
            }
        }
    }
}
