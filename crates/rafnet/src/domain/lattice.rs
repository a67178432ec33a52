//! A rank-1 lattice sequence with a seeded shift.
//!
//! ```text
//! x_{i,j} = { φ₂(i) z_j + Δ_j },     φ₂ the radical inverse in base 2,
//! ```
//! so that the first 2^m points are the whole lattice { k z / 2^m } in another order, for every m up to 20, and any
//! number of points may be taken. After 2²⁰ points the sequence goes on with another shift.
//!
//! The vector z was found component by component among 384 random odd candidates each: the smallest, over 2⁵ to 2¹⁷
//! points at once, of the squared worst-case error
//! ```text
//! e² = −1 + 2⁻ᵐ Σ_k Π_j (1 + 2π² γ_j B₂({k z_j/2^m})),     γ_j = 1/j²,  B₂(x) = x² − x + 1/6
//! ```
//! of periodic functions with square-integrable mixed derivatives, relative to the other candidates. The idea of one
//! vector for every m is that of Cools, Kuo and Nuyens, SIAM J. Sci. Comput. 28, 2162–2188, 2006. The test
//! below compares e² with that of random points, whose mean is known.

use super::draw::Sampler;
use super::error::DomainError;
use super::philox::{Key, unit};

/// Numbers a point that are tabulated.
pub(super) const LIMIT: usize = GENERATOR.len();

const GENERATOR: [u64; 40] = [
    1, 725_649, 623_563, 557_613, 406_311, 985_881, 842_117, 674_461, 437_369, 537_849, 1_029_017,
    471_173, 20_293, 690_875, 200_531, 827_561, 980_597, 981_753, 565_161, 920_197, 1_006_425,
    980_083, 653_927, 112_659, 700_583, 672_601, 996_421, 170_979, 838_789, 786_659, 322_283,
    370_573, 107_403, 285_125, 708_333, 428_461, 407_621, 626_235, 344_299, 668_077,
];

/// The length of the sequence before its shift changes, as a power of two.
const LEVELS: u32 = 20;

/// A shifted lattice sequence.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lattice {
    key: Key,
}

impl Lattice {
    /// The sequence whose shifts come from `key`, for points of `numbers` coordinates.
    pub(super) fn new(numbers: usize, key: Key) -> Result<Self, DomainError> {
        if numbers > LIMIT {
            return Err(DomainError::TooManyNumbers {
                sampler: Sampler::Lattice,
                found: numbers,
                limit: LIMIT,
            });
        }
        Ok(Self { key })
    }

    /// Writes the point with the given index, each coordinate in (0, 1).
    pub(super) fn fill(self, index: u64, u: &mut [f64]) {
        let block = index >> LEVELS;
        for ((axis, number), generator) in (0..).zip(u).zip(GENERATOR) {
            let [shift, _] = self.key.pair(block, axis);
            *number = unit(position(index, generator).wrapping_add(shift));
        }
    }
}

/// { φ₂(i) z } as a fraction of 2⁶⁴: the addition of the shift then wraps around the unit interval by itself.
fn position(index: u64, generator: u64) -> u64 {
    let inverse = index.reverse_bits() >> (64 - LEVELS); // the low 20 bits, reversed
    inverse.wrapping_mul(generator) << (64 - LEVELS)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The squared worst-case error of the first 2^m points in s dimensions.
    fn squared_error(levels: u32, dimension: usize) -> f64 {
        let count = 1u64 << levels;
        let product = |index: u64| -> f64 {
            let factor = |(axis, &generator): (usize, &u64)| {
                let x = position(index, generator) as f64 * 2f64.powi(-64);
                let bernoulli = x * x - x + 1.0 / 6.0;
                1.0 + 2.0 * std::f64::consts::PI.powi(2) * bernoulli / ((axis + 1) as f64).powi(2)
            };
            GENERATOR[..dimension]
                .iter()
                .enumerate()
                .map(factor)
                .product()
        };
        (0..count).map(product).sum::<f64>() / count as f64 - 1.0
    }

    /// Random points have E[e²] = (Πⱼ (1 + γⱼ π²/3) − 1)/N. In two dimensions a good lattice gains a factor of about
    /// N/log₂N on that, in five (with these weights) more than 4 at 2⁹ points and 10 at 2¹²; a broken generator or
    /// ordering gains nothing.
    #[test]
    fn worst_case_error_is_far_below_that_of_random_points() {
        let halved = |levels: i32| 2.0 * f64::from(levels) / 2f64.powi(levels);
        for (levels, dimension, part) in [
            (6, 2, halved(6)),
            (9, 2, halved(9)),
            (12, 2, halved(12)),
            (9, 5, 0.25),
            (12, 5, 0.1),
        ] {
            let gain = |j: usize| 1.0 + std::f64::consts::PI.powi(2) / 3.0 / (j as f64).powi(2);
            let random = ((1..=dimension).map(gain).product::<f64>() - 1.0) / 2f64.powi(levels);
            let found = squared_error(levels.unsigned_abs(), dimension);
            assert!(
                found < part * random,
                "2^{levels}, {dimension}-D: {found:e} against {random:e}"
            );
        }
    }

    /// A one-dimensional projection of 2^m points is a shifted grid: one point in each interval of length 2⁻ᵐ.
    #[test]
    fn each_coordinate_fills_its_grid() {
        let lattice = Lattice::new(40, Key::derive(3, 0, [0, 0])).expect("forty numbers");
        let mut points = vec![[0.0; 40]; 128];
        for (index, point) in (0..).zip(&mut points) {
            lattice.fill(index, point);
        }
        for axis in 0..40 {
            let mut column: Vec<f64> = points.iter().map(|point| point[axis]).collect();
            column.sort_by(f64::total_cmp);
            assert!(
                column
                    .windows(2)
                    .all(|pair| (pair[1] - pair[0] - 1.0 / 128.0).abs() < 1e-14),
                "axis {axis}"
            );
        }
    }

    #[test]
    fn the_shift_changes_after_a_full_turn() {
        let lattice = Lattice::new(1, Key::derive(3, 0, [0, 0])).expect("one number");
        let (mut first, mut later) = ([0.0], [0.0]);
        lattice.fill(5, &mut first);
        lattice.fill(5 + (1 << LEVELS), &mut later);
        assert!((first[0] - later[0]).abs() > f64::EPSILON);
    }

    #[test]
    fn too_many_numbers_are_refused() {
        let error = Lattice::new(41, Key::derive(0, 0, [0, 0])).expect_err("one too many");
        assert_eq!(
            error.to_string(),
            "the lattice sampler is tabulated to 40 numbers a point, 41 are needed here; use the random sampler"
        );
    }
}
