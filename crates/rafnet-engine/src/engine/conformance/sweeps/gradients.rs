//! Gradients of losses against the oracle's derivatives along the blocks of a direction.

use super::{Bounded, Checked, Walk, effort, streams_of};
use crate::engine::conformance::number::{Dual, Number};
use crate::engine::conformance::oracle::hyper_dual;
use crate::engine::{Carried, EngineError, Streams};
use crate::simd::Real;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Points of a group, where a batch has whole groups of them; else it is one group.
const GROUPS: [usize; 2] = [43, 40];

impl<T: Real> Walk<'_, T> {
    /// Loss and gradient of a batch whose weights leave only sampled points, against the oracle alone.
    pub(super) fn loss(&mut self, n: usize) -> Checked {
        let what = self.what("loss and gradient", n);
        let p = self.case.network.n_parameters();
        let mut gradient = vec![T::from_f64(f64::NAN); p];
        if n == 0 {
            return match self.engine.loss_and_gradient(
                &self.case.parameters,
                &self.pool.batch(0),
                &mut gradient,
            ) {
                Err(EngineError::NoPoints) => Ok(()),
                other => Err(format!("{what}: {other:?}, expected an error")),
            };
        }
        let samples = Self::samples(n, effort(&self.case.network, n).1);
        let mut weights = vec![T::ZERO; n];
        for &i in &samples {
            weights[i] = self.pool.weights[i];
        }
        let batch = self.pool.weighted(n, &weights);
        let loss = self
            .engine
            .loss_and_gradient(&self.case.parameters, &batch, &mut gradient)
            .map_err(|e| format!("{what}: {e}"))?;
        let blocks = self.case.network.layout().named().to_vec();
        let zero = Dual::<Bounded<T>>::exact(0.0);
        let mut sums = vec![zero; blocks.len()];
        for &i in &samples {
            let weight = Dual::exact(self.pool.weights[i].to_f64() / n as f64);
            for (sum, row) in sums.iter_mut().zip(self.row(i)) {
                for r in row {
                    *sum = *sum + weight * r * r;
                }
            }
        }
        self.near(&format!("{what}, loss"), &[(0, loss, sums[0].value)])?;
        for (block, sum) in blocks.iter().zip(sums) {
            let product = |j: usize| self.direction[j] * gradient[j].to_f64();
            let found = block.range.clone().map(product).sum();
            let what = format!("{what}, `{}`", block.name);
            self.near(&what, &[(0, found, sum.slope)])?;
        }
        Ok(())
    }

    /// The gradient for given cotangents, not zero at sampled points only, against the oracle alone.
    pub(super) fn pullback(&mut self, n: usize, streams: &Streams) -> Checked {
        let what = self.what("pullback", n);
        let carried = streams.carried(self.d).map_err(|e| e.to_string())?;
        let (case, outputs) = (self.case, self.case.network.n_outputs());
        let places = outputs * carried.len();
        let samples = Self::samples(n, effort(&case.network, n).1);
        let direction = self.direction.clone();
        let cotangent =
            |i: usize, place: usize| T::from_f64(direction[(31 * i + 7 * place) % direction.len()]);
        let mut cotangents = vec![T::ZERO; places * n];
        for &i in &samples {
            for place in 0..places {
                cotangents[place * n + i] = cotangent(i, place);
            }
        }
        let mut gradient = vec![T::from_f64(f64::NAN); case.network.n_parameters()];
        let points = &self.pool.points[..n * self.d];
        self.engine
            .pullback(
                &case.parameters,
                points,
                streams,
                &cotangents,
                &mut gradient,
            )
            .map_err(|e| format!("{what}: {e}"))?;
        self.pulled(&what, (&carried, &samples), &cotangent, &gradient)
    }

    /// The same where cotangents are handed over group by group, for the values of an evaluation.
    pub(super) fn coupled(&mut self, n: usize, streams: &Streams) -> Checked {
        let what = self.what("coupled gradient", n);
        let carried = streams.carried(self.d).map_err(|e| e.to_string())?;
        let (case, outputs) = (self.case, self.case.network.n_outputs());
        let whole = GROUPS.into_iter().find(|g| n.is_multiple_of(*g));
        let group = whole.unwrap_or(n);
        let samples = Self::samples(n, effort(&case.network, n).1);
        let direction = self.direction.clone();
        let cotangent =
            |i: usize, place: usize| T::from_f64(direction[(31 * i + 7 * place) % direction.len()]);
        let (mut values, mut gradient) = (
            vec![T::ZERO; outputs * carried.len() * n],
            vec![T::from_f64(f64::NAN); case.network.n_parameters()],
        );
        let points = &self.pool.points[..n * self.d];
        let theta = &case.parameters;
        self.engine
            .evaluate(theta, points, streams, &mut values)
            .map_err(|e| format!("{what}: {e}"))?;
        let wrong = AtomicUsize::new(0);
        let couple = |range: Range<usize>, given: &mut [T]| {
            let whole = range.start.is_multiple_of(group) && range.end.is_multiple_of(group);
            wrong.fetch_add(usize::from(!whole), Ordering::Relaxed);
            for (place, given) in given.chunks_exact_mut(range.len()).enumerate() {
                for (i, given) in range.clone().zip(given) {
                    let same = given.to_f64().to_bits() == values[place * n + i].to_f64().to_bits();
                    wrong.fetch_add(usize::from(!same), Ordering::Relaxed);
                    *given = if samples.binary_search(&i).is_ok() {
                        cotangent(i, place)
                    } else {
                        T::ZERO
                    };
                }
            }
        };
        self.engine
            .coupled(theta, (points, group), streams, &couple, &mut gradient)
            .map_err(|e| format!("{what}: {e}"))?;
        if wrong.load(Ordering::Relaxed) > 0 {
            return Err(format!(
                "{what}: groups that are cut, or values that are not those of an evaluation"
            ));
        }
        self.pulled(&what, (&carried, &samples), &cotangent, &gradient)
    }

    /// A gradient against the oracle's, for the cotangents of some points.
    fn pulled(
        &mut self,
        what: &str,
        (carried, samples): (&Carried, &[usize]),
        cotangent: &dyn Fn(usize, usize) -> T,
        gradient: &[T],
    ) -> Checked {
        let (case, outputs) = (self.case, self.case.network.n_outputs());
        for block in case.network.layout().named() {
            let theta = self.along(&block.range);
            let mut sum = Dual::<Bounded<T>>::exact(0.0);
            for &i in samples {
                let x = self.x(i);
                let u = streams_of(carried, outputs, |pair| {
                    hyper_dual(&case.network, &case.around, &theta, &x, pair)
                });
                for (place, u) in u.into_iter().enumerate() {
                    sum = sum + Dual::exact(cotangent(i, place).to_f64()) * u;
                }
            }
            let product = |j: usize| self.direction[j] * gradient[j].to_f64();
            let found = block.range.clone().map(product).sum();
            self.near(
                &format!("{what}, `{}`", block.name),
                &[(0, found, sum.slope)],
            )?;
        }
        Ok(())
    }
}
