//! A branch cut that leaves the polygon alone.
//!
//! The angle around a vertex needs a cut from the vertex to infinity. A straight one may hit the polygon again (in a U,
//! a comb, a spiral), so the cut follows a chain v = c₀, c₁, …, cₘ through the pocket between the polygon and its convex
//! hull, and then the direction D straight away from the hull. Seen from x, the chain turns by the sum of the
//! angles its links subtend, each in (−π, π) and continuous unless x lies on that link, so
//! ```text
//! arg(v − x) = arg D − Σ_k ∠(cₖ − x, cₖ₊₁ − x) − ∠(cₘ − x, D)
//! ```
//! is continuous everywhere off the chain: in all of the polygon. A constant multiple of 2π makes it θ.

use super::plane::{Point, angle, distance, midpoint, minus, turn};
use super::triangulation::{Triangle, triangulate};
use std::collections::VecDeque;
use std::f64::consts::{PI, TAU};

/// A chain of points from a vertex out of the convex hull, and the direction in which it goes on.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Cut {
    chain: Vec<Point>,
    away: Point,
    offset: f64,
}

impl Cut {
    /// The cut for a re-entrant vertex of a counterclockwise outline; `rotation` is the direction θ = 0 there and `opening`
    /// the interior angle. `None` when rounding hides the pocket, which is then too thin to matter.
    pub(super) fn from_vertex(
        outline: &[Point],
        vertex: usize,
        rotation: Point,
        opening: f64,
    ) -> Option<Self> {
        let pocket = pocket(outline, vertex)?;
        let [first, last] = [pocket[0], pocket[1]].map(|k| outline[k]);
        let triangles = triangulate(outline, pocket.clone()).ok()?;
        let mut chain = vec![outline[vertex]];
        chain.extend(
            way_out(&triangles, vertex, [pocket[0], pocket[1]])?
                .map(|[a, b]| midpoint(outline[a], outline[b])),
        );
        let [dx, dy] = minus(last, first);
        let mut cut = Self {
            chain,
            away: [dy, -dx],
            offset: 0.0,
        };
        // A point on the bisector, so near that the chain is a straight line for it.
        let (sine, cosine) = (0.5 * opening).sin_cos();
        let bisector = [
            cosine * rotation[0] - sine * rotation[1],
            sine * rotation[0] + cosine * rotation[1],
        ];
        let near = 1e-6
            * cut
                .chain
                .iter()
                .skip(1)
                .map(|&c| distance(c, outline[vertex]))
                .fold(f64::INFINITY, f64::min);
        let probe = [0, 1].map(|k| outline[vertex][k] + near * bisector[k]);
        cut.offset = -angle([1.0, 0.0], rotation);
        let turns = ((0.5 * opening - cut.angle(probe)) / TAU).round();
        cut.offset += TAU * turns;
        Some(cut)
    }

    /// The continuous angle θ at x, to within rounding.
    pub(super) fn angle(&self, x: Point) -> f64 {
        let seen = |c: &Point| minus(*c, x);
        let turned: f64 = self
            .chain
            .windows(2)
            .map(|link| angle(seen(&link[0]), seen(&link[1])))
            .sum();
        let last = self.chain.last().map_or(0.0, |c| angle(seen(c), self.away));
        angle([1.0, 0.0], self.away) - turned - last - PI + self.offset
    }
}

/// The pocket of the hull in which a vertex lies, counterclockwise; its first two vertices are those on the hull.
fn pocket(outline: &[Point], vertex: usize) -> Option<Vec<usize>> {
    let count = outline.len();
    let on_hull = hull(outline);
    let ahead = (0..count)
        .map(|step| (vertex + step) % count)
        .find(|&k| on_hull[k])?;
    let behind = (0..count)
        .map(|step| (vertex + count - step) % count)
        .find(|&k| on_hull[k])?;
    // The hull runs straight from `behind` to `ahead`; the polygon comes back the other way through `vertex`.
    let mut pocket = vec![behind];
    let mut k = ahead;
    while k != behind {
        pocket.push(k);
        k = (k + count - 1) % count;
    }
    Some(pocket)
}

