//! Points on the boundary, with outward normals.
//!
//! n points over several pieces are shared out in proportion to length or area (the method of Sainte-Laguë: the next point
//! goes to the piece with the largest |piece|/(2k + 1), k being what it has), at least one to each. On each piece
//!
//! - a curve of a plain shape carries evenly spaced points, (k + s)/n of the way with a seeded s in (¼, ¾): corners are
//!   left out, by at least a quarter of the spacing (independent points instead for the random sampler);
//! - a surface, or a curve of which only a portion bounds a combined shape, carries points of the sampler;
//! - the end of an interval is one point, however many were asked for.

use super::draw::{Draw, Sampler};
use super::error::DomainError;
use super::piece::Piece;
use super::sequence::CubeSequence;
use super::shape::{Placed, Shape};
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Points on a boundary.
///
/// ```
/// use rafnet::domain::{Cuboid, Domain, Draw, Sampler};
/// use std::sync::Arc;
/// let rectangle = Domain::new(Arc::new(Cuboid::new(vec![[0.0, 3.0], [0.0, 1.0]])?));
/// let points = rectangle.boundary(&[0, 3], 8, &Draw::new(Sampler::Sobol, 0))?; // x=0 and y=1
/// assert_eq!(points.pieces, [0, 0, 3, 3, 3, 3, 3, 3]);
/// assert_eq!((points.points[0], points.points[5]), (0.0, 1.0));
/// assert_eq!(points.normals[..2], [-1.0, 0.0]);
/// # Ok::<(), rafnet::domain::DomainError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct BoundaryPoints {
    /// The points, n × d by rows.
    pub points: Vec<f64>,
    /// The outward unit normals, n × d by rows.
    pub normals: Vec<f64>,
    /// For each point, the index of its piece.
    pub pieces: Vec<usize>,
}

/// How many points each piece gets of `total`, in proportion to the measures, at least one each.
pub(super) fn share_out(measures: &[f64], total: usize) -> Vec<usize> {
    let mut counts = vec![1; measures.len()];
    let claim = |piece: usize, count: usize| Claim {
        size: measures[piece] / (2 * count + 1) as f64,
        piece,
    };
    let mut claims: BinaryHeap<Claim> = (0..measures.len()).map(|k| claim(k, 1)).collect();
    for _ in measures.len()..total {
        if let Some(mut largest) = claims.peek_mut() {
            let piece = largest.piece;
            counts[piece] += 1;
            *largest = claim(piece, counts[piece]);
        }
    }
    counts
}

/// What a piece claims of the next point; of equal claims the first piece's is the larger.
struct Claim {
    size: f64,
    piece: usize,
}

impl Ord for Claim {
    fn cmp(&self, other: &Self) -> Ordering {
        let sizes = self.size.total_cmp(&other.size);
        sizes.then(other.piece.cmp(&self.piece))
    }
}

impl PartialOrd for Claim {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Claim {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Claim {}

/// Draws `count` points on piece `index` of the shape and appends them.
pub(super) fn draw_piece(
    shape: &dyn Shape,
    (index, piece): (usize, &Piece),
    count: usize,
    draw: &Draw,
    into: &mut BoundaryPoints,
) -> Result<(), DomainError> {
    let dimension = shape.dimension();
    let (mut x, mut normal) = (vec![0.0; dimension], vec![0.0; dimension]);
    let mut keep = |u: &[f64]| {
        let placed = shape.place_on(&piece.part, piece.face, u, &mut x, &mut normal);
        if placed == Placed::Kept {
            into.points.extend(&x);
            into.normals.extend(&normal);
            into.pieces.push(index);
        }
        placed
    };
    if piece.dimension == 0 {
        let atoms = piece.atoms();
        for atom in 0..atoms {
            keep(&vec![(atom as f64 + 0.5) / atoms as f64; piece.numbers]);
        }
        return Ok(());
    }
    let purpose = u32::try_from(index).unwrap_or(u32::MAX - 1) + 1;
    let curve = piece.dimension == 1 && piece.numbers == 1 && piece.part.is_empty();
    let sequence = if curve && draw.sampler != Sampler::Random {
        CubeSequence::even(draw, purpose, count)
    } else {
        CubeSequence::new(draw, purpose, piece.numbers)?
    };
    collect(&sequence, piece.numbers, count, keep)
}

/// Goes through a sequence until `wanted` of its points are kept.
pub(super) fn collect(
    sequence: &CubeSequence,
    numbers: usize,
    wanted: usize,
    mut keep: impl FnMut(&[f64]) -> Placed,
) -> Result<(), DomainError> {
    let mut u = vec![0.0; numbers];
    let mut found = 0;
    let limit = 1_000 * wanted as u64 + 100_000;
    let mut tried = 0;
    while found < wanted {
        if tried == limit {
            return Err(DomainError::TriesSpent {
                wanted,
                found,
                tried,
            });
        }
        sequence.fill(tried, &mut u);
        found += usize::from(keep(&u) == Placed::Kept);
        tried += 1;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn shares_are_proportional() {
        assert_eq!(share_out(&[1.0, 1.0, 2.0], 8), [2, 2, 4]);
        assert_eq!(share_out(&[1e-9, 1.0], 10), [1, 9]);
        assert_eq!(share_out(&[1.0, 1.0, 1.0], 2), [1, 1, 1]);
        assert_eq!(share_out(&[1.0, 1.0], 3), [2, 1]);
        assert_eq!(share_out(&[], 5), [0usize; 0]);
    }

    proptest! {
        /// Each share is within one of the exact quota when every quota is above one.
        #[test]
        fn shares_follow_the_quota(measures in prop::collection::vec(1.0..2.0f64, 1..8), total in 50usize..200) {
            let counts = share_out(&measures, total);
            prop_assert_eq!(counts.iter().sum::<usize>(), total);
            let sum: f64 = measures.iter().sum();
            for (count, measure) in counts.iter().zip(&measures) {
                prop_assert!((*count as f64 - total as f64 * measure / sum).abs() < 1.0);
            }
        }
    }
}
