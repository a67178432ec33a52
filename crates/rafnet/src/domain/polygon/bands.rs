//! A polygon's edges in bands of equal height, so that few of them are asked for a point.
//!
//! ```text
//! band of y = ⌊(y − low) · count / (high − low)⌋
//! ```

use crate::domain::plane::Point;
use crate::expr::{larger, smaller};

/// The edges by their second coordinate: whether a point is inside depends on those at its height only.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Bands {
    low: f64,
    per_length: f64,
    edges: Vec<Vec<usize>>, // the numbers of the edges that reach into each band, from 1
}

impl Bands {
    const MOST: usize = 64;

    pub(super) fn new(vertices: &[Point]) -> Self {
        let heights = vertices.iter().map(|v| v[1]);
        let low = heights.clone().fold(f64::INFINITY, smaller);
        let high = heights.fold(f64::NEG_INFINITY, larger);
        let count = vertices.len().div_ceil(8).min(Self::MOST);
        let mut bands = Self {
            low,
            per_length: count as f64 / (high - low),
            edges: vec![Vec::new(); count],
        };
        for (k, from) in vertices.iter().enumerate() {
            let to = vertices[(k + 1) % vertices.len()];
            let reach = bands.place(from[1].min(to[1]))..=bands.place(from[1].max(to[1]));
            bands.edges[reach].iter_mut().for_each(|e| e.push(k + 1));
        }
        bands
    }

    /// The band of a height, the nearest one beyond the ends; never less for a greater height, rounded or not.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "bounded from above, and what is below zero is taken for zero"
    )]
    fn place(&self, height: f64) -> usize {
        (((height - self.low) * self.per_length) as usize).min(self.edges.len() - 1)
    }

    /// The edges that may reach between two heights, some of them several times.
    pub(super) fn between(&self, low: f64, high: f64) -> impl Iterator<Item = usize> {
        self.edges[self.place(low)..=self.place(high)]
            .iter()
            .flatten()
            .copied()
    }
}
