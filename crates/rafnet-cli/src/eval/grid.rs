//! A regular grid of points over a model's domain.

use crate::output::Failure;
use rafnet::model::Model;

/// Most points of a grid.
const MOST_POINTS: usize = 1 << 40;

/// Regular points over the domain's box, both ends included, the last coordinate fastest.
pub(super) struct Grid {
    /// For each coordinate its range and its number of points.
    axes: Vec<([f64; 2], usize)>,
    next: usize,
    n: usize,
}

impl Grid {
    pub(super) fn new(sizes: &str, time: Option<f64>, model: &Model) -> Result<Self, Failure> {
        let parts = model.parts();
        let fail = |message: String, hint: &str| Failure {
            message,
            hint: hint.into(),
        };
        let Some(region) = &parts.region else {
            return Err(fail(
                "the model says nothing about its domain, so there is no box for `--grid`".into(),
                "pass the points by `--at points.npy`",
            ));
        };
        let known: Option<Vec<usize>> = sizes
            .split(['x', 'X', '×'])
            .map(|size| size.trim().parse().ok().filter(|n| *n > 0))
            .collect();
        let sizes = known.ok_or_else(|| {
            fail(
                format!("`--grid {sizes}` is no grid"),
                "give a number of points for each coordinate, such as 200x200",
            )
        })?;
        let fixed = match (time, parts.time) {
            (None, _) => None,
            (Some(t), Some(axis)) => Some((axis, t)),
            (Some(_), None) => {
                return Err(fail(
                    "`--time` was given, but the model has no time".into(),
                    "leave `--time` out",
                ));
            }
        };
        let free: Vec<usize> = (0..model.dimension())
            .filter(|k| fixed.is_none_or(|(axis, _)| axis != *k))
            .collect();
        if sizes.len() != free.len() {
            let names: Vec<&str> = free
                .iter()
                .map(|&k| parts.coordinates[k].as_str())
                .collect();
            let hint = if parts.time.is_some() && fixed.is_none() && sizes.len() + 1 == free.len() {
                "add `--time T` for a grid in space at one time"
            } else {
                "give a number of points for each coordinate, such as 200x200"
            };
            return Err(fail(
                format!(
                    "`--grid` has {} numbers; expected {}, for {}",
                    sizes.len(),
                    free.len(),
                    names.join(", ")
                ),
                hint,
            ));
        }
        let mut axes: Vec<([f64; 2], usize)> = region.bounds.iter().map(|b| (*b, 1)).collect();
        for (&k, size) in free.iter().zip(sizes) {
            axes[k].1 = size;
        }
        if let Some((axis, t)) = fixed {
            axes[axis] = ([t, t], 1);
        }
        let product = axes.iter().try_fold(1usize, |n, (_, m)| n.checked_mul(*m));
        let n = product.filter(|n| *n <= MOST_POINTS).ok_or_else(|| {
            fail(
                format!("the grid has more than {MOST_POINTS} points"),
                "take fewer",
            )
        })?;
        Ok(Self { axes, next: 0, n })
    }

    /// The axes along which there are several points, with their numbers.
    pub(super) fn free(&self) -> Vec<(usize, usize)> {
        let all = self.axes.iter().enumerate().map(|(k, (_, n))| (k, *n));
        all.filter(|(_, n)| *n > 1).collect()
    }

    pub(super) fn next_block(&mut self, most: usize) -> Vec<f64> {
        let end = self.n.min(self.next + most);
        let d = self.axes.len();
        let mut block = vec![0.0; (end - self.next) * d];
        for (point, number) in block.chunks_exact_mut(d).zip(self.next..end) {
            let mut rest = number;
            for (x, ([low, high], size)) in point.iter_mut().zip(&self.axes).rev() {
                let step = rest % size;
                rest /= size;
                *x = match size {
                    1 => 0.5 * (low + high),
                    _ if step + 1 == *size => *high,
                    _ => low + (high - low) * step as f64 / (size - 1) as f64,
                };
            }
        }
        self.next = end;
        block
    }
}
