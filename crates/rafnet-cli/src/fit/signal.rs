//! What is fitted: a picture, a sound, a video or a table, as samples for the training and as parts of a model.
//!
//! | kind | coordinates of the model | its values |
//! |---|---|---|
//! | image | (row, column) in [−1, 1] | grey or colours in [0, 1] |
//! | audio | t in [−100, 100] | amplitude |
//! | video | (t, row, column) in [−1, 1] | colours in [0, 1] |
//! | table | the input columns | the output columns |

mod parts;
mod picture;
mod scaled;

use crate::output::Failure;
use picture::Picture;
use rafnet::fit::{Holdout, Kind, Samples, Supervision};
use rafnet_signal::audio::{Audio, AudioTarget};
use rafnet_signal::grid;
use rafnet_signal::table::Table;
use rafnet_signal::video::Clip;
use rafnet_signal::{Error, sample};
pub(super) use scaled::Scaled;
use std::path::Path;

/// A signal in memory.
pub(super) enum Signal {
    Image(Picture),
    Audio {
        target: AudioTarget,
        channels: usize,
        rate: u32,
    },
    Video(Clip),
    Table(Scaled),
}

/// What a fit takes for each sample, and once more for each of its channels.
const SAMPLE_BYTES: usize = 16;

/// What of a file is taken.
pub(super) struct Taken<'a> {
    pub(super) size: Option<[usize; 2]>,
    pub(super) grey: bool,
    pub(super) mono: bool,
    pub(super) supervision: Supervision,
    pub(super) inputs: Vec<&'a str>,
    pub(super) outputs: Vec<&'a str>,
}

impl Signal {
    /// Reads a file, or makes the embedded sample.
    pub(super) fn open(
        kind: Kind,
        path: Option<&Path>,
        taken: &Taken<'_>,
    ) -> Result<Self, Failure> {
        let hint = match kind {
            Kind::Image => {
                "pass a PNG or JPEG file, or leave the path out for the embedded picture"
            }
            Kind::Audio => "pass a WAV file, or leave the path out for the embedded chord",
            Kind::Video => {
                "pass an MP4 or GIF file or a folder of pictures, or leave the path out for the embedded scene"
            }
            Kind::Table => "pass a CSV file with a header",
        };
        let signal = Self::read(kind, path, taken);
        let signal = signal.and_then(|signal| signal.require().map(|()| signal));
        signal.map_err(|e| Failure::new(e.to_string(), hint))
    }

    /// Refuses a signal for which a fit has no room: the samples by number, and what they are and become.
    fn require(&self) -> Result<(), Error> {
        let n: usize = self.sizes().iter().product();
        let what = format_args!("a fit of {n} samples");
        let bytes = SAMPLE_BYTES * (1 + self.channels());
        Ok(rafnet_memory::require(what, &[n, bytes])?)
    }

    fn read(kind: Kind, path: Option<&Path>, taken: &Taken<'_>) -> Result<Self, Error> {
        match kind {
            Kind::Image => Ok(Self::Image(Picture::read(path, taken)?)),
            Kind::Audio => {
                let audio = match path {
                    Some(path) => Audio::open(path)?,
                    None => sample::chord(16_000, 2.0)?,
                };
                let audio = if taken.mono { audio.mono() } else { audio };
                Ok(Self::Audio {
                    target: audio.to_target(),
                    channels: audio.n_channels(),
                    rate: audio.rate(),
                })
            }
            Kind::Video => Ok(Self::Video(if let Some(path) = path {
                Clip::open(path)?
            } else {
                let [width, height] = taken.size.unwrap_or([96, 64]);
                Clip::from_frames(25.0, sample::scene(width, height, 50)?.map(Ok))?
            })),
            Kind::Table => {
                let path = path.unwrap_or(Path::new(""));
                let table = Table::open(path, &taken.inputs, &taken.outputs)?;
                Ok(Self::Table(Scaled::new(table)))
            }
        }
    }

    /// Trained samples along each axis; those drawn at random are counted with the rest.
    pub(super) fn trained_sizes(&self, holdout: Holdout) -> Vec<usize> {
        let along = |n: usize| match holdout {
            Holdout::Grid(every) => n.div_ceil(every),
            _ => n,
        };
        self.sizes().into_iter().map(along).collect()
    }

    /// Learns what lies between the trained samples, of a picture. Returns whether it did.
    pub(super) fn know_between(&mut self, holdout: Holdout) -> bool {
        let sizes = self.trained_sizes(holdout);
        match self {
            Self::Image(p) => p.know_between(holdout, [sizes[0], sizes[1]]),
            _ => false,
        }
    }

    /// The targets of a sample, whatever the training is told.
    pub(super) fn target(&self, index: usize, given: &mut [f64]) {
        match self {
            Self::Image(p) => {
                let n = p.image.channels().count();
                for (c, value) in given.iter_mut().enumerate() {
                    *value = f64::from(p.image.target_at(index * n + c));
                }
            }
            Self::Audio { target, .. } => {
                let n = given.len();
                for (value, from) in given.iter_mut().zip(&target.values[index * n..]) {
                    *value = f64::from(*from);
                }
            }
            Self::Video(clip) => {
                for (c, value) in given.iter_mut().enumerate() {
                    *value = f64::from(clip.target_at(index * 3 + c));
                }
            }
            Self::Table(t) => {
                let n = t.outputs.len();
                let row = &t.table.outputs[index * n..(index + 1) * n];
                for ((value, raw), [mean, deviation]) in given.iter_mut().zip(row).zip(&t.outputs) {
                    *value = (raw - mean) / deviation;
                }
            }
        }
    }
}

impl Samples for Signal {
    fn sizes(&self) -> Vec<usize> {
        match self {
            Self::Image(p) => vec![p.image.height(), p.image.width()],
            Self::Audio {
                target, channels, ..
            } => vec![target.values.len() / channels],
            Self::Video(clip) => clip.sizes().to_vec(),
            Self::Table(t) => vec![t.table.n_rows],
        }
    }

    fn dimension(&self) -> usize {
        match self {
            Self::Table(t) => t.inputs.len(),
            _ => self.sizes().len(),
        }
    }

    fn channels(&self) -> usize {
        match self {
            Self::Image(p) => p.image.channels().count(),
            Self::Audio { channels, .. } => *channels,
            Self::Video(_) => 3,
            Self::Table(t) => t.outputs.len(),
        }
    }

    fn sample(&self, index: usize, point: &mut [f64], given: &mut [f64]) {
        match self {
            Self::Table(t) => {
                let n = t.inputs.len();
                let row = &t.table.inputs[index * n..(index + 1) * n];
                for ((x, raw), [middle, half]) in point.iter_mut().zip(row).zip(&t.inputs) {
                    *x = (raw - middle) / half;
                }
            }
            Self::Audio { .. } => grid::point_into(index, &self.sizes(), -100.0, 100.0, point),
            Self::Image(p) => {
                grid::point_into(
                    index,
                    &[p.image.height(), p.image.width()],
                    -1.0,
                    1.0,
                    point,
                );
            }
            Self::Video(clip) => grid::point_into(index, &clip.sizes(), -1.0, 1.0, point),
        }
        match self {
            Self::Image(p) if p.supervision != Supervision::Value => p.derivatives(index, given),
            _ => self.target(index, given),
        }
    }

    fn beside(&self, index: usize, offset: &[f64], point: &mut [f64], given: &mut [f64]) {
        let known = match self {
            Self::Image(p) => p.beside(index, offset, point, given),
            _ => false,
        };
        if !known {
            self.sample(index, point, given);
        }
    }
}
