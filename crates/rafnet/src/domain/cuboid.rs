//! Boxes: intervals, rectangles and their like in any dimension.
//!
//! ```text
//! Ω = { x : a_k < x_k < b_k },     |Ω| = Π (b_k − a_k),     ℓ(x) = max_k max(a_k − x_k, x_k − b_k)
//! ```
//! Points on a face carry its coordinate exactly, and normals are exact unit vectors. The cube is mapped by scaling.

use super::error::DomainError;
use super::factor::FactorTerm;
use super::piece::{Face, Piece};
use super::rule::{Rule, gauss_legendre};
use super::shape::{Placed, Shape};
use super::wedge::{Wedge, wedges};
use crate::expr::larger;
use std::sync::Arc;

/// A box, one interval a coordinate. (The word `box` is taken in Rust.)
///
/// ```
/// use rafnet::domain::{Cuboid, Shape};
/// let brick = Cuboid::new(vec![[0.0, 2.0], [0.0, 3.0], [-1.0, 1.0]])?;
/// assert_eq!(brick.measure(), 12.0);
/// assert_eq!(brick.level(&[0.5, 1.0, 0.0]), -0.5);
/// # Ok::<(), rafnet::domain::DomainError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Cuboid {
    bounds: Vec<[f64; 2]>,
}

impl Cuboid {
    /// The box with these [low, high], one pair a coordinate.
    ///
    /// # Errors
    ///
    /// [`DomainError::NoCoordinates`] without any, [`DomainError::EmptyBox`] unless all are finite with low < high.
    pub fn new(bounds: Vec<[f64; 2]>) -> Result<Self, DomainError> {
        if bounds.is_empty() {
            return Err(DomainError::NoCoordinates { shape: "box" });
        }
        for (axis, &[low, high]) in bounds.iter().enumerate() {
            if !(high - low).is_finite() || low >= high {
                return Err(DomainError::EmptyBox { axis, low, high });
            }
        }
        Ok(Self { bounds })
    }

    /// A box already known to be one: around a shape that was checked.
    pub(super) fn around(bounds: Vec<[f64; 2]>) -> Self {
        Self { bounds }
    }

    /// [low, high] of each coordinate.
    pub fn intervals(&self) -> &[[f64; 2]] {
        &self.bounds
    }

    /// The length of the diagonal.
    pub fn diagonal(&self) -> f64 {
        self.bounds
            .iter()
            .map(|[low, high]| (high - low).powi(2))
            .sum::<f64>()
            .sqrt()
    }

    fn face_measure(&self, axis: usize) -> f64 {
        let others = self.bounds.iter().enumerate().filter(|&(k, _)| k != axis);
        others.map(|(_, [low, high])| high - low).product()
    }
}

/// low + u (high − low), strictly between the two: rounding may not move an interior point onto a face.
fn between(u: f64, [low, high]: [f64; 2]) -> f64 {
    (low + u * (high - low))
        .max(low.next_up())
        .min(high.next_down())
}

impl Shape for Cuboid {
    fn dimension(&self) -> usize {
        self.bounds.len()
    }

    fn level(&self, x: &[f64]) -> f64 {
        let sides = x
            .iter()
            .zip(&self.bounds)
            .map(|(x, [low, high])| (low - x).max(x - high));
        sides.fold(f64::NEG_INFINITY, larger)
    }

    fn description(&self) -> serde_json::Value {
        super::description::of_box(&self.bounds)
    }

    fn bounds(&self) -> Cuboid {
        self.clone()
    }

    fn measure(&self) -> f64 {
        self.bounds.iter().map(|[low, high]| high - low).product()
    }

    fn until(&self, axis: usize, last: f64) -> Result<Option<Arc<dyn Shape>>, DomainError> {
        let mut intervals = self.intervals().to_vec();
        if let Some(interval) = intervals.get_mut(axis) {
            interval[1] = last;
        }
        Ok(Some(Arc::new(Self::new(intervals)?)))
    }

    fn wedges(&self) -> Vec<Wedge> {
        let [[left, right], [bottom, top]] = self.intervals()[..] else {
            return Vec::new();
        };
        wedges(&[[left, bottom], [right, bottom], [right, top], [left, top]])
    }

