//! Evaluations and residuals against the oracle's.

use super::expected::{Jets, streams_of};
use super::{Checked, Walk, effort};
use crate::engine::conformance::bounded::Bounded;
use crate::engine::conformance::case::{Case, matrix};
use crate::engine::conformance::number::Number;
use crate::engine::conformance::oracle::hyper_dual;
use crate::engine::{Gradient, Second, Streams};
use crate::simd::Real;
use std::collections::HashMap;

impl<T: Real> Walk<'_, T> {
    pub(super) fn evaluate(&mut self, n: usize, streams: &Streams) -> Checked {
        let what = self.what("evaluation", n);
        let carried = streams.carried(self.d).map_err(|e| e.to_string())?;
        let outputs = self.case.network.n_outputs();
        let mut out = vec![T::from_f64(f64::NAN); n * outputs * carried.len()];
        let points = &self.pool.points[..n * self.d];
        self.engine
            .evaluate(&self.case.parameters, points, streams, &mut out)
            .map_err(|e| format!("{what}: {e}"))?;
        let theta = exact(self.case);
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

    pub(super) fn residuals(&mut self, n: usize) -> Checked {
        let what = self.what("residuals", n);
        let count = self.case.probe.count;
        let mut found = vec![T::from_f64(f64::NAN); n * count];
        let batch = self.pool.batch(n);
        self.engine
            .residuals(&self.case.parameters, &batch, &mut found)
            .map_err(|e| format!("{what}: {e}"))?;
        let theta = exact(self.case);
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
}

/// Combinations of streams that are asked of an evaluation: all of them of small batches, two of large ones.
pub(super) fn evaluated(d: usize, n: usize) -> Vec<Streams> {
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

fn exact<T: Real>(case: &Case<T>) -> Vec<Bounded<T>> {
    case.read().into_iter().map(Bounded::exact).collect()
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
    let shared = &theta[case.network.n_parameters()..];
    case.probe.all(x[0], &jets, data, shared)
}
