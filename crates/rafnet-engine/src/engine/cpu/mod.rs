//! The CPU engine: a step tile by tile, all streams of all layers of a tile in the cache.
//!
//! Read [`plan`](self) for the layout, then `forward`, `reverse`, `weight_gradient`, `tile`. A batch is cut into a fixed number of
//! slices, whatever the number of threads; each slice adds its tiles' gradients to its own accumulator, and the slices are
//! summed in a fixed order, so the result does not depend on the number of threads. Memory does not grow with the number of
//! points, and a step allocates nothing.

mod aligned;
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
mod tile;
mod transposed;
mod waves;
mod weight_gradient;
#[cfg(test)]
mod whole_numbers;
mod workers;

use super::{Batch, Carried, Columns, Couple, Engine, EngineError, Objective, Streams, check};
use crate::simd::{Level, Real};
use aligned::Aligned;
use coefficients::{Coefficients, Kind, each_trained};
use jacobian::Rows;
use plan::Plan;
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tile::Tile;
use workers::Workers;

/// Parts of a batch with an accumulator of their own.
const SLICES: usize = 32;
/// Most threads that are taken.
pub const MOST_THREADS: usize = 1024;

/// A slice's share of the sums.
struct Slice<T> {
    square_sum: f64,
    /// Laid out as the parameters, then the tables of ᾱ, β̄ and the shape coefficients.
    gradient: Aligned<T>,
}

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
        let len = plan.n_parameters + 2 * plan.table_len + plan.shape_len;
        let what = format_args!("training {} parameters", plan.n_parameters);
        rafnet_memory::require(what, &[SLICES, len, size_of::<T>()])?;
        let slices = (0..SLICES)
            .map(|_| {
                Mutex::new(Slice {
                    square_sum: 0.0,
                    gradient: Aligned::zeros(len),
                })
            })
            .collect();
        Ok(Self {
            objective,
            plan,
            coefficients,
            tiles,
            slices,
            workers,
        })
    }

    /// Calls `job` for every tile of `n` points, on any worker: (tile number, points, buffers).
    #[allow(
        clippy::type_complexity,
        reason = "the job's three arguments are named just above"
    )]
    fn each_tile(&self, n: usize, job: &(dyn Fn(usize, Range<usize>, &mut Tile<T>) + Sync)) {
        let size = self.plan.tile_blocks * self.plan.block;
        self.workers.run(n.div_ceil(size), &|t, worker| {
            job(
                t,
                t * size..n.min((t + 1) * size),
                &mut lock(&self.tiles[worker]),
            );
        });
    }

    /// Every slice's share of the gradient: `seed` is called after a tile's forward sweep with its points, seeds the reverse sweep and
    /// says what the tile adds to the loss. Groups of `group` points are not cut. The number of slices that were used.
    #[allow(
        clippy::type_complexity,
        reason = "the seed's arguments are named just above"
    )]
    fn sum(
        &self,
        batch: &Batch<'_, T>,
        (n, group): (usize, usize),
        seed: &(dyn Fn(&mut Tile<T>, Range<usize>) -> f64 + Sync),
    ) -> usize {
        let groups = n.div_ceil(group);
        let of_tile = (self.plan.tile_blocks * self.plan.block / group).max(1);
        let used = SLICES.min(groups);
        self.workers.run(used, &|slice, worker| {
            let tile = &mut lock(&self.tiles[worker]);
            let total = &mut *lock(&self.slices[slice]);
            total.gradient.fill(T::ZERO);
            total.square_sum = 0.0;
            let (first, last) = (slice * groups / used, (slice + 1) * groups / used);
            let tiles = (last - first).div_ceil(of_tile);
            for t in 0..tiles {
                let bound = |t: usize| n.min((first + t * (last - first) / tiles) * group);
                let range = bound(t)..bound(t + 1);
                tile.load(&self.plan, &self.objective, batch, range.clone());
                tile.forward(&self.plan, &self.objective, &self.coefficients);
                total.square_sum += seed(tile, range);
                let (gradient, tables) = total.gradient.split_at_mut(self.plan.n_parameters);
                tile.backpropagate(&self.plan, &self.coefficients, gradient, tables);
            }
        });
        used
    }

    /// The slices' sum in a fixed order, the coefficients' chain rule applied.
    fn reduce(&self, parameters: &[T], used: usize, gradient: &mut [T]) -> f64 {
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
            });
            gap *= 2;
        }
        let sum = lock(&self.slices[0]);
        gradient.copy_from_slice(&sum.gradient[..self.plan.n_parameters]);
        let tables = &sum.gradient[self.plan.n_parameters..];
        each_trained(
            &self.objective.network,
            &self.plan,
            |group, p, k, place, kind| match kind {
                Kind::Alpha(at) => gradient[at] = tables[place],
                Kind::Scale(at) => {
                    let slope = group.terms[p].scale.beta_slope(parameters[at].to_f64());
                    gradient[at] = tables[self.plan.table_len + place] * T::from_f64(slope);
                }
                Kind::Shape(at) => gradient[at] = tables[2 * self.plan.table_len + k],
            },
        );
        sum.square_sum
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
        let n = check::batch(&self.objective, parameters, batch)?;
        let count = self.objective.residual.count();
        let width = self.objective.n_columns(columns);
        check::length("the residual", residual.len(), n * count)?;
        check::length("the Jacobian", jacobian.len(), n * count * width)?;
        self.coefficients
            .refresh(&self.objective.network, &self.plan, parameters);
        let size = self.plan.tile_blocks * self.plan.block * count;
        type Part<'a, T> = Mutex<(&'a mut [T], &'a mut [T])>;
        let parts: Vec<Part<'_, T>> = residual
            .chunks_mut(size.max(1))
            .zip(jacobian.chunks_mut((size * width).max(1)))
            .map(Mutex::new)
            .collect();
        let lowest = match columns {
            Columns::All => 0,
            Columns::OutputLayer => self.plan.layers.len() - 1,
        };
        let first_parameter = self.plan.n_parameters - width;
        let streams = self.plan.carried.len();
        let table_len = 2 * self.plan.table_len + self.plan.shape_len;
        self.each_tile(n, &|t, range, tile| {
            let (residual, jacobian) = &mut *lock(&parts[t]);
            tile.load(&self.plan, &self.objective, batch, range);
            tile.forward(&self.plan, &self.objective, &self.coefficients);
            tile.respond(&self.plan, &self.objective);
            write_residuals(tile, &self.plan, count, residual);
            let padded = tile.padded(&self.plan);
            let mut point = vec![T::ZERO; 2 * streams * self.plan.widest()];
            let mut tables = vec![T::ZERO; if lowest == 0 { table_len * padded } else { 0 }];
            for m in 0..count {
                tile.seed(&self.plan, &self.objective, |k, _, w| {
                    if k == m { w.sqrt() } else { T::ZERO }
                });
                tables.fill(T::ZERO);
                let mut rows = Rows {
                    jacobian: &mut jacobian[m * width..],
                    row_step: count * width,
                    first_parameter,
                    n: tile.n(),
                    point: &mut point,
                    tables: &mut tables,
                    padded,
                };
                tile.reverse(&self.plan, &self.coefficients, lowest, &mut rows);
                if lowest == 0 {
                    rows.finish(&self.objective.network, &self.plan, parameters);
                }
            }
        });
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

