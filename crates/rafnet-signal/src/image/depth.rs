//! The bits of a sample, and the way from steps to numbers and back.
//!
//! ```text
//! step s of 0 … m    u = s / m ∈ [0, 1]       target v = (u − ½) / ½ ∈ [−1, 1]
//! back               p = clip(v/2 + ½, 0, 1)  s = ⌊p m + ½⌋
//! ```
//! Targets are computed in f32, operation by operation, as image libraries for training do; a step survives the way
//! there and back (tested for every step of both depths).

/// Bits of a sample.
///
/// ```
/// use rafnet_signal::image::Depth;
/// assert_eq!(Depth::Eight.to_target(255), 1.0);
/// assert_eq!(Depth::Sixteen.quantise(1.7), 65535);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Depth {
    /// 8 bits, steps 0 … 255.
    Eight,
    /// 16 bits, steps 0 … 65,535.
    Sixteen,
}

impl Depth {
    /// The largest step.
    pub fn max(self) -> u16 {
        match self {
            Self::Eight => 255,
            Self::Sixteen => 65_535,
        }
    }

    /// A step as a number in [0, 1].
    pub fn to_unit(self, step: u16) -> f32 {
        f32::from(step) / f32::from(self.max())
    }

    /// A step as a target in [−1, 1].
    pub fn to_target(self, step: u16) -> f32 {
        unit_to_target(self.to_unit(step))
    }

    /// The step nearest to a target; values beyond [−1, 1] go to the ends, NaN to 0.
    pub fn quantise(self, target: f64) -> u16 {
        self.quantise_unit(target / 2.0 + 0.5)
    }

    /// The step nearest to a number in [0, 1]; values beyond go to the ends, NaN to 0.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "clamped to 0 … max before the cast"
    )]
    pub fn quantise_unit(self, unit: f64) -> u16 {
        (unit.clamp(0.0, 1.0) * f64::from(self.max()) + 0.5).floor() as u16
    }
}

/// (u − ½) / ½ in f32.
pub(crate) fn unit_to_target(unit: f32) -> f32 {
    (unit - 0.5) / 0.5
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_step_survives_the_way_to_a_target_and_back() {
        for depth in [Depth::Eight, Depth::Sixteen] {
            for step in 0..=depth.max() {
                assert_eq!(depth.quantise(f64::from(depth.to_target(step))), step);
                assert_eq!(depth.quantise_unit(f64::from(depth.to_unit(step))), step);
            }
        }
    }

    #[test]
    fn beyond_the_ends_is_clamped() {
        assert_eq!(Depth::Eight.quantise(f64::INFINITY), 255);
        assert_eq!(Depth::Eight.quantise(f64::NEG_INFINITY), 0);
        assert_eq!(Depth::Eight.quantise(f64::NAN), 0);
    }
}
