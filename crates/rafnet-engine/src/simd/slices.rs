//! Sine, cosine and exponential of many numbers, a register at a time.

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

#[cfg(test)]
mod tests {
    use super::{cosines, exponentials, sines};

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
