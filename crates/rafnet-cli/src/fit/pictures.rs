//! What a fit leaves to look at: target, fit and their difference, and how the training went.

use crate::output::Failure;
use crate::render::video;
use crate::run_folder::RunFolder;
use rafnet::Model;
use rafnet::fit::{Fit, Signal, decibels};
use rafnet_plot::{self as picture, Colours, Curve, HeatMap, Plot, Scale};
use rafnet_signal::audio::{Audio, WavFormat};
use rafnet_signal::grid;
use rafnet_signal::image::{Depth, Image};
use rafnet_signal::video::{Clip, Frame};
use std::path::Path;

/// The most points of a curve.
const POINTS: usize = 4_000;
/// The longest side of an error map.
const SIDE: usize = 800;
/// Frames of a video that are shown beside the fit.
const FRAMES: usize = 4;

fn unwritten(error: impl std::fmt::Display) -> Failure {
    Failure::new(
        error.to_string(),
        "pass `--out` with a folder that can be written and has room",
    )
}

/// Draws everything into a folder.
pub(super) fn draw(
    signal: &Signal,
    fit: &Fit,
    curve: &[[f64; 2]],
    folder: &RunFolder,
) -> Result<(), Failure> {
    let values = &fit.quality.values;
    match signal {
        Signal::Image(image) => {
            let depth = image.depth().unwrap_or(Depth::Sixteen);
            let target = values.iter().map(|v| 2.0 * f64::from(*v) - 1.0);
            let target: Vec<f64> = target.collect();
            let fit = Image::from_target(
                image.width(),
                image.height(),
                image.channels(),
                depth,
                &target,
            );
            fit.and_then(|fit| fit.save(folder.own("fit.png")))
                .map_err(unwritten)?;
            image
                .to_depth(depth)
                .save(folder.own("target.png"))
                .map_err(unwritten)?;
            error_map(image, values, folder)?;
        }
        Signal::Audio(sound) => {
            let (target, channels, rate) = (sound.target(), sound.channels(), sound.rate());
            let found: Vec<f64> = values.iter().map(|v| f64::from(*v)).collect();
            let fit = Audio::new(rate, channels, found.clone());
            fit.and_then(|fit| fit.save(folder.own("fit.wav"), WavFormat::F32))
                .map_err(unwritten)?;
            let moments = signal.sizes()[0];
            let times: Vec<f64> = (0..moments).map(|k| k as f64 / f64::from(rate)).collect();
            // of several channels the first is drawn
            let first = |values: Vec<f64>| values.into_iter().step_by(channels);
            let wanted = target.values.iter().map(|v| f64::from(v * target.peak));
            let wanted: Vec<f64> = first(wanted.collect()).collect();
            let found: Vec<f64> = first(found).collect();
            let error: Vec<f64> = wanted.iter().zip(&found).map(|(w, f)| f - w).collect();
            waves(
                &times,
                &[("target", &wanted), ("fit", &found)],
                "sound and fit",
                &folder.own("fit.png"),
            )?;
            waves(
                &times,
                &[("", &error)],
                "fit minus sound",
                &folder.own("error.png"),
            )?;
        }
        Signal::Video(clip) => frames(clip, &fit.model, folder)?,
        Signal::Table(_) => {}
    }
    training(signal, curve, folder)
}

/// The mean over channels of fit minus picture, thinned to a size that can be looked at.
fn error_map(image: &Image, values: &[f32], folder: &RunFolder) -> Result<(), Failure> {
    let (rows, columns, n) = (image.height(), image.width(), image.channels().count());
    let every = rows.max(columns).div_ceil(SIDE);
    let (height, width) = (rows.div_ceil(every), columns.div_ceil(every));
    if height < 2 || width < 2 {
        return Ok(());
    }
    let mut errors = Vec::with_capacity(width * height);
    for j in 0..width {
        // heat maps have y upwards and x first
        for i in (0..height).rev() {
            let pixel = (i * every * columns + j * every) * n;
            let error = |c: usize| {
                let unit = 0.5 * f64::from(image.target_at(pixel + c)) + 0.5;
                f64::from(values[pixel + c]) - unit
            };
            errors.push((0..n).map(error).sum::<f64>() / n as f64);
        }
    }
    let map = HeatMap {
        values: &errors,
        size: [width, height],
        ranges: [[0.0, columns as f64], [0.0, rows as f64]],
        labels: ["column", "rows from below"],
        title: "fit minus picture",
        colours: Colours::Diverging,
        outlines: &[],
    };
    picture::heat_map(&folder.own("error.png"), &map).map_err(unwritten)
}

fn waves(times: &[f64], shown: &[(&str, &[f64])], title: &str, path: &Path) -> Result<(), Failure> {
    if times.len() < 2 {
        return Ok(());
    }
    let every = times.len().div_ceil(POINTS);
    let thin = |values: &[f64]| values.iter().step_by(every).copied().collect::<Vec<f64>>();
    let x = thin(times);
    let ys: Vec<(&str, Vec<f64>)> = shown.iter().map(|(n, v)| (*n, thin(v))).collect();
    let curves: Vec<Curve<'_>> = ys.iter().map(|(name, y)| Curve::new(name, &x, y)).collect();
    let plot = Plot {
        curves: &curves,
        title,
        labels: ["seconds", "amplitude"],
        scales: [Scale::Linear; 2],
    };
    picture::curves(path, &plot).map_err(unwritten)
}

/// Frames of the clip above those of the fit.
fn frames(clip: &Clip, model: &Model, folder: &RunFolder) -> Result<(), Failure> {
    let [n, height, width] = clip.sizes();
    let shown = FRAMES.min(n);
    let mut rows: Vec<Vec<u8>> = vec![Vec::new(); 2 * height];
    for k in 0..shown {
        let frame = if shown < 2 {
            0
        } else {
            k * (n - 1) / (shown - 1)
        };
        let t = grid::coordinate(frame, n, -1.0, 1.0);
        let fit = video::frame(model, t, [width, height])?;
        for i in 0..height {
            rows[i].extend(&clip.frame(frame)[i * width * 3..(i + 1) * width * 3]);
            rows[height + i].extend(&fit.rgb()[i * width * 3..(i + 1) * width * 3]);
        }
    }
    let sheet = Frame::new(width * shown, 2 * height, rows.concat()).map_err(unwritten)?;
    sheet
        .to_image()
        .save(folder.own("frames.png"))
        .map_err(unwritten)
}

/// The mean square over the steps, as dB where that means something.
fn training(signal: &Signal, curve: &[[f64; 2]], folder: &RunFolder) -> Result<(), Failure> {
    if curve.len() < 2 {
        return Ok(());
    }
    let every = curve.len().div_ceil(POINTS);
    let steps: Vec<f64> = curve.iter().step_by(every).map(|c| c[0]).collect();
    let table = matches!(signal, Signal::Table(_));
    let y = |loss: f64| {
        if table { loss } else { decibels(loss) }
    };
    let values: Vec<f64> = curve.iter().step_by(every).map(|c| y(c[1])).collect();
    let plot = Plot {
        curves: &[Curve::new("", &steps, &values)],
        title: "training",
        labels: [
            "step",
            if table {
                "mean square"
            } else {
                "dB at the batch"
            },
        ],
        scales: [
            Scale::Linear,
            if table {
                Scale::Logarithmic
            } else {
                Scale::Linear
            },
        ],
    };
    picture::curves(&folder.own("training.png"), &plot).map_err(unwritten)
}
