//! What of a box lies in the domain: its frame, points inside, and points of a face that two boxes share.
//!
//! ```text
//! frame      the box around what of a cell lies in the domain: a piece's coordinates run from −1 to 1 over it
//! points     on lines along one axis; each part of a line that lies inside has Chebyshev points of its own
//! ```
//!
//! So a sliver has as many points as a whole cell, and they gather at the curved boundary as they do at a straight one. Time is a factor of the
//! domain: whether a point lies inside does not depend on it.

use super::Bounds;
use super::points::{chebyshev, grid};
use crate::domain::Domain;
use crate::domain::product;

/// Places along a line where it is looked whether they lie inside; between an inner and an outer one the boundary is found by halving.
const LOOKED: usize = 40;
const HALVINGS: usize = 45;
/// Lines along an axis that show the frame of a cell, by the number of axes that are not time; and by how much more the frame is, as a share.
const LINES: [usize; 3] = [1, 40, 16];
const MARGIN: f64 = 0.01;
/// How far on both sides of a face the domain must go on, as a share of its extent.
const BESIDE: f64 = 1e-7;
/// Points of the shortest part of a line.
const FEWEST: usize = 3;
/// How often more lines are taken where many miss the domain.
const MOST_TRIES: usize = 6;

/// A domain of which boxes hold parts.
#[derive(Clone, Debug)]
pub(super) struct Region {
    pub(super) domain: Domain,
    /// A box: every cell lies inside.
    plain: bool,
}

impl Region {
    pub(super) fn new(domain: &Domain) -> Self {
        Self {
            plain: domain.as_cuboid().is_some(),
            domain: domain.clone(),
        }
    }

    /// Whether it is a box.
    pub(super) fn is_plain(&self) -> bool {
        self.plain
    }

    /// Axes of space.
    fn space(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.domain.dimension()).filter(|k| Some(*k) != self.domain.time_axis())
    }

    /// Whether a point lies inside, not on the boundary, at whatever time.
    fn holds(&self, x: &[f64]) -> bool {
        let mut x = x.to_vec();
        if let Some(time) = self.domain.time_axis() {
            let [first, last] = self.domain.bounds()[time];
            x[time] = 0.5 * (first + last);
        }
        self.domain.shape().level(&x) < -self.domain.tolerance()
    }

    /// The cells that hold some of the domain.
    pub(super) fn kept(&self, cells: Vec<Bounds>) -> Vec<Bounds> {
        let some = |cell: &Bounds| self.plain || self.frame(cell).is_some();
        cells.into_iter().filter(some).collect()
    }

    /// The box around what of a cell lies inside; `None` where that is nothing.
    pub(super) fn frame(&self, cell: &Bounds) -> Option<Bounds> {
        let mut frame = cell.clone();
        if self.plain {
            return Some(frame);
        }
        let lines = LINES[self.space().count().clamp(1, 3) - 1];
        for axis in self.space() {
            let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
            self.each_line(cell, lines, axis, None, &[], |_, parts| {
                for [a, b] in parts {
                    low = low.min(*a);
                    high = high.max(*b);
                }
            });
            let margin = MARGIN * (high - low);
            let [first, last] = cell[axis];
            frame[axis] = [(low - margin).max(first), (high + margin).min(last)];
            if high - low <= self.domain.tolerance() {
                return None;
            }
        }
        Some(frame)
    }

    /// About as many points inside a frame as a box has with `n` along every axis.
    pub(super) fn inside(&self, frame: &Bounds, n: usize, held: Option<(usize, f64)>) -> Vec<f64> {
        if self.plain {
            grid(frame, n, held)
        } else {
            self.on_lines(frame, n, held, &[])
        }
    }

    /// Points of a face of two boxes, the coordinate across it as in the one below; the domain goes on into both.
    pub(super) fn between(&self, face: &Bounds, n: usize, axis: usize, at: [f64; 2]) -> Vec<f64> {
        let held = Some((axis, at[0]));
        if self.plain {
            return grid(face, n, held);
        }
        let [first, last] = self.domain.bounds()[axis];
        let beside = BESIDE * (last - first);
        self.on_lines(face, n, held, &[at[0] - beside, at[1] + beside])
    }

    fn on_lines(
        &self,
        bounds: &Bounds,
        n: usize,
        held: Option<(usize, f64)>,
        probes: &[f64],
    ) -> Vec<f64> {
        let d = bounds.len();
        let free = |k: &usize| held.is_none_or(|(axis, _)| axis != *k);
        let Some(axis) = self.space().filter(free).last() else {
            let mut points = grid(bounds, n, held);
            if !points
                .chunks_exact(d)
                .next()
                .is_some_and(|x| self.goes_on(x, held, probes))
            {
                points.clear();
            }
            return points;
        };
        let wanted = n.pow(u32::try_from((0..d).filter(free).count()).unwrap_or(1));
        let (mut lines, mut points) = (n, Vec::new());
        for _ in 0..MOST_TRIES {
            points.clear();
            self.each_line(bounds, lines, axis, held, probes, |place, parts| {
                let all: f64 = parts.iter().map(|[a, b]| b - a).sum();
                for part in parts {
                    #[expect(
                        clippy::cast_possible_truncation,
                        clippy::cast_sign_loss,
                        reason = "a small count"
                    )]
                    let count = (n as f64 * (part[1] - part[0]) / all).ceil() as usize;
                    push_line(&mut points, place, axis, *part, count.max(FEWEST));
                }
            });
            if points.is_empty() || 3 * points.len() >= 2 * d * wanted {
                break;
            }
            lines += lines.div_ceil(2);
        }
        points
    }

    /// Lines along an axis inside a frame: `n` points each, one part of a line after the other.
    pub(super) fn lines(&self, frame: &Bounds, axis: usize, n: usize) -> Vec<f64> {
        let mut points = Vec::new();
        self.each_line(frame, n, axis, None, &[], |place, parts| {
            for part in parts {
                push_line(&mut points, place, axis, *part, n);
            }
        });
        points
    }

    /// Whether a point, or the ones at other places across the face on which it lies, are inside.
    fn goes_on(&self, x: &[f64], held: Option<(usize, f64)>, probes: &[f64]) -> bool {
        let mut x = x.to_vec();
        match held {
            Some((axis, _)) if !probes.is_empty() => probes.iter().all(|at| {
                x[axis] = *at;
                self.holds(&x)
            }),
            _ => self.holds(&x),
        }
    }

    /// Calls `take` with the place and the parts inside of every line along an axis; the others have `n` Chebyshev points each.
    fn each_line(
        &self,
        bounds: &Bounds,
        n: usize,
        axis: usize,
        held: Option<(usize, f64)>,
        probes: &[f64],
        mut take: impl FnMut(&[f64], &[[f64; 2]]),
    ) {
        let d = bounds.len();
        let along = |(k, [low, high]): (usize, &[f64; 2])| match held {
            Some((axis, at)) if axis == k => vec![at],
            _ if axis == k => vec![*low],
            _ => chebyshev(n)
                .map(|xi| 0.5 * (low + high) + 0.5 * (high - low) * xi)
                .collect(),
        };
        let axes: Vec<Vec<f64>> = bounds.iter().enumerate().map(along).collect();
        for place in product(&axes).chunks_exact(d) {
            let mut x = place.to_vec();
            let mut holds = |at: f64| {
                x[axis] = at;
                self.goes_on(&x, held, probes)
            };
            take(place, &parts(bounds[axis], &mut holds));
        }
    }
}

