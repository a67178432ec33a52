//! What is fitted: a picture, a sound, a video or a table, as samples for the training and as parts of a model.
//!
//! | kind | coordinates of the model | its values |
//! |---|---|---|
//! | image | (row, column) in [−1, 1] | grey or colours in [0, 1] |
//! | audio | t in [−100, 100] | amplitude |
//! | video | (t, row, column) in [−1, 1] | colours in [0, 1] |
//! | table | the input columns | the output columns |

use crate::output::Failure;
use rafnet::fit::{Holdout, Kind, Samples, Supervision};
use rafnet::model::{Output, Parts, Precision, Region};
use rafnet::network::Network;
use rafnet_signal::audio::{Audio, AudioTarget};
use rafnet_signal::grid;
use rafnet_signal::image::{Between, Channels, Depth, Filter, Image};
use rafnet_signal::table::Table;
use rafnet_signal::video::Clip;
use rafnet_signal::{Error, sample};
use serde_json::json;
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

/// A picture, and what is told of it.
pub(super) struct Picture {
    pub(super) image: Image,
    pub(super) supervision: Supervision,
    /// The targets, for derivatives by differences of neighbours.
    target: Vec<f32>,
    /// What lies between the trained pixels, and of how many each is one along an axis.
    between: Option<(Between, usize)>,
}

/// Values beyond which nothing is said of what lies between pixels.
const MOST_BETWEEN: usize = 1 << 22;