/// Which vertices lie on the convex hull, those within its edges included (A. M. Andrew's monotone chain, 1979).
fn hull(outline: &[Point]) -> Vec<bool> {
    let mut order: Vec<usize> = (0..outline.len()).collect();
    order.sort_by(|&a, &b| {
        outline[a][0]
            .total_cmp(&outline[b][0])
            .then(outline[a][1].total_cmp(&outline[b][1]))
    });
    let mut on_hull = vec![false; outline.len()];
    for _ in 0..2 {
        let mut chain: Vec<usize> = Vec::new();
        for &k in &order {
            while let [.., a, b] = chain[..] {
                if turn(outline[a], outline[b], outline[k]) >= 0.0 {
                    break;
                }
                chain.pop();
            }
            chain.push(k);
        }
        for k in chain {
            on_hull[k] = true;
        }
        order.reverse();
    }
    on_hull
}

/// The edges crossed on the shortest way through the triangles from a vertex out over the edge `gate`.
fn way_out(
    triangles: &[Triangle],
    vertex: usize,
    gate: [usize; 2],
) -> Option<impl Iterator<Item = [usize; 2]>> {
    // Walked from the gate inwards, so that the way is read off outwards.
    let outermost = triangles
        .iter()
        .position(|triangle| gate.iter().all(|k| triangle.contains(k)))?;
    let mut entered: Vec<Option<(usize, [usize; 2])>> = vec![None; triangles.len()];
    entered[outermost] = Some((outermost, gate));
    let mut queue = VecDeque::from([outermost]);
    while let Some(here) = queue.pop_front() {
        if triangles[here].contains(&vertex) {
            let mut way = Vec::new();
            let mut at = here;
            while let Some((outer, edge)) = entered[at] {
                way.push(edge);
                if outer == at {
                    break;
                }
                at = outer;
            }
            return Some(way.into_iter());
        }
        for (there, triangle) in triangles.iter().enumerate() {
            let shared: Vec<usize> = triangle
                .iter()
                .copied()
                .filter(|k| triangles[here].contains(k))
                .collect();
            if let [a, b] = shared[..]
                && entered[there].is_none()
            {
                entered[there] = Some((here, [a, b]));
                queue.push_back(there);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::plane::segments_meet;

    /// A spiral of two turns, counterclockwise.
    fn spiral() -> Vec<Point> {
        vec![
            [0.0, 0.0],
            [10.0, 0.0],
            [10.0, 10.0],
            [2.0, 10.0],
            [2.0, 4.0],
            [6.0, 4.0],
            [6.0, 6.0],
            [4.0, 6.0],
            [4.0, 8.0],
            [8.0, 8.0],
            [8.0, 2.0],
            [0.0, 2.0],
        ]
    }

    /// The chain touches the outline at its vertex only, and ends outside of the hull.
    #[test]
    fn cuts_stay_out_of_the_polygon() {
        let outline = spiral();
        let count = outline.len();
        let mut cuts = 0;
        for vertex in 0..count {
            let (before, after) = (
                outline[(vertex + count - 1) % count],
                outline[(vertex + 1) % count],
            );
            if turn(before, outline[vertex], after) >= 0.0 {
                continue;
            }
            let leaving = minus(after, outline[vertex]);
            let size = leaving[0].hypot(leaving[1]);
            let opening = angle(leaving, minus(before, outline[vertex])).rem_euclid(TAU);
            let cut = Cut::from_vertex(&outline, vertex, leaving.map(|c| c / size), opening)
                .expect("a cut");
            let mut links: Vec<[Point; 2]> = cut
                .chain
                .windows(2)
                .map(|link| [link[0], link[1]])
                .collect();
            let end = cut.chain[cut.chain.len() - 1];
            links.push([end, [0, 1].map(|k| end[k] + 100.0 * cut.away[k])]);
            for (number, &link) in links.iter().enumerate() {
                for k in 0..count {
                    let at_vertex = number == 0 && (k == vertex || (k + 1) % count == vertex);
                    let edge = [outline[k], outline[(k + 1) % count]];
                    // The last midpoint lies on the hull, which may be an edge only where the pocket is none.
                    assert!(
                        at_vertex || !segments_meet(link, edge),
                        "vertex {vertex}: {link:?} meets edge {k}"
                    );
                }
            }
            cuts += 1;
        }
        assert_eq!(cuts, 4);
    }

    #[test]
    fn points_within_a_side_belong_to_the_hull() {
        let outline = [
            [0.0, 0.0],
            [1.0, 0.0],
            [2.0, 0.0],
            [2.0, 1.0],
            [2.0, 2.0],
            [1.0, 1.0],
            [0.0, 2.0],
        ];
        assert_eq!(hull(&outline), [true, true, true, true, true, false, true]);
    }
}
