//! A picture to fit: its pixels, its derivatives by differences, and what lies between its trained pixels.

use super::Taken;
use rafnet::fit::{Holdout, Supervision};
use rafnet_signal::image::{Between, Depth, Filter, Image};
use rafnet_signal::{Error, sample};
use std::path::Path;

/// A picture, and what is told of it.
pub(in crate::fit) struct Picture {
    pub(in crate::fit) image: Image,
    pub(in crate::fit) supervision: Supervision,
    /// The targets, for derivatives by differences of neighbours.
    target: Vec<f32>,
    /// What lies between the trained pixels, and of how many each is one along an axis.
    between: Option<(Between, usize)>,
}

/// Values beyond which nothing is said of what lies between pixels.
const MOST_BETWEEN: usize = 1 << 22;

impl Picture {
    /// Reads a file, or makes the embedded picture.
    pub(super) fn read(path: Option<&Path>, taken: &Taken<'_>) -> Result<Self, Error> {
        let mut image = match (path, taken.size) {
            (Some(path), _) => Image::open(path)?,
            (None, size) => {
                let [width, height] = size.unwrap_or([256, 256]);
                sample::picture(width, height)?
            }
        };
        if taken.grey {
            image = image.to_grey();
        }
        if path.is_none() {
            image = image.to_depth(Depth::Eight);
        }
        let own = [image.width(), image.height()];
        if let Some([width, height]) = taken.size.filter(|size| *size != own) {
            image = image.resize(width, height, Filter::Bilinear)?;
        }
        let target = match taken.supervision {
            Supervision::Value => Vec::new(),
            _ => image.to_target(),
        };
        Ok(Self {
            image,
            supervision: taken.supervision,
            target,
            between: None,
        })
    }

    /// Learns from the trained pixels, so many along each axis, what lies between them, where they are a grid and told as they are. Returns
    /// whether it did.
    pub(super) fn know_between(&mut self, holdout: Holdout, size: [usize; 2]) -> bool {
        let every = match holdout {
            Holdout::None => 1,
            Holdout::Grid(every) => every,
            Holdout::Random(_) => return false,
        };
        let (image, channels) = (&self.image, self.image.channels().count());
        let small = size[0] * size[1] * channels <= MOST_BETWEEN;
        if self.supervision != Supervision::Value || !small {
            return false;
        }
        let value = |row: usize, column: usize, c: usize| {
            let pixel = row * every * image.width() + column * every;
            127.5 * (image.target_at(pixel * channels + c) + 1.0)
        };
        self.between = Some((Between::new(size, channels, value), every));
        true
    }

    /// A place beside a pixel, by shares of the spacing of the trained ones, and what lies there; false where that is not known.
    pub(super) fn beside(
        &self,
        index: usize,
        offset: &[f64],
        point: &mut [f64],
        given: &mut [f64],
    ) -> bool {
        let Some((between, every)) = &self.between else {
            return false;
        };
        let (rows, columns) = (self.image.height(), self.image.width());
        let place = [index / columns, index % columns];
        let k = *every as f64;
        for (axis, size) in [rows, columns].into_iter().enumerate() {
            let at = place[axis] as f64 + k * offset[axis];
            point[axis] = 2.0 * at / (size.max(2) - 1) as f64 - 1.0;
        }
        let at = [0, 1].map(|axis| (place[axis] / every) as f64 + offset[axis]);
        between.at(at, given);
        given.iter_mut().for_each(|v| *v = *v / 127.5 - 1.0);
        true
    }

    /// Central differences of neighbours, one-sided at the edges, in the model's coordinates.
    pub(super) fn derivatives(&self, index: usize, given: &mut [f64]) {
        let (rows, columns) = (self.image.height(), self.image.width());
        let n = self.image.channels().count();
        let (i, j) = (index / columns, index % columns);
        let at = |i: usize, j: usize, c: usize| f64::from(self.target[(i * columns + j) * n + c]);
        let step = |size: usize| 2.0 / (size.max(2) - 1) as f64;
        let around = |k: usize, size: usize| [k.saturating_sub(1), (k + 1).min(size - 1)];
        let ([up, down], [left, right]) = (around(i, rows), around(j, columns));
        for c in 0..n {
            if self.supervision == Supervision::Gradient {
                let span = |[low, high]: [usize; 2], size| (high - low).max(1) as f64 * step(size);
                given[2 * c] = (at(down, j, c) - at(up, j, c)) / span([up, down], rows);
                given[2 * c + 1] =
                    (at(i, right, c) - at(i, left, c)) / span([left, right], columns);
            } else {
                let second =
                    |a: f64, b: f64, size| (a + b - 2.0 * at(i, j, c)) / f64::powi(step(size), 2);
                given[c] = second(at(up, j, c), at(down, j, c), rows)
                    + second(at(i, left, c), at(i, right, c), columns);
            }
        }
    }
}
