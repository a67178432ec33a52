//! What the training is told of a signal: its values, or derivatives of a picture by differences of neighbours, and at first what lies between the trained
//! pixels.

use super::Signal;
use crate::fit::{Holdout, Options, Samples, Supervision};
use rafnet_signal::image::{Between, Image};

/// Values beyond which nothing is said of what lies between pixels.
const MOST_BETWEEN: usize = 1 << 22;

/// A signal as samples.
pub(super) struct Told<'a> {
    signal: &'a Signal,
    supervision: Supervision,
    /// What lies between the trained pixels, and of how many each is one along an axis.
    between: Option<(Between, usize)>,
}

impl<'a> Told<'a> {
    /// With the options as they can be followed: samples are displaced only where it is known what lies between them.
    pub(super) fn new(signal: &'a Signal, options: &Options) -> (Self, Options) {
        let mut options = options.clone();
        let between = match signal {
            Signal::Image(image) if options.displaced > 0.0 => between(signal, image, &options),
            _ => None,
        };
        if between.is_none() {
            options.displaced = 0.0;
        }
        let told = Self {
            signal,
            supervision: options.supervision,
            between,
        };
        (told, options)
    }
}

/// What lies between the trained pixels, where they are a grid and told as they are.
fn between(signal: &Signal, image: &Image, options: &Options) -> Option<(Between, usize)> {
    let every = match options.holdout {
        Holdout::None => 1,
        Holdout::Grid(every) => every.max(1),
        Holdout::Random(_) => return None,
    };
    let channels = image.channels().count();
    let sizes = signal.trained_sizes(options.holdout);
    let small = sizes[0] * sizes[1] * channels <= MOST_BETWEEN;
    if options.supervision != Supervision::Value || !small {
        return None;
    }
    let value = |row: usize, column: usize, c: usize| {
        let pixel = row * every * image.width() + column * every;
        127.5 * (image.target_at(pixel * channels + c) + 1.0)
    };
    let size = [sizes[0], sizes[1]];
    Some((Between::new(size, channels, value), every))
}

impl Samples for Told<'_> {
    fn sizes(&self) -> Vec<usize> {
        self.signal.sizes()
    }

    fn dimension(&self) -> usize {
        self.signal.dimension()
    }

    fn channels(&self) -> usize {
        self.signal.channels()
    }

    fn sample(&self, index: usize, point: &mut [f64], given: &mut [f64]) {
        self.signal.place(index, point);
        if let Signal::Table(t) = self.signal {
            for (x, [middle, half]) in point.iter_mut().zip(&t.inputs) {
                *x = (*x - middle) / half;
            }
        }
        match self.signal {
            Signal::Image(image) if self.supervision != Supervision::Value => {
                derivatives(image, self.supervision, index, given);
            }
            signal => signal.target(index, given),
        }
    }

    fn beside(&self, index: usize, offset: &[f64], point: &mut [f64], given: &mut [f64]) {
        let (Some((between, every)), Signal::Image(image)) = (&self.between, self.signal) else {
            return self.sample(index, point, given);
        };
        let (rows, columns) = (image.height(), image.width());
        let place = [index / columns, index % columns];
        let k = *every as f64;
        for (axis, size) in [rows, columns].into_iter().enumerate() {
            let at = place[axis] as f64 + k * offset[axis];
            point[axis] = 2.0 * at / (size.max(2) - 1) as f64 - 1.0;
        }
        let at = [0, 1].map(|axis| (place[axis] / every) as f64 + offset[axis]);
        between.at(at, given);
        given.iter_mut().for_each(|v| *v = *v / 127.5 - 1.0);
    }
}

/// Central differences of neighbours, one-sided at the edges, in the model's coordinates.
fn derivatives(image: &Image, supervision: Supervision, index: usize, given: &mut [f64]) {
    let (rows, columns) = (image.height(), image.width());
    let n = image.channels().count();
    let (i, j) = (index / columns, index % columns);
    let at = |i: usize, j: usize, c: usize| f64::from(image.target_at((i * columns + j) * n + c));
    let step = |size: usize| 2.0 / (size.max(2) - 1) as f64;
    let around = |k: usize, size: usize| [k.saturating_sub(1), (k + 1).min(size - 1)];
    let ([up, down], [left, right]) = (around(i, rows), around(j, columns));
    for c in 0..n {
        if supervision == Supervision::Gradient {
            let span = |[low, high]: [usize; 2], size| (high - low).max(1) as f64 * step(size);
            given[2 * c] = (at(down, j, c) - at(up, j, c)) / span([up, down], rows);
            given[2 * c + 1] = (at(i, right, c) - at(i, left, c)) / span([left, right], columns);
        } else {
            let second =
                |a: f64, b: f64, size| (a + b - 2.0 * at(i, j, c)) / f64::powi(step(size), 2);
            given[c] = second(at(up, j, c), at(down, j, c), rows)
                + second(at(i, left, c), at(i, right, c), columns);
        }
    }
}
