//! A domain's points, inside and on its boundary.

use super::Domain;
use super::boundary::{BoundaryPoints, collect, draw_piece, share_out};
use super::draw::{Draw, Sampler, Stream};
use super::error::DomainError;
use super::sequence::CubeSequence;
use super::shape::{Placed, Uniform};

/// All points with coordinates from these, the last axis fastest.
pub(crate) fn product(axes: &[Vec<f64>]) -> Vec<f64> {
    let mut points = vec![Vec::new()];
    for axis in axes {
        let longer = |point: &Vec<f64>| {
            let point = point.clone();
            axis.iter().map(move |x| [&point[..], &[*x]].concat())
        };
        points = points.iter().flat_map(longer).collect();
    }
    points.concat()
}

impl Domain {
    /// How [`interior`](Self::interior) carries random numbers inside, and what tells this use of the seed apart: any device can draw the same
    /// points by itself. None for other shapes and samplers.
    pub fn uniform(&self, draw: &Draw) -> Option<(Uniform, [u32; 2])> {
        let is_random = draw.sampler == Sampler::Random;
        let map = self.shape.uniform().filter(|_| is_random)?;
        Some((map, [u32::from(draw.stream == Stream::HeldOut), 0]))
    }

    /// `n_points` points strictly inside, n × d by rows.
    ///
    /// # Errors
    ///
    /// When a quasi-random sampler has too few dimensions, or a combined shape is too thin for rejection.
    pub fn interior(&self, n_points: usize, draw: &Draw) -> Result<Vec<f64>, DomainError> {
        self.require(n_points)?;
        let numbers = self.shape.numbers();
        let sequence = CubeSequence::new(draw, 0, numbers)?;
        let mut points = Vec::with_capacity(n_points * self.dimension());
        let mut x = vec![0.0; self.dimension()];
        collect(&sequence, numbers, n_points, |u| {
            let placed = self.shape.place(u, &mut x);
            if placed == Placed::Kept {
                points.extend(&x);
            }
            placed
        })?;
        Ok(points)
    }

    /// `n_points` points on these pieces, shared out by measure, with outward unit normals.
    ///
    /// Each piece gets at least one point, so there may be more than `n_points`; in one dimension each end is one point,
    /// so there may be fewer. Corners are left out.
    ///
    /// # Errors
    ///
    /// When an index does not exist, and as [`Domain::interior`].
    pub fn boundary(
        &self,
        pieces: &[usize],
        n_points: usize,
        draw: &Draw,
    ) -> Result<BoundaryPoints, DomainError> {
        self.require(n_points)?;
        let chosen = pieces
            .iter()
            .map(|&index| Ok::<_, DomainError>((index, self.piece(index)?)))
            .collect::<Result<Vec<_>, _>>()?;
        let measures: Vec<f64> = chosen.iter().map(|(_, piece)| piece.measure).collect();
        let mut points = BoundaryPoints::default();
        for (piece, count) in chosen.into_iter().zip(share_out(&measures, n_points)) {
            draw_piece(&*self.shape, piece, count, draw, &mut points)?;
        }
        Ok(points)
    }

    /// Refuses more points than memory holds: their coordinates, and what is computed from them.
    fn require(&self, n_points: usize) -> Result<(), DomainError> {
        let d = self.dimension();
        let what = format_args!("{n_points} points of {d} coordinates");
        Ok(rafnet_memory::require(what, &[n_points, d, 32])?)
    }
}
