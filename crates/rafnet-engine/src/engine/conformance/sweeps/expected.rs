//! What the oracle says at a point: u's streams, the residuals, and their derivatives along the blocks of a direction.

use super::Walk;
use crate::engine::Carried;
use crate::engine::conformance::bounded::Bounded;
use crate::engine::conformance::dual::Dual;
use crate::engine::conformance::number::Number;
use crate::engine::conformance::oracle::hyper_dual;
use crate::simd::Real;
use std::collections::HashMap;
use std::ops::Range;

/// An oracle's residual with its derivative along every block of parameters.
pub(super) type Row<T> = Vec<Vec<Dual<Bounded<T>>>>; // (blocks, residuals)

/// u, ∂_i u, ∂_j u, ∂_ij u for every output.
pub(super) type Jets<N> = Vec<[N; 4]>;

/// The same along the blocks of a direction, by block, point and pair of coordinates.
pub(super) type Moving<T> = HashMap<(usize, usize, [usize; 2]), Jets<Dual<Bounded<T>>>>;

impl<T: Real> Walk<'_, T> {
    /// The parameters, moving along the direction within a block.
    fn along(&self, block: &Range<usize>) -> Vec<Dual<Bounded<T>>> {
        let number = |(j, p): (usize, f64)| Dual {
            value: Bounded::exact(p),
            slope: Bounded::exact(if block.contains(&j) {
                self.direction[j]
            } else {
                0.0
            }),
        };
        self.case
            .read()
            .into_iter()
            .enumerate()
            .map(number)
            .collect()
    }

    /// The oracle's streams at point `i`, with their derivatives along a block of the direction.
    pub(super) fn moving(
        &mut self,
        block: usize,
        i: usize,
        carried: &Carried,
    ) -> Vec<Dual<Bounded<T>>> {
        let case = self.case;
        let theta = self.along(&case.blocks()[block].1);
        let x = self.x(i);
        streams_of(carried, case.network.n_outputs(), |pair| {
            let fresh = || hyper_dual(&case.network, &case.around, &theta, &x, pair);
            let known = self.moving.entry((block, i, pair));
            known.or_insert_with(fresh).clone()
        })
    }

    /// The oracle's residuals at point `i`, with their derivatives along every block of the direction.
    pub(super) fn row(&mut self, i: usize) -> Row<T> {
        if let Some(row) = self.rows.get(&i) {
            return row.clone();
        }
        let (case, x, data) = (self.case, self.x(i), self.data(i));
        let Ok(carried) = case.probe.streams.carried(self.d) else {
            return Vec::new();
        };
        let blocks = case.blocks().into_iter().enumerate();
        let row: Row<T> = blocks
            .map(|(block, (_, range))| {
                let shared = &self.along(&range)[case.network.n_parameters()..];
                case.probe
                    .all(x[0], &self.moving(block, i, &carried), &data, shared)
            })
            .collect();
        self.rows.insert(i, row.clone());
        row
    }
}

/// All streams of all outputs from hyper-dual numbers, one pair of coordinates at a time: (outputs, streams).
pub(super) fn streams_of<N: Number>(
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
