//! Videos, frame after frame.

use super::{Arguments, number, refused, size};
use crate::output::Failure;
use rafnet::Model;
use rafnet_signal::grid::axis;
use rafnet_signal::image::Depth;
use rafnet_signal::video::{Frame, VideoWriter};
use serde_json::Value;

pub(super) fn render(model: &Model, about: &Value, a: &Arguments) -> Result<String, Failure> {
    let own = number(about, "frames")?;
    let frames = a.frames.unwrap_or(own);
    if !(1..=1_000_000).contains(&frames) {
        let message = format!("`--frames {frames}` cannot be used: expected 1 to 1,000,000");
        return Err(Failure::new(
            message,
            "raf render MODEL --frames 500 -o out.mp4",
        ));
    }
    let [width, height] = match &a.size {
        Some(text) => size(text)?,
        None => [number(about, "width")?, number(about, "height")?],
    };
    let rate = about["frames_per_second"].as_f64().unwrap_or(25.0);
    let mut writer = VideoWriter::create(&a.output, width, height, rate).map_err(refused)?;
    for t in axis(frames, -1.0, 1.0) {
        let frame = frame(model, t, [width, height])?;
        writer.write_frame(&frame).map_err(refused)?;
    }
    writer.finish().map_err(refused)?;
    Ok(format!("{frames} frames of {width} x {height}"))
}

/// One frame, in 8-bit RGB.
pub(crate) fn frame(model: &Model, t: f64, [width, height]: [usize; 2]) -> Result<Frame, Failure> {
    let (rows, columns) = (axis(height, -1.0, 1.0), axis(width, -1.0, 1.0));
    let mut rgb = Vec::with_capacity(width * height * 3);
    for part in rows.chunks(((1 << 16) / width).max(1)) {
        let points: Vec<f64> = part
            .iter()
            .flat_map(|y| columns.iter().flat_map(move |x| [t, *y, *x]))
            .collect();
        let values = model.eval(&points).map_err(refused)?;
        let step = |v: &f64| u8::try_from(Depth::Eight.quantise_unit(*v)).unwrap_or(u8::MAX);
        rgb.extend(values.iter().map(step));
    }
    Frame::new(width, height, rgb).map_err(refused)
}
