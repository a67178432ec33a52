//! Every worker's tile: sized for the streams and the groups of points of a sweep, and handed to its jobs.

use super::plan::Plan;
use super::tile::Tile;
use super::{CpuEngine, lock};
use crate::engine::{Carried, EngineError, Objective};
use crate::simd::Real;
use std::ops::Range;
use std::sync::Mutex;

/// Sweeps for streams that no term carries, kept with their buffers: those that were asked for last.
const KEPT: usize = 3;

/// A layout, and a tile of it for every worker.
pub(super) struct Sweep<T> {
    pub(super) plan: Plan,
    tiles: Vec<Mutex<Tile<T>>>,
}

impl<T: Real> Sweep<T> {
    /// Buffers for every worker, if there is room for them; of a term, or for streams alone.
    pub(super) fn new(
        workers: usize,
        plan: Plan,
        objective: &Objective<T>,
        term: Option<usize>,
    ) -> Result<Self, EngineError> {
        let what = format_args!(
            "{} derivatives of {} parameters in {workers} threads",
            plan.carried.len() - 1,
            plan.n_parameters
        );
        let tile = |_| Tile::new(&plan, objective, term);
        let room = Tile::room(&plan, objective, term);
        rafnet_memory::require(what, &[workers, room, size_of::<T>()])?;
        let tiles = (0..workers).map(tile).map(Mutex::new).collect();
        Ok(Self { plan, tiles })
    }
}

impl<T: Real> CpuEngine<T> {
    /// Calls `job` for every tile of `n` points, on any worker: (tile number, points, buffers).
    #[allow(
        clippy::type_complexity,
        reason = "the job's three arguments are named just above"
    )]
    pub(super) fn each_tile(
        &self,
        sweep: &Sweep<T>,
        n: usize,
        job: &(dyn Fn(usize, Range<usize>, &mut Tile<T>) + Sync),
    ) {
        let size = sweep.plan.tile_blocks * sweep.plan.block;
        self.workers.run(n.div_ceil(size), &|t, worker| {
            job(t, t * size..n.min((t + 1) * size), &mut sweep.tile(worker));
        });
    }

    /// The sweep that carries these streams, in tiles of that many points at least.
    pub(super) fn sweep_for(
        &mut self,
        carried: Carried,
        points: usize,
    ) -> Result<usize, EngineError> {
        let mut plan = Plan::new::<T>(self.level, &self.objective.network, carried);
        plan.tile_blocks = plan.tile_blocks.max(points.div_ceil(plan.block));
        let is_same = |sweep: &Sweep<T>| {
            sweep.plan.carried == plan.carried && sweep.plan.tile_blocks == plan.tile_blocks
        };
        if let Some(known) = self.sweeps.iter().position(is_same) {
            return Ok(known);
        }
        let terms = self.objective.terms.len();
        if self.sweeps.len() >= terms + KEPT {
            self.sweeps.remove(terms);
        }
        self.sweeps
            .push(Sweep::new(self.workers.len(), plan, &self.objective, None)?);
        Ok(self.sweeps.len() - 1)
    }
}

impl<T> Sweep<T> {
    /// A worker's tile.
    pub(super) fn tile(&self, worker: usize) -> std::sync::MutexGuard<'_, Tile<T>> {
        lock(&self.tiles[worker])
    }
}
