//! Sequences of points in the open unit cube, one for each request and purpose.
//!
//! Training and held-out points are kept apart by construction. The first coordinate is moved within its cell of
//! width h = 2⁻³⁰, training points into [⅛h, ⅜h] and held-out points into [⅝h, ⅞h] of the cell,
//! ```text
//! u₁ ← h (⌊u₁/h⌋ + b + ¼{u₁/h}),     b = ⅛ or ⅝,
//! ```
//! which moves a point by less than 1e-9 of the shape and leaves a gap of at least h/4 ≈ 2e-10 between any training and
//! any held-out point. The maps of [`super::shape::Shape`] are one-to-one and stretch this gap to far more than a rounding
//! error, so no two points of the two streams are the same. (One map is not: surfaces of balls in four and more
//! dimensions, where several points of the cube share a direction; there a coincidence has probability zero only.)

use super::draw::{Draw, Sampler, Stream};
use super::error::DomainError;
use super::lattice::Lattice;
use super::philox::{Key, unit};
use super::sobol::{self, Sobol, scramble};

/// Where the points come from, ready to be asked.
#[derive(Debug)]
enum Source {
    Random(Key),
    Sobol { sobol: Sobol, seeds: Vec<u32> },
    Lattice(Lattice),
    Even { count: f64, shift: f64 },
}

/// A sequence of points in the open unit cube.
#[derive(Debug)]
pub(super) struct CubeSequence {
    source: Source,
    stream: Stream,
}

impl CubeSequence {
    /// The sequence of a request; `purpose` tells the interior and the boundary pieces apart.
    pub(super) fn new(draw: &Draw, purpose: u32, numbers: usize) -> Result<Self, DomainError> {
        let key = key(draw, purpose);
        let source = match draw.sampler {
            Sampler::Random => Source::Random(key),
            Sampler::Sobol => {
                let sobol = Sobol::new(numbers)?;
                let seeds = (0..)
                    .take(numbers)
                    .map(|axis| (key.pair(0, axis)[0] >> 32) as u32)
                    .collect();
                Source::Sobol { sobol, seeds }
            }
            Sampler::Lattice => Source::Lattice(Lattice::new(numbers, key)?),
        };
        Ok(Self {
            source,
            stream: draw.stream,
        })
    }

    /// `count` evenly spaced numbers, (k + s)/count with a seeded s between ¼ and ¾: the ends stay free.
    pub(super) fn even(draw: &Draw, purpose: u32, count: usize) -> Self {
        let shift = 0.25 + 0.5 * unit(key(draw, purpose).pair(0, 0)[0]);
        Self {
            source: Source::Even {
                count: count as f64,
                shift,
            },
            stream: draw.stream,
        }
    }

    /// A fixed sequence for measuring shapes, in any dimension.
    pub(super) fn probe(numbers: usize) -> Self {
        let draw = Draw::new(Sampler::Sobol, 0);
        Self::new(&draw, 0, numbers).unwrap_or(Self {
            source: Source::Random(key(&draw, 0)),
            stream: Stream::Training,
        })
    }

    /// Writes the point with the given index.
    pub(super) fn fill(&self, index: u64, u: &mut [f64]) {
        match &self.source {
            Source::Random(key) => key.fill(index, u),
            Source::Lattice(lattice) => lattice.fill(index, u),
            Source::Even { count, shift } => u.fill((index as f64 + shift) / count),
            Source::Sobol { sobol, seeds } => {
                let index = (index & 0xFFFF_FFFF) as u32;
                for (axis, (number, &seed)) in u.iter_mut().zip(seeds).enumerate() {
                    *number =
                        (f64::from(scramble(sobol.bits(index, axis), seed)) + 0.5) * 2f64.powi(-32);
                }
            }
        }
        if let Some(first) = u.first_mut() {
            *first = set_apart(*first, self.stream);
        }
    }
}

fn key(draw: &Draw, purpose: u32) -> Key {
    let stream = match draw.stream {
        Stream::Training => 0,
        Stream::HeldOut => 1,
    };
    Key::derive(draw.seed, draw.round, [stream, purpose])
}

/// Moves a number of (0, 1) within its cell of width 2⁻³⁰ to the side of its stream.
fn set_apart(u: f64, stream: Stream) -> f64 {
    let begin = match stream {
        Stream::Training => 0.125,
        Stream::HeldOut => 0.625,
    };
    let cells = u * 2f64.powi(30);
    (cells.floor() + begin + 0.25 * cells.fract()) * 2f64.powi(-30)
}

/// Points tried when a shape is measured by counting.
pub(super) const PROBES: usize = 1 << 14;

