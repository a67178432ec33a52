//! What is settled once names and domain are: the ground on which equations and conditions are read.

use super::names::Names;
use super::source::Source;
use crate::domain::{BoundaryPoints, Domain, Draw, Sampler};
use crate::expr::{Expr, Leaf};
use crate::problem::error::ProblemError;
use crate::problem::fault::Fault;
use crate::problem::suggestion::closest;
use std::ops::Range;

/// Names, domain and a few points of each of its parts.
pub(super) struct Setting<'a> {
    pub(super) source: &'a Source<'a>,
    pub(super) names: &'a Names<'a>,
    pub(super) domain: &'a Domain,
    pub(super) coordinates: &'a [String],
    pub(super) time: Option<usize>,
    pub(super) periodic: &'a [usize],
    pub(super) unknowns: &'a [String],
    /// Points on each piece of the boundary.
    pub(super) probes: Vec<BoundaryPoints>,
}

/// How many points of each piece are looked at.
const PROBES: usize = 64;

/// Coordinates of all of them together, at most: a box in a thousand dimensions has two thousand faces.
const PROBE_NUMBERS: usize = 1 << 22;

/// Points on each piece of the boundary; none on a piece that is too thin to be met.
pub(super) fn probes(domain: &Domain) -> Vec<BoundaryPoints> {
    let draw = Draw::new(Sampler::Random, 0);
    let pieces = domain.pieces().len();
    let most = PROBE_NUMBERS / (pieces * domain.dimension()).max(1);
    let n = PROBES.min(most.max(2));
    let piece = |k| domain.boundary(&[k], n, &draw).unwrap_or_default();
    (0..pieces).map(piece).collect()
}

/// How near to opposite corners jumps are looked for, as a share of the extents.
const CORNER: f64 = 1e-6;

/// Points inside between which derivatives are looked through for jumps; none in more dimensions than anyone jumps in.
pub(super) fn places(domain: &Domain) -> Vec<Vec<f64>> {
    let d = domain.dimension();
    let draw = Draw::new(Sampler::Random, 0);
    let drawn = (d <= PROBES).then(|| domain.interior(2 * PROBES, &draw).unwrap_or_default());
    let drawn = drawn.unwrap_or_default();
    let mut places: Vec<Vec<f64>> = drawn.chunks_exact(d).map(<[f64]>::to_vec).collect();
    // and from side to side, there and back, where these corners belong to the domain
    let corner = |share: f64| {
        let sides = domain.bounds().iter();
        sides
            .map(|[low, high]| low + share * (high - low))
            .collect()
    };
    let corners: [Vec<f64>; 2] = [corner(CORNER), corner(1.0 - CORNER)];
    if corners.iter().all(|x| domain.contains(x)) {
        places.extend([0, 1, 1, 0].map(|k: usize| corners[k].clone()));
    }
    places
}

impl Setting<'_> {
    /// Whether a piece is an end of time.
    pub(super) fn is_time(&self, piece: usize) -> bool {
        let face = self.domain.pieces()[piece].face;
        face.is_time() || self.time.is_some() && face.fixed().map(|(axis, _)| axis) == self.time
    }

    /// The piece where time begins.
    pub(super) fn start(&self) -> Option<usize> {
        let axis = self.time?;
        let first = self.domain.bounds()[axis][0];
        let pieces = 0..self.domain.pieces().len();
        let mut at_start = pieces.filter(|k| {
            self.is_time(*k) && self.domain.pieces()[*k].face.fixed() == Some((axis, first))
        });
        at_start.next()
    }

    /// The pieces in space, without those that periodicity closes.
    pub(super) fn space_pieces(&self) -> Vec<usize> {
        let pieces = 0..self.domain.pieces().len();
        pieces
            .filter(|k| !self.is_time(*k) && self.periodic_axis(*k).is_none())
            .collect()
    }

    /// The periodic axis that a piece is an end of.
    pub(super) fn periodic_axis(&self, piece: usize) -> Option<usize> {
        let (axis, _) = self.domain.pieces()[piece].face.fixed()?;
        self.periodic.contains(&axis).then_some(axis)
    }

    /// The axes of space.
    pub(super) fn space(&self) -> Vec<usize> {
        let axes = 0..self.coordinates.len();
        axes.filter(|axis| Some(*axis) != self.time).collect()
    }

    /// The name of a piece.
    pub(super) fn piece_name(&self, piece: usize) -> String {
        let names: Vec<&str> = self.coordinates.iter().map(String::as_str).collect();
        self.domain.pieces()[piece].name(&names)
    }

    /// The number of an unknown by its name.
    pub(super) fn unknown(&self, name: &str, span: &Range<usize>) -> Result<usize, ProblemError> {
        let known: Vec<&str> = self.unknowns.iter().map(String::as_str).collect();
        known
            .iter()
            .position(|other| *other == name)
            .ok_or_else(|| {
                let fault = Fault::NotAnUnknown {
                    name: name.into(),
                    closest: closest(name, &known),
                    known: self.unknowns.to_vec(),
                };
                self.source.error(span, fault)
            })
    }

    /// The value of an expression in the coordinates at a point.
    pub(super) fn at(expr: &Expr, point: &[f64]) -> f64 {
        expr.eval(&|leaf: &Leaf| match leaf {
            Leaf::Coordinate(axis) => point[*axis],
            _ => 0.0,
        })
    }

    /// A point in words: `x = 0.5, y = 1`.
    pub(super) fn point(&self, point: &[f64]) -> String {
        let part = |(name, x): (&String, &f64)| format!("{name} = {}", short(*x));
        let shown = self.coordinates.iter().zip(point).take(6).map(part);
        let shown: Vec<String> = shown.collect();
        let rest = if point.len() > 6 { ", …" } else { "" };
        shown.join(", ") + rest
    }
}

/// A number to four digits or so.
fn short(x: f64) -> String {
    if x == 0.0 || (1e-3..1e6).contains(&x.abs()) {
        ((x * 1e4).round() / 1e4).to_string()
    } else {
        format!("{x:.3e}")
    }
}
