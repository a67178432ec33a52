//! A shape in space times an interval of time.
//!
//! ```text
//! Q = Ω × (t₀, t₁),     |Q| = |Ω| (t₁ − t₀),     ℓ(x, t) = max(ℓ_Ω(x), t₀ − t, t − t₁)
//! ```
//! Time may stand at any place in the order of coordinates. The boundary in space is swept through time; the two ends of
//! time are pieces of their own ([`Face::Start`], [`Face::End`]), which `all` never means.

#[cfg(test)]
mod tests;

use super::cuboid::Cuboid;
use super::error::DomainError;
use super::factor::FactorTerm;
use super::piece::{Face, Piece};
use super::rule::{Rule, gauss_legendre};
use super::shape::{Placed, Shape};
use super::wedge::Wedge;
use std::sync::Arc;

/// Space and time: a shape swept through an interval.
///
/// ```
/// use rafnet::domain::{Ball, Shape, TimeCylinder};
/// use std::sync::Arc;
/// let disc = Arc::new(Ball::new(vec![0.0, 0.0], 1.0)?);
/// let swept = TimeCylinder::new(disc, 0, [0.0, 5.0])?; // coordinates t, x, y
/// assert!((swept.measure() - 5.0 * std::f64::consts::PI).abs() < 1e-14);
/// assert_eq!(swept.level(&[4.0, 0.0, 0.5]), -0.5);
/// # Ok::<(), rafnet::domain::DomainError>(())
/// ```
#[derive(Debug, Clone)]
pub struct TimeCylinder {
    space: Arc<dyn Shape>,
    axis: usize,
    time: [f64; 2],
}

impl TimeCylinder {
    /// The product of a shape with [start, end], time being coordinate `axis` (from 0) of the result.
    ///
    /// # Errors
    ///
    /// When the interval is empty or not finite, or there is no such place.
    pub fn new(space: Arc<dyn Shape>, axis: usize, time: [f64; 2]) -> Result<Self, DomainError> {
        let dimension = space.dimension() + 1;
        if axis >= dimension {
            return Err(DomainError::TimeAxis { axis, dimension });
        }
        let [start, end] = time;
        if !(end - start).is_finite() || start >= end {
            return Err(DomainError::EmptyTime { start, end });
        }
        Ok(Self { space, axis, time })
    }

    /// The shape in space.
    pub fn space(&self) -> &Arc<dyn Shape> {
        &self.space
    }

    /// The place of time among the coordinates, from 0.
    pub fn axis(&self) -> usize {
        self.axis
    }

    /// First and last time.
    pub fn time(&self) -> [f64; 2] {
        self.time
    }

    /// A space axis, renumbered with time among them.
    fn with_time(&self, axis: usize) -> usize {
        axis + usize::from(axis >= self.axis)
    }

    /// The reverse of [`Self::with_time`].
    fn without_time(&self, axis: usize) -> usize {
        axis - usize::from(axis > self.axis)
    }

    /// Moves the last number of a slice, which holds space first, to the place of time.
    fn insert(&self, coordinates: &mut [f64], time: f64) {
        if let Some(last) = coordinates.last_mut() {
            *last = time;
        }
        coordinates[self.axis..].rotate_right(1);
    }

    /// The time at u, strictly between the ends.
    fn instant(&self, u: f64) -> f64 {
        let [start, end] = self.time;
        (start + u * (end - start))
            .max(start.next_up())
            .min(end.next_down())
    }
}

impl Shape for TimeCylinder {
    fn dimension(&self) -> usize {
        self.space.dimension() + 1
    }

    fn level(&self, x: &[f64]) -> f64 {
        let space = [&x[..self.axis], &x[self.axis + 1..]].concat();
        let t = x[self.axis];
        self.space
            .level(&space)
            .max(self.time[0] - t)
            .max(t - self.time[1])
    }

    fn description(&self) -> serde_json::Value {
        let space = self.space.description();
        serde_json::json!({ "kind": "cylinder", "space": space, "axis": self.axis, "time": self.time })
    }

    fn bounds(&self) -> Cuboid {
        let mut bounds = self.space.bounds().intervals().to_vec();
        bounds.insert(self.axis, self.time);
        Cuboid::around(bounds)
    }

