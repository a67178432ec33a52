//! Cuts: which boxes are neighbours, and how a box is split.

use super::Bounds;
use crate::expr::{Expr, Leaf};
use crate::problem::Problem;

/// Breaks along an axis, at most.
const MOST_BREAKS: usize = 64;

/// A face that two boxes share.
pub(super) struct Shared {
    /// The one below it along the axis, then the one above; a box that closes on itself is both.
    pub(super) pieces: [usize; 2],
    pub(super) axis: usize,
    /// The axis' coordinate for each of them: the same, unless the axis closes on itself.
    pub(super) at: [f64; 2],
    /// Its extent along the other axes.
    pub(super) bounds: Bounds,
}

/// All faces between boxes, those across the ends of a periodic axis among them.
#[expect(clippy::float_cmp, reason = "neighbours have the same number, copied")]
pub(super) fn shared_faces(problem: &Problem, boxes: &[Bounds]) -> Vec<Shared> {
    let mut shared = Vec::new();
    for axis in 0..problem.coordinates.len() {
        let [first, last] = problem.domain.bounds()[axis];
        let closed = problem.periodic.contains(&axis);
        for (p, below) in boxes.iter().enumerate() {
            for (q, above) in boxes.iter().enumerate() {
                let at = [below[axis][1], above[axis][0]];
                let around = closed && at == [last, first];
                if at[0] != at[1] && !around {
                    continue;
                }
                let mut bounds: Bounds = below.clone();
                for (k, b) in bounds.iter_mut().enumerate().filter(|(k, _)| *k != axis) {
                    *b = [below[k][0].max(above[k][0]), below[k][1].min(above[k][1])];
                }
                let some = |(k, b): (usize, &[f64; 2])| k == axis || b[0] < b[1];
                if bounds.iter().enumerate().all(some) {
                    shared.push(Shared {
                        pieces: [p, q],
                        axis,
                        at,
                        bounds,
                    });
                }
            }
        }
    }
    shared
}

/// Where along an axis equations, conditions or data jump or have a kink, wherever the other coordinates are, where a side of the domain
/// lies, and where narrow places of the texts begin and end: cuts belong there.
pub(super) fn breaks(problem: &Problem, axis: usize) -> Vec<f64> {
    let texts = problem.equations.iter();
    let texts = texts.chain(problem.conditions.iter().map(|c| &c.residual));
    let [first, last] = problem.domain.bounds()[axis];
    let near = 1e-9 * (last - first);
    let faces = problem.domain.pieces().iter();
    let sides = faces.filter_map(|p| p.face.fixed().filter(|(k, _)| *k == axis));
    let fluxes = problem.fluxes.iter().filter(|flux| flux.axis == axis);
    let jumps = fluxes.flat_map(|flux| flux.places.iter().copied());
    let mut found: Vec<f64> = sides.map(|(_, at)| at).chain(jumps).collect();
    found.retain(|at| *at > first + near && *at < last - near);
    found.sort_by(f64::total_cmp);
    found.dedup_by(|a, b| (*a - *b).abs() < near);
    for text in texts {
        let known = without_unknowns(text);
        let lines = [0.237, 0.531, 0.819].map(|share| along(&known, problem, axis, share));
        let on = |line: &[f64], a: f64| line.iter().any(|b| (a - b).abs() < near);
        for a in &lines[0] {
            if on(&lines[1], *a) && on(&lines[2], *a) && !on(&found, *a) {
                found.push(*a);
            }
        }
    }
    let places = problem.places.iter().flat_map(|p| p.inside(problem));
    let ends = places.filter_map(|p| p.breaks(problem, axis));
    let inside = |at: &f64| *at > first && *at < last;
    found.extend(ends.flatten().filter(inside));
    found.sort_by(f64::total_cmp);
    found.dedup();
    found.truncate(MOST_BREAKS);
    found
}

/// Whether what is given on the boundary has a kink, and no jump.
pub(super) fn has_kinks(problem: &Problem) -> bool {
    let bounds = problem.domain.bounds();
    let ends: Vec<Vec<f64>> = [0, 1]
        .map(|end: usize| bounds.iter().map(|b| b[end]).collect())
        .to_vec();
    let broken = |orders: usize| {
        problem.conditions.iter().any(|c| {
            let known = without_unknowns(&c.residual);
            let along = |axis: usize| known.lost_under(&vec![axis; orders], &ends);
            (0..bounds.len()).any(|axis| along(axis).is_some())
        })
    };
    broken(2) && !broken(1)
}

