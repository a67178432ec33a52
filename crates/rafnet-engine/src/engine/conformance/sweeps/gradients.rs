//! Gradients of losses against the oracle's derivatives along the blocks of a direction.

use super::{Bounded, Checked, Walk, effort};
use crate::engine::conformance::case::SUMMED;
use crate::engine::conformance::dual::Dual;
use crate::engine::conformance::number::Number;
use crate::engine::{Carried, EngineError, Streams};
use crate::simd::Real;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Numbers of a Jacobian; larger ones are not asked for.
const JACOBIAN: usize = 1 << 18;
/// Points of a group, where a batch has whole groups of them; else it is one group.
const GROUPS: [usize; 2] = [43, 40];

impl<T: Real> Walk<'_, T> {
    /// Loss and gradient of a batch whose weights leave only sampled points, against the oracle alone.
    pub(super) fn loss(&mut self, n: usize) -> Checked {
        let what = self.what("loss and gradient", n);
        let p = self.case.parameters.len();
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
        let blocks = self.case.blocks();
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
        for ((name, range), sum) in blocks.iter().zip(sums) {
            let found = self.along_direction(range, &gradient);
            self.near(&format!("{what}, `{name}`"), &[(0, found, sum.slope)])?;
        }
        Ok(())
    }

    /// Σ_j v_j g_j over a block of parameters.
    fn along_direction(&self, block: &Range<usize>, gradient: &[T]) -> f64 {
        let product = |j: usize| self.direction[j] * gradient[j].to_f64();
        block.clone().map(product).sum()
    }

    /// The term whose rows are sums over points: rows, their derivatives, loss and gradient, for weights of either sign that leave only
    /// sampled points, against the oracle alone.
    pub(super) fn summed(&mut self, n: usize) -> Checked {
        if n == 0 {
            return Ok(());
        }
        let what = self.what("rows that are sums", n);
        let (p, count, rows) = (
            self.case.parameters.len(),
            self.case.probe.count,
            n / SUMMED,
        );
        let mut weights = vec![T::ZERO; n];
        let samples = Self::samples(n, effort(&self.case.network, n).1);
        for &i in &samples {
            let sign = T::from_f64(if i % 2 == 0 { 1.0 } else { -1.0 });
            weights[i] = sign * self.pool.weights[i];
        }
        let batch = self.pool.weighted(n, &weights).of_term(1);
        let not_a_number = T::from_f64(f64::NAN);
        let mut found = vec![not_a_number; rows * count];
        let mut gradient = vec![not_a_number; p];
        let theta = &self.case.parameters;
        let engine = &mut self.engine;
        let mut said = engine.residuals(theta, &batch, &mut found);
        let few = rows * count * p <= JACOBIAN;
        let mut jacobian = vec![not_a_number; if few { rows * count * p } else { 0 }];
        if few {
            let again = &mut vec![not_a_number; rows * count];
            said = said.and(engine.residuals_and_jacobian(theta, &batch, again, &mut jacobian));
        }
        let loss = said.and_then(|()| engine.loss_and_gradient(theta, &batch, &mut gradient));
        let loss = loss.map_err(|e| format!("{what}: {e}"))?;
        let blocks = self.case.blocks();
        let zero = Dual::<Bounded<T>>::exact(0.0);
        let mut losses = vec![zero; blocks.len()];
        let mut at = 0;
        while at < samples.len() {
            let k = samples[at] / SUMMED;
            let group: Vec<usize> = samples[at..]
                .iter()
                .copied()
                .take_while(|i| i / SUMMED == k)
                .collect();
            at += group.len();
            let mut sums = vec![vec![zero; count]; blocks.len()];
            for i in group {
                let weight = Dual::exact(weights[i].to_f64());
                for (sums, row) in sums.iter_mut().zip(self.row(i)) {
                    let pairs = sums.iter_mut().zip(row);
                    pairs.for_each(|(sum, r)| *sum = *sum + weight * r);
                }
            }
            for (b, ((name, range), sums)) in blocks.iter().zip(&sums).enumerate() {
                for (m, sum) in sums.iter().enumerate() {
                    losses[b] = losses[b] + *sum * *sum * Dual::exact(1.0 / rows as f64);
                    let place = k * count + m;
                    self.near(&what, &[(place, found[place].to_f64(), sum.value)])?;
                    if few {
                        let row = &jacobian[place * p..(place + 1) * p];
                        let slope = self.along_direction(range, row);
                        self.near(&format!("{what}, `{name}`"), &[(place, slope, sum.slope)])?;
                    }
                }
            }
        }
        self.near(&format!("{what}, loss"), &[(0, loss, losses[0].value)])?;
        for ((name, range), expected) in blocks.iter().zip(losses) {
            let slope = self.along_direction(range, &gradient);
            self.near(
                &format!("{what}, loss by `{name}`"),
                &[(0, slope, expected.slope)],
            )?;
        }
        Ok(())
    }

    /// The gradient for given cotangents, not zero at sampled points only, against the oracle alone: handed over at once, and group by group
    /// for the values of an evaluation.
    pub(super) fn pullback(&mut self, n: usize, streams: &Streams) -> Checked {
        let carried = streams.carried(self.d).map_err(|e| e.to_string())?;
        let places = self.case.network.n_outputs() * carried.len();
        let samples = Self::samples(n, effort(&self.case.network, n).1);
        let mut cotangents = vec![T::ZERO; places * n];
        for &i in &samples {
            for place in 0..places {
                let at = (31 * i + 7 * place) % self.direction.len();
                cotangents[place * n + i] = T::from_f64(self.direction[at]);
            }
        }
        let gradients = [
            ("pullback", self.at_once(n, streams, &cotangents)?),
            ("coupled gradient", self.coupled(n, streams, &cotangents)?),
        ];
        self.pulled(n, (&carried, &samples), &cotangents, &gradients)
    }

    fn at_once(&mut self, n: usize, streams: &Streams, cotangents: &[T]) -> Result<Vec<T>, String> {
        let what = self.what("pullback", n);
        let theta = &self.case.parameters;
        let mut gradient = vec![T::from_f64(f64::NAN); theta.len()];
        let points = &self.pool.points[..n * self.d];
        self.engine
            .pullback(theta, points, streams, cotangents, &mut gradient)
            .map_err(|e| format!("{what}: {e}"))?;
        Ok(gradient)
    }

    fn coupled(&mut self, n: usize, streams: &Streams, cotangents: &[T]) -> Result<Vec<T>, String> {
        let what = self.what("coupled gradient", n);
        let whole = GROUPS.into_iter().find(|g| n.is_multiple_of(*g));
        let group = whole.unwrap_or(n);
        let theta = &self.case.parameters;
        let (mut values, mut gradient) = (
            vec![T::ZERO; cotangents.len()],
            vec![T::from_f64(f64::NAN); theta.len()],
        );
        let points = &self.pool.points[..n * self.d];
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
                    *given = cotangents[place * n + i];
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
        Ok(gradient)
    }

    /// Gradients against the oracle's, for the cotangents of some points.
    fn pulled(
        &mut self,
        n: usize,
        (carried, samples): (&Carried, &[usize]),
        cotangents: &[T],
        gradients: &[(&str, Vec<T>)],
    ) -> Checked {
        let case = self.case;
        for (k, (block, range)) in case.blocks().iter().enumerate() {
            let mut sum = Dual::<Bounded<T>>::exact(0.0);
            for &i in samples {
                for (place, u) in self.moving(k, i, carried).into_iter().enumerate() {
                    sum = sum + Dual::exact(cotangents[place * n + i].to_f64()) * u;
                }
            }
            for (name, gradient) in gradients {
                let found = self.along_direction(range, gradient);
                let what = format!("{}, `{block}`", self.what(name, n));
                self.near(&what, &[(0, found, sum.slope)])?;
            }
        }
        Ok(())
    }
}