const _: () = assert!(
    sobol::LIMIT == super::lattice::LIMIT,
    "both tables end at the same dimension"
);

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// The two streams differ by at least a quarter of a cell, less the rounding of numbers near 1.
        #[test]
        fn streams_stay_apart(a in 0.0..1.0f64, nearby in -4.0..4.0f64) {
            let b = (a + nearby * 2f64.powi(-30)).clamp(2f64.powi(-53), 1.0 - 2f64.powi(-53));
            let (a, b) = (set_apart(a, Stream::Training), set_apart(b, Stream::HeldOut));
            prop_assert!((a - b).abs() >= 0.25 * 2f64.powi(-30) - f64::EPSILON);
            prop_assert!(0.0 < a && a < 1.0 && 0.0 < b && b < 1.0);
        }
    }

    /// Warnock's formula for the squared L₂ star discrepancy; for N random points in 2-D its mean is
    /// (2⁻² − 3⁻²)/N, so 1.36e-4 at 1024. Scrambled nets and good lattices are about a hundred times smaller.
    #[test]
    fn quasi_random_points_have_a_small_discrepancy() {
        let count = 1024;
        let discrepancy = |sampler, seed| {
            let sequence = CubeSequence::new(&Draw::new(sampler, seed), 0, 2).expect("two numbers");
            let mut points = vec![[0.0; 2]; count];
            for (index, point) in (0..).zip(&mut points) {
                sequence.fill(index, point);
            }
            let single: f64 = points
                .iter()
                .map(|[x, y]| (1.0 - x * x) * (1.0 - y * y))
                .sum();
            let pair = |[x, y]: &[f64; 2], [p, q]: &[f64; 2]| (1.0 - x.max(*p)) * (1.0 - y.max(*q));
            let double: f64 = points
                .iter()
                .flat_map(|a| points.iter().map(move |b| pair(a, b)))
                .sum();
            1.0 / 9.0 - single / (2.0 * count as f64) + double / (count * count) as f64
        };
        for seed in 0..3 {
            let random = discrepancy(Sampler::Random, seed);
            assert!((1e-5..1e-3).contains(&random), "random: {random:e}");
            for sampler in [Sampler::Sobol, Sampler::Lattice] {
                let found = discrepancy(sampler, seed);
                assert!(
                    found < random / 10.0 && found > 0.0,
                    "{sampler}: {found:e} against {random:e}"
                );
            }
        }
    }

    #[test]
    fn even_points_leave_the_ends_free() {
        let sequence = CubeSequence::even(&Draw::new(Sampler::Sobol, 5), 3, 8);
        let numbers: Vec<f64> = (0..8)
            .map(|index| {
                let mut u = [0.0];
                sequence.fill(index, &mut u);
                u[0]
            })
            .collect();
        assert!(numbers[0] > 0.25 / 8.0 - 1e-8 && numbers[7] < 1.0 - 0.25 / 8.0 + 1e-8);
        assert!(
            numbers
                .windows(2)
                .all(|pair| (pair[1] - pair[0] - 0.125).abs() < 2e-9)
        );
    }

    #[test]
    fn every_purpose_and_stream_has_its_own_points() {
        for sampler in [Sampler::Random, Sampler::Sobol, Sampler::Lattice] {
            let draw = Draw::new(sampler, 4);
            let first = |sequence: CubeSequence| {
                let mut u = [0.0];
                sequence.fill(0, &mut u);
                u[0]
            };
            let held_out = draw.held_out();
            let of =
                |draw, purpose| first(CubeSequence::new(draw, purpose, 1).expect("one number"));
            let even = |draw, purpose| first(CubeSequence::even(draw, purpose, 1));
            // Far more than the half cell by which streams are set apart: independent, not neighbours.
            assert!((of(&draw, 1) - of(&draw, 2)).abs() > 1e-6, "{sampler}");
            assert!(
                (of(&draw, 1) - of(&held_out, 1)).abs() > 1e-6,
                "{sampler}, held out"
            );
            assert!(
                (even(&draw, 1) - even(&draw, 2)).abs() > 1e-6,
                "{sampler}, even"
            );
            assert!(
                (even(&draw, 1) - even(&held_out, 1)).abs() > 1e-6,
                "{sampler}, even, held out"
            );
        }
    }

    #[test]
    fn measuring_goes_on_beyond_the_tables() {
        let mut u = vec![0.0; 50];
        CubeSequence::probe(50).fill(0, &mut u);
        assert!(u.iter().all(|u| (f64::EPSILON..1.0).contains(u)));
    }
}