    fn rules(&self, along: usize) -> Option<Vec<Rule>> {
        Some(vec![gauss_legendre(along); self.dimension()])
    }

    fn rules_on(&self, _: Face, along: usize) -> Option<Vec<Rule>> {
        Some(vec![gauss_legendre(along); self.dimension() - 1])
    }

    fn numbers(&self) -> usize {
        self.dimension()
    }

    fn place(&self, u: &[f64], x: &mut [f64]) -> Placed {
        for ((x, &u), &bounds) in x.iter_mut().zip(u).zip(&self.bounds) {
            *x = between(u, bounds);
        }
        Placed::Kept
    }

    fn as_box(&self) -> Option<&[[f64; 2]]> {
        Some(&self.bounds)
    }

    fn pieces(&self) -> Vec<Piece> {
        let faces = self
            .bounds
            .iter()
            .enumerate()
            .flat_map(|(axis, &[low, high])| {
                [
                    (axis, Face::Low { axis, at: low }),
                    (axis, Face::High { axis, at: high }),
                ]
            });
        let dimension = self.dimension() - 1;
        faces
            .map(|(axis, face)| Piece::plain(face, self.face_measure(axis), dimension, dimension))
            .collect()
    }

    fn place_on(
        &self,
        _: &[usize],
        face: Face,
        u: &[f64],
        x: &mut [f64],
        normal: &mut [f64],
    ) -> Placed {
        let (fixed, at, outward) = match face {
            Face::Low { axis, at } => (axis, at, -1.0),
            Face::High { axis, at } => (axis, at, 1.0),
            _ => return Placed::Missed,
        };
        let mut numbers = u.iter();
        for (axis, &bounds) in self.bounds.iter().enumerate() {
            (x[axis], normal[axis]) = if axis == fixed {
                (at, outward)
            } else {
                (numbers.next().map_or(at, |&u| between(u, bounds)), 0.0)
            };
        }
        Placed::Kept
    }

    fn factor_term(&self, _: &[usize], face: Face) -> Option<FactorTerm> {
        match face {
            Face::Low { axis, at } => Some(FactorTerm::Above { axis, at }),
            Face::High { axis, at } => Some(FactorTerm::Below { axis, at }),
            _ => None,
        }
    }

    fn as_cuboid(&self) -> Option<Cuboid> {
        Some(self.clone())
    }

    fn grid_lines(&self) -> Option<Vec<Vec<f64>>> {
        Some(self.bounds.iter().map(|bounds| bounds.to_vec()).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_boxes_are_refused() {
        let message = |bounds| Cuboid::new(bounds).expect_err("an empty box").to_string();
        assert_eq!(
            message(vec![]),
            "the box has no coordinates; give at least one"
        );
        let rule = "and must be finite with low < high";
        for (bounds, text) in [
            ([1.0, 1.0], "[1, 1]"),
            ([2.0, 1.0], "[2, 1]"),
            ([0.0, f64::NAN], "[0, NaN]"),
            ([f64::NEG_INFINITY, 0.0], "[-inf, 0]"),
        ] {
            let expected = format!("the box is empty along axis 2: its bounds are {text}, {rule}");
            assert_eq!(message(vec![[0.0, 1.0], bounds]), expected);
        }
    }

    #[test]
    fn rounding_does_not_reach_a_face() {
        let far = Cuboid::new(vec![[1e16, 1e16 + 4.0]]).expect("a box of two steps");
        let mut x = [0.0];
        for u in [1e-9, 0.5, 1.0 - 1e-9] {
            assert_eq!(far.place(&[u], &mut x), Placed::Kept);
            assert_eq!(x[0].to_bits(), (1e16f64 + 2.0).to_bits());
        }
    }

    #[test]
    fn faces_of_other_shapes_are_missed() {
        let interval = Cuboid::new(vec![[0.0, 1.0]]).expect("an interval");
        assert_eq!(
            interval.place_on(&[], Face::Inner, &[], &mut [0.0], &mut [0.0]),
            Placed::Missed
        );
        assert_eq!(interval.factor_term(&[], Face::Inner), None);
    }
}
