//! What can be wrong with a domain, or with what is asked of it.
//!
//! Every variant is a caller's mistake, holds what was found, and its message says what was expected.
//! Axes, vertices, edges and parts are counted from 1 in messages, as in problem files; fields named `axis` count
//! from 0, as in code.

use super::draw::Sampler;
use super::operation::Operation;
use thiserror::Error;

/// Why a domain could not be built, or points could not be drawn from it.
///
/// ```
/// use rafnet::domain::Ball;
/// let error = Ball::new(vec![0.0, 0.0], -1.0).expect_err("a negative radius");
/// assert_eq!(error.to_string(), "the ball is empty: its radius is -1, and must be positive and finite");
/// ```
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum DomainError {
    /// More points than memory holds.
    #[error(transparent)]
    Memory(#[from] rafnet_memory::NotEnough),
    /// A shape without coordinates.
    #[error("the {shape} has no coordinates; give at least one")]
    NoCoordinates {
        /// Which shape.
        shape: &'static str,
    },
    /// A box with low ≥ high, or with bounds that are not finite.
    #[error("the box is empty along axis {}: its bounds are [{low}, {high}], and must be finite with low < high", .axis + 1)]
    EmptyBox {
        /// The axis, from 0.
        axis: usize,
        /// Its lower bound.
        low: f64,
        /// Its upper bound.
        high: f64,
    },
    /// A centre with a coordinate that is not finite.
    #[error("coordinate {} of the {shape}'s centre is {value}, and must be finite", .axis + 1)]
    CentreNotFinite {
        /// Which shape.
        shape: &'static str,
        /// The axis, from 0.
        axis: usize,
        /// What was found there.
        value: f64,
    },
    /// A shape whose lengths leave nothing inside.
    #[error("the {shape} is empty: {why}")]
    Empty {
        /// Which shape.
        shape: &'static str,
        /// What was found and what was expected.
        why: String,
        /// What to write.
        write: &'static str,
    },
    /// A polygon with fewer than three vertices.
    #[error("the polygon has {found} vertices, and needs at least 3")]
    TooFewVertices {
        /// How many were given.
        found: usize,
    },
    /// A polygon's vertex that is not finite.
    #[error("vertex {vertex} of the polygon is ({x}, {y}), and must be finite")]
    VertexNotFinite {
        /// The vertex, from 1.
        vertex: usize,
        /// Its first coordinate.
        x: f64,
        /// Its second coordinate.
        y: f64,
    },
    /// Two neighbouring vertices are the same point.
    #[error(
        "vertices {vertex} and {next} of the polygon are the same point; give each vertex once, the polygon closes itself"
    )]
    RepeatedVertex {
        /// The vertex, from 1.
        vertex: usize,
        /// The one after it, from 1.
        next: usize,
    },
    /// Two edges of a polygon meet where they should not.
    #[error(
        "edges {first} and {second} of the polygon cross or touch; list the vertices in order around a simple outline"
    )]
    EdgesMeet {
        /// The first edge, from 1.
        first: usize,
        /// The second edge, from 1.
        second: usize,
    },
    /// A polygon without area.
    #[error("the polygon is empty: its area is {area}, all its vertices lie on one line")]
    FlatPolygon {
        /// The area found.
        area: f64,
    },
    /// A polygon that rounding does not allow to cut into triangles.
    #[error(
        "the polygon is too thin to be cut into triangles in double precision, near vertex {vertex}"
    )]
    ThinPolygon {
        /// The first vertex of what was left, from 1.
        vertex: usize,
    },
    /// A combination of fewer than two parts.
    #[error("the {operation} has {found} parts, and needs at least 2")]
    TooFewParts {
        /// Which combination.
        operation: Operation,
        /// How many parts were given.
        found: usize,
    },
    /// Parts of different dimension.
    #[error(
        "part {part} of the {operation} has {found} coordinates, the first part has {expected}; all must agree"
    )]
    PartDimension {
        /// Which combination.
        operation: Operation,
        /// The part, from 1.
        part: usize,
        /// Coordinates of the first part.
        expected: usize,
        /// Coordinates of this part.
        found: usize,
    },
    /// A combination in which no point was found.
    #[error("the {operation} is empty: no point lies inside it ({tried} tried)")]
    EmptyCombination {
        /// Which combination.
        operation: Operation,
        /// How many points or cells were tried.
        tried: usize,
    },
    /// Time at a place that does not exist in the coordinate order.
    #[error("time stands at place {} of {} coordinates", .axis + 1, .dimension)]
    TimeAxis {
        /// The place asked for, from 0.
        axis: usize,
        /// Coordinates, time included.
        dimension: usize,
    },
    /// A time interval with start ≥ end, or not finite.
    #[error(
        "the time interval is empty: it is [{start}, {end}], and must be finite with start < end"
    )]
    EmptyTime {
        /// First time.
        start: f64,
        /// Last time.
        end: f64,
    },
    /// More numbers a point than a sampler's table has.
    #[error(
        "the {sampler} sampler is tabulated to {limit} numbers a point, {found} are needed here; use the random sampler"
    )]
    TooManyNumbers {
        /// Which sampler.
        sampler: Sampler,
        /// Numbers needed for one point.
        found: usize,
        /// Numbers tabulated.
        limit: usize,
    },
    /// Rejection did not find enough points.
    #[error(
        "only {found} of {wanted} points were found in {tried} tries; the domain is too thin a part of what surrounds it, describe it more directly"
    )]
    TriesSpent {
        /// Points asked for.
        wanted: usize,
        /// Points found.
        found: usize,
        /// Points tried.
        tried: u64,
    },
    /// A boundary piece that does not exist.
    #[error("boundary piece {index} does not exist; the domain has {count}, counted from 0")]
    UnknownPiece {
        /// The piece asked for, from 0.
        index: usize,
        /// How many there are.
        count: usize,
    },
    /// A lift over no face at all.
    #[error("a lift needs at least one face of the box")]
    NoLiftFaces,
    /// A lift along an axis the box does not have.
    #[error("the lift names axis {}, the box has {dimension}", .axis + 1)]
    LiftAxis {
        /// The axis asked for, from 0.
        axis: usize,
        /// Axes of the box.
        dimension: usize,
    },
    /// A lift along more axes than its number of terms allows.
    #[error(
        "a lift along {found} axes would need up to 3^{found} terms, {limit} axes are allowed; enter the boundary data as weighted rows instead"
    )]
    LiftTooLarge {
        /// Axes with a chosen face.
        found: usize,
        /// Axes allowed.
        limit: usize,
    },
}
