//! The measure of shapes without a closed form.
//!
//! A shape whose sides are all axis-parallel is a union of cells of the grid its sides span, each wholly inside or
//! outside: the sum of the cells whose centre is inside is exact. Any other is counted: 2¹⁴ fixed quasi-random points of
//! the box around it, with an error of about 1e-3 of the box.

use super::cuboid::Cuboid;
use super::sequence::{CubeSequence, PROBES};
use super::shape::Shape;

/// More cells than this are not walked, and the shape is counted instead.
const CELLS: usize = 100_000;

/// A measure and how many points or cells it was made from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Measured {
    pub(super) measure: f64,
    pub(super) tried: usize,
}

/// The measure of `{ level < 0 }`, where `lines` are the grid lines if all sides are axis-parallel.
pub(super) fn measure(
    level: impl Fn(&[f64]) -> f64,
    bounds: &Cuboid,
    lines: Option<Vec<Vec<f64>>>,
) -> Measured {
    let cells = |lines: &Vec<Vec<f64>>| {
        lines
            .iter()
            .try_fold(1usize, |cells, axis| cells.checked_mul(axis.len() - 1))
            .filter(|cells| *cells <= CELLS)
    };
    match lines.and_then(|lines| cells(&lines).map(|cells| (lines, cells))) {
        Some((lines, cells)) => Measured {
            measure: sum_cells(level, &lines, cells),
            tried: cells,
        },
        None => count_points(level, bounds),
    }
}

fn sum_cells(level: impl Fn(&[f64]) -> f64, lines: &[Vec<f64>], cells: usize) -> f64 {
    let mut centre = vec![0.0; lines.len()];
    let volume = |mut cell: usize| {
        let mut volume = 1.0;
        for (axis, centre) in lines.iter().zip(&mut centre) {
            let (low, high) = (
                axis[cell % (axis.len() - 1)],
                axis[cell % (axis.len() - 1) + 1],
            );
            cell /= axis.len() - 1;
            volume *= high - low;
            *centre = 0.5 * (low + high);
        }
        if level(&centre) < 0.0 { volume } else { 0.0 }
    };
    (0..cells).map(volume).sum()
}

fn count_points(level: impl Fn(&[f64]) -> f64, bounds: &Cuboid) -> Measured {
    let dimension = bounds.dimension();
    let sequence = CubeSequence::probe(dimension);
    let (mut u, mut x) = (vec![0.0; dimension], vec![0.0; dimension]);
    let mut inside = 0usize;
    for index in 0..PROBES {
        sequence.fill(index as u64, &mut u);
        bounds.place(&u, &mut x);
        inside += usize::from(level(&x) < 0.0);
    }
    Measured {
        measure: bounds.measure() * inside as f64 / PROBES as f64,
        tried: PROBES,
    }
}
