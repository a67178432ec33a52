//! Cuts: which boxes are neighbours, and how a box is split.

use super::Bounds;
use crate::expr::{Expr, Leaf};
use crate::problem::{Place, Problem};

/// Breaks along an axis, and boxes that are split around narrow places, at most.
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
/// lies, and where places of the texts that are narrow along this axis alone begin and end: cuts belong there. Along `time` every narrow place
/// counts.
pub(super) fn breaks(problem: &Problem, axis: usize, time: Option<usize>) -> Vec<f64> {
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
    let crossing = places.filter(|p| Some(axis) == time || narrow_in(p, problem, time).len() == 1);
    let ends = crossing.filter_map(|p| p.breaks(problem, axis));
    let inside = |at: &f64| *at > first && *at < last;
    found.extend(ends.flatten().filter(inside));
    found.sort_by(f64::total_cmp);
    found.dedup();
    found.truncate(MOST_BREAKS);
    found
}

/// Along which axes of space a place is narrow, and where it ends there.
fn narrow_in(place: &Place, problem: &Problem, time: Option<usize>) -> Vec<(usize, [f64; 2])> {
    let space = (0..problem.coordinates.len()).filter(|k| Some(*k) != time);
    let ends = space.filter_map(|k| Some((k, place.breaks(problem, k)?)));
    ends.collect()
}

/// Boxes around places that are narrow along several axes of space: halved until they are no longer than the place. A cut from wall to wall would go
/// through where nothing is.
pub(super) fn around_places(
    mut boxes: Vec<Bounds>,
    problem: &Problem,
    time: Option<usize>,
) -> Vec<Bounds> {
    let mut left = MOST_BREAKS;
    for place in problem.places.iter().flat_map(|p| p.inside(problem)) {
        let narrow = narrow_in(&place, problem, time);
        if narrow.len() < 2 {
            continue;
        }
        let long = |cell: &Bounds, (k, [low, high]): &(usize, [f64; 2])| {
            cell[*k][1] - cell[*k][0] > high - low
        };
        let holds = |cell: &Bounds| {
            let at = |(k, _): &(usize, _)| {
                let [low, high] = cell[*k];
                place.at[*k].is_some_and(|at| low <= at && at <= high)
            };
            narrow.iter().all(at)
        };
        let is_wide = |cell: &Bounds| holds(cell) && narrow.iter().any(|n| long(cell, n));
        while let Some(at) = boxes.iter().position(is_wide).filter(|_| left > 0) {
            left -= 1;
            let cell = boxes.swap_remove(at);
            let axes = narrow.iter().filter(|n| long(&cell, n)).map(|n| n.0);
            let parts = axes.fold(vec![cell.clone()], |parts, k| {
                let middle = 0.5 * (cell[k][0] + cell[k][1]);
                let halves = |part: &Bounds| halves(part, k, middle);
                parts.iter().flat_map(halves).collect()
            });
            boxes.extend(parts);
        }
    }
    boxes
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
    use super::{around_places, between, breaks, places};
    use crate::domain::{Draw, Sampler};
    use crate::posed::Narrow;
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
        near(breaks(&problem, 0, None), &[0.3, 0.7]);
        near(breaks(&problem, 1, None), &[0.6]);
        near(
            places([0.0, 1.0], &[0.3], 4),
            &[0.0, 0.3, 0.3 + 0.7 / 3.0, 0.3 + 1.4 / 3.0, 1.0],
        );
        assert_eq!(between(&[vec![0.0, 1.0, 3.0], vec![0.0, 1.0]]).len(), 2);
    }

    /// A peak that is narrow along both axes is cut around and not through: the box that holds it is as small as it is, the boxes fill the domain, and
    /// none of them is long and thin.
    #[test]
    fn a_peak_is_cut_around() {
        let text = "[domain]\nkind = \"box\"\nx = [0, 1]\ny = [0, 1]\n[equation]\n\
                    residual = \"laplacian(u) - exp(-((x - 0.3)^2 + (y - 0.6)^2)/1e-6)\"\n\
                    [[boundary]]\non = \"all\"\ndirichlet = 0\n";
        let mut problem = Problem::from_text(text, "peak.toml", None).expect("a problem");
        let draw = Draw::new(Sampler::Sobol, 0);
        let narrow = Narrow::of(&problem, &draw).expect("points");
        problem.places = narrow.places.clone();
        assert!(breaks(&problem, 0, None).is_empty() && breaks(&problem, 1, None).is_empty());
        let boxes = around_places(vec![vec![[0.0, 1.0]; 2]], &problem, None);
        let area = |b: &Vec<[f64; 2]>| b.iter().map(|[low, high]| high - low).product::<f64>();
        let whole: f64 = boxes.iter().map(area).sum();
        assert!((whole - 1.0).abs() < 1e-12);
        let holds = |b: &&Vec<[f64; 2]>| {
            b[0][0] <= 0.3 && 0.3 <= b[0][1] && b[1][0] <= 0.6 && 0.6 <= b[1][1]
        };
        let smallest = boxes.iter().find(holds).expect("a box at the peak");
        let width = 2.0 * 2f64.ln().sqrt() * 1e-3;
        let ratio = (smallest[0][1] - smallest[0][0]) / (8.0 * width);
        assert!((0.5..=1.0).contains(&ratio), "{ratio}");
        assert!(boxes.len() < 30, "{}", boxes.len());
        let aspect = |b: &Vec<[f64; 2]>| (b[0][1] - b[0][0]) / (b[1][1] - b[1][0]);
        assert!(boxes.iter().all(|b| (0.5..=2.0).contains(&aspect(b))));
    }
}
