//! The walk: one network, every sweep, every batch size, each number against the oracle's within its bound. What sums over points
//! stands in [`gradients`], the Jacobian's rows and their products in [`rows`].

mod gradients;
mod rows;

use super::case::{Case, matrix};
use super::number::{Bounded, Dual, Number};
use super::oracle::hyper_dual;
use super::{Make, Report};
use crate::activation::random;
use crate::engine::{Batch, Carried, Columns, Engine, Gradient, Second, Streams};
use crate::network::Network;
use crate::simd::Real;
use rand::RngExt;
use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use std::sync::atomic::Ordering;

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

/// An oracle's residual with its derivative along every block of parameters.
type Row<T> = Vec<Vec<Dual<Bounded<T>>>>; // (blocks, residuals)

/// u, ∂_i u, ∂_j u, ∂_ij u for every output.
type Jets<N> = Vec<[N; 4]>;

/// The same along the blocks of a direction, by block, point and pair of coordinates.
type Moving<T> = HashMap<(usize, usize, [usize; 2]), Jets<Dual<Bounded<T>>>>;

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
        let direction = draw(case.network.n_parameters(), -1.0, 1.0)
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
        if !is_large && sizes.iter().any(|&n| n > tile + 1) {
            for n in [tile - 1, tile, tile + 1] {
                self.size(n, self.d <= 3 || n > tile)?;
            }
        }
        Ok(())
    }

    fn size(&mut self, n: usize, with_rows: bool) -> Checked {
        self.residuals(n)?;
        if with_rows || n == 0 {
            for columns in [Columns::All, Columns::OutputLayer] {
                self.jacobian(n, columns)?;
            }
            self.gram(n)?;
            self.loss(n)?;
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

    fn evaluate(&mut self, n: usize, streams: &Streams) -> Checked {
        let what = self.what("evaluation", n);
        let carried = streams.carried(self.d).map_err(|e| e.to_string())?;
        let outputs = self.case.network.n_outputs();
        let mut out = vec![T::from_f64(f64::NAN); n * outputs * carried.len()];
        let points = &self.pool.points[..n * self.d];
        self.engine
            .evaluate(&self.case.parameters, points, streams, &mut out)
            .map_err(|e| format!("{what}: {e}"))?;
        let theta = exact(&self.case.parameters);
        let (most, _) = effort(&self.case.network, n);
        let mut compared = vec![Vec::new(); outputs * carried.len()];
        for i in Self::samples(n, most) {
            let x = self.x(i);
            let (case, jets) = (self.case, &mut self.jets);
            let expected = streams_of(&carried, outputs, |pair| {
                let fresh = || hyper_dual(&case.network, &case.around, &theta, &x, pair);
                jets.entry((i, pair)).or_insert_with(fresh).clone()
            });
            for (place, expected) in expected.into_iter().enumerate() {
                compared[place].push((i, out[place * n + i].to_f64(), expected));
            }
        }
        for (place, compared) in compared.iter().enumerate() {
            let (o, s) = (place / carried.len(), place % carried.len());
            self.near(&format!("{what}, output {o}, stream {s}"), compared)?;
        }
        Ok(())
    }

    /// The parameters, moving along the direction within a block.
    fn along(&self, block: &Range<usize>) -> Vec<Dual<Bounded<T>>> {
        let number = |(j, p): (usize, &T)| Dual {
            value: Bounded::exact(p.to_f64()),
            slope: Bounded::exact(if block.contains(&j) {
                self.direction[j]
            } else {
                0.0
            }),
        };
        self.case
            .parameters
            .iter()
            .enumerate()
            .map(number)
            .collect()
    }

    /// The oracle's streams at point `i`, with their derivatives along a block of the direction.
    fn moving(&mut self, block: usize, i: usize, carried: &Carried) -> Vec<Dual<Bounded<T>>> {
        let case = self.case;
        let theta = self.along(&case.network.layout().named()[block].range);
        let x = self.x(i);
        streams_of(carried, case.network.n_outputs(), |pair| {
            let fresh = || hyper_dual(&case.network, &case.around, &theta, &x, pair);
            let known = self.moving.entry((block, i, pair));
            known.or_insert_with(fresh).clone()
        })
    }

    /// The oracle's residuals at point `i`, with their derivatives along every block of the direction.
    fn row(&mut self, i: usize) -> Row<T> {
        if let Some(row) = self.rows.get(&i) {
            return row.clone();
        }
        let (case, x, data) = (self.case, self.x(i), self.data(i));
        let Ok(carried) = case.probe.streams.carried(self.d) else {
            return Vec::new();
        };
        let row: Row<T> = (0..case.network.layout().named().len())
            .map(|block| {
                case.probe
                    .all(x[0], &self.moving(block, i, &carried), &data)
            })
            .collect();
        self.rows.insert(i, row.clone());
        row
    }

    fn data(&self, i: usize) -> Vec<f64> {
        let count = self.case.probe.count;
        let data = &self.pool.data[i * count..(i + 1) * count];
        data.iter().map(|v| v.to_f64()).collect()
    }

    fn residuals(&mut self, n: usize) -> Checked {
        let what = self.what("residuals", n);
        let count = self.case.probe.count;
        let mut found = vec![T::from_f64(f64::NAN); n * count];
        let batch = self.pool.batch(n);
        self.engine
            .residuals(&self.case.parameters, &batch, &mut found)
            .map_err(|e| format!("{what}: {e}"))?;
        let theta = exact(&self.case.parameters);
        let (most, _) = effort(&self.case.network, n);
        let mut compared = Vec::new();
        for i in Self::samples(n, most) {
            let (case, x, data) = (self.case, self.x(i), self.data(i));
            let fresh = || residual(case, &theta, &x, &data);
            let expected = self.values.entry(i).or_insert_with(fresh).clone();
            for (m, r) in expected.into_iter().enumerate() {
                let expected = r * self.root_weight(n, i);
                compared.push((i, found[i * count + m].to_f64(), expected));
            }
        }
        self.near(&what, &compared)
    }

    /// Every number within its bound; bounds that say nothing are counted.
    fn near(&mut self, what: &str, compared: &[(usize, f64, Bounded<T>)]) -> Checked {
        let known = compared.iter().filter(|c| c.2.error.is_finite());
        let square: f64 = known.map(|c| c.2.value * c.2.value).sum();
        let typical = (square / compared.len().max(1) as f64).sqrt();
        for &(place, found, expected) in compared {
            self.report.comparisons += 1;
            if !expected.error.is_finite() {
                self.report.blind += 1;
                continue;
            }
            self.report.blind += usize::from(expected.error > 0.1 * typical && typical > 0.0);
            let error = (found - expected.value).abs();
            // written so that a NaN fails
            let inside = error <= expected.error;
            if !inside {
                return Err(format!(
                    "{what}, place {place}: found {found:e}, expected {:e}; the error {error:.1e} is above its bound {:.1e}",
                    expected.value, expected.error
                ));
            }
            if expected.error > 0.0 {
                self.report.worst = self.report.worst.max(error / expected.error);
            }
        }
        Ok(())
    }
}

/// Combinations of streams that are asked of an evaluation: all of them of small batches, two of large ones.
fn evaluated(d: usize, n: usize) -> Vec<Streams> {
    let mixed = Streams {
        gradient: Gradient::None,
        second: vec![Second::Mixed(d - 1, 0), Second::Matrix(matrix(d))],
    };
    let along = Streams {
        gradient: Gradient::Along(vec![d - 1]),
        second: vec![],
    };
    match n {
        _ if d > 10 => vec![Streams::laplacian(), along],
        0..=33 => vec![
            Streams::value(),
            Streams::gradient(),
            Streams::laplacian(),
            Streams::hessian(d),
            mixed,
            along,
        ],
        _ if n.is_multiple_of(2) => vec![Streams::value(), Streams::laplacian()],
        _ => vec![along, mixed],
    }
}

fn exact<T: Real>(parameters: &[T]) -> Vec<Bounded<T>> {
    parameters
        .iter()
        .map(|p| Bounded::exact(p.to_f64()))
        .collect()
}

/// All streams of all outputs from hyper-dual numbers, one pair of coordinates at a time: (outputs, streams).
fn streams_of<N: Number>(
    carried: &Carried,
    outputs: usize,
    mut hyper: impl FnMut([usize; 2]) -> Vec<[N; 4]>,
) -> Vec<N> {
    let directions = carried.directions();
    let n = carried.len();
    let mut all = vec![N::exact(0.0); outputs * n];
    for (o, u) in hyper([0, 0]).into_iter().enumerate() {
        all[o * n] = u[0];
    }
    for (p, &k) in directions.iter().enumerate() {
        for (o, u) in hyper([k, k]).into_iter().enumerate() {
            all[o * n + 1 + p] = u[1];
        }
    }
    for (s, quadratic) in carried.second().iter().enumerate() {
        for &(i, j, c) in &quadratic.entries {
            let u = hyper([directions[i], directions[j]]);
            for (o, u) in u.into_iter().enumerate() {
                let place = o * n + carried.second_stream(s);
                all[place] = all[place] + N::rounded(c) * u[3];
            }
        }
    }
    all
}

/// The probe's residuals at a point.
fn residual<T: Real, N: Number>(case: &Case<T>, theta: &[N], x: &[f64], data: &[f64]) -> Vec<N> {
    let Ok(carried) = case.probe.streams.carried(x.len()) else {
        return Vec::new();
    };
    let mut seen: HashMap<[usize; 2], Jets<N>> = HashMap::new();
    let jets = streams_of(&carried, case.probe.outputs, |pair| {
        let fresh = || hyper_dual(&case.network, &case.around, theta, x, pair);
        seen.entry(pair).or_insert_with(fresh).clone()
    });
    case.probe.all(x[0], &jets, data)
}
