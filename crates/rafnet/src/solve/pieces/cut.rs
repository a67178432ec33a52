//! Cuts: which boxes are neighbours, and how a box is split.

use super::Bounds;
use crate::problem::Problem;

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

/// A box cut into `counts` equal ones along each axis.
pub(super) fn evenly(bounds: &Bounds, counts: &[usize]) -> Vec<Bounds> {
    let mut boxes: Vec<Bounds> = vec![Vec::new()];
    for ([low, high], count) in bounds.iter().zip(counts) {
        let at = |i: usize| match i {
            0 => *low,
            i if i == *count => *high,
            i => low + (high - low) * i as f64 / *count as f64,
        };
        let longer = |b: &Bounds| {
            let b = b.clone();
            (0..*count).map(move |i| [&b[..], &[[at(i), at(i + 1)]]].concat())
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