impl<T: Real> CpuEngine<T> {
    /// Plan and buffers for these streams.
    fn carry(&mut self, carried: Carried) -> Result<(), EngineError> {
        if carried != self.plan.carried {
            let plan = Plan::new::<T>(self.plan.level, &self.objective.network, carried);
            self.tiles = tiles(self.workers.len(), &plan, &self.objective)?;
            self.plan = plan;
        }
        Ok(())
    }

    /// Tiles of that many points at least.
    fn hold(&mut self, points: usize) -> Result<(), EngineError> {
        let blocks = points.div_ceil(self.plan.block);
        if blocks > self.plan.tile_blocks {
            self.plan.tile_blocks = blocks;
            self.tiles = tiles(self.workers.len(), &self.plan, &self.objective)?;
        }
        Ok(())
    }

    /// Back to the residual's own streams after a sweep with others.
    fn carry_residual(&mut self) -> Result<(), EngineError> {
        let dimension = self.plan.inputs.dimension;
        self.carry(self.objective.residual.streams().carried(dimension)?)
    }
}

/// Buffers for every worker, if there is room for them.
fn tiles<T: Real>(
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

/// The tile's residuals, point by point, each times the root of its weight.
fn write_residuals<T: Real>(tile: &Tile<T>, plan: &Plan, count: usize, out: &mut [T]) {
    for m in 0..count {
        let (r, w) = tile.residual(plan, m);
        for (i, (&r, &w)) in r.iter().zip(w).enumerate() {
            out[i * count + m] = r * w.sqrt();
        }
    }
}
