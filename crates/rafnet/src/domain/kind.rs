//! The kinds of plain shapes by their names in files: what a problem file's `[domain]` and a model's file say of one.
//!
//! A shape is added by a file of its own with its [`Shape`] and its [`Kind`], and by a line in [`KINDS`]: `docs/adding/shape.md` goes through it.
//! Boxes, whose keys are the coordinates, and combinations are read by hand.

use super::error::DomainError;
use super::shape::Shape;
use super::{annulus, ball, ellipse, polygon};
use std::sync::Arc;

/// Every kind, in the order in which messages list them.
pub(crate) const KINDS: [&Kind; 4] = [&ball::KIND, &annulus::KIND, &ellipse::KIND, &polygon::KIND];

/// A kind of shape.
pub(crate) struct Kind {
    /// As in `kind = "ball"`.
    pub(crate) name: &'static str,
    /// Why it has two coordinates, for one that has: `a polygon lies in the plane`.
    pub(crate) plane: Option<&'static str>,
    pub(crate) keys: &'static [Key],
    /// The shape of what the keys say, in their order.
    pub(crate) make: fn(Given) -> Result<Arc<dyn Shape>, DomainError>,
}

/// A key of a kind.
pub(crate) struct Key {
    pub(crate) name: &'static str,
    pub(crate) form: Form,
}

/// What stands behind a key.
#[derive(Clone, Copy)]
pub(crate) enum Form {
    /// A number, or this one.
    NumberOr(f64),
    /// A number.
    Number,
    /// A number for each coordinate, or zeros.
    PointOrOrigin,
    /// A number for each coordinate.
    ByCoordinate,
    /// Points of the plane.
    Points,
}

impl Form {
    /// What a key that may not be left out could look like.
    pub(crate) fn example(self) -> Option<&'static str> {
        match self {
            Self::NumberOr(_) | Self::PointOrOrigin => None,
            Self::Number => Some("1"),
            Self::ByCoordinate => Some("[2, 1]"),
            Self::Points => Some("[[0, 0], [1, 0], [0, 1]]"),
        }
    }
}

/// What a key says.
pub(crate) enum Said {
    Number(f64),
    Point(Vec<f64>),
    Points(Vec<[f64; 2]>),
}

/// What the keys say, in their order.
pub(crate) struct Given(std::vec::IntoIter<Said>);

impl Given {
    pub(crate) fn new(said: Vec<Said>) -> Self {
        Self(said.into_iter())
    }

    /// The next one, a number; NaN if it is none, which no shape takes.
    pub(super) fn number(&mut self) -> f64 {
        match self.0.next() {
            Some(Said::Number(number)) => number,
            _ => f64::NAN,
        }
    }

    /// The next one, a number for each coordinate; none if it is something else.
    pub(super) fn point(&mut self) -> Vec<f64> {
        match self.0.next() {
            Some(Said::Point(point)) => point,
            _ => Vec::new(),
        }
    }

    /// The next one, points; none if it is something else.
    pub(super) fn points(&mut self) -> Vec<[f64; 2]> {
        match self.0.next() {
            Some(Said::Points(points)) => points,
            _ => Vec::new(),
        }
    }
}

impl Kind {
    /// The kind of that name.
    pub(crate) fn of(name: &str) -> Option<&'static Self> {
        KINDS.into_iter().find(|kind| kind.name == name)
    }
}
