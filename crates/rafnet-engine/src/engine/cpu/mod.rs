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
mod inputs;
mod jacobian;
mod lane_sums;
mod plan;
mod product;
mod reverse;
mod slices;
mod sums;
mod tile;
mod tiles;
mod transposed;
mod waves;
mod weight_gradient;
#[cfg(test)]
mod whole_numbers;
mod workers;

use super::{Batch, Couple, Engine, EngineError, Objective, Row, Streams, check};
use crate::simd::{Level, Real};
use coefficients::Coefficients;
use plan::Plan;
use slices::{Slice, slices};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tile::Tile;
use tiles::Sweep;
use workers::Workers;

/// Most threads that are taken.
pub const MOST_THREADS: usize = 1024;

/// An engine on the processor's cores.
pub(super) struct CpuEngine<T> {
    objective: Objective<T>,
    level: Level,
    coefficients: Coefficients<T>,
    /// The shared numbers, within their bounds.
    shared: Vec<T>,
    /// One for each term, then those for other streams that were asked for last.
    sweeps: Vec<Sweep<T>>,
    /// Made for the first sum.
    slices: Vec<Mutex<Slice<T>>>,
    /// Rows that are sums over points, while a loss is computed.
    rows: Vec<T>,
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
        let dimension = objective.network.inputs().dimension;
        let workers = Workers::new(threads);
        let mut sweeps = Vec::with_capacity(objective.terms.len());
        for (k, term) in objective.terms.iter().enumerate() {
            let carried = term.residual.streams().carried(dimension)?;
            let plan = Plan::new::<T>(level, &objective.network, carried);
            sweeps.push(Sweep::new(workers.len(), plan, &objective, Some(k))?);
        }
        let value = Streams::value().carried(dimension)?;
        let plan = Plan::new::<T>(level, &objective.network, value);
        Ok(Self {
            level,
            coefficients: Coefficients::new(&objective.network, &plan),
            shared: Vec::with_capacity(objective.shared.len()),
            objective,
            sweeps,
            slices: Vec::new(),
            rows: Vec::new(),
            workers,
        })
    }

    /// Takes a parameter vector over; any sweep's plan says where the numbers stand.
    fn refresh(&mut self, sweep: usize, parameters: &[T]) {
        let plan = &self.sweeps[sweep].plan;
        self.coefficients
            .refresh(&self.objective.network, plan, parameters);
        self.objective.read_shared(parameters, &mut self.shared);
    }

    /// Room for sums over points.
    fn ready_to_sum(&mut self, sweep: usize) -> Result<(), EngineError> {
        if self.slices.is_empty() {
            self.slices = slices(&self.sweeps[sweep].plan, self.objective.shared.len())?;
        }
        Ok(())
    }
}

impl<T: Real> Engine<T> for CpuEngine<T> {
    fn objective(&self) -> &Objective<T> {
        &self.objective
    }

    fn paths(&self) -> Vec<String> {
        self.sweeps
            .first()
            .map_or_else(Vec::new, |s| s.plan.paths())
    }

    fn evaluate(
        &mut self,
        parameters: &[T],
        points: &[T],
        streams: &Streams,
        out: &mut [T],
    ) -> Result<(), EngineError> {
        let (n, carried) = check::evaluation(
            &self.objective,
            parameters,
            points,
            streams,
            "the output",
            out.len(),
        )?;
        let (n_streams, outputs) = (carried.len(), self.objective.network.n_outputs());
        let sweep = self.sweep_for(carried, 0)?;
        self.refresh(sweep, parameters);
        let sweep = &self.sweeps[sweep];
        let batch = Batch::points(points);
        let out = Mutex::new(out);
        self.each_tile(sweep, n, &|_, range, tile| {
            tile.load(&sweep.plan, &batch, range.clone());
            tile.forward(&sweep.plan, &self.objective, &self.coefficients);
            let mut out = lock(&out);
            for o in 0..outputs {
                for s in 0..n_streams {
                    let start = (o * n_streams + s) * n;
                    out[start + range.start..start + range.end].copy_from_slice(tile.jet(
                        &sweep.plan,
                        o,
                        s,
                    ));
                }
            }
        });
        Ok(())
    }

    fn loss_and_gradient(
        &mut self,
        parameters: &[T],
        batch: &Batch<'_, T>,
        gradient: &mut [T],
    ) -> Result<f64, EngineError> {
        let n = check::batch(&self.objective, parameters, batch)?;
        check::length("the gradient", gradient.len(), parameters.len())?;
        if n == 0 {
            return Err(EngineError::NoPoints);
        }
        self.refresh(batch.term, parameters);
        self.ready_to_sum(batch.term)?;
        if let Row::Sum(points) = self.objective.terms[batch.term].row {
            let loss = sums::loss_and_gradient(self, parameters, batch, points, gradient);
            return Ok(loss);
        }
        let factor = T::from_f64(2.0 / n as f64);
        let sweep = &self.sweeps[batch.term];
        let used = self.sum(sweep, batch, (n, sweep.plan.block), &|tile, _, slopes| {
            tile.respond(&sweep.plan, &self.objective, &self.shared);
            let square_sum = tile.square_sum(&sweep.plan);
            let seed = |_, _, r, w| factor * w * r;
            tile.seed(&sweep.plan, &self.objective, seed);
            tile.add_slopes(&sweep.plan, seed, slopes);
            square_sum
        });
        Ok(self.reduce(&sweep.plan, parameters, used, gradient) / n as f64)
    }

