//! A picture, its fit, their difference, and four places looked at beyond the pixels.

use super::Fitted;
use crate::array;
use crate::page::Section;
use rafnet::expr::largest;
use rafnet::fit::Signal;
use rafnet::model::Model;
use rafnet::signal::grid;
use rafnet::signal::image::{Image, cubic_weights};
use serde_json::{Value, json};

/// The longest side that is shown whole.
const SIDE: usize = 512;
/// Pixels of a zoom along an axis, and how many of its own each of them gets.
const WINDOW: usize = 20;
const ENLARGED: usize = 8;
/// Pixels evaluated at a time.
const BLOCK: usize = 1 << 15;

/// A picture fitted.
pub(super) fn sections(fitted: &Fitted) -> Vec<Section> {
    let Signal::Image(image) = &fitted.signal else {
        return Vec::new();
    };
    section(image, &fitted.model).into_iter().collect()
}

/// Grey or red, green, blue: what is shown of a pixel's channels.
pub(super) fn shown_channels(channels: usize) -> usize {
    if channels < 3 { 1 } else { 3 }
}

/// From 0 to 1 as a byte.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "clamped to a byte"
)]
pub(super) fn byte(unit: f64) -> u8 {
    (unit.clamp(0.0, 1.0) * 255.0).round() as u8
}

/// Differences as bytes around 128, and what the largest of them is.
pub(super) fn difference(off: &[f64]) -> (Vec<u8>, f64) {
    let most = largest(off.iter().map(|v| v.abs()));
    let scale = if most > 0.0 { 127.0 / most } else { 0.0 };
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "from 1 to 255"
    )]
    let bytes = off
        .iter()
        .map(|v| (128.0 + v * scale).round() as u8)
        .collect();
    (bytes, most)
}

/// The model at places (row, column), in blocks.
pub(super) fn evaluate(model: &Model, points: &[f64]) -> Option<Vec<f64>> {
    let block = BLOCK * model.dimension();
    let values = points.chunks(block).map(|points| model.eval(points));
    Some(values.collect::<Result<Vec<_>, _>>().ok()?.concat())
}

/// For each pixel the channels that are shown.
fn picked(values: &[f64], channels: usize) -> Vec<f64> {
    let shown = shown_channels(channels);
    values
        .chunks(channels)
        .flat_map(|p| p[..shown].to_vec())
        .collect()
}

fn section(image: &Image, model: &Model) -> Option<Section> {
    let (rows, columns) = (image.height(), image.width());
    let channels = image.channels().count();
    let every = rows.max(columns).div_ceil(SIDE);
    let (size, wanted, found) = sampled(image, model, SIDE)?;
    let shown = shown_channels(channels);
    // of several channels the one that is off most
    let off: Vec<f64> = found
        .chunks(shown)
        .zip(wanted.chunks(shown))
        .map(|(f, w)| {
            let off = f.iter().zip(w).map(|(f, w)| f - w);
            off.max_by(|a, b| a.abs().total_cmp(&b.abs()))
                .unwrap_or(0.0)
        })
        .collect();
    let (difference, most) = difference(&off);
    let zooms: Vec<Value> = places(image)
        .into_iter()
        .filter_map(|at| zoom(image, model, at))
        .collect();
    let data = json!({
        "size": size, "channels": shown, "target": bytes(&wanted), "fit": bytes(&found),
        "difference": array::u8(&difference), "most": most, "zooms": zooms, "every": every, "original": [columns, rows],
    });
    let text = if every > 1 {
        format!("Every {every}th pixel of {columns} × {rows} is shown.")
    } else {
        String::new()
    };
    Some(Section::new(
        "picture",
        "The picture and its fit",
        text,
        data,
    ))
}

/// A picture and its fit with sides of at most so many pixels: width and height, and the bytes of both.
pub(crate) fn small(
    image: &Image,
    model: &Model,
    side: usize,
) -> Option<([usize; 2], Value, Value)> {
    let (size, wanted, found) = sampled(image, model, side)?;
    Some((size, bytes(&wanted), bytes(&found)))
}

fn bytes(values: &[f64]) -> Value {
    array::u8(&values.iter().map(|v| byte(*v)).collect::<Vec<u8>>())
}

/// Pixels of a picture that are evenly taken and the fit there: width and height, and the channels that are shown.
fn sampled(image: &Image, model: &Model, side: usize) -> Option<([usize; 2], Vec<f64>, Vec<f64>)> {
    let (rows, columns) = (image.height(), image.width());
    let channels = image.channels().count();
    let every = rows.max(columns).div_ceil(side);
    let sizes = [rows.div_ceil(every), columns.div_ceil(every)];
    let mut points = vec![0.0; sizes[0] * sizes[1] * 2];
    let mut wanted = Vec::with_capacity(sizes[0] * sizes[1] * channels);
    for (k, point) in points.chunks_mut(2).enumerate() {
        let index = (k / sizes[1] * columns + k % sizes[1]) * every;
        grid::point_into(index, &[rows, columns], -1.0, 1.0, point);
        wanted.extend((0..channels).map(|c| unit(image, index * channels + c)));
    }
    let found = picked(&evaluate(model, &points)?, channels);
    Some(([sizes[1], sizes[0]], picked(&wanted, channels), found))
}

