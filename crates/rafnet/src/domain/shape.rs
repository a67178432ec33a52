//! The contract of a shape: what every kind of domain answers.
//!
//! A shape is known by its *level*, a continuous function with
//! ```text
//! ℓ(x) < 0 inside,    ℓ(x) = 0 on the boundary,    ℓ(x) > 0 outside,
//! ```
//! measured in units of length: near the boundary |ℓ| is the distance to it, up to a factor √d at the corners of a
//! box. Unions, differences and intersections are minima and maxima of levels, so membership, tolerance and the
//! boundary of combined shapes all come from this one function.
//!
//! A shape is sampled by a *map of the unit cube that preserves measure*: equal volumes of the cube go to equal
//! volumes of the shape, so any equidistributed sequence in the cube gives equidistributed points in the shape. The
//! cube may have more axes than the shape ([`Shape::numbers`]). A shape without such a map may refuse some points of
//! the cube ([`Placed::Missed`]); the sampler then goes on to the next.

use super::cuboid::Cuboid;
use super::error::DomainError;
use super::factor::FactorTerm;
use super::piece::{Face, Piece};
use super::rule::Rule;
use super::wedge::Wedge;
use std::fmt::Debug;
use std::sync::Arc;

/// A map from the cube that a device can do by itself, without refusing any point.
#[derive(Debug, Clone, PartialEq)]
pub enum Uniform {
    /// To a box: [low, high] of each coordinate.
    Box(Vec<[f64; 2]>),
    /// To a spherical shell of two or three coordinates, by a radius and a direction.
    Shell {
        /// The centre.
        centre: Vec<f64>,
        /// The outer radius.
        outer: f64,
        /// The share of the ball that the hole has; 0 for a ball.
        q: f64,
    },
}

/// Whether a point of the unit cube has a place in the shape.
///
/// ```
/// use rafnet::domain::{Cuboid, Placed, Shape};
/// let interval = Cuboid::new(vec![[1.0, 3.0]])?;
/// let mut x = [0.0];
/// assert_eq!(interval.place(&[0.25], &mut x), Placed::Kept);
/// assert_eq!(x, [1.5]);
/// # Ok::<(), rafnet::domain::DomainError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Placed {
    /// The point was written.
    Kept,
    /// This point of the cube has no place in the shape; the output holds nothing of use.
    Missed,
}

/// A bounded region of space with a boundary made of named pieces.
///
/// To add a shape is to add a file that implements this; everything else (sampling, combination, time, factors)
/// follows from it. Slices have the lengths the methods state; other lengths are a mistake and may panic.
///
/// ```
/// use rafnet::domain::{Ball, Shape};
/// let disc = Ball::new(vec![0.0, 0.0], 2.0)?;
/// assert_eq!(disc.level(&[0.0, 5.0]), 3.0);
/// assert_eq!(disc.bounds().intervals(), [[-2.0, 2.0], [-2.0, 2.0]]);
/// # Ok::<(), rafnet::domain::DomainError>(())
/// ```
pub trait Shape: Debug + Send + Sync {
    /// The number d of coordinates.
    fn dimension(&self) -> usize;

    /// The level at x (d numbers): negative inside, zero on the boundary, positive outside.
    fn level(&self, x: &[f64]) -> f64;

    /// Whether x lies inside or at most `tolerance` outside: the level says so, some shapes say it faster.
    fn contains(&self, x: &[f64], tolerance: f64) -> bool {
        self.level(x) <= tolerance
    }

    /// The shape as JSON, which [`described`](super::described) reads; `null` for shapes that it does not know.
    fn description(&self) -> serde_json::Value {
        serde_json::Value::Null
    }

    /// The smallest box known to hold the shape.
    fn bounds(&self) -> Cuboid;

    /// Length, area or volume: in closed form where there is one, otherwise by a fixed quasi-random count.
    fn measure(&self) -> f64;

    /// How many numbers in (0, 1) one interior point takes.
    fn numbers(&self) -> usize;

    /// Maps a point u of the open unit cube into the shape, preserving measure.
    fn place(&self, u: &[f64], x: &mut [f64]) -> Placed;

    /// What [`place`](Self::place) does, if it is one of the maps that devices know.
    fn uniform(&self) -> Option<Uniform> {
        self.as_box().map(|bounds| Uniform::Box(bounds.to_vec()))
    }

    /// [low, high] of each coordinate, if it is a box.
    fn as_box(&self) -> Option<&[[f64; 2]]> {
        None
    }

    /// The pieces of the boundary, in a fixed order.
    fn pieces(&self) -> Vec<Piece>;

    /// Maps a point u of the open unit cube onto a piece, preserving measure, with the outward unit normal.
    ///
    /// `part` and `face` are those of one of [`Shape::pieces`].
    fn place_on(
        &self,
        part: &[usize],
        face: Face,
        u: &[f64],
        x: &mut [f64],
        normal: &mut [f64],
    ) -> Placed;

    /// A smooth function that vanishes on the piece and is positive in the rest of the shape, where one is known.
    fn factor_term(&self, part: &[usize], face: Face) -> Option<FactorTerm>;

    /// The corners of a plane shape with straight sides.
    fn wedges(&self) -> Vec<Wedge> {
        Vec::new()
    }

    /// The shape as a box, when it is one.
    fn as_cuboid(&self) -> Option<Cuboid> {
        None
    }

    /// For each number of [`Shape::place`] nodes and weights with about so many points, whose product integrates smooth functions over
    /// the shape; `None` where there is no such product.
    fn rules(&self, _along: usize) -> Option<Vec<Rule>> {
        None
    }

    /// The same for a face of a shape that is not combined, and [`Shape::place_on`].
    fn rules_on(&self, _face: Face, _along: usize) -> Option<Vec<Rule>> {
        None
    }

    /// The same shape where a coordinate ends earlier, for those that are products along it.
    ///
    /// # Errors
    ///
    /// When nothing is left.
    fn until(&self, _axis: usize, _last: f64) -> Result<Option<Arc<dyn Shape>>, DomainError> {
        Ok(None)
    }

    /// For shapes with axis-parallel sides only: along each axis, where the sides lie.
    fn grid_lines(&self) -> Option<Vec<Vec<f64>>> {
        None
    }
}
