//! Sobol points, and their Owen scrambling.
//!
//! Coordinate j of point i is the XOR of the direction numbers v_{j,k} over the set bits k of the Gray code of i,
//! ```text
//! x_{i,j} = 2⁻³² ⊕_k g_k v_{j,k},     g = i ⊕ ⌊i/2⌋,
//! v_k = a₁v_{k−1} ⊕ … ⊕ a_{s−1}v_{k−s+1} ⊕ v_{k−s} ⊕ ⌊v_{k−s}/2^s⌋   (k > s),
//! ```
//! with the primitive polynomials a and first numbers of Joe and Kuo (in [`super::joe_kuo`]). Any 2^m points that
//! start at a multiple of 2^m fill every dyadic interval of length 2⁻ᵐ of every coordinate exactly once.
//!
//! Scrambling flips each bit depending on a hash of the bits above it only, which keeps that property (Owen 1995).
//! The hash is that of Laine and Karras, as improved by Vegdahl (Burley, "Practical hash-based Owen scrambling", JCGT
//! 9(4), 2020). Truth: the first points as published, and the net property of scrambled points, in the tests below.

use super::error::DomainError;
use super::joe_kuo::FIRST_NUMBERS;

/// Numbers a point that are tabulated.
pub(super) const LIMIT: usize = FIRST_NUMBERS.len() + 1;

/// The Sobol sequence, unscrambled.
///
/// ```
/// use rafnet::domain::Sobol;
/// let sobol = Sobol::new(3)?;
/// assert_eq!(sobol.point(2), [0.75, 0.25, 0.25]);
/// # Ok::<(), rafnet::domain::DomainError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sobol {
    directions: Vec<[u32; 32]>, // one row a coordinate
}

impl Sobol {
    /// The sequence in `dimension` coordinates.
    ///
    /// # Errors
    ///
    /// [`DomainError::TooManyNumbers`] above 40 coordinates.
    pub fn new(dimension: usize) -> Result<Self, DomainError> {
        if dimension > LIMIT {
            let sampler = super::draw::Sampler::Sobol;
            return Err(DomainError::TooManyNumbers {
                sampler,
                found: dimension,
                limit: LIMIT,
            });
        }
        let mut directions = vec![van_der_corput()];
        directions.extend(
            FIRST_NUMBERS
                .iter()
                .map(|&(polynomial, first)| row(polynomial, first)),
        );
        directions.truncate(dimension);
        Ok(Self { directions })
    }

    /// The point with the given index, each coordinate in [0, 1).
    pub fn point(&self, index: u32) -> Vec<f64> {
        (0..self.directions.len())
            .map(|axis| f64::from(self.bits(index, axis)) * 2f64.powi(-32))
            .collect()
    }

    /// The 32 bits of one coordinate of a point.
    pub(super) fn bits(&self, index: u32, axis: usize) -> u32 {
        let gray = index ^ (index >> 1);
        let directions = self.directions[axis].iter().enumerate();
        directions
            .filter(|(k, _)| gray >> k & 1 == 1)
            .fold(0, |bits, (_, direction)| bits ^ direction)
    }
}

fn van_der_corput() -> [u32; 32] {
    std::array::from_fn(|k| 1 << (31 - k))
}

/// The direction numbers of one coordinate from its polynomial's inner coefficients and first odd numbers.
fn row(polynomial: u32, first: &[u32]) -> [u32; 32] {
    let degree = first.len();
    let mut v = [0; 32];
    for k in 0..32 {
        v[k] = if k < degree {
            first[k] << (31 - k)
        } else {
            let inner = (1..degree).filter(|j| polynomial >> (degree - 1 - j) & 1 == 1);
            inner.fold(v[k - degree] ^ (v[k - degree] >> degree), |bits, j| {
                bits ^ v[k - j]
            })
        };
    }
    v
}