fn unit(image: &Image, index: usize) -> f64 {
    0.5 * f64::from(image.target_at(index)) + 0.5
}

/// In each quarter of a picture the window with most in it: upper row, left column.
fn places(image: &Image) -> Vec<[usize; 2]> {
    let (rows, columns) = (image.height(), image.width());
    let channels = image.channels().count();
    if rows < 2 * WINDOW || columns < 2 * WINDOW {
        return Vec::new();
    }
    let spread = |[row, column]: [usize; 2]| {
        let (mut sum, mut square) = (0.0, 0.0);
        for i in row..row + WINDOW {
            for j in column..column + WINDOW {
                let v = unit(image, (i * columns + j) * channels);
                sum += v;
                square += v * v;
            }
        }
        square - sum * sum / (WINDOW * WINDOW) as f64
    };
    let quarter = |q: usize| {
        let (top, left) = (q / 2 * (rows / 2), q % 2 * (columns / 2));
        let down = (top..=top + rows / 2 - WINDOW).step_by(WINDOW / 2);
        let all = down.flat_map(|i| {
            (left..=left + columns / 2 - WINDOW)
                .step_by(WINDOW / 2)
                .map(move |j| [i, j])
        });
        all.max_by(|a, b| spread(*a).total_cmp(&spread(*b)))
    };
    (0..4).filter_map(quarter).collect()
}

/// A window: its pixels, cubic interpolation between them, and the fit there.
fn zoom(image: &Image, model: &Model, [row, column]: [usize; 2]) -> Option<Value> {
    let (rows, columns) = (image.height(), image.width());
    let channels = image.channels().count();
    let side = WINDOW * ENLARGED;
    // places within a pixel, whose middle it is
    let place = |first: usize, k: usize| first as f64 + (k as f64 + 0.5) / ENLARGED as f64 - 0.5;
    let (mut points, mut cubic) = (Vec::new(), Vec::new());
    for k in 0..side * side {
        let at = [place(row, k / side), place(column, k % side)];
        let model_place = |x: f64, n: usize| 2.0 * x / (n.max(2) - 1) as f64 - 1.0;
        points.extend([model_place(at[0], rows), model_place(at[1], columns)]);
        let [down, across] = [taps(at[0], rows), taps(at[1], columns)];
        for c in 0..channels {
            let pixel = |i: usize, j: usize| unit(image, (i * columns + j) * channels + c);
            let along = |i: usize| across.iter().map(|(j, w)| w * pixel(i, *j)).sum::<f64>();
            cubic.push(down.iter().map(|(i, w)| w * along(*i)).sum::<f64>());
        }
    }
    let pixels = (0..WINDOW * WINDOW).flat_map(|k| {
        let index = ((row + k / WINDOW) * columns + column + k % WINDOW) * channels;
        (0..channels).map(move |c| index + c)
    });
    let pixels: Vec<f64> = pixels.map(|index| unit(image, index)).collect();
    let bytes = |values: &[f64]| bytes(&picked(values, channels));
    let found = evaluate(model, &points)?;
    Some(json!({
        "at": [column, row], "pixels": WINDOW, "side": side, "target": bytes(&pixels), "bicubic": bytes(&cubic), "fit": bytes(&found),
    }))
}

/// The four pixels around a place with their weights; beyond the edge the outermost is repeated.
fn taps(place: f64, n: usize) -> [(usize, f64); 4] {
    let cell = place.floor();
    let weights = cubic_weights(place - cell);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "clamped to a pixel"
    )]
    let pixel = |m: usize| (cell + m as f64 - 1.0).clamp(0.0, (n - 1) as f64) as usize;
    [0, 1, 2, 3].map(|m| (pixel(m), weights[m]))
}

#[cfg(test)]
mod tests {
    use super::{difference, taps};

    #[test]
    fn differences_lie_around_grey() {
        let (bytes, most) = difference(&[0.0, 0.5, -0.5, 0.25]);
        assert_eq!((bytes, most), (vec![128, 255, 1, 192], 0.5));
        assert_eq!(difference(&[0.0]).0, [128]);
    }

    #[test]
    fn weights_sum_to_one_and_stay_in_the_picture() {
        for place in [-0.5, 0.0, 3.25, 8.9] {
            let taps = taps(place, 9);
            assert!((taps.iter().map(|t| t.1).sum::<f64>() - 1.0).abs() < 1e-12);
            assert!(taps.iter().all(|t| t.0 < 9));
        }
    }
}
