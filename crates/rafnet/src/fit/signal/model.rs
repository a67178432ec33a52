//! A signal's network as a model: its coordinates, its values in their own units, and what `raf render` should know.

use super::Signal;
use crate::fit::{Fitted, Options, Supervision};
use crate::model::{Model, ModelError, Output, Parts, Region};
use crate::network::Network;
use rafnet_signal::audio::REACH;
use rafnet_signal::image::Channels;
use serde_json::json;

impl Signal {
    /// What was fitted, as a function in the signal's own units.
    pub(super) fn model(&self, fitted: &Fitted, options: &Options) -> Result<Model, ModelError> {
        let make = |shift: &[f64]| {
            let (network, parameters) = (fitted.network.clone(), fitted.parameters.clone());
            Model::new(self.parts(network, parameters, options, shift)).map(|model| {
                let model = model.with_device(options.device);
                model.with_threads(options.threads)
            })
        };
        let model = make(&[])?;
        if options.supervision == Supervision::Value {
            return Ok(model);
        }
        // derivatives leave a constant open: the signal's own mean is taken
        make(&self.mean_shift(&model)?)
    }

    /// For each channel the mean of picture minus fit, in units of the target.
    fn mean_shift(&self, model: &Model) -> Result<Vec<f64>, ModelError> {
        let (sizes, d, channels) = (self.sizes(), self.dimension(), self.channels());
        let n: usize = sizes.iter().product();
        let per_row = n / sizes[0];
        let mut sums = vec![0.0; channels];
        let mut target = vec![0.0; channels];
        for i in 0..sizes[0] {
            let mut points = vec![0.0; per_row * d];
            for (j, point) in points.chunks_mut(d).enumerate() {
                self.place(i * per_row + j, point);
            }
            let found = model.eval(&points)?;
            for (j, found) in found.chunks(channels).enumerate() {
                self.target(i * per_row + j, &mut target);
                for (sum, (t, f)) in sums.iter_mut().zip(target.iter().zip(found)) {
                    *sum += t - (2.0 * f - 1.0);
                }
            }
        }
        Ok(sums.iter().map(|s| s / n as f64).collect())
    }

    /// What the model is called by `raf render`.
    fn description(&self) -> serde_json::Value {
        match self {
            Self::Image(image) => json!({
                "kind": "image", "width": image.width(), "height": image.height(),
                "bits": image.depth().map_or(16, |d| if d.max() == 255 { 8 } else { 16 }),
            }),
            Self::Audio(sound) => {
                json!({ "kind": "audio", "samples": sound.moments(), "rate": sound.rate })
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

    /// The whole function, its values moved by `shift` in units of the target.
    pub(super) fn parts(
        &self,
        network: Network,
        mut parameters: Vec<f64>,
        options: &Options,
        shift: &[f64],
    ) -> Parts {
        let (coordinates, bounds): (Vec<String>, Vec<[f64; 2]>) = match self {
            Self::Image(_) => (named(&["row", "column"]), vec![[-1.0, 1.0]; 2]),
            Self::Audio(_) => (named(&["t"]), vec![[-REACH, REACH]]),
            Self::Video(_) => (named(&["t", "row", "column"]), vec![[-1.0, 1.0]; 3]),
            Self::Table(t) => {
                t.unscale(&network, &mut parameters);
                let bounds = t.inputs.iter().map(|[m, h]| [m - h, m + h]);
                (t.table.input_names.clone(), bounds.collect())
            }
        };
        let half = |(k, name): (usize, &&str)| {
            let shift = shift.get(k).copied().unwrap_or(0.0);
            let lift = format!("{:?}", 0.5 + 0.5 * shift);
            Output::new(*name).with_factor("0.5").with_lift(lift)
        };
        let outputs: Vec<Output> = match self {
            Self::Image(image) => {
                let names: &[&str] = match image.channels() {
                    Channels::Grey => &["grey"],
                    Channels::GreyAlpha => &["grey", "alpha"],
                    Channels::Rgb => &["red", "green", "blue"],
                    Channels::Rgba => &["red", "green", "blue", "alpha"],
                };
                names.iter().enumerate().map(half).collect()
            }
            Self::Audio(sound) => {
                let names = match sound.channels {
                    1 => named(&["amplitude"]),
                    2 => named(&["left", "right"]),
                    n => (1..=n).map(|k| format!("channel_{k}")).collect(),
                };
                let peak = format!("{:?}", f64::from(sound.target.peak));
                let output = |name: String| Output::new(name).with_factor(peak.clone());
                names.into_iter().map(output).collect()
            }
            Self::Video(_) => {
                let names = ["red", "green", "blue"];
                names.iter().enumerate().map(half).collect()
            }
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
            .with_precision(options.precision)
            .with_region(region)
    }
}

fn named(names: &[&str]) -> Vec<String> {
    names.iter().map(|n| (*n).to_owned()).collect()
}
