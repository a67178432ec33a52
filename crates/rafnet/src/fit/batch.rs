//! Which samples are trained on, and which of them at a step.

use super::{FitError, Samples, Supervision};
use crate::activation::random;
use crate::simd::Real;
use rand::RngExt;

/// Samples kept from the training, on which the quality between samples is measured.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Holdout {
    /// None.
    #[default]
    None,
    /// Along each axis only every k-th sample is trained on.
    Grid(usize),
    /// This share, drawn at random.
    Random(f64),
}

impl Holdout {
    /// The samples that are trained on and those that are not, in order.
    pub fn split(self, sizes: &[usize], seed: u64) -> (Vec<u32>, Vec<u32>) {
        let n: usize = sizes.iter().product();
        let all = 0..u32::try_from(n).unwrap_or(u32::MAX);
        match self {
            Self::None => (all.collect(), Vec::new()),
            Self::Grid(k) => all.partition(|&index| {
                let mut rest = index as usize;
                sizes.iter().rev().all(|&size| {
                    let place = rest % size;
                    rest /= size;
                    place.is_multiple_of(k)
                })
            }),
            Self::Random(share) => {
                let mut random = random(seed ^ 0x401d);
                all.partition(|_| random.random::<f64>() >= share)
            }
        }
    }
}

/// Beyond this many samples they are drawn one by one and not epoch by epoch.
const SHUFFLED: usize = 1 << 22;

/// The samples of each step.
pub(super) struct Batches<'a, T> {
    samples: &'a dyn Samples,
    supervision: Supervision,
    chosen: Vec<u32>,
    size: usize,
    seed: u64,
    epoch: Option<u64>,
    pub(super) points: Vec<T>,
    pub(super) given: Vec<T>,
}

impl<'a, T: Real> Batches<'a, T> {
    pub(super) fn new(
        samples: &'a dyn Samples,
        supervision: Supervision,
        chosen: Vec<u32>,
        size: usize,
        seed: u64,
    ) -> Result<Self, FitError> {
        if chosen.is_empty() {
            let why = "every sample is held out; choose a smaller `--holdout`".to_owned();
            return Err(FitError::NoSamples { why });
        }
        let size = size.clamp(1, chosen.len());
        let d = samples.dimension();
        let columns = supervision.columns(d, samples.channels());
        let mut batches = Self {
            samples,
            supervision,
            chosen,
            size,
            seed,
            epoch: None,
            points: vec![T::ZERO; size * d],
            given: vec![T::ZERO; size * columns],
        };
        if batches.is_full() {
            batches.gather(|chosen, k| chosen[k]);
        }
        Ok(batches)
    }

    fn is_full(&self) -> bool {
        self.size == self.chosen.len()
    }

    /// How many steps see every sample once.
    pub(super) fn steps_per_epoch(&self) -> u64 {
        (self.chosen.len() / self.size) as u64
    }

    /// Makes the batch of a step: a part of a shuffled list, the same for the same step whatever came before; what does not fill a batch
    /// is left out of its epoch.
    pub(super) fn load(&mut self, step: u64) {
        if self.is_full() {
            return;
        }
        if self.chosen.len() > SHUFFLED {
            let mut random = random(self.seed.wrapping_add(step.wrapping_mul(0x9e37_79b9)));
            self.gather(|chosen, _| chosen[random.random_range(0..chosen.len())]);
            return;
        }
        let epoch = step / self.steps_per_epoch();
        if self.epoch != Some(epoch) {
            self.epoch = Some(epoch);
            self.chosen.sort_unstable();
            let mut random = random(self.seed.wrapping_add(epoch.wrapping_mul(0x9e37_79b9)));
            for k in (1..self.chosen.len()).rev() {
                let other = random.random_range(0..=k);
                self.chosen.swap(k, other);
            }
        }
        let place = step % self.steps_per_epoch();
        let first = usize::try_from(place).unwrap_or(0) * self.size;
        self.gather(|chosen, k| chosen[first + k]);
    }

    fn gather(&mut self, mut which: impl FnMut(&[u32], usize) -> u32) {
        let d = self.samples.dimension();
        let columns = self.supervision.columns(d, self.samples.channels());
        let (mut point, mut given) = (vec![0.0; d], vec![0.0; columns]);
        for k in 0..self.size {
            let index = which(&self.chosen, k) as usize;
            self.samples.sample(index, &mut point, &mut given);
            for (to, from) in [
                (&mut self.points[k * d..(k + 1) * d], &point),
                (&mut self.given[k * columns..(k + 1) * columns], &given),
            ] {
                to.iter_mut()
                    .zip(from)
                    .for_each(|(t, f)| *t = T::from_f64(*f));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Batches, Holdout};
    use crate::fit::{Samples, Supervision};

    struct Line(usize);

    impl Samples for Line {
        fn sizes(&self) -> Vec<usize> {
            vec![self.0]
        }
        fn dimension(&self) -> usize {
            1
        }
        fn channels(&self) -> usize {
            1
        }
        fn sample(&self, index: usize, point: &mut [f64], given: &mut [f64]) {
            (point[0], given[0]) = (index as f64, -(index as f64));
        }
    }

    #[test]
    fn every_second_sample_of_every_second_row() {
        let (trained, held) = Holdout::Grid(2).split(&[3, 4], 0);
        assert_eq!(trained, [0, 2, 8, 10]);
        assert_eq!(held.len(), 8);
        let (trained, held) = Holdout::Random(0.25).split(&[100, 100], 1);
        assert!(trained.len() + held.len() == 10_000 && held.len().abs_diff(2_500) < 200);
    }

    /// An epoch sees every sample once, and a step's batch does not depend on the steps before it.
    #[test]
    fn epochs_are_permutations_and_steps_stand_alone() -> Result<(), Box<dyn std::error::Error>> {
        let line = Line(12);
        let make = || {
            let (all, _) = Holdout::None.split(&line.sizes(), 0);
            Batches::<f64>::new(&line, Supervision::Value, all, 4, 7)
        };
        let mut batches = make()?;
        let mut seen = Vec::new();
        for step in 3..6 {
            batches.load(step);
            seen.extend(batches.points.iter().map(|p| p.to_bits()));
            assert!(
                batches
                    .points
                    .iter()
                    .zip(&batches.given)
                    .all(|(p, g)| p.to_bits() == (0.0 - g).to_bits())
            );
        }
        let last = batches.points.clone();
        let mut fresh = make()?;
        fresh.load(5);
        assert_eq!(fresh.points, last);
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), 12);
        Ok(())
    }
}
