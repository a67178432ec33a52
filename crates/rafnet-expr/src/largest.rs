//! The largest and the smallest of computed numbers: NaN where one of them is.
//!
//! `f64::max` and `f64::min` give the other number where one is NaN, so that the largest of errors that are no numbers is 0 and passes every
//! bound. Here nothing is dropped; comparisons with what comes out must be written so that NaN is the bad case.

/// The larger of two numbers; NaN where either is.
///
/// ```
/// use rafnet::expr::larger;
/// assert_eq!([1.0, 3.0, 2.0].into_iter().reduce(larger), Some(3.0));
/// assert!(larger(f64::NAN, 1.0).is_nan() && larger(1.0, f64::NAN).is_nan());
/// ```
#[inline]
pub fn larger(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() {
        f64::NAN
    } else {
        a.max(b)
    }
}

/// The smaller of two numbers; NaN where either is.
#[inline]
pub fn smaller(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() {
        f64::NAN
    } else {
        a.min(b)
    }
}

/// The largest of sizes, such as errors: 0 where there are none, NaN where one is.
///
/// ```
/// use rafnet::expr::largest;
/// assert_eq!(largest([0.5, 2.0]), 2.0);
/// assert!(largest([0.5, f64::NAN, 2.0]).is_nan());
/// ```
#[inline]
pub fn largest(sizes: impl IntoIterator<Item = f64>) -> f64 {
    sizes.into_iter().fold(0.0, larger)
}

#[cfg(test)]
mod tests {
    use super::{larger, largest, smaller};

    /// Wherever it stands, NaN comes out.
    #[test]
    fn nan_is_never_dropped() {
        for place in 0..4 {
            let mut values = [1.0, f64::INFINITY, 0.0, -2.0];
            values[place] = f64::NAN;
            assert!(largest(values).is_nan(), "{place}");
            for pick in [larger, smaller] {
                assert!(values.into_iter().reduce(pick).is_some_and(f64::is_nan));
            }
        }
    }

    /// Numbers that are numbers come out as from `f64::max` and `f64::min`.
    #[test]
    fn numbers_are_compared_as_ever() {
        let values = [0.0, 1.5, -3.0, f64::INFINITY, f64::NEG_INFINITY, 1e-310];
        for a in values {
            for b in values {
                assert_eq!(larger(a, b).to_bits(), a.max(b).to_bits());
                assert_eq!(smaller(a, b).to_bits(), a.min(b).to_bits());
            }
        }
        assert_eq!(largest([]).to_bits(), 0.0f64.to_bits());
    }
}
