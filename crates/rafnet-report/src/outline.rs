//! The true outline of a domain in a plane: closed curves on which its level is zero.
//!
//! Marching squares on a grid one cell larger than the bounds, each crossing found by bisection. In a cell, walked around
//! counter-clockwise, the curve leads from where the walk leaves the domain to where it next enters it; a side's two cells walk it in opposite
//! directions, so the pieces join into closed curves. Corners of straight sides are put in where they are.

use rafnet::domain::Domain;
use std::collections::HashMap;

/// Cells along an axis.
pub(crate) const FINE: usize = 192;
/// The same where there are many planes.
pub(crate) const COARSE: usize = 72;
/// Halvings of a side: a crossing is then known to a millionth of it.
const HALVINGS: usize = 20;

/// Closed curves, x and y in turn.
pub(crate) type Loops = Vec<Vec<f64>>;

/// A plane through a domain: two axes vary, the others stay at a point.
pub(crate) struct Plane<'a> {
    pub(crate) domain: &'a Domain,
    pub(crate) axes: [usize; 2],
    pub(crate) at: &'a [f64],
    pub(crate) cells: usize,
}

impl Plane<'_> {
    fn bounds(&self) -> [[f64; 2]; 2] {
        self.axes.map(|axis| self.domain.bounds()[axis])
    }

    fn level(&self, [x, y]: [f64; 2]) -> f64 {
        let mut point: Vec<f64> = self.at.to_vec();
        for (k, (value, [low, high])) in point.iter_mut().zip(self.domain.bounds()).enumerate() {
            // on a face of the domain the level is zero all over the plane
            let nudge = 1e-6 * (high - low);
            *value = match k {
                k if k == self.axes[0] => x,
                k if k == self.axes[1] => y,
                _ => value.clamp(low + nudge, high - nudge),
            };
        }
        self.domain.shape().level(&point)
    }

    /// The outline.
    pub(crate) fn outline(&self) -> Loops {
        let [[x0, x1], [y0, y1]] = self.bounds();
        if self.domain.as_cuboid().is_some() {
            return vec![vec![x0, y0, x1, y0, x1, y1, x0, y1]];
        }
        let n = self.cells + 2; // cells, with one around the bounds
        let step = [(x1 - x0) / self.cells as f64, (y1 - y0) / self.cells as f64];
        let node = |i: usize, j: usize| {
            [
                x0 + step[0] * (i as f64 - 1.0),
                y0 + step[1] * (j as f64 - 1.0),
            ]
        };
        let mut inside = vec![false; (n + 1) * (n + 1)];
        for j in 0..=n {
            for i in 0..=n {
                inside[j * (n + 1) + i] = self.level(node(i, j)) < 0.0;
            }
        }
        // a side by its lower node, and whether it is upright
        let mut next: HashMap<(usize, usize, bool), (usize, usize, bool)> = HashMap::new();
        for j in 0..n {
            for i in 0..n {
                let corners = [(i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)];
                let sides = [
                    (i, j, false),
                    (i + 1, j, true),
                    (i, j + 1, false),
                    (i, j, true),
                ];
                let is_in = corners.map(|(i, j)| inside[j * (n + 1) + i]);
                for k in 0..4 {
                    if !is_in[k] || is_in[(k + 1) % 4] {
                        continue;
                    }
                    let enters = (1..4)
                        .map(|m| (k + m) % 4)
                        .find(|s| !is_in[*s] && is_in[(s + 1) % 4]);
                    if let Some(enters) = enters {
                        next.insert(sides[k], sides[enters]);
                    }
                }
            }
        }
        let crossing = |(i, j, upright): (usize, usize, bool)| {
            let other = if upright {
                node(i, j + 1)
            } else {
                node(i + 1, j)
            };
            self.crossing(node(i, j), other)
        };
        let mut starts: Vec<_> = next.keys().copied().collect();
        starts.sort_unstable();
        let mut loops = Loops::new();
        for start in starts {
            let (mut side, mut points) = (start, Vec::new());
            while let Some(after) = next.remove(&side) {
                points.push(crossing(side));
                side = after;
            }
            if points.len() > 2 {
                loops.push(points.concat());
            }
        }
        self.with_corners(loops, step)
    }

    fn crossing(&self, a: [f64; 2], b: [f64; 2]) -> [f64; 2] {
        let between = |t: f64| [a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1])];
        let first = self.level(a) < 0.0;
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..HALVINGS {
            let middle = 0.5 * (low + high);
            if (self.level(between(middle)) < 0.0) == first {
                low = middle;
            } else {
                high = middle;
            }
        }
        between(0.5 * (low + high))
    }

    /// The same with the corners that cells have cut off.
    fn with_corners(&self, mut loops: Loops, step: [f64; 2]) -> Loops {
        if self.domain.dimension() > 2 {
            return loops;
        }
        let reach = 2.0 * step[0].hypot(step[1]);
        for wedge in self.domain.wedges() {
            let [x, y] = wedge.position;
            let mut nearest = (reach, 0, 0);
            for (l, points) in loops.iter().enumerate() {
                let n = points.len() / 2;
                for k in 0..n {
                    let m = (k + 1) % n;
                    let middle = |c: usize| 0.5 * (points[2 * k + c] + points[2 * m + c]);
                    let off = (middle(0) - x).hypot(middle(1) - y);
                    if off < nearest.0 {
                        nearest = (off, l, k);
                    }
                }
            }
            let (off, l, k) = nearest;
            if off < reach {
                loops[l].splice(2 * k + 2..2 * k + 2, [x, y]);
            }
        }
        loops
    }
}

