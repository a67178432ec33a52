//! Signals: a picture, a sound, a video, a table or an array of numbers as what a network is fitted to, and the network back as a function in the
//! signal's own units. `raf fit`, other programs and other languages come in here; [`fit`](super::fit) itself knows nothing of it.
//!
//! ```text
//! a file or numbers ─ open ─▶ Signal ─ options ─▶ Options ─ told, fit ─▶ Fitted ─ model ─▶ Model ─ measure ─▶ Quality
//!                                                           └────────── train ─────────┘          └─ together: Fit ─┘
//! ```
//!
//! | kind | coordinates of the model | its values | what the training sees |
//! |---|---|---|---|
//! | image | (row, column) in [−1, 1] | grey or colours in [0, 1] | values from −1 to 1 |
//! | audio | t in [−[`REACH`], [`REACH`]] | amplitude | amplitude over the largest |
//! | video | (t, row, column) in [−1, 1] | colours in [0, 1] | values from −1 to 1 |
//! | table | the input columns | the output columns | inputs from −1 to 1, outputs with mean 0 and deviation 1 |

mod bicubic;
mod entry;
mod model;
mod quality;
mod read;
mod scaled;
mod told;

pub use entry::{Fit, Trained, array, audio, image, table, video};
pub use quality::{Quality, decibels};
pub use scaled::{ColumnError, Scaled};

use super::option::Given;
use super::{Holdout, Kind, OptionError, Options};
use crate::engine::Devices;
use crate::run::Preset;
use rafnet_signal::audio::{Audio, AudioTarget, REACH};
use rafnet_signal::image::{Depth, Image};
use rafnet_signal::video::Clip;
use rafnet_signal::{Error, grid};

/// A signal in memory.
#[derive(Clone, Debug)]
pub enum Signal {
    /// A picture.
    Image(Image),
    /// A sound.
    Audio(Sound),
    /// A video.
    Video(Clip),
    /// A table, or an array.
    Table(Scaled),
}

/// A sound over its largest amplitude.
#[derive(Clone, Debug)]
pub struct Sound {
    target: AudioTarget,
    channels: usize,
    rate: u32,
}

impl Sound {
    /// Amplitudes over their unit, moment by moment, the channels of a moment side by side; so many moments a second.
    ///
    /// # Errors
    /// As for [`Audio::new`]; and where the unit is not positive.
    pub fn new(target: AudioTarget, channels: usize, rate: u32) -> Result<Self, Error> {
        let peak = f64::from(target.peak);
        if !(peak > 0.0 && peak.is_finite()) {
            return Err(Error::Range {
                what: "the largest amplitude",
                found: peak.to_string(),
                expected: "a positive number".to_owned(),
            });
        }
        let amplitudes = target.values.iter().map(|v| f64::from(*v)).collect();
        Audio::new(rate, channels, amplitudes)?;
        Ok(Self {
            target,
            channels,
            rate,
        })
    }

    /// What a network learns of it.
    pub fn target(&self) -> &AudioTarget {
        &self.target
    }

    /// Amplitudes a moment.
    pub fn channels(&self) -> usize {
        self.channels
    }

    /// Moments in all.
    fn moments(&self) -> usize {
        self.target.values.len() / self.channels
    }

    /// Moments a second.
    pub fn rate(&self) -> u32 {
        self.rate
    }
}

impl From<&Audio> for Sound {
    fn from(audio: &Audio) -> Self {
        Self {
            target: audio.to_target(),
            channels: audio.n_channels(),
            rate: audio.rate(),
        }
    }
}

impl Signal {
    /// What it is.
    pub fn kind(&self) -> Kind {
        match self {
            Self::Image(_) => Kind::Image,
            Self::Audio(_) => Kind::Audio,
            Self::Video(_) => Kind::Video,
            Self::Table(_) => Kind::Table,
        }
    }

    /// Samples along each axis: rows and columns of a picture, moments of a sound, frames, rows and columns of a video, rows of a table.
    pub fn sizes(&self) -> Vec<usize> {
        match self {
            Self::Image(image) => vec![image.height(), image.width()],
            Self::Audio(sound) => vec![sound.moments()],
            Self::Video(clip) => clip.sizes().to_vec(),
            Self::Table(t) => t.sizes.clone(),
        }
    }

    /// Coordinates of a sample.
    pub fn dimension(&self) -> usize {
        match self {
            Self::Image(_) => 2,
            Self::Audio(_) => 1,
            Self::Video(_) => 3,
            Self::Table(t) => t.inputs.len(),
        }
    }

