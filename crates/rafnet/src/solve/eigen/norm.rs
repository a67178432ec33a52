//! The mean square of u over the domain: a coarse sum that Newton's rows hold, and a fine one that sets right what it misses.
//!
//! Where the domain has rules of its own ([`Domain::quadrature`](crate::domain::Domain)) both are that; elsewhere lattices, whose sums are
//! those of smooth periodic functions to many digits (I. Sloan, S. Joe, "Lattice methods for multiple integration", 1994).

use super::form::Unknown;
use super::tuning::{COARSE_LATTICE, FINE_LATTICE, LATTICE_VALUES};
use crate::domain::{DomainError, Draw, Sampler};
use crate::engine::ridges::Layer;
use crate::expr::{Expr, Leaf};
use crate::frozen::jets_of;
use crate::halt::Halt;
use crate::posed::{Block, Kind, Purpose, Residual, System};

/// Points at a time.
const CHUNK: usize = 1 << 13;
/// Dimensions with rules of their own.
const RULED: usize = 3;

/// A sum over points.
pub(super) struct Norm {
    pub(super) block: Block,
    pub(super) weights: Vec<f64>,
    values: Vec<Residual>,
}

impl Norm {
    /// The coarse sum.
    pub(super) fn coarse(system: &System, seed: u64) -> Result<Self, DomainError> {
        let problem = &system.problem;
        let d = problem.coordinates.len();
        let (points, weights) = if d <= RULED {
            let rule = problem.domain.quadrature()?;
            (rule.points, rule.weights)
        } else {
            let points = lattice(system, COARSE_LATTICE, seed)?;
            (points, vec![1.0 / COARSE_LATTICE as f64; COARSE_LATTICE])
        };
        let value = |u| Residual::new(Kind::Constraint, &Expr::leaf(Leaf::jet(u, &[])), d, 0);
        Ok(Self {
            block: Block::new(0, system.known.sites(&points)),
            weights,
            values: (0..problem.unknowns.len()).map(value).collect(),
        })
    }

    /// How w is evaluated, an unknown each.
    pub(super) fn values(&self) -> &[Residual] {
        &self.values
    }

    /// The mean of Σ u² by this sum.
    pub(super) fn mean(&self, unknown: Unknown, layer: &Layer, coefficients: &[f64]) -> f64 {
        let square = |value: &Residual| -> f64 {
            let w = jets_of(layer, coefficients, value, &self.block).swap_remove(0);
            let squares = w.iter().map(|w| unknown.value(*w).powi(2));
            squares
                .zip(&self.weights)
                .map(|(u, weight)| u * weight)
                .sum()
        };
        self.values.iter().map(square).sum()
    }

    /// The mean of Σ u² by two fine lattices, differently shifted, and how much they differ; `None` where the coarse one is as fine as there is,
    /// or when it is ended.
    pub(super) fn fine_mean(
        &self,
        system: &System,
        unknown: Unknown,
        layer: &Layer,
        coefficients: &[f64],
        halt: &Halt,
    ) -> Result<Option<[f64; 2]>, DomainError> {
        let d = system.problem.coordinates.len();
        if d <= RULED {
            return Ok(None);
        }
        let affordable =
            (LATTICE_VALUES / layer.len().max(1)).clamp(FINE_LATTICE[0], FINE_LATTICE[1]);
        let count = 1usize << (affordable / 2).ilog2();
        let mut means = [0.0; 2];
        for (mean, seed) in means.iter_mut().zip([1, 2]) {
            let points = lattice(system, count, seed)?;
            for chunk in points.chunks(CHUNK * d) {
                if halt.is_raised() {
                    return Ok(None);
                }
                let block = Block::new(0, system.known.sites(chunk));
                for value in &self.values {
                    let w = jets_of(layer, coefficients, value, &block).swap_remove(0);
                    *mean += w.iter().map(|w| unknown.value(*w).powi(2)).sum::<f64>();
                }
            }
            *mean /= count as f64;
        }
        let [a, b] = means;
        Ok(Some([0.5 * (a + b), (a - b).abs()]))
    }
}

/// Points of a lattice, random ones beyond what it is tabulated for.
fn lattice(system: &System, count: usize, seed: u64) -> Result<Vec<f64>, DomainError> {
    let domain = &system.problem.domain;
    let by_lattice = domain.interior(
        count,
        &Draw::new(Sampler::Lattice, seed).round(Purpose::Sized.round()),
    );
    by_lattice.or_else(|_| {
        domain.interior(
            count,
            &Draw::new(Sampler::Random, seed).round(Purpose::Sized.round()),
        )
    })
}
