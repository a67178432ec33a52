//! Which samples are trained on, and which of them at a step.

use super::{FitError, Samples, Supervision};
use crate::activation::random;
use crate::engine::Cloud;
use crate::simd::Real;
use rand::RngExt;
use std::ops::Range;

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

/// So many samples at least for each thread that gathers them.
const A_THREAD: usize = 1 << 12;

/// What stands at a place of a batch.
#[derive(Clone, Copy)]
struct Picked {
    /// Which of the chosen samples.
    chosen: usize,
    /// In spacings, beside the sample's place.
    offset: Option<[f64; MOST_AXES]>,
}

/// The samples of each step.
pub(super) struct Batches<'a, T> {
    picker: Picker<'a>,
    /// Of the steps that were loaded last.
    clouds: Vec<Cloud<T>>,
    /// Whether the first of them holds all samples, each at its place.
    is_whole: bool,
    /// Of the steps that come next, and which they are.
    ahead: Vec<Cloud<T>>,
    prepared: Range<u64>,
}

/// What decides which samples a step sees.
struct Picker<'a> {
    samples: &'a dyn Samples,
    chosen: Vec<u32>,
    size: usize,
    seed: u64,
    threads: usize,
    epoch: Option<u64>,
    /// The batch that is being made.
    picked: Vec<Picked>,
    /// Coordinates and numbers of a sample.
    widths: [usize; 2],
}

impl<'a, T: Real> Batches<'a, T> {
    pub(super) fn new(
        samples: &'a dyn Samples,
        supervision: Supervision,
        chosen: Vec<u32>,
        size: usize,
        seed: u64,
        threads: usize,
    ) -> Result<Self, FitError> {
        if chosen.is_empty() {
            let why = "every sample is held out; choose a smaller `--holdout`".to_owned();
            return Err(FitError::NoSamples { why });
        }
        let size = size.clamp(1, chosen.len());
        let d = samples.dimension();
        Ok(Self {
            picker: Picker {
                samples,
                chosen,
                size,
                seed,
                threads: threads.max(1),
                epoch: None,
                picked: Vec::new(),
                widths: [d, supervision.columns(d, samples.channels())],
            },
            clouds: Vec::new(),
            is_whole: false,
            ahead: Vec::new(),
            prepared: 0..0,
        })
    }

    pub(super) fn is_full(&self) -> bool {
        self.picker.is_full()
    }

    /// How many steps see every sample once.
    pub(super) fn steps_per_epoch(&self) -> u64 {
        self.picker.steps_per_epoch()
    }

    /// Numbers of a batch that are given.
    pub(super) fn given(&self) -> usize {
        self.picker.size * self.picker.widths[1]
    }

    /// All numbers of a batch.
    pub(super) fn numbers(&self) -> usize {
        self.picker.size * self.picker.widths.iter().sum::<usize>()
    }

    /// The batch of a step; this share of its samples is taken beside their places.
    pub(super) fn load(&mut self, step: u64, displaced: f64) -> &[Cloud<T>] {
        let is_whole = self.is_full() && displaced <= 0.0;
        if !(is_whole && self.is_whole) {
            self.picker.load(step, &mut self.clouds, 1, displaced);
            self.is_whole = is_whole;
        }
        &self.clouds[..1]
    }

    /// The batches of so many steps from this one on, and the work of preparing as many behind them, for when nothing else is to be done.
    pub(super) fn load_ahead(
        &mut self,
        step: u64,
        steps: usize,
    ) -> (&[Cloud<T>], impl FnOnce() + '_) {
        let end = step + steps as u64;
        if self.prepared.start == step && self.prepared.end >= end {
            std::mem::swap(&mut self.clouds, &mut self.ahead);
        } else {
            self.picker.load(step, &mut self.clouds, steps, 0.0);
        }
        self.is_whole = false;
        self.prepared = 0..0;
        let Self {
            picker,
            clouds,
            ahead,
            prepared,
            ..
        } = self;
        let prepare = move || {
            picker.load(end, ahead, steps, 0.0);
            *prepared = end..end + steps as u64;
        };
        (&clouds[..steps], prepare)
    }
}

