//! Pixels, lines and text.

use super::font;
use rafnet::model::AtomicFile;
use std::io::{self, BufWriter};
use std::path::Path;

/// Red, green, blue.
pub(super) type Colour = [u8; 3];

/// Pixels for one dot of the font.
const DOT: usize = 2;
/// Half the width of a curve, in pixels.
const PEN: f64 = 1.2;
/// Half the width of a point that stands alone.
const DISC: f64 = 4.0;

/// A rectangle of pixels.
#[derive(Clone, Copy)]
pub(super) struct Area {
    pub(super) left: usize,
    pub(super) top: usize,
    pub(super) width: usize,
    pub(super) height: usize,
}

impl Area {
    /// The pixel at a place from 0 (left) to 1 (right).
    pub(super) fn x(&self, place: f64) -> usize {
        self.left + (place.clamp(0.0, 1.0) * (self.width - 1) as f64).round() as usize
    }
    /// The pixel at a place from 0 (top) to 1 (bottom).
    pub(super) fn y(&self, place: f64) -> usize {
        self.top + (place.clamp(0.0, 1.0) * (self.height - 1) as f64).round() as usize
    }
}

pub(super) struct Canvas {
    width: usize,
    height: usize,
    pixels: Vec<u8>, // (height, width, 3)
}

impl Canvas {
    /// White.
    pub(super) fn new(width: usize, height: usize) -> Self {
        Self {
            width,
            height,
            pixels: vec![255; width * height * 3],
        }
    }

    fn put(&mut self, x: usize, y: usize, colour: Colour) {
        if x < self.width && y < self.height {
            let at = (y * self.width + x) * 3;
            self.pixels[at..at + 3].copy_from_slice(&colour);
        }
    }

    pub(super) fn fill(&mut self, x: usize, y: usize, width: usize, height: usize, colour: Colour) {
        for row in y..y + height {
            (x..x + width).for_each(|column| self.put(column, row, colour));
        }
    }

    /// Colours an area pixel by pixel from places (0 to 1 rightwards, 0 to 1 downwards).
    /// How many points of a rectangle are not as blank as paper or a pale line.
    pub(super) fn inked(&self, x: usize, y: usize, width: usize, height: usize) -> usize {
        let columns = x..(x + width).min(self.width);
        let rows = y..(y + height).min(self.height);
        let points = rows.flat_map(|row| columns.clone().map(move |column| (column, row)));
        let is_inked = |&(column, row): &(usize, usize)| {
            let at = (row * self.width + column) * 3;
            self.pixels[at..at + 3].iter().any(|c| *c < 200)
        };
        points.filter(is_inked).count()
    }

    pub(super) fn each(&mut self, area: &Area, colour: impl Fn(f64, f64) -> Colour) {
        let place = |k: usize, n: usize| k as f64 / (n - 1).max(1) as f64;
        for row in 0..area.height {
            for column in 0..area.width {
                let colour = colour(place(column, area.width), place(row, area.height));
                self.put(area.left + column, area.top + row, colour);
            }
        }
    }

    /// A border around an area, outside it.
    pub(super) fn border(&mut self, area: &Area, colour: Colour) {
        let (left, top) = (area.left - 2, area.top - 2);
        let (width, height) = (area.width + 4, area.height + 4);
        self.fill(left, top, width, 2, colour);
        self.fill(left, top + height - 2, width, 2, colour);
        self.fill(left, top, 2, height, colour);
        self.fill(left + width - 2, top, 2, height, colour);
    }

    pub(super) fn horizontal(&mut self, area: &Area, place: f64, colour: Colour) {
        self.fill(area.left, area.y(place), area.width, 1, colour);
    }

    pub(super) fn vertical(&mut self, area: &Area, place: f64, colour: Colour) {
        self.fill(area.x(place), area.top, 1, area.height, colour);
    }

