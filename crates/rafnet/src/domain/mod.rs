//! Domains: where an equation holds, and the points at which it is asked.
//!
//! A [`Shape`] is a region with a boundary of named [`Piece`]s: [`Cuboid`] (boxes and intervals), [`Ball`], [`Annulus`],
//! [`Polygon`], their [`Combined`] unions, differences and intersections, and each of these swept through time
//! ([`TimeCylinder`]). A [`Domain`] holds one and answers what solvers ask:
//!
//! - points inside ([`Domain::interior`]) and on the boundary with normals ([`Domain::boundary`]), uniform, Sobol or
//!   lattice, for training or held out, the same bits for the same [`Draw`];
//! - functions that make Dirichlet conditions hold exactly: a [`Factor`] that vanishes on chosen pieces, and on boxes a
//!   [`Lift`] of boundary values;
//! - where the corners of a plane domain are ([`Wedge`]), and means over it ([`Quadrature`]).
//!
//! Points are flat slices, n × d by rows, in the order of the coordinates. Everything is f64.
//!
//! ```
//! use rafnet::domain::{Ball, Combined, Cuboid, Domain, Draw, Operation, Sampler};
//! use std::sync::Arc;
//!
//! let square = Arc::new(Cuboid::new(vec![[-1.0, 1.0]; 2])?);
//! let hole = Arc::new(Ball::new(vec![0.0, 0.0], 0.5)?);
//! let plate = Domain::new(Arc::new(Combined::new(Operation::Difference, vec![square, hole])?));
//!
//! let draw = Draw::new(Sampler::Sobol, 0);
//! let inside = plate.interior(1000, &draw)?;
//! assert!(inside.chunks(2).all(|x| x[0].hypot(x[1]) > 0.5));
//!
//! let everywhere = plate.boundary(&plate.space_pieces(), 100, &draw)?;
//! let factor = plate.factor(&plate.space_pieces())?.expect("a box without a ball has one");
//! assert!(everywhere.points.chunks(2).all(|x| factor.value(x).abs() < 1e-14));
//! # Ok::<(), rafnet::domain::DomainError>(())
//! ```

mod annulus;
mod ball;
mod blend;
mod boundary;
mod combined;
mod cuboid;
mod cylinder;
mod derivatives;
mod description;
mod draw;
mod ellipse;
mod error;
mod factor;
mod joe_kuo;
mod kind;
mod lattice;
mod lift;
mod measure;
mod normal;
mod operation;
mod outline;
mod philox;
mod piece;
mod plane;
mod points;
mod polygon;
mod quadrature;
mod rule;
mod sequence;
mod shape;
mod shell;
mod sobol;
mod sphere;
mod triangulation;
mod wedge;

#[cfg(test)]
mod tests;

pub use annulus::Annulus;
pub use ball::Ball;
pub use blend::{Blend, Clamp, End};
pub use boundary::BoundaryPoints;
pub use combined::Combined;
pub use cuboid::Cuboid;
pub use cylinder::TimeCylinder;
pub use derivatives::Derivatives;
pub use description::described;
pub use draw::{Draw, Sampler, Stream};
pub use ellipse::Ellipse;
pub use error::DomainError;
pub use factor::{Factor, FactorTerm, Side};
pub(crate) use kind::{Form, Given, KINDS, Key, Kind, Said};
pub use lift::{Lift, LiftTerm};
pub use operation::Operation;
pub use piece::{Face, Piece};
pub(crate) use points::product;
pub use polygon::Polygon;
pub use quadrature::{BoundaryQuadrature, Fineness, Quadrature};
pub use rule::Rule;
pub use rule::gauss_legendre;
pub use shape::{Placed, Shape, Uniform};
pub use sobol::Sobol;
pub use wedge::Wedge;

use crate::expr::largest;
use std::sync::Arc;

/// A shape with its boundary pieces worked out, ready to be asked for points.
///
/// ```
/// use rafnet::domain::{Cuboid, Domain, Draw, Sampler};
/// use std::sync::Arc;
/// let interval = Arc::new(Cuboid::new(vec![[-1.0, 1.0]])?);
/// let domain = Domain::with_time(interval, 1, [0.0, 1.0])?; // x, then t
/// assert_eq!((domain.dimension(), domain.time_axis(), domain.measure()), (2, Some(1), 2.0));
/// assert_eq!(domain.space_pieces(), [0, 1]);                // x=-1 and x=1, not t=0 and t=1
/// assert_eq!(domain.interior(5, &Draw::new(Sampler::Lattice, 0))?.len(), 10);
/// assert!(domain.contains(&[1.0, 0.5]) && !domain.contains(&[1.1, 0.5]));
/// # Ok::<(), rafnet::domain::DomainError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Domain {
    shape: Arc<dyn Shape>,
    bounds: Cuboid,
    pieces: Vec<Piece>,
    tolerance: f64,
    time_axis: Option<usize>,
}

