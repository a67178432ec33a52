//! Which frequencies the data have: power spectra of sources and initial values along each axis.
//!
//! Lines of equally spaced points through the domain along one axis are tapered and transformed; the power over all lines says
//! how fast the solution is likely to oscillate there. Only what belongs to a point's own set is evaluated at it: sources inside,
//! conditions on faces at the faces.

use super::residual::Source;
use super::{Block, System};
use crate::domain::Domain;
use crate::problem::Problem;
use std::f64::consts::PI;

/// Points of a line.
const SAMPLES: usize = 256;
/// Lines along each axis.
const LINES: usize = 6;

/// In more dimensions than this a line along one axis says next to nothing, and there are too many.
const MOST_AXES: usize = 100;

/// The power at 0, 1, 2, … cycles over the extent of an axis, normalised to sum one; empty without data.
pub(crate) type Power = Vec<f64>;

/// The spectra along all axes, from lines through the given points.
pub(crate) fn spectra(system: &System, through: &[f64]) -> Vec<Power> {
    if system.known.dimension > MOST_AXES {
        return vec![Power::new(); system.known.dimension];
    }
    let waves = waves();
    let sources: Vec<Source> = system
        .residuals
        .iter()
        .map(|r| r.source(system.known.dimension))
        .collect();
    (0..system.known.dimension)
        .map(|axis| along(system, &sources, &waves, through, axis))
        .collect()
}

fn along(
    system: &System,
    sources: &[Source],
    waves: &[[f64; 2]],
    through: &[f64],
    axis: usize,
) -> Power {
    let (problem, d) = (&system.problem, system.known.dimension);
    let [low, high] = problem.domain.bounds()[axis];
    let mut power = vec![0.0; SAMPLES / 2];
    for (r, source) in sources.iter().enumerate() {
        let fixed = fixed_axes(problem, r);
        let Some(fixed) = fixed.filter(|f| f.iter().all(|(a, _)| *a != axis)) else {
            continue;
        };
        for anchor in through.chunks_exact(d).take(LINES) {
            let mut anchor = anchor.to_vec();
            fixed.iter().for_each(|&(a, at)| anchor[a] = at);
            let [from, to] = stretch(&problem.domain, &anchor, axis);
            let points: Vec<f64> = line(&anchor, axis, [from, to]).collect();
            let normals = vec![1.0; points.len()];
            let block = Block::new(r, system.known.bare_sites(&points)).with_normals(&normals);
            let start: Vec<f64> = problem.sought.iter().map(|s| s.start).collect();
            let values = source.values(&block, &start);
            if values.iter().all(|v| v.is_finite()) {
                add_power(&values, (high - low) / (to - from), waves, &mut power);
            }
        }
    }
    let total: f64 = power.iter().sum();
    if total > 0.0 {
        power.iter().map(|p| p / total).collect()
    } else {
        Vec::new()
    }
}

/// `SAMPLES` points along an axis, the other coordinates those of the anchor.
fn line(anchor: &[f64], axis: usize, [from, to]: [f64; 2]) -> impl Iterator<Item = f64> {
    (0..SAMPLES).flat_map(move |i| {
        let mut point = anchor.to_vec();
        point[axis] = from + (to - from) * (i as f64 + 0.5) / SAMPLES as f64;
        point
    })
}

/// The part of the line through the anchor along an axis that lies in the domain.
fn stretch(domain: &Domain, anchor: &[f64], axis: usize) -> [f64; 2] {
    let [low, high] = domain.bounds()[axis];
    let points: Vec<f64> = line(anchor, axis, [low, high]).collect();
    let d = anchor.len();
    let place = |i: usize| points[i * d + axis];
    let inside = |i: usize| domain.contains(&points[i * d..(i + 1) * d]);
    let here = (0..SAMPLES)
        .min_by(|&i, &j| {
            let off = |i: usize| (place(i) - anchor[axis]).abs();
            off(i).total_cmp(&off(j))
        })
        .unwrap_or(0);
    let first = (0..here).rev().find(|&i| !inside(i)).map_or(0, |i| i + 1);
    let last = (here..SAMPLES).find(|&i| !inside(i)).unwrap_or(SAMPLES);
    let width = (high - low) / SAMPLES as f64;
    let from = low + width * first.min(here) as f64;
    [
        from,
        from + width * last.saturating_sub(first).max(1) as f64,
    ]
}

/// The coordinates that are fixed where residual `r` holds: none inside; `None` where its set is no axis-parallel face.
fn fixed_axes(problem: &Problem, r: usize) -> Option<Vec<(usize, f64)>> {
    if r < problem.equations.len() {
        return Some(Vec::new());
    }
    let condition = problem.conditions.get(r - problem.equations.len())?;
    let piece = problem.domain.pieces().get(*condition.pieces.first()?)?;
    piece
        .face
        .fixed()
        .filter(|_| condition.filter.is_none())
        .map(|f| vec![f])
}

/// The cosines and sines of a line's points, frequency by frequency: they are those of every line.
fn waves() -> Vec<[f64; 2]> {
    let angle = |f: usize, i: usize| 2.0 * PI * f as f64 * (i as f64 + 0.5) / SAMPLES as f64;
    let angles = (0..SAMPLES / 2).flat_map(|f| (0..SAMPLES).map(move |i| angle(f, i)));
    angles.map(|angle| [angle.cos(), angle.sin()]).collect()
}

/// Adds the tapered line's power, the line's own total being one; `longer` is the axis over the line.
fn add_power(values: &[f64], longer: f64, waves: &[[f64; 2]], power: &mut [f64]) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let tapered: Vec<f64> = values
        .iter()
        .enumerate()
        .map(|(i, v)| (v - mean) * (PI * (i as f64 + 0.5) / n).sin().powi(2))
        .collect();
    let mut line = vec![0.0; power.len()];
    for (line, wave) in line.iter_mut().zip(waves.chunks_exact(SAMPLES)) {
        let (mut re, mut im) = (0.0, 0.0);
        for (v, [cosine, sine]) in tapered.iter().zip(wave) {
            re += v * cosine;
            im += v * sine;
        }
        *line = re * re + im * im;
    }
    let total: f64 = line.iter().sum();
    if total > 0.0 {
        for (f, l) in line.iter().enumerate() {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a small positive number"
            )]
            let cycles = ((f as f64 * longer).round() as usize).min(power.len() - 1);
            power[cycles] += l / total;
        }
    }
}

/// The frequency below which nearly all power lies, in cycles.
pub(crate) fn extent(power: &[f64]) -> f64 {
    let mut sum = 0.0;
    for (f, p) in power.iter().enumerate() {
        sum += p;
        if sum > 0.999 {
            return f as f64;
        }
    }
    0.0
}
