//! Boundary points: on the boundary, with outward normals, in proportion to measure.

use super::catalogue::{self, Entry};
use crate::domain::{BoundaryPoints, Draw, Piece, Sampler};
use crate::expr::larger;

const SAMPLERS: [Sampler; 3] = [Sampler::Random, Sampler::Sobol, Sampler::Lattice];

fn every_piece(entry: &Entry, count: usize, draw: &Draw) -> BoundaryPoints {
    let all: Vec<usize> = (0..entry.domain.pieces().len()).collect();
    entry
        .domain
        .boundary(&all, count, draw)
        .unwrap_or_else(|error| panic!("{}: {error}", entry.name))
}

/// (point, normal, piece) of each.
fn rows<'a>(
    entry: &'a Entry,
    points: &'a BoundaryPoints,
) -> impl Iterator<Item = (&'a [f64], &'a [f64], &'a Piece)> {
    let dimension = entry.domain.dimension();
    let pieces = points
        .pieces
        .iter()
        .map(|&index| &entry.domain.pieces()[index]);
    let both = points
        .points
        .chunks(dimension)
        .zip(points.normals.chunks(dimension));
    both.zip(pieces)
        .map(|((x, normal), piece)| (x, normal, piece))
}

fn moved(x: &[f64], normal: &[f64], by: f64) -> Vec<f64> {
    x.iter().zip(normal).map(|(x, n)| x + by * n).collect()
}

#[test]
fn points_lie_on_the_boundary_and_normals_point_out() {
    for entry in catalogue::all() {
        let extent = entry
            .domain
            .bounds()
            .iter()
            .map(|[low, high]| high - low)
            .fold(0.0, larger);
        for (seed, sampler) in (0..).zip(SAMPLERS) {
            for draw in [
                Draw::new(sampler, seed),
                Draw::new(sampler, seed).held_out(),
            ] {
                let points = every_piece(entry, 200, &draw);
                for (x, normal, piece) in rows(entry, &points) {
                    let level = |by: f64| entry.domain.shape().level(&moved(x, normal, by));
                    let name = piece.name(&[]);
                    assert!(
                        level(0.0).abs() <= 16.0 * f64::EPSILON * extent.max(4.0),
                        "{}, {name}: {x:?}",
                        entry.name
                    );
                    assert!(entry.domain.contains(x), "{}, {name}: {x:?}", entry.name);
                    assert!(
                        level(2e-7 * extent) > 0.0,
                        "{}, {name}: inwards at {x:?}",
                        entry.name
                    );
                    assert!(
                        level(-2e-7 * extent) < 0.0,
                        "{}, {name}: not outwards at {x:?}",
                        entry.name
                    );
                    let length = normal.iter().map(|n| n * n).sum::<f64>().sqrt();
                    assert!(
                        (length - 1.0).abs() <= 8.0 * f64::EPSILON,
                        "{}, {name}: {normal:?}",
                        entry.name
                    );
                }
            }
        }
    }
}

/// On faces and axis-parallel edges the coordinate is that of the face to the bit, and so is the normal.
#[test]
fn axis_parallel_pieces_are_exact() {
    let mut checked = 0;
    for entry in catalogue::all() {
        let points = every_piece(entry, 100, &Draw::new(Sampler::Lattice, 4));
        for (x, normal, piece) in rows(entry, &points) {
            if let Some((axis, at)) = piece.face.fixed() {
                assert_eq!(x[axis].to_bits(), at.to_bits(), "{}: {x:?}", entry.name);
                for (k, n) in normal.iter().enumerate() {
                    let expected = if k == axis { 1.0 } else { 0.0 };
                    assert_eq!(
                        n.abs().to_bits(),
                        f64::to_bits(expected),
                        "{}: {normal:?}",
                        entry.name
                    );
                }
                checked += 1;
            }
        }
    }
    assert!(checked > 1000, "{checked}");
}

/// The pieces add up to the boundary known by hand. Of a combined shape each piece is counted by 2¹¹ points: one cut of a
/// piece costs at most one part in 2¹⁰ of it on a curve, and about √(log) of that on a surface.
#[test]
fn pieces_add_up_to_the_boundary() {
    for entry in catalogue::all() {
        let pieces = entry
            .domain
            .pieces()
            .iter()
            .filter(|piece| !piece.face.is_time());
        let found: f64 = pieces.clone().map(|piece| piece.measure).sum();
        let is_plain = pieces.clone().all(|piece| piece.part.is_empty());
        let allowed = if is_plain {
            16.0 * f64::EPSILON
        } else {
            4.0 / 1024.0
        };
        assert!(
            (found - entry.boundary).abs() <= allowed * entry.boundary,
            "{}: {found}",
            entry.name
        );
    }
}

