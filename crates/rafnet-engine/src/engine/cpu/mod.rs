//! The CPU engine: a step tile by tile, all streams of all layers of a tile in the cache.
//!
//! Read [`plan`](self) for the layout, then `forward`, `reverse`, `back`, `weight_gradient`, `tile`, `slices`. A batch is cut into
//! a fixed number of slices, whatever the number of threads; each slice adds its tiles' gradients to its own accumulator, and the
//! slices are summed in a fixed order, so the result does not depend on the number of threads. Memory does not grow with the number
//! of points, and a step allocates nothing.

mod aligned;
mod back;
mod coefficients;
mod column;
mod compiled;
mod forward;
mod gram;
mod inputs;
mod jacobian;
mod lane_sums;
mod plan;
mod product;
mod reverse;
mod slices;
mod tile;
mod tiles;
mod transposed;
mod waves;
mod weight_gradient;
#[cfg(test)]
mod whole_numbers;
mod workers;

use super::{Batch, Columns, Couple, Engine, EngineError, Objective, Streams, check};
use crate::simd::{Level, Real};
use coefficients::Coefficients;
use plan::Plan;
use slices::{Slice, slices};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tile::Tile;
use tiles::tiles;
use workers::Workers;

/// Most threads that are taken.
pub const MOST_THREADS: usize = 1024;

/// An engine on the processor's cores.
pub(super) struct CpuEngine<T> {
    objective: Objective<T>,
    plan: Plan,
    coefficients: Coefficients<T>,
    tiles: Vec<Mutex<Tile<T>>>,
    slices: Vec<Mutex<Slice<T>>>,
    workers: Workers,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<T: Real> CpuEngine<T> {
    /// An engine with that many threads and that instruction set.
    pub(super) fn new(
        level: Level,
        objective: Objective<T>,
        threads: usize,
    ) -> Result<Self, EngineError> {
        if !(1..=MOST_THREADS).contains(&threads) {
            return Err(EngineError::Threads {
                found: threads,
                most: MOST_THREADS,
            });
        }
        check::objective(&objective)?;
        let carried = objective
            .residual
            .streams()
            .carried(objective.network.inputs().dimension)?;
        let plan = Plan::new::<T>(level, &objective.network, carried);
        let coefficients = Coefficients::new(&objective.network, &plan);
        let workers = Workers::new(threads);
        let tiles = tiles(workers.len(), &plan, &objective)?;
        let slices = slices(&plan)?;
        Ok(Self {
            objective,
            plan,
            coefficients,
            tiles,
            slices,
            workers,
        })
    }
}

impl<T: Real> Engine<T> for CpuEngine<T> {
    fn objective(&self) -> &Objective<T> {
        &self.objective
    }

    fn paths(&self) -> Vec<String> {
        self.plan.paths()
    }

    fn evaluate(
        &mut self,
        parameters: &[T],
        points: &[T],
        streams: &Streams,
        out: &mut [T],
    ) -> Result<(), EngineError> {
        let network = &self.objective.network;
        let (n, carried) = check::evaluation(
            network,
            parameters,
            points,
            streams,
            "the output",
            out.len(),
        )?;
        let (n_streams, outputs) = (carried.len(), network.n_outputs());
        self.carry(carried)?;
        self.coefficients
            .refresh(&self.objective.network, &self.plan, parameters);
        let batch = Batch::points(points);
        let out = Mutex::new(out);
        self.each_tile(n, &|_, range, tile| {
            tile.load(&self.plan, &self.objective, &batch, range.clone());
            tile.forward(&self.plan, &self.objective, &self.coefficients);
            let mut out = lock(&out);
            for o in 0..outputs {
                for s in 0..n_streams {
                    let start = (o * n_streams + s) * n;
                    out[start + range.start..start + range.end]
                        .copy_from_slice(tile.jet(&self.plan, o, s));
                }
            }
        });
        self.carry_residual()
    }

    fn loss_and_gradient(
        &mut self,
        parameters: &[T],
        batch: &Batch<'_, T>,
        gradient: &mut [T],
    ) -> Result<f64, EngineError> {
        let n = check::batch(&self.objective, parameters, batch)?;
        check::length("the gradient", gradient.len(), self.plan.n_parameters)?;
        if n == 0 {
            return Err(EngineError::NoPoints);
        }
        self.coefficients
            .refresh(&self.objective.network, &self.plan, parameters);
        let factor = T::from_f64(2.0 / n as f64);
        let used = self.sum(batch, (n, self.plan.block), &|tile, _| {
            tile.respond(&self.plan, &self.objective);
            let square_sum = tile.square_sum(&self.plan, self.objective.residual.count());
            tile.seed(&self.plan, &self.objective, |_, r, w| factor * w * r);
            square_sum
        });
        Ok(self.reduce(parameters, used, gradient) / n as f64)
    }

