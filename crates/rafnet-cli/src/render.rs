//! `raf render`: a fitted model at any size, region, rate or number of frames, written while it is evaluated.

mod picture;
mod sound;
pub(crate) mod video;

use crate::named_model;
use crate::output::{Failure, Report};
use crate::threads::Place;
use rafnet::Model;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::Instant;

#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  raf render runs/photo --size 4096x4096 -o large.png\n  raf render model.safetensors --region 100,80,199,179 --size 1000x1000 -o detail.png\n  raf render model.safetensors --quantity laplacian -o edges.png\n  raf render sound.safetensors --rate 96000 -o fine.wav\n  raf render clip.safetensors --frames 500 -o slow.mp4"
)]
pub(crate) struct Arguments {
    /// The folder of a run of `raf fit`, or a model file (.safetensors)
    model: PathBuf,
    /// WIDTHxHEIGHT [default: the signal's own, or the region's]
    #[arg(long)]
    size: Option<String>,
    /// Pixels of the original, first and last: x0,y0,x1,y1
    #[arg(long)]
    region: Option<String>,
    /// Samples a second of a sound [default: its own]
    #[arg(long)]
    rate: Option<u32>,
    /// Frames of a video, from the first moment to the last [default: its own]
    #[arg(long)]
    frames: Option<usize>,
    /// What of a picture is shown: value, gradient (its length) or laplacian
    #[arg(long, default_value = "value")]
    quantity: String,
    /// Where it goes: .png, .npy, .wav, .mp4, .gif, or a name without an ending for a folder of frames
    #[arg(short, long)]
    output: PathBuf,
    #[command(flatten)]
    place: Place,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Report, Failure> {
    let start = Instant::now();
    let hint = "pass the model.safetensors of a run of `raf fit`";
    let load = || {
        let path = named_model::file(&arguments.model)?;
        Model::load(path).map_err(|e| Failure::new(e.to_string(), hint))
    };
    let model = arguments.place.of(load)?;
    let about = model.parts().region.as_ref().map(|r| r.description.clone());
    let about: Value = serde_json::from_str(&about.unwrap_or_default()).unwrap_or(Value::Null);
    let about = if about["kind"].is_string() {
        about
    } else {
        plain(&model)?
    };
    let shape = match about["kind"].as_str() {
        Some("image") => picture::render(&model, &about, arguments)?,
        Some("audio") => sound::render(&model, &about, arguments)?,
        Some("video") => video::render(&model, &about, arguments)?,
        _ => {
            return Err(Failure::new(
                "this model is neither a picture nor a sound nor a video",
                "raf eval MODEL --grid 200x200 -o values.npy evaluates any model",
            ));
        }
    };
    let seconds = start.elapsed().as_secs_f64();
    let output = arguments.output.display().to_string();
    Ok(Report {
        text: format!("{output}: {shape}, {seconds:.1} s\n"),
        json: json!({
            "outcome": "done", "output": output, "shape": shape, "seconds": seconds, "seed": null, "device": arguments.place.device.name(),
            "precision": "f64", "version": env!("CARGO_PKG_VERSION"),
        }),
        status: 0,
    })
}

/// A model of two coordinates and one value is drawn as a picture of its box, black to white over its values' usual range [0, 1].
fn plain(model: &Model) -> Result<Value, Failure> {
    let parts = model.parts();
    if parts.coordinates.len() == 2 && parts.outputs.len() == 1 && parts.region.is_some() {
        return Ok(json!({ "kind": "image", "width": 512, "height": 512, "bits": 16 }));
    }
    Err(Failure::new(
        "this model says nothing of a picture, a sound or a video",
        "raf eval MODEL --grid 200x200 -o values.npy evaluates any model",
    ))
}

/// WIDTHxHEIGHT.
fn size(text: &str) -> Result<[usize; 2], Failure> {
    let side = |s: &str| s.trim().parse().ok().filter(|n| (1..=1 << 20).contains(n));
    let size = text
        .split_once('x')
        .and_then(|(w, h)| Some([side(w)?, side(h)?]));
    size.ok_or_else(|| {
        let message = format!("`--size {text}` cannot be used: expected WIDTHxHEIGHT");
        Failure::new(message, "raf render MODEL --size 1024x1024 -o out.png")
    })
}

/// A whole number of the description.
fn number(about: &Value, key: &str) -> Result<usize, Failure> {
    let found = about[key].as_u64().and_then(|n| usize::try_from(n).ok());
    found.filter(|n| *n > 0).ok_or_else(|| {
        let message = format!("the model's description has no usable `{key}`");
        Failure::new(message, "fit the signal again with `raf fit`")
    })
}

fn extension(path: &Path) -> String {
    path.extension()
        .map_or_else(String::new, |e| e.to_string_lossy().to_lowercase())
}

fn refused(error: impl std::fmt::Display) -> Failure {
    Failure::new(
        error.to_string(),
        "check the name and the place of `--output`",
    )
}
