//! A signal's network as a model: its coordinates, its values in their own units, and what `raf render` should know.

use super::Signal;
use rafnet::fit::Samples;
use rafnet::model::{Output, Parts, Precision, Region};
use rafnet::network::Network;
use rafnet_signal::image::Channels;
use serde_json::json;

impl Signal {
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
    pub(in crate::fit) fn parts(
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
}

fn named(names: &[&str]) -> Vec<String> {
    names.iter().map(|n| (*n).to_owned()).collect()
}