impl Domain {
    /// A domain in space.
    pub fn new(shape: Arc<dyn Shape>) -> Self {
        let bounds = shape.bounds();
        let pieces = shape.pieces();
        let ends = bounds.intervals().iter().flatten();
        let farthest = largest(ends.map(|x| x.abs()));
        let tolerance = 1e-12 * (bounds.diagonal() + farthest);
        Self {
            shape,
            bounds,
            pieces,
            tolerance,
            time_axis: None,
        }
    }

    /// A domain in space and time; time is coordinate `axis` (from 0) and runs through [start, end].
    ///
    /// # Errors
    ///
    /// When the interval is empty or there is no such place among the coordinates.
    pub fn with_time(
        space: Arc<dyn Shape>,
        axis: usize,
        time: [f64; 2],
    ) -> Result<Self, DomainError> {
        let domain = Self::new(Arc::new(TimeCylinder::new(space, axis, time)?));
        Ok(Self {
            time_axis: Some(axis),
            ..domain
        })
    }

    /// The same domain where a coordinate ends earlier: a box, or a shape swept through time along that coordinate; `None` for
    /// others.
    ///
    /// ```
    /// use rafnet::domain::{Cuboid, Domain};
    /// use std::sync::Arc;
    /// let domain = Domain::new(Arc::new(Cuboid::new(vec![[0.0, 1.0], [0.0, 4.0]])?));
    /// let shorter = domain.until(1, 2.0)?.expect("a box has shorter ones");
    /// assert_eq!(shorter.bounds(), [[0.0, 1.0], [0.0, 2.0]]);
    /// # Ok::<(), rafnet::domain::DomainError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// When nothing is left.
    pub fn until(&self, axis: usize, last: f64) -> Result<Option<Self>, DomainError> {
        let shorter = self.shape.until(axis, last)?;
        Ok(shorter.map(|shape| Self {
            time_axis: self.time_axis,
            ..Self::new(shape)
        }))
    }

    /// The shape; with time, the [`TimeCylinder`].
    pub fn shape(&self) -> &Arc<dyn Shape> {
        &self.shape
    }

    /// The number of coordinates, time included.
    pub fn dimension(&self) -> usize {
        self.bounds.intervals().len()
    }

    /// The place of time among the coordinates, from 0.
    pub fn time_axis(&self) -> Option<usize> {
        self.time_axis
    }

    /// The box around the domain: [low, high] of each coordinate.
    pub fn bounds(&self) -> &[[f64; 2]] {
        self.bounds.intervals()
    }

    /// Length, area or volume, time included.
    pub fn measure(&self) -> f64 {
        self.shape.measure()
    }

    /// How far outside a point still counts as on the boundary: 1e-12 of the domain's extent and place.
    pub fn tolerance(&self) -> f64 {
        self.tolerance
    }

    /// Whether a point lies in the closed domain, to within [`Domain::tolerance`]. A point with another number of
    /// coordinates, or with a NaN, does not.
    pub fn contains(&self, x: &[f64]) -> bool {
        x.len() == self.dimension()
            && x.iter().all(|x| x.is_finite())
            && self.shape.contains(x, self.tolerance)
    }

    /// The pieces of the boundary; their order is what indices of pieces mean.
    pub fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// The indices of all pieces but the ends of time: what `on = "all"` means.
    pub fn space_pieces(&self) -> Vec<usize> {
        let in_space = |(index, piece): (usize, &Piece)| (!piece.face.is_time()).then_some(index);
        self.pieces
            .iter()
            .enumerate()
            .filter_map(in_space)
            .collect()
    }

    /// A smooth function that vanishes on these pieces and is positive inside; `None` when the shape has none (polygons
    /// that are not convex, most combined shapes).
    ///
    /// # Errors
    ///
    /// When an index does not exist.
    pub fn factor(&self, pieces: &[usize]) -> Result<Option<Factor>, DomainError> {
        let chosen = pieces
            .iter()
            .map(|&index| self.piece(index))
            .collect::<Result<Vec<_>, _>>()?;
        let terms = chosen
            .iter()
            .map(|piece| self.shape.factor_term(&piece.part, piece.face));
        Ok(terms.collect::<Option<Vec<_>>>().map(Factor::new))
    }

    /// The corners of a polygon or a rectangle, in the two coordinates of space.
    pub fn wedges(&self) -> Vec<Wedge> {
        self.shape.wedges()
    }

    /// The domain as a box, time included, when it is one: what a [`Lift`] needs.
    pub fn as_cuboid(&self) -> Option<Cuboid> {
        self.shape.as_cuboid()
    }

    fn piece(&self, index: usize) -> Result<&Piece, DomainError> {
        let count = self.pieces.len();
        self.pieces
            .get(index)
            .ok_or(DomainError::UnknownPiece { index, count })
    }
}
