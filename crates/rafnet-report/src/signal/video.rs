//! A video by its worst, its median and its best frame.

use super::Fitted;
use super::picture::{byte, difference, evaluate};
use crate::array;
use crate::page::Section;
use rafnet::fit::Signal;
use rafnet::model::Model;
use rafnet::signal::grid;
use rafnet::signal::video::Clip;
use serde_json::{Value, json};

/// Frames that are looked at, and pixels of each.
const FRAMES: usize = 60;
const PIXELS: usize = 3_000;
/// The longest side of a frame that is shown.
const SIDE: usize = 320;

/// A video fitted.
pub(super) fn sections(fitted: &Fitted) -> Vec<Section> {
    let Signal::Video(clip) = &fitted.signal else {
        return Vec::new();
    };
    section(clip, &fitted.model).into_iter().collect()
}

/// Signal and fit at some pixels of a frame, red, green and blue from 0 to 1.
fn at(clip: &Clip, model: &Model, frame: usize, pixels: &[usize]) -> Option<[Vec<f64>; 2]> {
    let sizes = clip.sizes();
    let first = frame * sizes[1] * sizes[2];
    let mut points = vec![0.0; pixels.len() * 3];
    for (pixel, point) in pixels.iter().zip(points.chunks_mut(3)) {
        grid::point_into(first + pixel, &sizes, -1.0, 1.0, point);
    }
    let rgb = clip.frame(frame);
    let wanted = pixels.iter().flat_map(|p| rgb[p * 3..p * 3 + 3].iter());
    let wanted = wanted.map(|v| f64::from(*v) / 255.0).collect();
    Some([wanted, evaluate(model, &points)?])
}

fn section(clip: &Clip, model: &Model) -> Option<Section> {
    let [n, height, width] = clip.sizes();
    let count = n.min(FRAMES);
    let frames = (0..count).map(|k| {
        if count < 2 {
            0
        } else {
            k * (n - 1) / (count - 1)
        }
    });
    let every = (height * width).div_ceil(PIXELS).max(1);
    let some: Vec<usize> = (0..height * width).step_by(every).collect();
    let mut looked = Vec::new();
    for frame in frames {
        let [wanted, found] = at(clip, model, frame, &some)?;
        let squares = wanted
            .iter()
            .zip(&found)
            .map(|(w, f)| (f.clamp(0.0, 1.0) - w).powi(2));
        let mse = squares.sum::<f64>() / wanted.len() as f64;
        looked.push((frame, -10.0 * mse.max(1e-12).log10()));
    }
    let (x, y): (Vec<f64>, Vec<f64>) = looked.iter().map(|(f, db)| (*f as f64, *db)).unzip();
    looked.sort_by(|a, b| a.1.total_cmp(&b.1));
    let chosen = [
        ("worst", 0),
        ("median", looked.len() / 2),
        ("best", looked.len() - 1),
    ];
    let step = height.max(width).div_ceil(SIDE);
    let size = [width.div_ceil(step), height.div_ceil(step)];
    let pixels: Vec<usize> = (0..size[0] * size[1])
        .map(|k| k / size[0] * step * width + k % size[0] * step)
        .collect();
    let show = |(name, place): (&str, usize)| -> Option<Value> {
        let (frame, db) = looked[place];
        let [wanted, found] = at(clip, model, frame, &pixels)?;
        let off: Vec<f64> = wanted
            .chunks(3)
            .zip(found.chunks(3))
            .map(|(w, f)| w.iter().zip(f).map(|(w, f)| f - w).sum::<f64>() / 3.0)
            .collect();
        let (off, most) = difference(&off);
        let bytes = |v: &[f64]| array::u8(&v.iter().map(|v| byte(*v)).collect::<Vec<u8>>());
        Some(json!({
            "name": name, "frame": frame, "psnr": db, "target": bytes(&wanted), "fit": bytes(&found),
            "difference": array::u8(&off), "most": most,
        }))
    };
    let shown: Vec<Value> = chosen.into_iter().filter_map(show).collect();
    let data =
        json!({ "size": size, "frames": shown, "x": array::f64(&x), "psnr": array::f64(&y) });
    let text = format!(
        "{count} of {n} frames were looked at, each at {} of its pixels.",
        some.len()
    );
    Some(Section::new(
        "video",
        "The worst, the median and the best frame",
        text,
        data,
    ))
}