/// A table with the middle and half the extent of each input and the mean and deviation of each output.
pub(super) struct Scaled {
    pub(super) table: Table,
    inputs: Vec<[f64; 2]>,
    outputs: Vec<[f64; 2]>,
}

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
        Self::read(kind, path, taken).map_err(|e| Failure::new(e.to_string(), hint))
    }

    fn read(kind: Kind, path: Option<&Path>, taken: &Taken<'_>) -> Result<Self, Error> {
        match kind {
            Kind::Image => {
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
                Ok(Self::Image(Picture {
                    image,
                    supervision: taken.supervision,
                    target,
                    between: None,
                }))
            }
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

    /// Learns from the trained pixels what lies between them, where they are a grid and told as they are. Returns whether it did.
    pub(super) fn know_between(&mut self, holdout: Holdout) -> bool {
        let sizes = self.trained_sizes(holdout);
        let Self::Image(p) = self else { return false };
        let every = match holdout {
            Holdout::None => 1,
            Holdout::Grid(every) => every,
            Holdout::Random(_) => return false,
        };
        let (image, channels) = (&p.image, p.image.channels().count());
        let size = [sizes[0], sizes[1]];
        let small = size[0] * size[1] * channels <= MOST_BETWEEN;
        if p.supervision != Supervision::Value || !small {
            return false;
        }
        let value = |row: usize, column: usize, c: usize| {
            let pixel = row * every * image.width() + column * every;
            127.5 * (image.target_at(pixel * channels + c) + 1.0)
        };
        p.between = Some((Between::new(size, channels, value), every));
        true
    }

    /// What the model is called by `raf render`.
    fn description(&self) -> serde_json::Value {
        match self {
            Self::Image(p) => json!({
                "kind": "image", "width": p.image.width(), "height": p.image.height(),
                "bits": p.image.depth().map_or(16, |d| if d.max() == 255 { 8 } else { 16 }),
            }),
            Self::Audio { rate, .. } => {
                json!({ "kind": "audio", "samples": self.sizes()[0], "rate": rate })
            }
            Self::Video(clip) => {
                let [frames, height, width] = clip.sizes();
                json!({
                    "kind": "video", "frames": frames, "height": height, "width": width,
                    "frames_per_second": clip.frames_per_second(),
                })
            }
            Self::Table(_) => json!({ "kind": "table" }),
        }
    }

    /// The whole function in the signal's own units.
    pub(super) fn parts(
        &self,
        network: Network,
        mut parameters: Vec<f64>,
        precision: Precision,
        shift: &[f64],
    ) -> Parts {
        let (coordinates, bounds): (Vec<String>, Vec<[f64; 2]>) = match self {
            Self::Image(_) => (named(&["row", "column"]), vec![[-1.0, 1.0]; 2]),
            Self::Audio { .. } => (named(&["t"]), vec![[-100.0, 100.0]]),
            Self::Video(_) => (named(&["t", "row", "column"]), vec![[-1.0, 1.0]; 3]),
            Self::Table(t) => {
                t.unscale(&network, &mut parameters);
                let bounds = t.inputs.iter().map(|[m, h]| [m - h, m + h]);
                (t.table.input_names.clone(), bounds.collect())
            }
        };
        let half = |name: &str, shift: f64| {
            Output::new(name)
                .with_factor("0.5")
                .with_lift(format!("{:?}", 0.5 + 0.5 * shift))
        };
        let at = |k: usize| shift.get(k).copied().unwrap_or(0.0);
        let outputs: Vec<Output> = match self {
            Self::Image(p) => {
                let names: &[&str] = match p.image.channels() {
                    Channels::Grey => &["grey"],
                    Channels::GreyAlpha => &["grey", "alpha"],
                    Channels::Rgb => &["red", "green", "blue"],
                    Channels::Rgba => &["red", "green", "blue", "alpha"],
                };
                names
                    .iter()
                    .enumerate()
                    .map(|(k, n)| half(n, at(k)))
                    .collect()
            }
            Self::Audio {
                target, channels, ..
            } => {
                let names = match channels {
                    1 => named(&["amplitude"]),
                    2 => named(&["left", "right"]),
                    n => (1..=*n).map(|k| format!("channel_{k}")).collect(),
                };
                let peak = format!("{:?}", f64::from(target.peak));
                let output = |name: String| Output::new(name).with_factor(peak.clone());
                names.into_iter().map(output).collect()
            }
            Self::Video(_) => ["red", "green", "blue"].map(|n| half(n, 0.0)).to_vec(),
            Self::Table(t) => {
                let outputs = t.table.output_names.iter().zip(&t.outputs);
                let output = |(name, [mean, deviation]): (&String, &[f64; 2])| {
                    Output::new(name)
                        .with_factor(format!("{deviation:?}"))
                        .with_lift(format!("{mean:?}"))
                };
                outputs.map(output).collect()
            }
        };
        let region = Region::new(bounds).with_description(self.description().to_string());
        Parts::new(coordinates, outputs, network, parameters)
            .with_precision(precision)
            .with_region(region)
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

fn named(names: &[&str]) -> Vec<String> {
    names.iter().map(|n| (*n).to_owned()).collect()
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
        let Self::Image(p) = self else {
            return self.sample(index, point, given);
        };
        let Some((between, every)) = &p.between else {
            return self.sample(index, point, given);
        };
        let (rows, columns) = (p.image.height(), p.image.width());
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

impl Picture {
    /// Central differences of neighbours, one-sided at the edges, in the model's coordinates.
    fn derivatives(&self, index: usize, given: &mut [f64]) {
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

impl Scaled {
    fn new(table: Table) -> Self {
        let column = |values: &[f64], n: usize, k: usize| -> Vec<f64> {
            values.iter().skip(k).step_by(n).copied().collect()
        };
        let (d, outputs) = (table.input_names.len(), table.output_names.len());
        let extent = |k: usize| {
            let values = column(&table.inputs, d, k);
            let low = values.iter().copied().fold(f64::INFINITY, f64::min);
            let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let half = 0.5 * (high - low);
            [0.5 * (high + low), if half > 0.0 { half } else { 1.0 }]
        };
        let spread = |k: usize| {
            let values = column(&table.outputs, outputs, k);
            let n = values.len().max(1) as f64;
            let mean = values.iter().sum::<f64>() / n;
            let square = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n;
            let deviation = square.sqrt();
            [mean, if deviation > 0.0 { deviation } else { 1.0 }]
        };
        Self {
            inputs: (0..d).map(extent).collect(),
            outputs: (0..outputs).map(spread).collect(),
            table,
        }
    }

    /// From weights on scaled inputs to weights on the table's own: w·(x − m)/h + b = (w/h)·x + (b − w·m/h).
    fn unscale(&self, network: &Network, parameters: &mut [f64]) {
        let layout = network.layout();
        let (Some(weight), Some(bias)) =
            (layout.get("layers.0.weight"), layout.get("layers.0.bias"))
        else {
            return;
        };
        let d = self.inputs.len();
        for neuron in 0..bias.range.len() {
            for (k, [middle, half]) in self.inputs.iter().enumerate() {
                let w = &mut parameters[weight.range.start + neuron * d + k];
                *w /= half;
                let moved = *w * middle;
                parameters[bias.range.start + neuron] -= moved;
            }
        }
    }

    /// For each input its middle and half its extent, for each output its mean and deviation.
    pub(super) fn scales(&self) -> (&[[f64; 2]], &[[f64; 2]]) {
        (&self.inputs, &self.outputs)
    }

    /// An output's deviation, in its own unit.
    pub(super) fn deviation(&self, output: usize) -> f64 {
        self.outputs[output][1]
    }
}