impl Picker<'_> {
    fn is_full(&self) -> bool {
        self.size == self.chosen.len()
    }

    fn steps_per_epoch(&self) -> u64 {
        (self.chosen.len() / self.size) as u64
    }

    /// Makes the batches of so many steps from this one on, as the first of these clouds.
    fn load<T: Real>(
        &mut self,
        step: u64,
        clouds: &mut Vec<Cloud<T>>,
        steps: usize,
        displaced: f64,
    ) {
        let [points, data] = self.widths.map(|width| self.size * width);
        let empty = || Cloud {
            points: vec![T::ZERO; points],
            data: vec![T::ZERO; data],
            weights: Vec::new(),
        };
        clouds.resize_with(clouds.len().max(steps), empty);
        for (step, cloud) in (step..).zip(&mut clouds[..steps]) {
            self.pick(step, displaced);
            self.gather(cloud);
        }
    }

    /// Which samples a step sees: a part of a shuffled list, the same for the same step whatever came before; what does not fill a batch
    /// is left out of its epoch. A share of the samples is taken beside their places.
    fn pick(&mut self, step: u64, displaced: f64) {
        let seed = self.seed;
        let mixed = |number: u64| random(seed.wrapping_add(number.wrapping_mul(0x9e37_79b9)));
        let at_home = |chosen| Picked {
            chosen,
            offset: None,
        };
        let (all, size) = (self.chosen.len(), self.size);
        self.picked.clear();
        if self.is_full() {
            self.picked.extend((0..size).map(at_home));
        } else if all > SHUFFLED {
            let mut random = mixed(step);
            let draw = |_| at_home(random.random_range(0..all));
            self.picked.extend((0..size).map(draw));
            return;
        } else {
            let epoch = step / self.steps_per_epoch();
            if self.epoch != Some(epoch) {
                self.epoch = Some(epoch);
                self.chosen.sort_unstable();
                let mut random = mixed(epoch);
                for k in (1..all).rev() {
                    let other = random.random_range(0..=k);
                    self.chosen.swap(k, other);
                }
            }
            let place = step % self.steps_per_epoch();
            let first = usize::try_from(place).unwrap_or(0) * size;
            self.picked.extend((first..first + size).map(at_home));
        }
        if displaced > 0.0 {
            let mut random = mixed(step ^ 0x0b51_de00);
            let axes = self.widths[0].min(MOST_AXES);
            for picked in &mut self.picked {
                if random.random::<f64>() < displaced {
                    let offset = picked.offset.insert([0.0; MOST_AXES]);
                    offset[..axes].fill_with(|| random.random::<f64>() - 0.5);
                }
            }
        }
    }

    /// Brings what was picked: a part of it on each thread.
    fn gather<T: Real>(&self, cloud: &mut Cloud<T>) {
        let [d, columns] = self.widths;
        let part = self.size.div_ceil(self.threads).max(A_THREAD);
        let parts = self.picked.chunks(part).zip(
            cloud
                .points
                .chunks_mut(part * d)
                .zip(cloud.data.chunks_mut(part * columns)),
        );
        let bring = |picked: &[Picked], points: &mut [T], data: &mut [T]| {
            let (mut point, mut given) = (vec![0.0; d], vec![0.0; columns]);
            let places = points.chunks_mut(d).zip(data.chunks_mut(columns));
            for (picked, (at, beside)) in picked.iter().zip(places) {
                let sample = self.chosen[picked.chosen] as usize;
                match &picked.offset {
                    None => self.samples.sample(sample, &mut point, &mut given),
                    Some(offset) => {
                        let offset = &offset[..d.min(MOST_AXES)];
                        self.samples.beside(sample, offset, &mut point, &mut given);
                    }
                }
                for (to, from) in [(at, &point), (beside, &given)] {
                    let pairs = to.iter_mut().zip(from);
                    pairs.for_each(|(t, f)| *t = T::from_f64(*f));
                }
            }
        };
        if self.size <= part {
            parts.for_each(|(picked, (points, data))| bring(picked, points, data));
            return;
        }
        std::thread::scope(|scope| {
            for (picked, (points, data)) in parts {
                scope.spawn(move || bring(picked, points, data));
            }
        });
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
            let mut batches = Batches::<f64>::new(&line, Supervision::Value, all, size, 7, 2)?;
            let once = batches.load(3, 0.3)[0].points.clone();
            let given = batches.load(3, 0.3)[0].data.clone();
            let beside = given.iter().filter(|g| **g > 99.0).count();
            assert!(
                beside.abs_diff(size * 3 / 10) < size / 10,
                "{beside} of {size}"
            );
            for (point, given) in once.iter().zip(&given) {
                assert!(*given > 99.0 || (point + given).abs() < 1e-15);
                assert!((point - point.round()).abs() <= 0.5);
            }
            assert_ne!(batches.load(4, 0.3)[0].points, once);
            assert_eq!(batches.load(3, 0.3)[0].points, once);
            let home = batches.load(4, 0.0);
            assert!(home[0].data.iter().all(|g| *g <= 0.0));
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

    /// An epoch sees every sample once, and a step's batch depends neither on the steps before it nor on how many are loaded with it, nor on threads.
    #[test]
    fn epochs_are_permutations_and_steps_stand_alone() -> Result<(), Box<dyn std::error::Error>> {
        let line = Line(12);
        let make = || {
            let (all, _) = Holdout::None.split(&line.sizes(), 0);
            Batches::<f64>::new(&line, Supervision::Value, all, 4, 7, 1)
        };
        let mut ahead = make()?;
        let (first, prepare) = ahead.load_ahead(1, 2);
        let mut several = first.to_vec();
        prepare();
        several.extend_from_slice(ahead.load_ahead(3, 2).0);
        several.extend_from_slice(ahead.load_ahead(5, 1).0);
        let mut batches = make()?;
        let mut seen = Vec::new();
        for step in 3..6 {
            let cloud = &batches.load(step, 0.0)[0];
            seen.extend(cloud.points.iter().map(|p| p.to_bits()));
            let mut pairs = cloud.points.iter().zip(&cloud.data);
            assert!(pairs.all(|(p, g)| p.to_bits() == (0.0 - g).to_bits()));
            assert_eq!(several[usize::try_from(step)? - 1], *cloud);
        }
        assert_eq!(make()?.load(5, 0.0)[0], several[4]);
        let many = Line(40_000);
        let of_threads = |threads| {
            let (all, _) = Holdout::None.split(&many.sizes(), 0);
            let mut batches =
                Batches::<f64>::new(&many, Supervision::Value, all, 20_000, 7, threads)?;
            Ok::<_, crate::fit::FitError>(batches.load(2, 0.1).to_vec())
        };
        assert_eq!(of_threads(1)?, of_threads(3)?);
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), 12);
        Ok(())
    }
}