/// Gauss: ∮ F·n dS = ∫ div F dV, for F = x (d|Ω|), for constant F (0), and for F = xₖ² eₖ (twice the first moments). Each
/// side is a mean over random points, piece by piece, with its standard deviation; five of them bound the gap, and the
/// counted measures of combined shapes add 1/256 of ∮|F·n|.
#[test]
fn the_divergence_theorem_holds() {
    for entry in catalogue::all() {
        let dimension = entry.domain.dimension();
        let points = every_piece(entry, 2_000, &Draw::new(Sampler::Random, 9));
        let inside = entry
            .domain
            .interior(2_000, &Draw::new(Sampler::Random, 9))
            .expect("interior points");
        let is_plain = entry
            .domain
            .pieces()
            .iter()
            .all(|piece| piece.part.is_empty());
        for field in 0..=2 * dimension {
            let k = field % dimension;
            let flux = |x: &[f64], n: &[f64]| match field {
                f if f == 2 * dimension => x.iter().zip(n).map(|(x, n)| x * n).sum::<f64>(),
                f if f >= dimension => n[k],
                _ => x[k] * x[k] * n[k],
            };
            let divergence = |x: &[f64]| match field {
                f if f == 2 * dimension => dimension as f64,
                f if f >= dimension => 0.0,
                _ => 2.0 * x[k],
            };
            let (mut total, mut variance, mut size) = (0.0, 0.0, 0.0);
            for (index, piece) in entry.domain.pieces().iter().enumerate() {
                let of_piece = rows(entry, &points)
                    .zip(&points.pieces)
                    .filter(|(_, at)| **at == index);
                let values: Vec<f64> = of_piece.map(|((x, n, _), _)| flux(x, n)).collect();
                let (mean, spread) = moments(&values);
                // In one dimension the points are all there are.
                total += piece.measure * mean;
                size += piece.measure * (mean.abs() + spread.sqrt());
                variance += if piece.dimension == 0 {
                    0.0
                } else {
                    piece.measure.powi(2) * spread / values.len() as f64
                };
            }
            let values: Vec<f64> = inside.chunks(dimension).map(divergence).collect();
            let (mean, spread) = moments(&values);
            variance += entry.measure.powi(2) * spread / values.len() as f64;
            let counted = if is_plain { 1e-12 } else { 1.0 / 256.0 };
            let gap = (total - entry.measure * mean).abs();
            assert!(
                gap <= 5.0 * variance.sqrt() + counted * size,
                "{}, field {field}: off by {gap:e}",
                entry.name
            );
        }
    }
}

fn moments(values: &[f64]) -> (f64, f64) {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    (
        mean,
        values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / count,
    )
}

/// The same bits for the same request; no point in common with another stream, seed or round, unless the piece is a point.
#[test]
fn streams_do_not_meet_on_the_boundary() {
    for entry in catalogue::all() {
        if entry.domain.dimension() == 1 {
            continue;
        }
        for sampler in SAMPLERS {
            let draw = Draw::new(sampler, 1);
            let training = every_piece(entry, 100, &draw);
            assert_eq!(training, every_piece(entry, 100, &draw), "{}", entry.name);
            for other in [draw.held_out(), draw.round(1), Draw::new(sampler, 2)] {
                let other = every_piece(entry, 100, &other);
                for (x, ..) in rows(entry, &training) {
                    assert!(
                        rows(entry, &other).all(|(y, ..)| x != y),
                        "{}: {x:?} is met twice",
                        entry.name
                    );
                }
            }
        }
    }
}

/// Along each edge of a plain polygon the points are evenly spaced and stay away from the corners.
#[test]
fn edges_carry_evenly_spaced_points() {
    let entry = catalogue::named("arrow");
    let points = entry
        .domain
        .boundary(&[0], 10, &Draw::new(Sampler::Sobol, 6))
        .expect("points");
    let steps: Vec<f64> = points.points.chunks(2).map(|x| x[0].hypot(x[1])).collect();
    let spacing = 13f64.sqrt() / 10.0; // edge 1 runs from (0, 0) to (−2, 3)
    assert!(steps[0] > 0.249 * spacing && steps[9] < 13f64.sqrt() - 0.249 * spacing);
    assert!(
        steps
            .windows(2)
            .all(|pair| (pair[1] - pair[0] - spacing).abs() < 1e-8 * spacing)
    );
}