/// Chebyshev points on a part of a line.
fn push_line(points: &mut Vec<f64>, place: &[f64], axis: usize, [a, b]: [f64; 2], n: usize) {
    for xi in chebyshev(n) {
        let at = points.len() + axis;
        points.extend(place);
        points[at] = 0.5 * (a + b) + 0.5 * (b - a) * xi;
    }
}

/// The parts of an interval where something holds.
fn parts([low, high]: [f64; 2], holds: &mut dyn FnMut(f64) -> bool) -> Vec<[f64; 2]> {
    let at = |i: usize| low + (high - low) * i as f64 / LOOKED as f64;
    let edge = |mut yes: f64, mut no: f64, holds: &mut dyn FnMut(f64) -> bool| {
        for _ in 0..HALVINGS {
            let middle = 0.5 * (yes + no);
            *(if holds(middle) { &mut yes } else { &mut no }) = middle;
        }
        yes
    };
    let (mut found, mut open) = (Vec::new(), None);
    for i in 0..=LOOKED {
        match (holds(at(i)), open) {
            (true, None) if i == 0 => open = Some(low),
            (true, None) => open = Some(edge(at(i), at(i - 1), holds)),
            (false, Some(start)) => {
                found.push([start, edge(at(i - 1), at(i), holds)]);
                open = None;
            }
            _ => {}
        }
    }
    found.extend(open.map(|start| [start, high]));
    found.retain(|[a, b]| a < b);
    found
}

#[cfg(test)]
mod tests {
    use super::Region;
    use crate::domain::{Ball, Combined, Cuboid, Domain, Operation};
    use std::sync::Arc;

    fn plate() -> Region {
        let square = Arc::new(Cuboid::new(vec![[0.0, 1.0]; 2]).expect("a square"));
        let hole = Arc::new(Ball::new(vec![0.5, 0.5], 0.2).expect("a disc"));
        let shape = Combined::new(Operation::Difference, vec![square, hole]).expect("a plate");
        Region::new(&Domain::new(Arc::new(shape)))
    }

    /// A sliver beside the hole has as many points as a whole cell, in its own frame.
    #[test]
    fn slivers_have_points_enough() {
        let region = plate();
        for (cell, frame) in [
            ([[0.0, 0.3], [0.0, 0.3]], [[0.0, 0.3], [0.0, 0.3]]),
            ([[0.31, 0.5], [0.45, 0.55]], [[0.31, 0.31], [0.45, 0.55]]),
            ([[0.3, 0.5], [0.69, 0.8]], [[0.3, 0.5], [0.69, 0.8]]),
        ] {
            let cell = cell.to_vec();
            let points = region.inside(&cell, 12, None);
            let out = |x: &[f64]| (x[0] - 0.5).hypot(x[1] - 0.5) >= 0.2;
            match region.frame(&cell) {
                Some(found) => {
                    assert!(points.len() >= 2 * 96 && points.chunks(2).all(out));
                    let near = |(a, b): (&[f64; 2], &[f64; 2])| {
                        (a[0] - b[0]).abs() < 2e-3 && (a[1] - b[1]).abs() < 2e-3
                    };
                    assert!(found.iter().zip(&frame).all(near), "{found:?}");
                }
                None => assert!(points.is_empty(), "{cell:?}"),
            }
        }
        assert!(region.frame(&vec![[0.45, 0.55]; 2]).is_none());
    }

    /// A face is joined where the domain lies on both sides of it.
    #[test]
    fn faces_are_joined_inside() {
        let region = plate();
        let face = vec![[0.0, 0.5], [0.0, 1.0]];
        let points = region.between(&face, 10, 0, [0.5, 0.5]);
        assert!(points.len() >= 20);
        assert!(points.chunks(2).all(|x| (x[1] - 0.5).abs() > 0.2));
    }
}
