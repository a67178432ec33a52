//! How points are to be drawn: by which sampler, from which seed, for whom.
//!
//! The same [`Draw`] gives the same bits, whatever was drawn before. `round` makes fresh points without a new seed;
//! the held-out stream is another stream whose points never coincide with training points, whatever the seeds, rounds
//! and counts (see [`super::sequence`] for how).

use std::fmt;

/// Where the points of the unit cube come from.
///
/// ```
/// assert_eq!(rafnet::domain::Sampler::Sobol.to_string(), "Sobol");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Sampler {
    /// Independent uniform points (Philox).
    Random,
    /// Owen-scrambled Sobol points.
    Sobol,
    /// A shifted rank-1 lattice.
    Lattice,
}

impl fmt::Display for Sampler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Random => "random",
            Self::Sobol => "Sobol",
            Self::Lattice => "lattice",
        })
    }
}

/// Whom the points are for.
///
/// ```
/// use rafnet::domain::{Draw, Sampler, Stream};
/// assert_eq!(Draw::new(Sampler::Sobol, 0).stream, Stream::Training);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Stream {
    /// Points a solver sees.
    Training,
    /// Points on which a solution is judged.
    HeldOut,
}

/// A request for points: sampler, seed, round and stream.
///
/// ```
/// use rafnet::domain::{Cuboid, Domain, Draw, Sampler};
/// use std::sync::Arc;
/// let square = Domain::new(Arc::new(Cuboid::new(vec![[0.0, 1.0]; 2])?));
/// let draw = Draw::new(Sampler::Sobol, 7);
/// assert_eq!(square.interior(64, &draw)?, square.interior(64, &draw)?);
/// assert_ne!(square.interior(64, &draw)?, square.interior(64, &draw.held_out())?);
/// assert_ne!(square.interior(64, &draw)?, square.interior(64, &draw.round(1))?);
/// # Ok::<(), rafnet::domain::DomainError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Draw {
    /// Where the points of the cube come from.
    pub sampler: Sampler,
    /// The seed.
    pub seed: u64,
    /// Which of the independent draws of this seed.
    pub round: u64,
    /// Whom the points are for.
    pub stream: Stream,
}

impl Draw {
    /// Training points, round 0.
    pub fn new(sampler: Sampler, seed: u64) -> Self {
        Self {
            sampler,
            seed,
            round: 0,
            stream: Stream::Training,
        }
    }

    /// The same request in another round: fresh points from the same seed.
    #[must_use]
    pub fn round(self, round: u64) -> Self {
        Self { round, ..self }
    }

    /// The same request for held-out points.
    #[must_use]
    pub fn held_out(self) -> Self {
        Self {
            stream: Stream::HeldOut,
            ..self
        }
    }
}