    fn residuals(
        &mut self,
        parameters: &[T],
        batch: &Batch<'_, T>,
        residual: &mut [T],
    ) -> Result<(), EngineError> {
        let n = check::batch(&self.objective, parameters, batch)?;
        let count = self.objective.residual.count();
        check::length("the residual", residual.len(), n * count)?;
        self.coefficients
            .refresh(&self.objective.network, &self.plan, parameters);
        let size = self.plan.tile_blocks * self.plan.block * count;
        let parts: Vec<Mutex<&mut [T]>> =
            residual.chunks_mut(size.max(1)).map(Mutex::new).collect();
        self.each_tile(n, &|t, range, tile| {
            tile.load(&self.plan, &self.objective, batch, range);
            tile.forward(&self.plan, &self.objective, &self.coefficients);
            tile.respond(&self.plan, &self.objective);
            write_residuals(tile, &self.plan, count, &mut lock(&parts[t]));
        });
        Ok(())
    }

    fn residuals_and_jacobian(
        &mut self,
        parameters: &[T],
        batch: &Batch<'_, T>,
        columns: Columns,
        residual: &mut [T],
        jacobian: &mut [T],
    ) -> Result<(), EngineError> {
        jacobian::rows(self, parameters, batch, columns, residual, jacobian)
    }

    fn pullback(
        &mut self,
        parameters: &[T],
        points: &[T],
        streams: &Streams,
        cotangents: &[T],
        gradient: &mut [T],
    ) -> Result<(), EngineError> {
        let network = &self.objective.network;
        let (n, carried) = check::evaluation(
            network,
            parameters,
            points,
            streams,
            "the list of cotangents",
            cotangents.len(),
        )?;
        check::length("the gradient", gradient.len(), self.plan.n_parameters)?;
        gradient.fill(T::ZERO);
        if n == 0 {
            return Ok(());
        }
        self.carry(carried)?;
        self.coefficients
            .refresh(&self.objective.network, &self.plan, parameters);
        let used = self.sum(
            &Batch::points(points),
            (n, self.plan.block),
            &|tile, range| {
                tile.seed_with(&self.plan, &self.objective, cotangents, n, range.start);
                0.0
            },
        );
        self.reduce(parameters, used, gradient);
        self.carry_residual()
    }

    fn coupled(
        &mut self,
        parameters: &[T],
        (points, group): (&[T], usize),
        streams: &Streams,
        couple: &Couple<'_, T>,
        gradient: &mut [T],
    ) -> Result<(), EngineError> {
        let n = check::groups(&self.objective.network, parameters, points, group)?;
        check::length("the gradient", gradient.len(), self.plan.n_parameters)?;
        gradient.fill(T::ZERO);
        if n == 0 {
            return Ok(());
        }
        self.carry(streams.carried(self.plan.inputs.dimension)?)?;
        self.hold(group)?;
        self.coefficients
            .refresh(&self.objective.network, &self.plan, parameters);
        let used = self.sum(&Batch::points(points), (n, group), &|tile, range| {
            tile.couple(&self.plan, &self.objective, range, couple);
            0.0
        });
        self.reduce(parameters, used, gradient);
        self.carry_residual()
    }

    fn gram(
        &mut self,
        parameters: &[T],
        batch: &Batch<'_, T>,
        columns: Columns,
        gram: &mut [T],
        right: &mut [T],
    ) -> Result<f64, EngineError> {
        check::batch(&self.objective, parameters, batch)?;
        check::gram(self.objective.n_columns(columns), gram, right)?;
        gram::sum(self, parameters, batch, columns, gram, right)
    }
}

/// The tile's residuals, point by point, each times the root of its weight.
fn write_residuals<T: Real>(tile: &Tile<T>, plan: &Plan, count: usize, out: &mut [T]) {
    for m in 0..count {
        let (r, w) = tile.residual(plan, m);
        for (i, (&r, &w)) in r.iter().zip(w).enumerate() {
            out[i * count + m] = r * w.sqrt();
        }
    }
}
