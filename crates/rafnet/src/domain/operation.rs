//! How shapes are combined: by minima and maxima of their levels.
//!
//! ```text
//! ℓ(A ∪ B) = min(ℓ_A, ℓ_B)      ℓ(A ∩ B) = max(ℓ_A, ℓ_B)      ℓ(A \ B) = max(ℓ_A, −ℓ_B)
//! ```

use super::cuboid::Cuboid;
use super::shape::Shape;
use crate::expr::{larger, smaller};
use std::fmt;
use std::sync::Arc;

/// How parts are combined.
///
/// ```
/// assert_eq!(rafnet::domain::Operation::Union.to_string(), "union");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Operation {
    /// What lies in any part.
    Union,
    /// What lies in the first part and in no other.
    Difference,
    /// What lies in every part.
    Intersection,
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Union => "union",
            Self::Difference => "difference",
            Self::Intersection => "intersection",
        })
    }
}

impl Operation {
    /// Every one.
    pub(crate) const ALL: [Self; 3] = [Self::Union, Self::Difference, Self::Intersection];

    /// The operation of that name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        let mut all = Self::ALL.into_iter();
        all.find(|operation| operation.to_string() == name)
    }

    /// The level of the whole from those of the parts, in order.
    pub(super) fn level(self, levels: impl Iterator<Item = f64>) -> f64 {
        match self {
            Self::Union => levels.fold(f64::INFINITY, smaller),
            Self::Intersection => levels.fold(f64::NEG_INFINITY, larger),
            Self::Difference => levels
                .enumerate()
                .map(|(part, level)| if part == 0 { level } else { -level })
                .fold(f64::NEG_INFINITY, larger),
        }
    }

    /// A box around the combination; `None` when the boxes of the parts already show that it is empty.
    pub(super) fn bounds(self, parts: &[Arc<dyn Shape>]) -> Option<Cuboid> {
        let mut bounds = parts[0].bounds().intervals().to_vec();
        for part in &parts[1..] {
            for (mine, theirs) in bounds.iter_mut().zip(part.bounds().intervals()) {
                *mine = match self {
                    Self::Union => [mine[0].min(theirs[0]), mine[1].max(theirs[1])],
                    Self::Intersection => [mine[0].max(theirs[0]), mine[1].min(theirs[1])],
                    Self::Difference => *mine,
                };
            }
        }
        Cuboid::new(bounds).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_those_of_set_theory() {
        let level = |operation: Operation, levels: &[f64]| operation.level(levels.iter().copied());
        for (levels, [union, difference, intersection]) in [
            ([-2.0, 1.0, 3.0], [-2.0, -1.0, 3.0]),
            ([-2.0, -1.0, 3.0], [-2.0, 1.0, 3.0]),
            ([2.0, 1.0, -3.0], [-3.0, 3.0, 2.0]),
        ] {
            assert_eq!(
                level(Operation::Union, &levels).to_bits(),
                f64::to_bits(union)
            );
            assert_eq!(
                level(Operation::Difference, &levels).to_bits(),
                f64::to_bits(difference)
            );
            assert_eq!(
                level(Operation::Intersection, &levels).to_bits(),
                f64::to_bits(intersection)
            );
        }
    }

    /// A point whose level in one part is no number is in no combination.
    #[test]
    fn a_level_that_is_no_number_is_kept() {
        for operation in [
            Operation::Union,
            Operation::Difference,
            Operation::Intersection,
        ] {
            for levels in [[f64::NAN, -1.0], [-1.0, f64::NAN]] {
                assert!(operation.level(levels.into_iter()).is_nan(), "{levels:?}");
            }
        }
    }
}