#[cfg(test)]
mod tests {
    use super::{FINE, Loops, Plane};
    use rafnet::domain::{Annulus, Domain, Polygon, Shape};
    use std::f64::consts::PI;
    use std::sync::Arc;

    fn area(points: &[f64]) -> f64 {
        let n = points.len() / 2;
        let cross = |k: usize| {
            let m = (k + 1) % n;
            points[2 * k] * points[2 * m + 1] - points[2 * m] * points[2 * k + 1]
        };
        0.5 * (0..n).map(cross).sum::<f64>().abs()
    }

    fn outline(shape: impl Shape + 'static) -> Loops {
        let plane = Plane {
            domain: &Domain::new(Arc::new(shape)),
            axes: [0, 1],
            at: &[0.0, 0.0],
            cells: FINE,
        };
        plane.outline()
    }

    #[test]
    fn a_ring_has_two_circles() {
        let loops = outline(Annulus::new(vec![0.0, 0.0], 0.5, 1.0).expect("a ring"));
        assert_eq!(loops.len(), 2);
        let mut areas: Vec<f64> = loops.iter().map(|l| area(l)).collect();
        areas.sort_by(f64::total_cmp);
        assert!(
            (areas[0] - 0.25 * PI).abs() < 1e-3 && (areas[1] - PI).abs() < 1e-3,
            "{areas:?}"
        );
        for points in &loops {
            for p in points.chunks(2) {
                let r = p[0].hypot(p[1]);
                assert!((r - 0.5).abs() < 1e-6 || (r - 1.0).abs() < 1e-6, "{r}");
            }
        }
    }

    /// A polygon's corners are where they are.
    #[test]
    fn corners_are_kept() {
        let vertices = vec![
            [0.0, 0.0],
            [2.0, 0.0],
            [2.0, 1.0],
            [1.0, 1.0],
            [1.0, 2.0],
            [0.0, 2.0],
        ];
        let loops = outline(Polygon::new(vertices.clone()).expect("an L"));
        assert_eq!(loops.len(), 1);
        assert!((area(&loops[0]) - 3.0).abs() < 1e-3, "{}", area(&loops[0]));
        for [x, y] in vertices {
            let near = loops[0].chunks(2).map(|p| (p[0] - x).hypot(p[1] - y));
            assert!(
                near.fold(f64::INFINITY, |a, b| if b < a { b } else { a }) < 1e-9,
                "{x} {y}"
            );
        }
    }
}
