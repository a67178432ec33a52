//! Which points of a part's boundary bound the whole.
//!
//! The boundary is made of the pieces of the parts. A point x of a piece with the normal n belongs to it when x lies on
//! the boundary of the whole, x + hn outside and x − hn inside, h = 1e-7 of the shape's extent; so walls between parts
//! vanish. Where boundaries of two parts coincide, the earlier part owns the points. Features thinner than h are not seen.

use super::Combined;
use crate::domain::piece::Piece;
use crate::domain::sequence::CubeSequence;
use crate::domain::shape::{Placed, Shape};

/// Points tried on each piece to see how much of it bounds the whole.
const PIECE_PROBES: usize = 1 << 11;

impl Combined {
    /// Whether a point of a part's boundary, with the whole's outward normal, is on the boundary of the whole.
    pub(super) fn is_bounding(&self, part: usize, x: &[f64], normal: &[f64]) -> bool {
        let extent = self.bounds.diagonal();
        let (step, touch) = (1e-7 * extent, 1e-10 * extent);
        let beside = |by: f64| {
            self.level(
                &x.iter()
                    .zip(normal)
                    .map(|(x, n)| x + by * n)
                    .collect::<Vec<_>>(),
            )
        };
        let owned = self.parts[..part]
            .iter()
            .all(|earlier| earlier.level(x).abs() > touch);
        owned && self.level(x).abs() <= touch && beside(step) > 0.0 && beside(-step) < 0.0
    }

    /// The share of a piece that bounds the whole; how many points, for a piece of points.
    pub(super) fn kept(&self, piece: &Piece) -> f64 {
        let dimension = self.dimension();
        let (mut x, mut normal) = (vec![0.0; dimension], vec![0.0; dimension]);
        let mut keeps = |u: &[f64]| {
            self.place_on(&piece.part, piece.face, u, &mut x, &mut normal) == Placed::Kept
        };
        let mut u = vec![0.0; piece.numbers];
        if piece.dimension == 0 {
            let atoms = piece.atoms();
            let kept = (0..atoms).filter(|atom| {
                u.fill((*atom as f64 + 0.5) / atoms as f64);
                keeps(&u)
            });
            return kept.count() as f64 / atoms as f64;
        }
        let sequence = CubeSequence::probe(piece.numbers);
        let kept = (0..PIECE_PROBES).filter(|index| {
            sequence.fill(*index as u64, &mut u);
            keeps(&u)
        });
        kept.count() as f64 / PIECE_PROBES as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Ball, Cuboid, Operation};
    use std::sync::Arc;

    /// A point of the square's side that a disc covers by less than the step beside it: not on the boundary all the same.
    #[test]
    fn points_barely_covered_do_not_bound() {
        let square = Cuboid::new(vec![[0.0, 1.0]; 2]).expect("a square");
        let disc = Ball::new(vec![0.9, 0.5], 0.2).expect("a disc");
        let both = Combined::new(Operation::Union, vec![Arc::new(square), Arc::new(disc)])
            .expect("a union");
        let crossing = 0.5 + 0.03f64.sqrt(); // (0.1, √0.03) from the disc's centre
        for (y, bounds) in [(crossing - 1e-8, false), (crossing + 1e-8, true)] {
            assert_eq!(both.is_bounding(0, &[1.0, y], &[1.0, 0.0]), bounds, "{y}");
        }
    }
}
