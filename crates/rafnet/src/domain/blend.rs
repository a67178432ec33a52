//! Blends: with which weight the values on a face enter a lift.
//!
//! Along an axis [a, b] with both ends chosen the weights are (b − x)/(b − a) and (x − a)/(b − a), which are exactly 0 and 1
//! at the ends, in floating point too; with one end chosen the weight is 1. See [`super::lift`].

/// An end of an axis.
///
/// ```
/// use rafnet::domain::{Cuboid, End, Lift};
/// let interval = Cuboid::new(vec![[0.0, 2.0]])?;
/// let lift = Lift::new(&interval, &[(0, End::Low)])?;
/// assert_eq!(lift.value(&[1.5], |_, x| 7.0 + x[0]), 7.0);
/// # Ok::<(), rafnet::domain::DomainError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// The lower bound.
    Low,
    /// The upper bound.
    High,
}

/// The weight with which a face's values enter along its axis: linear, exactly 0 and 1 at the ends.
///
/// ```
/// use rafnet::domain::Blend;
/// let blend = Blend::Rising { low: 1.0, high: 3.0 };
/// assert_eq!((blend.value(1.0), blend.value(1.5), blend.slope()), (0.0, 0.25, 0.5));
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Blend {
    /// 1.
    One,
    /// (high − x)/(high − low).
    Falling {
        /// Where it is 1.
        low: f64,
        /// Where it is 0.
        high: f64,
    },
    /// (x − low)/(high − low).
    Rising {
        /// Where it is 0.
        low: f64,
        /// Where it is 1.
        high: f64,
    },
}

impl Blend {
    /// The weight at the axis's coordinate.
    pub fn value(self, x: f64) -> f64 {
        match self {
            Self::One => 1.0,
            Self::Falling { low, high } => (high - x) / (high - low),
            Self::Rising { low, high } => (x - low) / (high - low),
        }
    }

    /// Its derivative.
    pub fn slope(self) -> f64 {
        match self {
            Self::One => 0.0,
            Self::Falling { low, high } => -1.0 / (high - low),
            Self::Rising { low, high } => 1.0 / (high - low),
        }
    }
}

/// A coordinate fixed to a face, with the weight that comes with it.
///
/// ```
/// use rafnet::domain::{Cuboid, End, Lift};
/// let interval = Cuboid::new(vec![[0.0, 2.0]])?;
/// let lift = Lift::new(&interval, &[(0, End::High)])?;
/// let clamp = lift.terms()[0].clamps[0];
/// assert_eq!((clamp.axis, clamp.end, clamp.at), (0, End::High, 2.0));
/// # Ok::<(), rafnet::domain::DomainError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Clamp {
    /// The axis, from 0.
    pub axis: usize,
    /// Which end.
    pub end: End,
    /// The coordinate there.
    pub at: f64,
    /// The weight along this axis.
    pub blend: Blend,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Awkward ends: neither their difference nor its inverse is a short binary fraction.
    #[test]
    fn ends_are_met_to_the_bit() {
        let (low, high) = (0.1, 0.7);
        for (blend, at_low, at_high) in [
            (Blend::Falling { low, high }, 1.0, 0.0),
            (Blend::Rising { low, high }, 0.0, 1.0),
            (Blend::One, 1.0, 1.0),
        ] {
            assert_eq!(blend.value(low).to_bits(), f64::to_bits(at_low));
            assert_eq!(blend.value(high).to_bits(), f64::to_bits(at_high));
            assert!((blend.slope() * (high - low) - (at_high - at_low)).abs() < 1e-15);
        }
    }
}