    fn measure(&self) -> f64 {
        self.space.measure() * (self.time[1] - self.time[0])
    }

    fn until(&self, axis: usize, last: f64) -> Result<Option<Arc<dyn Shape>>, DomainError> {
        if axis != self.axis {
            return Ok(None);
        }
        let shorter = Self::new(Arc::clone(&self.space), axis, [self.time[0], last])?;
        Ok(Some(Arc::new(shorter)))
    }

    fn rules(&self, along: usize) -> Option<Vec<Rule>> {
        let space = self.space.rules(along)?;
        Some([vec![gauss_legendre(along)], space].concat())
    }

    fn rules_on(&self, face: Face, along: usize) -> Option<Vec<Rule>> {
        if face.fixed().is_some_and(|(axis, _)| axis == self.axis) {
            return self.space.rules(along);
        }
        let face = face.renumbered(|axis| self.without_time(axis));
        let space = self.space.rules_on(face, along)?;
        Some([vec![gauss_legendre(along)], space].concat())
    }

    fn numbers(&self) -> usize {
        self.space.numbers() + 1
    }

    fn place(&self, u: &[f64], x: &mut [f64]) -> Placed {
        let dimension = self.space.dimension();
        let placed = self.space.place(&u[1..], &mut x[..dimension]);
        self.insert(x, self.instant(u[0]));
        placed
    }

    fn pieces(&self) -> Vec<Piece> {
        let [start, end] = self.time;
        let sweep = |piece: Piece| Piece {
            face: piece.face.renumbered(|axis| self.with_time(axis)),
            measure: piece.measure * (end - start),
            dimension: piece.dimension + 1,
            numbers: piece.numbers + 1,
            part: piece.part,
        };
        let still = |face| {
            Piece::plain(
                face,
                self.space.measure(),
                self.space.dimension(),
                self.space.numbers(),
            )
        };
        let axis = self.axis;
        let ends = [
            still(Face::Start { axis, at: start }),
            still(Face::End { axis, at: end }),
        ];
        self.space
            .pieces()
            .into_iter()
            .map(sweep)
            .chain(ends)
            .collect()
    }

    fn place_on(
        &self,
        part: &[usize],
        face: Face,
        u: &[f64],
        x: &mut [f64],
        normal: &mut [f64],
    ) -> Placed {
        let dimension = self.space.dimension();
        let own = |axis: usize| part.is_empty() && axis == self.axis;
        let (placed, time, outward) = match face {
            Face::Start { axis, at } if own(axis) => {
                (self.space.place(u, &mut x[..dimension]), at, -1.0)
            }
            Face::End { axis, at } if own(axis) => {
                (self.space.place(u, &mut x[..dimension]), at, 1.0)
            }
            _ => {
                let face = face.renumbered(|axis| self.without_time(axis));
                let (x, normal) = (&mut x[..dimension], &mut normal[..dimension]);
                (
                    self.space.place_on(part, face, &u[1..], x, normal),
                    self.instant(u[0]),
                    0.0,
                )
            }
        };
        if outward != 0.0 {
            normal.fill(0.0);
        }
        self.insert(x, time);
        self.insert(normal, outward);
        placed
    }

    fn factor_term(&self, part: &[usize], face: Face) -> Option<FactorTerm> {
        match face {
            Face::Start { axis, at } if axis == self.axis && part.is_empty() => {
                Some(FactorTerm::Above { axis, at })
            }
            Face::End { axis, at } if axis == self.axis && part.is_empty() => {
                Some(FactorTerm::Below { axis, at })
            }
            _ => {
                let face = face.renumbered(|axis| self.without_time(axis));
                let term = self.space.factor_term(part, face)?;
                Some(term.renumbered(|axis| self.with_time(axis)))
            }
        }
    }

    fn wedges(&self) -> Vec<Wedge> {
        self.space.wedges()
    }

    fn as_cuboid(&self) -> Option<Cuboid> {
        self.space.as_cuboid().map(|_| self.bounds())
    }

    fn grid_lines(&self) -> Option<Vec<Vec<f64>>> {
        let mut lines = self.space.grid_lines()?;
        lines.insert(self.axis, self.time.to_vec());
        Some(lines)
    }
}
