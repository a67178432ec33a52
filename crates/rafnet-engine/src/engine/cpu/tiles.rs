//! Every worker's tile: sized for the streams and the groups of points of a sweep, and handed to its jobs.

use super::plan::Plan;
use super::tile::Tile;
use super::{CpuEngine, lock};
use crate::engine::{Carried, EngineError, Objective};
use crate::simd::Real;
use std::ops::Range;
use std::sync::Mutex;

impl<T: Real> CpuEngine<T> {
    /// Calls `job` for every tile of `n` points, on any worker: (tile number, points, buffers).
    #[allow(
        clippy::type_complexity,
        reason = "the job's three arguments are named just above"
    )]
    pub(super) fn each_tile(
        &self,
        n: usize,
        job: &(dyn Fn(usize, Range<usize>, &mut Tile<T>) + Sync),
    ) {
        let size = self.plan.tile_blocks * self.plan.block;
        self.workers.run(n.div_ceil(size), &|t, worker| {
            job(
                t,
                t * size..n.min((t + 1) * size),
                &mut lock(&self.tiles[worker]),
            );
        });
    }

    /// Plan and buffers for these streams.
    pub(super) fn carry(&mut self, carried: Carried) -> Result<(), EngineError> {
        if carried != self.plan.carried {
            let plan = Plan::new::<T>(self.plan.level, &self.objective.network, carried);
            self.tiles = tiles(self.workers.len(), &plan, &self.objective)?;
            self.plan = plan;
        }
        Ok(())
    }

    /// Tiles of that many points at least.
    pub(super) fn hold(&mut self, points: usize) -> Result<(), EngineError> {
        let blocks = points.div_ceil(self.plan.block);
        if blocks > self.plan.tile_blocks {
            self.plan.tile_blocks = blocks;
            self.tiles = tiles(self.workers.len(), &self.plan, &self.objective)?;
        }
        Ok(())
    }

    /// Back to the residual's own streams after a sweep with others.
    pub(super) fn carry_residual(&mut self) -> Result<(), EngineError> {
        let dimension = self.plan.inputs.dimension;
        self.carry(self.objective.residual.streams().carried(dimension)?)
    }
}

/// Buffers for every worker, if there is room for them.
pub(super) fn tiles<T: Real>(
    workers: usize,
    plan: &Plan,
    objective: &Objective<T>,
) -> Result<Vec<Mutex<Tile<T>>>, EngineError> {
    let what = format_args!(
        "{} derivatives of {} parameters in {workers} threads",
        plan.carried.len() - 1,
        plan.n_parameters
    );
    let room = Tile::room(plan, objective);
    rafnet_memory::require(what, &[workers, room, size_of::<T>()])?;
    let tile = |_| Mutex::new(Tile::new(plan, objective));
    Ok((0..workers).map(tile).collect())
}
