//! `fit`: from a file or from numbers to a model with its quality.

use crate::devices;
use crate::errors::Refused;
use crate::model::Model;
use crate::numbers::taken;
use crate::watch::watched;
use pyo3::prelude::*;
use rafnet::fit::{
    Fit, FitError, FitOption, Kind, Quality, Scaled, Signal, Sound, Trained, decibels,
};
use rafnet::run::Outcome;
use rafnet_signal::audio::Audio;
use rafnet_signal::image::{Channels, Image, Samples};
use rafnet_signal::table::Table;
use rafnet_signal::video::{Clip, Frame};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::time::Instant;

/// What is fitted: read from Python while the interpreter is attached.
enum Source {
    File(Option<PathBuf>),
    Signal(Box<Signal>),
}

/// Numbers of an array and what they are.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Array<'py> {
    /// `u8`, `u16` or `f64`: bytes, or a buffer of numbers.
    kind: String,
    values: Bound<'py, PyAny>,
    /// Sizes along the axes of the grid, the channels last.
    sizes: Vec<usize>,
    /// Of a sound and a video.
    rate: Option<f64>,
    /// Of a table: its inputs row by row, and all names.
    inputs: Option<Bound<'py, PyAny>>,
    names: Option<(Vec<String>, Vec<String>)>,
}

impl Array<'_> {
    fn bytes(&self) -> PyResult<Vec<u8>> {
        self.values.extract()
    }

    fn signal(&self, kind: Kind) -> PyResult<Signal> {
        let signal = match kind {
            Kind::Image => self.image().map(|image| image.map(Signal::Image)),
            Kind::Audio => self.sound(),
            Kind::Video => self.video(),
            Kind::Table => self.numbers(),
        };
        Ok(signal?.map_err(Refused::from)?)
    }

    fn image(&self) -> PyResult<Result<Image, FitError>> {
        let (height, width, channels) = (self.sizes[0], self.sizes[1], self.sizes[2]);
        let channels = match channels {
            1 => Channels::Grey,
            2 => Channels::GreyAlpha,
            3 => Channels::Rgb,
            _ => Channels::Rgba,
        };
        let samples = match self.kind.as_str() {
            "u8" => Samples::Eight(self.bytes()?),
            "u16" => {
                let bytes = self.bytes()?;
                let (pairs, _) = bytes.as_chunks::<2>();
                Samples::Sixteen(pairs.iter().map(|b| u16::from_le_bytes(*b)).collect())
            }
            _ => {
                #[expect(clippy::cast_possible_truncation, reason = "pictures are f32")]
                let rounded = taken(&self.values)?.iter().map(|v| *v as f32).collect();
                Samples::Float(rounded)
            }
        };
        Ok(Image::new(width, height, channels, samples).map_err(FitError::from))
    }

    fn sound(&self) -> PyResult<Result<Signal, FitError>> {
        let values = taken(&self.values)?;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "Python says whole positive numbers only"
        )]
        let rate = self.rate.unwrap_or_default() as u32;
        let audio = Audio::new(rate, self.sizes[1], values);
        Ok(audio
            .map(|audio| Signal::Audio(Sound::from(&audio)))
            .map_err(FitError::from))
    }

    fn video(&self) -> PyResult<Result<Signal, FitError>> {
        let bytes = self.bytes()?;
        let (height, width) = (self.sizes[1], self.sizes[2]);
        let frames = bytes.chunks_exact(3 * height * width);
        let frames = frames.map(|rgb| Frame::new(width, height, rgb.to_vec()));
        let clip = Clip::from_frames(self.rate.unwrap_or_default(), frames);
        Ok(clip.map(Signal::Video).map_err(FitError::from))
    }

    fn numbers(&self) -> PyResult<Result<Signal, FitError>> {
        let values = taken(&self.values)?;
        let (Some(inputs), Some((input_names, output_names))) = (&self.inputs, &self.names) else {
            return Ok(Signal::array(&values, &self.sizes));
        };
        let table = Table {
            input_names: input_names.clone(),
            output_names: output_names.clone(),
            n_rows: values.len() / output_names.len().max(1),
            inputs: taken(inputs)?,
            outputs: values,
        };
        Ok(Scaled::try_from(table).map(Signal::Table))
    }
}