    fn residuals(
        &mut self,
        parameters: &[T],
        batch: &Batch<'_, T>,
        residual: &mut [T],
    ) -> Result<(), EngineError> {
        let n = check::batch(&self.objective, parameters, batch)?;
        let term = &self.objective.terms[batch.term];
        let (row, count) = (term.row, term.residual.count());
        check::length("the residual", residual.len(), n / row.points() * count)?;
        self.refresh(batch.term, parameters);
        if let Row::Sum(points) = row {
            sums::rows(self, batch, points, residual);
            return Ok(());
        }
        let sweep = &self.sweeps[batch.term];
        let size = sweep.plan.tile_blocks * sweep.plan.block * count;
        let parts: Vec<Mutex<&mut [T]>> =
            residual.chunks_mut(size.max(1)).map(Mutex::new).collect();
        self.each_tile(sweep, n, &|t, range, tile| {
            tile.load(&sweep.plan, batch, range);
            tile.forward(&sweep.plan, &self.objective, &self.coefficients);
            tile.respond(&sweep.plan, &self.objective, &self.shared);
            write_residuals(tile, &sweep.plan, T::sqrt, &mut lock(&parts[t]));
        });
        Ok(())
    }

    fn residuals_and_jacobian(
        &mut self,
        parameters: &[T],
        batch: &Batch<'_, T>,
        residual: &mut [T],
        jacobian: &mut [T],
    ) -> Result<(), EngineError> {
        let n = check::batch(&self.objective, parameters, batch)?;
        let term = &self.objective.terms[batch.term];
        let (row, rows) = (term.row, n / term.row.points() * term.residual.count());
        check::length("the residual", residual.len(), rows)?;
        check::length("the Jacobian", jacobian.len(), rows * parameters.len())?;
        self.refresh(batch.term, parameters);
        match row {
            Row::Point => jacobian::rows(self, parameters, batch, residual, jacobian),
            Row::Sum(points) => {
                self.ready_to_sum(batch.term)?;
                sums::rows(self, batch, points, residual);
                sums::jacobian(self, parameters, batch, points, jacobian);
            }
        }
        Ok(())
    }

    fn pullback(
        &mut self,
        parameters: &[T],
        points: &[T],
        streams: &Streams,
        cotangents: &[T],
        gradient: &mut [T],
    ) -> Result<(), EngineError> {
        let (n, carried) = check::evaluation(
            &self.objective,
            parameters,
            points,
            streams,
            "the list of cotangents",
            cotangents.len(),
        )?;
        check::length("the gradient", gradient.len(), parameters.len())?;
        gradient.fill(T::ZERO);
        if n == 0 {
            return Ok(());
        }
        let sweep = self.sweep_for(carried, 0)?;
        self.refresh(sweep, parameters);
        self.ready_to_sum(sweep)?;
        let sweep = &self.sweeps[sweep];
        let batch = Batch::points(points);
        let used = self.sum(sweep, &batch, (n, sweep.plan.block), &|tile, range, _| {
            tile.seed_with(&sweep.plan, &self.objective, cotangents, n, range.start);
            0.0
        });
        self.reduce(&sweep.plan, parameters, used, gradient);
        Ok(())
    }

    fn coupled(
        &mut self,
        parameters: &[T],
        (points, group): (&[T], usize),
        streams: &Streams,
        couple: &Couple<'_, T>,
        gradient: &mut [T],
    ) -> Result<(), EngineError> {
        let n = check::groups(&self.objective, parameters, points, group)?;
        check::length("the gradient", gradient.len(), parameters.len())?;
        gradient.fill(T::ZERO);
        if n == 0 {
            return Ok(());
        }
        let carried = streams.carried(self.objective.network.inputs().dimension)?;
        let sweep = self.sweep_for(carried, group)?;
        self.refresh(sweep, parameters);
        self.ready_to_sum(sweep)?;
        let sweep = &self.sweeps[sweep];
        let used = self.sum(
            sweep,
            &Batch::points(points),
            (n, group),
            &|tile, range, _| {
                tile.couple(&sweep.plan, &self.objective, range, couple);
                0.0
            },
        );
        self.reduce(&sweep.plan, parameters, used, gradient);
        Ok(())
    }
}

/// The tile's residuals, point by point, each times its point's share.
fn write_residuals<T: Real>(tile: &Tile<T>, plan: &Plan, share: fn(T) -> T, out: &mut [T]) {
    let count = tile.n_residuals();
    for m in 0..count {
        let (r, w) = tile.residual(plan, m);
        for (i, (&r, &w)) in r.iter().zip(w).enumerate() {
            out[i * count + m] = r * share(w);
        }
    }
}
