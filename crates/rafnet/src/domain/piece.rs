//! The pieces of a boundary and their names.
//!
//! A piece is one smooth part of the boundary: a face of a box, a sphere, an edge of a polygon. Problem files name
//! them: `x=0` (a face, or whatever lies on that coordinate), `edge 3`, `inner`, `outer`. In a combined shape a piece
//! remembers which part it came from, and only that portion of it counts that bounds the whole.

/// Which smooth part of a shape's boundary a piece is.
///
/// ```
/// use rafnet::domain::Face;
/// let face = Face::Low { axis: 0, at: 0.5 };
/// assert_eq!(face.fixed(), Some((0, 0.5)));
/// assert_eq!(Face::Inner.fixed(), None);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Face {
    /// The face of a box where coordinate `axis` has its lowest value.
    Low {
        /// The axis, from 0.
        axis: usize,
        /// The value there.
        at: f64,
    },
    /// The face of a box where coordinate `axis` has its highest value.
    High {
        /// The axis, from 0.
        axis: usize,
        /// The value there.
        at: f64,
    },
    /// The sphere around a ball.
    Surface,
    /// The inner sphere of an annulus.
    Inner,
    /// The outer sphere of an annulus.
    Outer,
    /// An edge of a polygon: edge k joins vertices k and k + 1.
    Edge {
        /// k, from 1.
        number: usize,
        /// The axis and the value that stay the same along an axis-parallel edge.
        fixed: Option<(usize, f64)>,
    },
    /// The first instant of a time interval.
    Start {
        /// The time axis, from 0.
        axis: usize,
        /// The first time.
        at: f64,
    },
    /// The last instant of a time interval.
    End {
        /// The time axis, from 0.
        axis: usize,
        /// The last time.
        at: f64,
    },
}

impl Face {
    /// The axis and the exact value of the coordinate that is constant on this face.
    pub fn fixed(self) -> Option<(usize, f64)> {
        match self {
            Self::Low { axis, at }
            | Self::High { axis, at }
            | Self::Start { axis, at }
            | Self::End { axis, at } => Some((axis, at)),
            Self::Edge { fixed, .. } => fixed,
            Self::Surface | Self::Inner | Self::Outer => None,
        }
    }

    /// Whether this is an end of time and not a boundary in space.
    pub fn is_time(self) -> bool {
        matches!(self, Self::Start { .. } | Self::End { .. })
    }

    /// The same face after its axis was renumbered.
    pub(super) fn renumbered(self, renumber: impl Fn(usize) -> usize) -> Self {
        match self {
            Self::Low { axis, at } => Self::Low {
                axis: renumber(axis),
                at,
            },
            Self::High { axis, at } => Self::High {
                axis: renumber(axis),
                at,
            },
            Self::Start { axis, at } => Self::Start {
                axis: renumber(axis),
                at,
            },
            Self::End { axis, at } => Self::End {
                axis: renumber(axis),
                at,
            },
            Self::Edge { number, fixed } => Self::Edge {
                number,
                fixed: fixed.map(|(axis, at)| (renumber(axis), at)),
            },
            Self::Surface | Self::Inner | Self::Outer => self,
        }
    }
}

/// A piece of the boundary of a domain.
///
/// ```
/// use rafnet::domain::{Cuboid, Shape};
/// let square = Cuboid::new(vec![[0.0, 1.0], [-1.0, 1.0]])?;
/// let names: Vec<_> = square.pieces().iter().map(|piece| piece.name(&["x", "y"])).collect();
/// assert_eq!(names, ["x=0", "x=1", "y=-1", "y=1"]);
/// # Ok::<(), rafnet::domain::DomainError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Piece {
    /// The way down to the part it belongs to, in combined shapes (from 0); empty in plain ones.
    pub part: Vec<usize>,
    /// Which face of that part.
    pub face: Face,
    /// Its length or area, as far as it bounds the whole; for pieces that are points, how many they are.
    pub measure: f64,
    /// Its own dimension: 0 for points, 1 for curves, 2 for surfaces.
    pub dimension: usize,
    /// How many numbers in (0, 1) one of its points takes.
    pub numbers: usize,
}

impl Piece {
    /// A piece of a plain shape.
    pub(super) fn plain(face: Face, measure: f64, dimension: usize, numbers: usize) -> Self {
        Self {
            part: Vec::new(),
            face,
            measure,
            dimension,
            numbers,
        }
    }

    /// The name used in problem files, with the given names of the coordinates: `x=0`, `edge 3`, `inner`.
    ///
    /// In combined shapes the part, from 1, comes first: `part 2: inner`.
    pub fn name(&self, coordinates: &[&str]) -> String {
        let equals = |axis: usize, at: f64| match coordinates.get(axis) {
            Some(name) => format!("{name}={at}"),
            None => format!("x{}={at}", axis + 1),
        };
        let own = match self.face {
            Face::Low { axis, at }
            | Face::High { axis, at }
            | Face::Start { axis, at }
            | Face::End { axis, at } => equals(axis, at),
            Face::Surface => "surface".to_owned(),
            Face::Inner => "inner".to_owned(),
            Face::Outer => "outer".to_owned(),
            Face::Edge { number, .. } => format!("edge {number}"),
        };
        self.part
            .iter()
            .rev()
            .fold(own, |name, part| format!("part {}: {name}", part + 1))
    }

    /// How many points a piece of dimension 0 consists of: the end of an interval is one, a sphere in 1-D is two.
    pub(super) fn atoms(&self) -> usize {
        1 + self.numbers.min(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_follow_the_problem_files() {
        let name = |face| Piece::plain(face, 1.0, 1, 1).name(&["r", "t"]);
        assert_eq!(name(Face::Start { axis: 1, at: 0.0 }), "t=0");
        assert_eq!(name(Face::End { axis: 1, at: 2.5 }), "t=2.5");
        assert_eq!(name(Face::High { axis: 4, at: 1.0 }), "x5=1");
        assert_eq!(
            name(Face::Edge {
                number: 3,
                fixed: None
            }),
            "edge 3"
        );
        assert_eq!(
            [Face::Surface, Face::Inner, Face::Outer].map(name),
            ["surface", "inner", "outer"]
        );
        let nested = Piece {
            part: vec![1, 0],
            ..Piece::plain(Face::Outer, 1.0, 1, 1)
        };
        assert_eq!(nested.name(&[]), "part 2: part 1: outer");
    }

    #[test]
    fn renumbering_reaches_every_axis() {
        let shift = |axis| axis + 1;
        for face in [
            Face::Low { axis: 0, at: 1.5 },
            Face::High { axis: 0, at: 1.5 },
            Face::Start { axis: 0, at: 1.5 },
            Face::End { axis: 0, at: 1.5 },
            Face::Edge {
                number: 2,
                fixed: Some((0, 1.5)),
            },
        ] {
            assert_eq!(face.renumbered(shift).fixed(), Some((1, 1.5)), "{face:?}");
        }
        assert_eq!(Face::Surface.renumbered(shift), Face::Surface);
    }
}