/// What a fit came to: figures as JSON, the model, and what asked it to stop.
type Answer = (String, Model, Option<PyErr>);

/// Fits a file, an array or (without either) the embedded sample, with options by name and text.
#[pyfunction]
#[pyo3(signature = (kind, path, array, options, told=None))]
pub(crate) fn fit(
    py: Python<'_>,
    kind: &str,
    path: Option<PathBuf>,
    array: Option<Array<'_>>,
    options: Vec<(String, String)>,
    told: Option<&Bound<'_, PyAny>>,
) -> PyResult<Answer> {
    let kind = Kind::named(kind).ok_or_else(|| {
        Refused::new("OptionError", format!("kind={kind} cannot be used"))
            .hint("expected \"image\", \"audio\", \"video\", \"table\" or \"array\"")
    })?;
    let from_file = path.is_some();
    let source = match &array {
        Some(array) => Source::Signal(Box::new(array.signal(kind)?)),
        None => Source::File(path),
    };
    let check: Vec<(&str, &str)> = options.iter().map(|(n, t)| (&**n, &**t)).collect();
    FitOption::check(kind, from_file, &check).map_err(Refused::from)?;
    for (name, text) in &check {
        if name.replace('_', "-") == "device" {
            devices::named(text)?;
        }
    }
    let ended = watched(py, told, move |watch| {
        let given: Vec<(&str, &str)> = options.iter().map(|(n, t)| (&**n, &**t)).collect();
        let signal = match source {
            Source::File(path) => Signal::open(kind, path.as_deref(), &given)?,
            Source::Signal(signal) => *signal,
        };
        let asked = signal.options(&given, &devices::all())?;
        let started = Instant::now();
        let trained = signal.train(&asked, None, watch)?;
        let fit = if trained.fitted.outcome == Outcome::Stopped {
            unmeasured(trained, started)
        } else {
            trained.measured(&signal, &asked)?
        };
        let activation = given.iter().rev().find(|(name, _)| *name == "activation");
        let activation = activation.map_or(kind.usual_activation().name(), |(_, text)| text);
        Ok::<_, FitError>((
            figures(&fit, &signal, &asked, activation).to_string(),
            fit.model,
        ))
    })?;
    let (figures, model) = ended.answer.map_err(Refused::from)?;
    Ok((figures, Model::new(model), ended.asked))
}

/// What a fit had when it was interrupted: whoever did that does not wait for its quality.
fn unmeasured(trained: Trained, started: Instant) -> Fit {
    let seconds_per_step = trained.seconds_per_step();
    Fit {
        model: trained.model,
        quality: Quality {
            mse: f64::NAN,
            ..Quality::default()
        },
        outcome: trained.fitted.outcome,
        expired: false,
        steps: trained.fitted.steps,
        seconds: started.elapsed().as_secs_f64(),
        seconds_per_step,
        looks: trained.fitted.looks,
    }
}

/// The figures of `raf fit --json`; of an interrupted fit no quality.
fn figures(fit: &Fit, signal: &Signal, options: &rafnet::fit::Options, activation: &str) -> Value {
    let quality = &fit.quality;
    let looks = fit.looks.iter().filter_map(|l| l.held_out);
    let best = looks.min_by(f64::total_cmp).map(decibels);
    let pictured = signal.kind() != Kind::Table;
    json!({
        "outcome": fit.ending(), "kind": signal.kind().name(), "sizes": signal.sizes(), "activation": activation,
        "psnr": quality.psnr, "ssim": quality.ssim, "mse": quality.mse, "lossless": quality.lossless,
        "psnr_heldout": quality.psnr_heldout, "mse_heldout": quality.mse_heldout,
        "psnr_heldout_best": best.filter(|_| pictured), "psnr_bicubic": quality.psnr_bicubic,
        "psnr_frames": quality.frames.map(|f| f[0]), "psnr_frames_deviation": quality.frames.map(|f| f[1]),
        "steps": fit.steps, "seconds": fit.seconds, "seconds_per_step": fit.seconds_per_step,
        "parameters": fit.model.parts().parameters.len(), "seed": options.seed, "device": options.device.name(),
        "precision": options.precision.name(), "version": env!("CARGO_PKG_VERSION"),
    })
}