    /// Values of a sample.
    pub fn channels(&self) -> usize {
        match self {
            Self::Image(image) => image.channels().count(),
            Self::Audio(sound) => sound.channels,
            Self::Video(_) => 3,
            Self::Table(t) => t.outputs.len(),
        }
    }

    /// The usual options for this signal, and over them what is asked for, as names and texts ([`Options::asked`]). What is taken of a file (`size`, `grey`,
    /// `mono`, `inputs`, `outputs`) is [`open`](Self::open)'s, and passed over here.
    ///
    /// # Errors
    /// [`OptionError`] names the option.
    pub fn options(
        &self,
        given: &[(&str, &str)],
        devices: &Devices,
    ) -> Result<Options, OptionError> {
        let kind = self.kind();
        let holdout = Options::asked(kind, 0, given, devices)?.holdout;
        let sizes = self.trained_sizes(holdout);
        let options = Options::asked(kind, sizes.iter().product(), given, devices)?;
        let usual = Given(given).preset()? == Preset::Default;
        Ok(Options {
            // half a step of a picture, in units of the target
            tolerance: match self {
                Self::Image(image) => image.depth().map_or(0.0, |d| 1.0 / f64::from(d.max())),
                _ => 0.0,
            },
            first_scale: if usual { self.first_scale(&sizes) } else { 1.0 },
            ..options
        })
    }

    /// A factor on the first weights, so that the first waves have as many trained samples as in the paper's signals: pictures of 256 pixels
    /// a side, sounds of 300,000 samples. Small pictures keep a quarter, or they would take long to learn.
    fn first_scale(&self, trained: &[usize]) -> f64 {
        match self {
            Self::Image(_) => (trained[0].max(trained[1]) as f64 / 256.0).max(0.25),
            Self::Audio(_) => trained[0] as f64 / 300_000.0,
            Self::Video(_) | Self::Table(_) => 1.0,
        }
    }

    /// Trained samples along each axis; those drawn at random are counted with the rest.
    fn trained_sizes(&self, holdout: Holdout) -> Vec<usize> {
        let along = |n: usize| match holdout {
            Holdout::Grid(every) => n.div_ceil(every.max(1)),
            _ => n,
        };
        self.sizes().into_iter().map(along).collect()
    }

    /// The steps of a signal that has steps.
    fn depth(&self) -> Option<Depth> {
        match self {
            Self::Image(image) => image.depth(),
            Self::Video(_) => Some(Depth::Eight),
            _ => None,
        }
    }

    /// Where a sample lies, in the model's coordinates.
    fn place(&self, index: usize, point: &mut [f64]) {
        match self {
            Self::Table(t) => {
                let n = point.len();
                point.copy_from_slice(&t.table.inputs[index * n..(index + 1) * n]);
            }
            Self::Image(image) => {
                grid::point_into(index, &[image.height(), image.width()], -1.0, 1.0, point);
            }
            Self::Audio(sound) => {
                grid::point_into(index, &[sound.moments()], -REACH, REACH, point);
            }
            Self::Video(clip) => grid::point_into(index, &clip.sizes(), -1.0, 1.0, point),
        }
    }

    /// A sample's values as the training sees them.
    fn target(&self, index: usize, given: &mut [f64]) {
        let n = given.len();
        match self {
            Self::Image(image) => {
                for (c, value) in given.iter_mut().enumerate() {
                    *value = f64::from(image.target_at(index * n + c));
                }
            }
            Self::Audio(sound) => {
                for (value, from) in given.iter_mut().zip(&sound.target.values[index * n..]) {
                    *value = f64::from(*from);
                }
            }
            Self::Video(clip) => {
                for (c, value) in given.iter_mut().enumerate() {
                    *value = f64::from(clip.target_at(index * n + c));
                }
            }
            Self::Table(t) => {
                let row = &t.table.outputs[index * n..(index + 1) * n];
                for ((value, raw), [mean, deviation]) in given.iter_mut().zip(row).zip(&t.outputs) {
                    *value = (raw - mean) / deviation;
                }
            }
        }
    }

    /// A sample's values in the model's unit.
    fn values(&self, index: usize, values: &mut [f64]) {
        let n = values.len();
        if let Self::Table(t) = self {
            values.copy_from_slice(&t.table.outputs[index * n..(index + 1) * n]);
            return;
        }
        self.target(index, values);
        match self {
            Self::Audio(sound) => {
                let peak = f64::from(sound.target.peak);
                values.iter_mut().for_each(|v| *v *= peak);
            }
            _ => values.iter_mut().for_each(|v| *v = 0.5 * *v + 0.5),
        }
    }
}
