//! The sum over a batch in a fixed number of slices, whatever the number of threads.
//!
//! ```text
//! slice s:  the groups of points from ⌊s·g/S⌋ to ⌊(s + 1)·g/S⌋, tile after tile        sum:  a tree over the slices
//! ```

use super::aligned::Aligned;
use super::coefficients::{Kind, each_trained};
use super::plan::Plan;
use super::tile::Tile;
use super::tiles::Sweep;
use super::{CpuEngine, lock};
use crate::engine::{Batch, EngineError};
use crate::simd::Real;
use std::ops::Range;
use std::sync::Mutex;

/// Parts of a batch with an accumulator of their own.
const SLICES: usize = 32;

/// A slice's share of the sums.
pub(super) struct Slice<T> {
    square_sum: f64,
    /// By the shared numbers.
    shared: Vec<T>,
    /// Laid out as the parameters, then the tables of ᾱ, β̄ and the shape coefficients.
    gradient: Aligned<T>,
}

/// The slices' accumulators, if there is room for them.
pub(super) fn slices<T: Real>(
    plan: &Plan,
    shared: usize,
) -> Result<Vec<Mutex<Slice<T>>>, EngineError> {
    let len = plan.n_parameters + 2 * plan.table_len + plan.shape_len;
    let what = format_args!("training {} parameters", plan.n_parameters);
    rafnet_memory::require(what, &[SLICES, len, size_of::<T>()])?;
    Ok((0..SLICES)
        .map(|_| {
            Mutex::new(Slice {
                square_sum: 0.0,
                shared: vec![T::ZERO; shared],
                gradient: Aligned::zeros(len),
            })
        })
        .collect())
}

impl<T: Real> CpuEngine<T> {
    /// Every slice's share of the gradient: `seed` is called after a tile's forward sweep with its points, seeds the reverse sweep,
    /// adds the slopes by the shared numbers and
    /// says what the tile adds to the loss. Groups of `group` points are not cut. The number of slices that were used.
    #[allow(
        clippy::type_complexity,
        reason = "the seed's arguments are named just above"
    )]
    pub(super) fn sum(
        &self,
        sweep: &Sweep<T>,
        batch: &Batch<'_, T>,
        (n, group): (usize, usize),
        seed: &(dyn Fn(&mut Tile<T>, Range<usize>, &mut [T]) -> f64 + Sync),
    ) -> usize {
        let plan = &sweep.plan;
        let groups = n.div_ceil(group);
        let of_tile = (plan.tile_blocks * plan.block / group).max(1);
        let used = SLICES.min(groups);
        self.workers.run(used, &|slice, worker| {
            let tile = &mut sweep.tile(worker);
            let total = &mut *lock(&self.slices[slice]);
            total.gradient.fill(T::ZERO);
            total.shared.fill(T::ZERO);
            total.square_sum = 0.0;
            let (first, last) = (slice * groups / used, (slice + 1) * groups / used);
            let tiles = (last - first).div_ceil(of_tile);
            for t in 0..tiles {
                let bound = |t: usize| n.min((first + t * (last - first) / tiles) * group);
                let range = bound(t)..bound(t + 1);
                tile.load(plan, batch, range.clone());
                tile.forward(plan, &self.objective, &self.coefficients);
                total.square_sum += seed(tile, range, &mut total.shared);
                let (gradient, tables) = total.gradient.split_at_mut(plan.n_parameters);
                tile.backpropagate(plan, &self.coefficients, gradient, tables);
            }
        });
        used
    }

    /// The slices' sum in a fixed order, the coefficients' chain rule applied.
    pub(super) fn reduce(
        &self,
        plan: &Plan,
        parameters: &[T],
        used: usize,
        gradient: &mut [T],
    ) -> f64 {
        // a tree over the slices, each level in parallel over pairs
        let mut gap = 1;
        while gap < used {
            let pairs: usize = (used - gap).div_ceil(2 * gap);
            self.workers.run(pairs, &|p, _| {
                let (mut to, from) = (
                    lock(&self.slices[2 * gap * p]),
                    lock(&self.slices[2 * gap * p + gap]),
                );
                to.square_sum += from.square_sum;
                for (to, &from) in to.gradient.iter_mut().zip(from.gradient.iter()) {
                    *to += from;
                }
                for (to, &from) in to.shared.iter_mut().zip(&from.shared) {
                    *to += from;
                }
            });
            gap *= 2;
        }
        let sum = lock(&self.slices[0]);
        let (gradient, shared) = gradient.split_at_mut(plan.n_parameters);
        gradient.copy_from_slice(&sum.gradient[..plan.n_parameters]);
        shared.copy_from_slice(&sum.shared);
        let tables = &sum.gradient[plan.n_parameters..];
        each_trained(
            &self.objective.network,
            plan,
            |group, p, k, place, kind| match kind {
                Kind::Alpha(at) => gradient[at] = tables[place],
                Kind::Scale(at) => {
                    let slope = group.terms[p].scale.beta_slope(parameters[at].to_f64());
                    gradient[at] = tables[plan.table_len + place] * T::from_f64(slope);
                }
                Kind::Shape(at) => gradient[at] = tables[2 * plan.table_len + k],
            },
        );
        sum.square_sum
    }
}