/// A text with numbers for unknowns: what breaks with the unknown is the solution's own affair.
fn without_unknowns(text: &Expr) -> Expr {
    text.replace(&mut |leaf| match leaf {
        Leaf::Jet(_) => Some(Expr::number(0.7)),
        _ => None,
    })
}

/// Every break on a line along an axis; the other coordinates stand at a share of their ranges.
fn along(text: &Expr, problem: &Problem, axis: usize, share: f64) -> Vec<f64> {
    let bounds = problem.domain.bounds();
    let [first, last] = bounds[axis];
    let slack = 1e-6 * (last - first);
    let mut place: Vec<f64> = bounds.iter().map(|[a, b]| a + share * (b - a)).collect();
    let mut at = |x: f64| {
        place[axis] = x;
        place.clone()
    };
    let (mut left, mut found) = (vec![[first, last]], Vec::new());
    while let Some([low, high]) = left.pop().filter(|_| found.len() < 2 * MOST_BREAKS) {
        let Some(jump) = text.lost_under(&[axis, axis], &[at(low), at(high)]) else {
            continue;
        };
        let a = jump.at;
        if a > first + slack && a < last - slack {
            found.push(a);
        }
        let sides = [[low, a - slack], [a + slack, high]];
        left.extend(sides.into_iter().filter(|[l, h]| l < h));
    }
    found
}

/// Places along an axis that cut it at least into `count` parts: those given, and equal parts between them.
pub(super) fn places([low, high]: [f64; 2], breaks: &[f64], count: usize) -> Vec<f64> {
    let mut places = vec![low];
    for end in breaks.iter().copied().chain([high]) {
        let start = places.last().copied().unwrap_or(low);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a small count"
        )]
        let parts = (count as f64 * (end - start) / (high - low))
            .round()
            .max(1.0) as usize;
        let inner = (1..parts).map(|i| start + (end - start) * i as f64 / parts as f64);
        places.extend(inner.chain([end]));
    }
    places
}

/// The boxes between places along each axis.
pub(super) fn between(places: &[Vec<f64>]) -> Vec<Bounds> {
    let mut boxes: Vec<Bounds> = vec![Vec::new()];
    for along in places {
        let longer = |b: &Bounds| {
            let b = b.clone();
            along
                .windows(2)
                .map(move |w| [&b[..], &[[w[0], w[1]]]].concat())
        };
        boxes = boxes.iter().flat_map(longer).collect();
    }
    boxes
}

/// The two parts of a box.
pub(super) fn halves(bounds: &Bounds, axis: usize, at: f64) -> [Bounds; 2] {
    let (mut below, mut above) = (bounds.clone(), bounds.clone());
    below[axis][1] = at;
    above[axis][0] = at;
    [below, above]
}

#[cfg(test)]
mod tests {
    use super::{between, breaks, places};
    use crate::problem::Problem;

    /// Jumps and kinks along an axis are cuts; slanted ones and those of the solution are not.
    #[test]
    fn cuts_are_where_the_equation_breaks() {
        let text = "[domain]\nkind = \"box\"\nx = [0, 1]\ny = [0, 1]\n[equation]\n\
                    residual = \"laplacian(u) - where(x < 0.3, 1, 5)*abs(y - 0.6) - where(x < y, 1, 2) - abs(x - 0.7)*max(u, 0)\"\n\
                    [[boundary]]\non = \"all\"\ndirichlet = 0\n";
        let problem = Problem::from_text(text, "breaks.toml", None).expect("a problem");
        let near = |found: Vec<f64>, expected: &[f64]| {
            let same = |(a, b): (&f64, &f64)| (a - b).abs() < 1e-9;
            assert!(
                found.len() == expected.len() && found.iter().zip(expected).all(same),
                "{found:?} {expected:?}"
            );
        };
        near(breaks(&problem, 0), &[0.3, 0.7]);
        near(breaks(&problem, 1), &[0.6]);
        near(
            places([0.0, 1.0], &[0.3], 4),
            &[0.0, 0.3, 0.3 + 0.7 / 3.0, 0.3 + 1.4 / 3.0, 1.0],
        );
        assert_eq!(between(&[vec![0.0, 1.0, 3.0], vec![0.0, 1.0]]).len(), 2);
    }
}