    /// A smooth line through places from 0 to 1, broken at gaps; a point alone is a dot.
    pub(super) fn line(
        &mut self,
        area: &Area,
        places: impl Iterator<Item = Option<[f64; 2]>>,
        colour: Colour,
    ) {
        // how much of each pixel the pen covered, so that where strokes meet nothing is drawn twice
        let mut cover = vec![0f64; area.width * area.height];
        let to_pixels =
            |[x, y]: [f64; 2]| [x * (area.width - 1) as f64, y * (area.height - 1) as f64];
        let places: Vec<Option<[f64; 2]>> = places.map(|p| p.map(to_pixels)).collect();
        for (k, place) in places.iter().enumerate() {
            let Some(here) = *place else { continue };
            let before = k.checked_sub(1).and_then(|k| places[k]);
            let after = places.get(k + 1).copied().flatten();
            match (before, after) {
                (Some(before), _) => stroke(&mut cover, area, before, here, PEN),
                (None, Some(_)) => {}
                (None, None) => stroke(&mut cover, area, here, here, DISC),
            }
        }
        for row in 0..area.height {
            for column in 0..area.width {
                let part = cover[row * area.width + column];
                if part > 0.0 {
                    let at = ((area.top + row) * self.width + area.left + column) * 3;
                    for (pixel, ink) in self.pixels[at..at + 3].iter_mut().zip(colour) {
                        let mixed = f64::from(*pixel) * (1.0 - part) + f64::from(ink) * part;
                        *pixel = mixed.round() as u8;
                    }
                }
            }
        }
    }

    /// Text with its upper left corner at a pixel.
    pub(super) fn text(&mut self, x: usize, y: usize, text: &str, colour: Colour) {
        for (k, c) in text.chars().enumerate() {
            font::dots(c, |column, row| {
                let left = x + (k * font::ADVANCE + column) * DOT;
                self.fill(left, y + row * DOT, DOT, DOT, colour);
            });
        }
    }

    pub(super) fn text_centred(&mut self, x: usize, y: usize, text: &str, colour: Colour) {
        let half = text_width(text) / 2;
        let left = x
            .saturating_sub(half)
            .min(self.width.saturating_sub(2 * half));
        self.text(left, y, text, colour);
    }

    /// Text that reads upwards, its middle at pixel `y`.
    pub(super) fn text_upwards(&mut self, x: usize, y: usize, text: &str, colour: Colour) {
        let bottom = y + text_width(text) / 2;
        for (k, c) in text.chars().enumerate() {
            font::dots(c, |column, row| {
                let up = (k * font::ADVANCE + column + 1) * DOT;
                self.fill(x + row * DOT, bottom.saturating_sub(up), DOT, DOT, colour);
            });
        }
    }

    /// Writes the picture, whole or not at all.
    pub(super) fn save(&self, path: &Path) -> io::Result<()> {
        let mut file = BufWriter::new(AtomicFile::create(path)?);
        let size = |n: usize| u32::try_from(n).map_err(io::Error::other);
        let mut encoder = png::Encoder::new(&mut file, size(self.width)?, size(self.height)?);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        let mut writer = encoder.write_header()?;
        writer.write_image_data(&self.pixels)?;
        writer.finish()?;
        let file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.commit()
    }
}

/// Raises the cover of the pixels that a stroke of the pen from `a` to `b` touches.
fn stroke(cover: &mut [f64], area: &Area, a: [f64; 2], b: [f64; 2], pen: f64) {
    let along = [b[0] - a[0], b[1] - a[1]];
    let length2 = along[0] * along[0] + along[1] * along[1];
    let reach = pen + 1.0;
    let span = |k: usize, n: usize| {
        let low = (a[k].min(b[k]) - reach).floor().clamp(0.0, n as f64);
        let high = (a[k].max(b[k]) + reach).ceil().clamp(-1.0, n as f64 - 1.0);
        low as usize..(high + 1.0) as usize
    };
    for y in span(1, area.height) {
        for x in span(0, area.width) {
            let from = [x as f64 - a[0], y as f64 - a[1]];
            let dot = from[0] * along[0] + from[1] * along[1];
            let at = if length2 > 0.0 {
                (dot / length2).clamp(0.0, 1.0)
            } else {
                0.0
            };
            let distance = (from[0] - at * along[0]).hypot(from[1] - at * along[1]);
            let part = (pen + 0.5 - distance).clamp(0.0, 1.0);
            let place = &mut cover[y * area.width + x];
            *place = place.max(part);
        }
    }
}

/// How many pixels a text takes.
pub(super) fn text_width(text: &str) -> usize {
    text.chars().count() * font::ADVANCE * DOT
}

/// A number to four significant digits.
pub(super) fn significant(value: f64) -> String {
    if value == 0.0 {
        return "0".into();
    }
    let exponent = value.abs().log10().floor();
    if (-3.0..5.0).contains(&exponent) {
        let decimals = (3.0 - exponent).max(0.0) as usize;
        let text = format!("{value:.decimals$}");
        if text.contains('.') {
            return text.trim_end_matches('0').trim_end_matches('.').into();
        }
        return text;
    }
    let text = format!("{value:.2e}");
    let (digits, power) = text.split_once('e').unwrap_or((&text, "0"));
    let digits = digits.trim_end_matches('0').trim_end_matches('.');
    format!("{digits}e{power}")
}
