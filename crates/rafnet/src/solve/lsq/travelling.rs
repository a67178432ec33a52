//! Where narrow boundary and initial values travel to: along the characteristics of linear equations.
//!
//! ```text
//! on a face x_a = const      a value is narrow along x_k
//! inside                     a strip with the normal ξ: ξ_k = 1, ξ_a a real root of the principal symbol, all others 0
//! at another face            it comes back along the other roots
//! ```
//!
//! Equations whose characteristics bend have none of these, nor have equations without real ones (diffusion, Laplace).

use super::symbol::Symbol;
use crate::problem::{NARROW, Place, Problem, Strip};

/// Strips at most.
const MOST: usize = 12;
/// Strips that are as near as this share of their width are one.
const SAME: f64 = 0.1;

/// The places inside to which narrow values on faces travel.
pub(in crate::solve) fn travelling(problem: &Problem) -> Vec<Place> {
    let bounds = problem.domain.bounds();
    let mut found: Vec<Place> = Vec::new();
    if problem.domain.as_cuboid().is_none() || !problem.periodic.is_empty() {
        return found;
    }
    let on_faces = |p: &&Place| !p.pieces.is_empty() && !p.singular && p.across.is_none();
    for place in problem.places.iter().filter(on_faces) {
        let narrow = |k: &usize| {
            let [low, high] = bounds[*k];
            place.width[*k].is_some_and(|w| w < NARROW * (high - low))
        };
        let narrow: Vec<usize> = (0..bounds.len()).filter(narrow).collect();
        let &[k] = &narrow[..] else { continue };
        let (Some(at), Some(width)) = (place.at[k], place.width[k]) else {
            continue;
        };
        let mut along = vec![0.0; bounds.len()];
        along[k] = 1.0;
        for piece in &place.pieces {
            let Some(face) = problem.domain.pieces()[*piece].face.fixed() else {
                continue;
            };
            for normal in normals(problem, face.0, &along) {
                keep(&mut found, place, strip(normal, face, at, width));
            }
        }
    }
    let mut next = 0;
    while next < found.len() {
        let place = found[next].clone();
        next += 1;
        let Some(strip) = &place.across else { continue };
        for back in reflected(problem, strip) {
            keep(&mut found, &place, back);
        }
    }
    found
}

/// The strip with a normal through where a face and a trace meet: Σ over the other coordinates of ξ_k x_k = `at`.
fn strip(normal: Vec<f64>, (axis, value): (usize, f64), at: f64, width: f64) -> Strip {
    let length = normal.iter().map(|n| n * n).sum::<f64>().sqrt();
    let offset = (at + normal[axis] * value) / length;
    Strip {
        normal: normal.into_iter().map(|n| n / length).collect(),
        offset,
        width: width / length,
    }
}

/// All ξ that are characteristic and have these components but for one.
fn normals(problem: &Problem, axis: usize, along: &[f64]) -> Vec<Vec<f64>> {
    let symbol = Symbol::principal(problem, axis);
    symbol.map_or(Vec::new(), |symbol| symbol.all(along))
}

/// What comes back from the faces in space that a strip meets.
fn reflected(problem: &Problem, from: &Strip) -> Vec<Strip> {
    let bounds = problem.domain.bounds();
    let mut back = Vec::new();
    for axis in (0..bounds.len()).filter(|k| Some(*k) != problem.time) {
        for value in bounds[axis] {
            let mut along = from.normal.clone();
            along[axis] = 0.0;
            let at = from.offset - from.normal[axis] * value;
            let ends = bounds
                .iter()
                .zip(&along)
                .map(|([low, high], n)| [n * low, n * high]);
            let least: f64 = ends.clone().map(|[a, b]| a.min(b)).sum();
            let most: f64 = ends.map(|[a, b]| a.max(b)).sum();
            if least < at && at < most {
                let ways = normals(problem, axis, &along).into_iter();
                back.extend(ways.map(|n| strip(n, (axis, value), at, from.width)));
            }
        }
    }
    back
}

/// Adds a strip that lies along no axis and is not there yet.
fn keep(found: &mut Vec<Place>, from: &Place, strip: Strip) {
    let known = |p: &Place| {
        p.across.as_ref().is_some_and(|other| {
            let near = |a: f64, b: f64| (a - b).abs() <= SAME * strip.width;
            let mut turned = other.normal.iter().zip(&strip.normal);
            near(other.offset, strip.offset) && turned.all(|(a, b)| near(*a, *b))
        })
    };
    let slanted = strip.normal.iter().filter(|n| n.abs() > 1e-9).count() > 1;
    if slanted && found.len() < MOST && !found.iter().any(known) {
        found.push(Place {
            pieces: Vec::new(),
            across: Some(strip),
            ..from.clone()
        });
    }
}
