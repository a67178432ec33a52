//! The walk: one network, every sweep, every batch size, each number against the oracle's within its bound. Values and residuals
//! stand in [`values`], what sums over points in [`gradients`], the Jacobian's rows in [`rows`], what the oracle expects in [`expected`].

mod expected;
mod gradients;
mod rows;
mod values;

use super::bounded::Bounded;
use super::case::{Case, SUMMED};
use super::number::Number;
use super::{Make, Report};
use crate::activation::random;
use crate::engine::{Batch, Engine, Streams};
use crate::network::Network;
use crate::simd::Real;
use expected::{Jets, Moving, Row};
use rand::RngExt;
use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::Ordering;
use values::evaluated;

/// Parameters from which on a point is dear.
const LARGE_NETWORK: usize = 5_000;

/// How many points of a batch are compared, values and rows of the Jacobian: fewer where a point costs more.
fn effort(network: &Network, n: usize) -> (usize, usize) {
    match (network.inputs().dimension, n) {
        _ if network.n_parameters() > LARGE_NETWORK => (2, 2),
        (0..=3, 1000..) => (64, 5),
        (0..=3, _) => (24, 5),
        (0..=10, 1000..) => (16, 3),
        (0..=10, _) => (8, 3),
        _ => (2, 2),
    }
}

/// The points that batches are the beginnings of, with what belongs to them.
struct Pool<T> {
    points: Vec<T>,
    data: Vec<T>,
    weights: Vec<T>,
    d: usize,
    columns: usize,
}

impl<T> Pool<T> {
    /// The size of the one batch that goes without weights.
    const UNWEIGHTED: usize = 33;

    fn batch(&self, n: usize) -> Batch<'_, T> {
        let weighted = if n == Self::UNWEIGHTED { 0 } else { n };
        self.weighted(n, &self.weights[..weighted])
    }
    fn weighted<'a>(&'a self, n: usize, weights: &'a [T]) -> Batch<'a, T> {
        Batch::points(&self.points[..n * self.d])
            .with_data(&self.data[..n * self.columns])
            .with_weights(weights)
    }
}

/// One network with its engine and everything that the oracle has worked out for it.
pub(super) struct Walk<'a, T> {
    case: &'a Case<T>,
    engine: Box<dyn Engine<T>>,
    report: &'a mut Report,
    d: usize,
    pool: Pool<T>,
    /// A direction in the parameters, cut into the named blocks.
    direction: Vec<f64>,
    values: HashMap<usize, Vec<Bounded<T>>>,
    rows: HashMap<usize, Row<T>>,
    jets: HashMap<(usize, [usize; 2]), Jets<Bounded<T>>>,
    moving: Moving<T>,
}

type Checked = Result<(), String>;

impl<'a, T: Real> Walk<'a, T> {
    pub(super) fn new(
        case: &'a Case<T>,
        make: &mut Make<'_, T>,
        seed: u64,
        report: &'a mut Report,
    ) -> Result<Self, String> {
        let engine = make(case.objective()).map_err(|e| format!("{}: {e}", case.name))?;
        for path in engine.paths().into_iter().collect::<BTreeSet<_>>() {
            *report.paths.entry(path).or_default() += 1;
        }
        let mut random = random(!seed);
        let mut draw = |n: usize, low: f64, high: f64| -> Vec<f64> {
            (0..n).map(|_| random.random_range(low..high)).collect()
        };
        let d = case.network.inputs().dimension;
        let real = |v: Vec<f64>| v.into_iter().map(T::from_f64).collect::<Vec<T>>();
        let most = 10_000;
        let (points, data) = (
            real(draw(most * d, -1.0, 1.0)),
            real(draw(most * case.probe.count, -1.0, 1.0)),
        );
        let mut weights = real(draw(most, 0.2, 1.8));
        weights
            .iter_mut()
            .skip(5)
            .step_by(7)
            .for_each(|w| *w = T::ZERO);
        // none of them small: an error in any one parameter is felt in the sum
        let direction = draw(case.parameters.len(), -1.0, 1.0)
            .into_iter()
            .map(|v| v + v.signum())
            .collect();
        Ok(Self {
            case,
            engine,
            report,
            d,
            pool: Pool {
                points,
                data,
                weights,
                d,
                columns: case.probe.count,
            },
            direction,
            values: HashMap::new(),
            rows: HashMap::new(),
            jets: HashMap::new(),
            moving: HashMap::new(),
        })
    }

    /// Every sweep for every size, then for the sizes around the engine's own tile. In many dimensions a row of the oracle's
    /// Jacobian is dear: every other size goes without.
    pub(super) fn all(&mut self, sizes: &[usize]) -> Checked {
        for (k, &n) in sizes.iter().enumerate() {
            self.size(n, self.d <= 3 || k % 2 == 1)?;
        }
        let tile = self.case.probe.tile.load(Ordering::Relaxed);
        let is_large = self.case.network.n_parameters() > LARGE_NETWORK;
        // a device that compiles the residual never calls it: it has no tile that could be seen
        if tile > 0 && !is_large && sizes.iter().any(|&n| n > tile + 1) {
            for n in [tile - 1, tile, tile + 1] {
                self.size(n, self.d <= 3 || n > tile)?;
            }
        }
        Ok(())
    }

    fn size(&mut self, n: usize, with_rows: bool) -> Checked {
        self.residuals(n)?;
        if with_rows || n == 0 {
            self.jacobian(n)?;
            self.loss(n)?;
            self.summed(n - n % SUMMED)?;
        }
        for streams in evaluated(self.d, n) {
            self.evaluate(n, &streams)?;
        }
        if with_rows {
            for streams in evaluated(self.d, n).iter().rev().take(1) {
                self.pullback(n, streams)?;
            }
            self.pullback(n, &Streams::value())?;
            self.loss(n)?; // again, after the engine has carried other streams
        }
        Ok(())
    }

    /// Points that are looked at in a batch of `n`, two or more: both ends and some between, the same between for every batch.
    fn samples(n: usize, most: usize) -> Vec<usize> {
        if n <= most {
            return (0..n).collect();
        }
        let end = (most / 8).max(1);
        let between = (1..).map(|k| k * k * 3 % 9973).filter(|&i| i < n);
        let mut all: Vec<usize> = (0..end)
            .chain(n - end..n)
            .chain(between.take(most - 2 * end))
            .collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    fn x(&self, i: usize) -> Vec<f64> {
        let x = &self.pool.points[i * self.d..(i + 1) * self.d];
        x.iter().map(|x| x.to_f64()).collect()
    }

    fn what(&self, sweep: &str, n: usize) -> String {
        format!("{}: {sweep} of {n} points", self.case.name)
    }

    /// √w_i, one for a batch without weights.
    fn root_weight(&self, n: usize, i: usize) -> Bounded<T> {
        if n == Pool::<T>::UNWEIGHTED {
            return Bounded::exact(1.0);
        }
        Bounded::rounded(self.pool.weights[i].to_f64().sqrt())
    }

    fn data(&self, i: usize) -> Vec<f64> {
        let count = self.case.probe.count;
        let data = &self.pool.data[i * count..(i + 1) * count];
        data.iter().map(|v| v.to_f64()).collect()
    }

    fn near(&mut self, what: &str, compared: &[(usize, f64, Bounded<T>)]) -> Checked {
        self.report.near(what, compared)
    }
}
