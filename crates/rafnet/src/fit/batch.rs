//! Which samples are trained on, and which of them at a step.

use super::{FitError, Samples, Supervision};
use crate::activation::random;
use crate::engine::Cloud;
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

/// Axes along which samples can be displaced: time, row, column.
const MOST_AXES: usize = 3;

/// The samples of each step.
pub(super) struct Batches<'a, T> {
    samples: &'a dyn Samples,
    chosen: Vec<u32>,
    size: usize,
    seed: u64,
    epoch: Option<u64>,
    /// Places in the batch whose samples are displaced.
    displaced: Vec<usize>,
    /// One sample on its way into the batch.
    point: Vec<f64>,
    value: Vec<f64>,
    pub(super) cloud: Cloud<T>,
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
            chosen,
            size,
            seed,
            epoch: None,
            displaced: Vec::new(),
            point: vec![0.0; d],
            value: vec![0.0; columns],
            cloud: Cloud {
                points: vec![T::ZERO; size * d],
                data: vec![T::ZERO; size * columns],
                weights: Vec::new(),
            },
        };
        if batches.is_full() {
            for k in 0..size {
                batches.gather(k, batches.chosen[k], None);
            }
        }
        Ok(batches)
    }

    pub(super) fn is_full(&self) -> bool {
        self.size == self.chosen.len()
    }

    /// How many steps see every sample once.
    pub(super) fn steps_per_epoch(&self) -> u64 {
        (self.chosen.len() / self.size) as u64
    }

    /// Makes the batch of a step: a part of a shuffled list, the same for the same step whatever came before; what does not fill a batch
    /// is left out of its epoch. A share of the samples is taken beside their places.
    pub(super) fn load(&mut self, step: u64, displaced: f64) {
        let seed = self.seed;
        let mixed = |number: u64| random(seed.wrapping_add(number.wrapping_mul(0x9e37_79b9)));
        let first = if self.is_full() {
            while let Some(k) = self.displaced.pop() {
                self.gather(k, self.chosen[k], None);
            }
            0
        } else if self.chosen.len() > SHUFFLED {
            let mut random = mixed(step);
            for k in 0..self.size {
                let sample = self.chosen[random.random_range(0..self.chosen.len())];
                self.gather(k, sample, None);
            }
            return;
        } else {
            let epoch = step / self.steps_per_epoch();
            if self.epoch != Some(epoch) {
                self.epoch = Some(epoch);
                self.chosen.sort_unstable();
                let mut random = mixed(epoch);
                for k in (1..self.chosen.len()).rev() {
                    let other = random.random_range(0..=k);
                    self.chosen.swap(k, other);
                }
            }
            let place = step % self.steps_per_epoch();
            let first = usize::try_from(place).unwrap_or(0) * self.size;
            for k in 0..self.size {
                self.gather(k, self.chosen[first + k], None);
            }
            first
        };
        if displaced > 0.0 {
            let mut random = mixed(step ^ 0x0b51_de00);
            self.displaced.clear();
            let mut offset = [0.0; MOST_AXES];
            let offset = &mut offset[..self.point.len().min(MOST_AXES)];
            for k in 0..self.size {
                if random.random::<f64>() < displaced {
                    offset.fill_with(|| random.random::<f64>() - 0.5);
                    self.gather(k, self.chosen[first + k], Some(offset));
                    self.displaced.push(k);
                }
            }
        }
    }

    /// Puts a sample, or what lies beside it, at place `k` of the batch.
    fn gather(&mut self, k: usize, sample: u32, offset: Option<&[f64]>) {
        let (d, columns) = (self.point.len(), self.value.len());
        let (point, value) = (&mut self.point[..], &mut self.value[..]);
        match offset {
            None => self.samples.sample(sample as usize, point, value),
            Some(offset) => self.samples.beside(sample as usize, offset, point, value),
        }
        for (to, from) in [
            (&mut self.cloud.points[k * d..(k + 1) * d], &*point),
            (
                &mut self.cloud.data[k * columns..(k + 1) * columns],
                &*value,
            ),
        ] {
            to.iter_mut()
                .zip(from)
                .for_each(|(t, f)| *t = T::from_f64(*f));
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
        fn beside(&self, index: usize, offset: &[f64], point: &mut [f64], given: &mut [f64]) {
            (point[0], given[0]) = (index as f64 + offset[0], 100.0);
        }
    }

    /// About the share that was asked for lies beside its place, by at most half a spacing; all lie at their places again without.
    #[test]
    fn displaced_samples_return() -> Result<(), Box<dyn std::error::Error>> {
        let line = Line(1_000);
        for size in [1_000, 100] {
            let (all, _) = Holdout::None.split(&line.sizes(), 0);
            let mut batches = Batches::<f64>::new(&line, Supervision::Value, all, size, 7)?;
            batches.load(3, 0.3);
            let (once, given) = (batches.cloud.points.clone(), batches.cloud.data.clone());
            let beside = given.iter().filter(|g| **g > 99.0).count();
            assert!(
                beside.abs_diff(size * 3 / 10) < size / 10,
                "{beside} of {size}"
            );
            for (point, given) in once.iter().zip(&given) {
                assert!(*given > 99.0 || (point + given).abs() < 1e-15);
                assert!((point - point.round()).abs() <= 0.5);
            }
            batches.load(4, 0.3);
            assert_ne!(batches.cloud.points, once);
            batches.load(3, 0.3);
            assert_eq!(batches.cloud.points, once);
            batches.load(4, 0.0);
            assert!(batches.cloud.data.iter().all(|g| *g <= 0.0));
        }
        Ok(())
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
            batches.load(step, 0.0);
            seen.extend(batches.cloud.points.iter().map(|p| p.to_bits()));
            assert!(
                batches
                    .cloud
                    .points
                    .iter()
                    .zip(&batches.cloud.data)
                    .all(|(p, g)| p.to_bits() == (0.0 - g).to_bits())
            );
        }
        let last = batches.cloud.points.clone();
        let mut fresh = make()?;
        fresh.load(5, 0.0);
        assert_eq!(fresh.cloud.points, last);
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), 12);
        Ok(())
    }
}