/// Owen scrambling of one coordinate's bits: bit k of the result depends on bits above and at k only.
pub(super) fn scramble(bits: u32, seed: u32) -> u32 {
    let mut x = bits.reverse_bits();
    x ^= x.wrapping_mul(0x3D20_ADEA);
    x = x.wrapping_add(seed);
    x = x.wrapping_mul(seed >> 16 | 1);
    x ^= x.wrapping_mul(0x0552_6C56);
    x ^= x.wrapping_mul(0x53A2_2864);
    x.reverse_bits()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first points in ten coordinates as the authors publish them (<https://web.maths.unsw.edu.au/~fkuo/sobol/>).
    const PUBLISHED: [[f64; 10]; 8] = [
        [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        [0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5],
        [0.75, 0.25, 0.25, 0.25, 0.75, 0.75, 0.25, 0.75, 0.75, 0.75],
        [0.25, 0.75, 0.75, 0.75, 0.25, 0.25, 0.75, 0.25, 0.25, 0.25],
        [
            0.375, 0.375, 0.625, 0.875, 0.375, 0.125, 0.375, 0.875, 0.875, 0.625,
        ],
        [
            0.875, 0.875, 0.125, 0.375, 0.875, 0.625, 0.875, 0.375, 0.375, 0.125,
        ],
        [
            0.625, 0.125, 0.875, 0.625, 0.625, 0.875, 0.125, 0.125, 0.125, 0.375,
        ],
        [
            0.125, 0.625, 0.375, 0.125, 0.125, 0.375, 0.625, 0.625, 0.625, 0.875,
        ],
    ];

    /// 2048 times point 2047 in 40 coordinates, from `scipy.stats.qmc.Sobol(40, scramble=False)` of scipy 1.17.
    const LATE: [u32; 40] = [
        1, 1285, 1907, 719, 1291, 1347, 241, 65, 1873, 913, 1021, 1813, 1197, 2023, 1001, 1389,
        1109, 1687, 225, 75, 733, 221, 193, 1429, 1945, 655, 519, 161, 1087, 803, 155, 849, 153,
        167, 825, 951, 323, 1137, 1773, 1385,
    ];

    #[test]
    fn first_points_are_the_published_ones() {
        let sobol = Sobol::new(10).expect("ten coordinates");
        for (index, point) in (0..).zip(PUBLISHED) {
            assert_eq!(sobol.point(index), point, "point {index}");
        }
    }

    #[test]
    fn every_tabulated_coordinate_agrees_with_scipy() {
        let sobol = Sobol::new(40).expect("forty coordinates");
        assert_eq!(sobol.point(2047), LATE.map(|k| f64::from(k) / 2048.0));
    }

    #[test]
    fn scrambled_points_form_a_net() {
        let sobol = Sobol::new(2).expect("two coordinates");
        for seeds in [[0, 1], [0x1234_5678, 0x9ABC_DEF0], [u32::MAX, 77]] {
            for split in 0..=8 {
                let mut seen = [false; 256];
                for index in 0..256 {
                    let x = scramble(sobol.bits(index, 0), seeds[0]);
                    let y = scramble(sobol.bits(index, 1), seeds[1]);
                    // The cell of a 2^split × 2^(8−split) partition; a shift by 32 is spelled as by 0 of nothing.
                    let column = x.checked_shr(32 - split).unwrap_or(0);
                    let row = y.checked_shr(24 + split).unwrap_or(0);
                    let cell = (column << (8 - split) | row) as usize;
                    assert!(
                        !std::mem::replace(&mut seen[cell], true),
                        "cell {cell} at split {split} is met twice"
                    );
                }
            }
        }
    }

    #[test]
    fn seeds_give_different_scramblings() {
        let scrambled = |seed| (0..64).map(|k| scramble(k << 26, seed)).collect::<Vec<_>>();
        assert_ne!(scrambled(1), scrambled(2));
        assert_ne!(scrambled(1), (0..64).map(|k| k << 26).collect::<Vec<_>>());
    }

    #[test]
    fn too_many_coordinates_are_refused() {
        let error = Sobol::new(41).expect_err("one too many");
        assert_eq!(
            error.to_string(),
            "the Sobol sampler is tabulated to 40 numbers a point, 41 are needed here; use the random sampler"
        );
    }
}
