//! Figures of a given width, as journals ask for: panels of curves and of maps, with level lines and arrows over these.
//!
//! A drawing's unit is 1/96 inch and letters are 12 units high, so that a figure of the right width has letters of 9 points wherever it is
//! included without scaling.

use crate::axis::{Axis, Scale, finite_range};
use crate::colours::Colour;
use crate::heat_map::{Style, scene as map_scene};
use crate::lines::{Plot, drawn};
use crate::{HeatMap, PlotError, file};
use kuva::render::render::{Primitive, Scene, render_multiple};
use std::path::Path;

/// One part of a figure.
#[derive(Clone, Copy)]
pub enum Panel<'a> {
    /// Curves.
    Curves(Plot<'a>),
    /// A function of two coordinates.
    Map {
        /// The field.
        field: HeatMap<'a>,
        /// Whether lines join points of equal value.
        contours: bool,
        /// Arrows over it: the two components at the points of the field.
        arrows: Option<[&'a [f64]; 2]>,
        /// Which points are shown; the field may have values at others.
        inside: &'a (dyn Fn([f64; 2]) -> bool + Sync),
        /// The values at the ends of the colour bar; without them the field's own.
        range: Option<[f64; 2]>,
    },
}

impl std::fmt::Debug for Panel<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Curves(plot) => f.debug_tuple("Curves").field(plot).finish(),
            Self::Map { field, .. } => f.debug_tuple("Map").field(field).finish(),
        }
    }
}

/// Units of a drawing for a millimetre.
const UNITS: f64 = 96.0 / 25.4;
/// Height of curves for their width.
const UPRIGHT: f64 = 0.66;
/// White: paper.
const PAPER: Colour = [255; 3];
/// Cells of a map along a side: pixels of a PNG, rectangles in a vector drawing.
const CELLS: usize = 300;
const VECTOR_CELLS: usize = 200;
/// Arrows along the longer side.
const ARROWS: usize = 19;
/// Pixels of a PNG for one unit: 300 for an inch.
const PIXELS: f32 = 300.0 / 96.0;

/// Draws panels in rows of `columns`, so wide in millimetres.
///
/// # Errors
/// [`PlotError`] says what does not fit together or could not be written.
pub fn figure(
    path: &Path,
    panels: &[Panel<'_>],
    columns: usize,
    width: f64,
) -> Result<(), PlotError> {
    let pixels = path
        .extension()
        .is_some_and(|e| e.eq_ignore_ascii_case("png"));
    let cells = if pixels { CELLS } else { VECTOR_CELLS };
    file::write_scaled(path, &scene(panels, columns, width * UNITS, cells)?, PIXELS)
}

/// The same as a picture, 8-bit RGB by rows, with its width and height in pixels.
///
/// # Errors
/// As [`figure`].
pub fn pixels(
    panels: &[Panel<'_>],
    columns: usize,
    width: f64,
) -> Result<([usize; 2], Vec<u8>), PlotError> {
    file::pixels(&scene(panels, columns, width * UNITS, CELLS)?, 1.5)
}

fn scene(
    panels: &[Panel<'_>],
    columns: usize,
    width: f64,
    cells: usize,
) -> Result<Scene, PlotError> {
    let columns = columns.clamp(1, panels.len().max(1));
    let each = width / columns as f64;
    let scenes = panels.iter().map(|panel| match panel {
        Panel::Curves(plot) => {
            let (shown, layout) = drawn(plot, [each, UPRIGHT * each])?;
            Ok(render_multiple(shown, layout))
        }
        Panel::Map {
            field,
            contours,
            arrows,
            inside,
            range,
        } => {
            let range = range.or_else(|| finite_range(seen(field, *inside)));
            let levels = range
                .filter(|_| *contours)
                .map(|range| levels(field, range));
            let arrows = arrows.map(|of| thinned(field, of, *inside));
            let style = Style {
                width: Some(each),
                cells,
                range,
                outside: PAPER,
                inside: *inside,
                levels: levels.as_deref().unwrap_or(&[]),
                arrows: arrows.as_deref().unwrap_or(&[]),
            };
            map_scene(field, style)
        }
    });
    let scenes = scenes.collect::<Result<Vec<Scene>, PlotError>>()?;
    Ok(composed(scenes, columns, each))
}

/// The values at points that are shown.
fn seen<'a>(
    field: &'a HeatMap<'a>,
    inside: &'a (dyn Fn([f64; 2]) -> bool + Sync),
) -> impl Iterator<Item = f64> + 'a {
    let ny = field.size[1];
    let all = field.values.iter().enumerate();
    let shown =
        all.filter(move |(k, _)| inside([place(field, 0, k / ny), place(field, 1, k % ny)]));
    shown.map(|(_, v)| *v)
}

/// Where the k-th point along an axis lies.
fn place(field: &HeatMap<'_>, axis: usize, k: usize) -> f64 {
    let [low, high] = field.ranges[axis];
    low + (high - low) * k as f64 / (field.size[axis] - 1) as f64
}

/// Several drawings as one, in rows.
fn composed(scenes: Vec<Scene>, columns: usize, each: f64) -> Scene {
    let heights: Vec<f64> = scenes
        .chunks(columns)
        .map(|row| row.iter().map(|s| s.height).fold(0.0, larger))
        .collect();
    let mut whole = Scene::new(each * columns as f64, heights.iter().sum());
    whole.background_color = Some("white".into());
    whole.text_color = scenes.first().and_then(|s| s.text_color.clone());
    whole.font_family = scenes.first().and_then(|s| s.font_family.clone());
    for (k, mut scene) in scenes.into_iter().enumerate() {
        let left = (k % columns) as f64 * each;
        let top: f64 = heights[..k / columns].iter().sum();
        whole.defs.append(&mut scene.defs);
        whole.elements.push(Primitive::GroupStart {
            transform: Some(format!("translate({left},{top})")),
            title: None,
            extra_attrs: None,
        });
        whole.elements.append(&mut scene.elements);
        whole.elements.push(Primitive::GroupEnd);
    }
    whole
}

/// The larger of two heights.
fn larger(a: f64, b: f64) -> f64 {
    if b > a { b } else { a }
}

/// Round values within a range, about ten.
fn levels(field: &HeatMap<'_>, range: [f64; 2]) -> Vec<f64> {
    let [low, high] = field.colours.range(Some(range));
    let axis = Axis::new([low, high], Scale::Linear, 10);
    let [first, last] = axis.ends();
    let ticks = axis.ticks().into_iter().map(|(tick, _)| tick);
    let inside = ticks.filter(|tick| *tick > first + 1e-9 && *tick < last - 1e-9);
    let scale = (high - low) / (last - first);
    inside.map(|tick| low + (tick - first) * scale).collect()
}

/// Arrows at some of the grid's points, the longest as long as their distance.
fn thinned(
    field: &HeatMap<'_>,
    [a, b]: [&[f64]; 2],
    inside: &dyn Fn([f64; 2]) -> bool,
) -> Vec<[[f64; 2]; 2]> {
    let [nx, ny] = field.size;
    let [width, height] = field.ranges.map(|[low, high]| high - low);
    let step = if width > height { width } else { height } / ARROWS as f64;
    let mut chosen = Vec::new();
    let along = |extent: f64| {
        let n = (extent / step).round().max(1.0);
        (0..)
            .map(move |k| (f64::from(k) + 0.5) / n)
            .take_while(|s| *s < 1.0)
    };
    for s in along(width) {
        for t in along(height) {
            let index = |s: f64, n: usize| {
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "an index of the grid"
                )]
                let k = (s * (n - 1) as f64).round() as usize;
                k
            };
            let (i, j) = (index(s, nx), index(t, ny));
            let middle = [place(field, 0, i), place(field, 1, j)];
            let vector = [a[i * ny + j], b[i * ny + j]];
            if vector.iter().all(|v| v.is_finite()) && inside(middle) {
                chosen.push((middle, vector));
            }
        }
    }
    // outside, where nothing is drawn, a solution may be as large as it likes
    let longest = chosen
        .iter()
        .map(|(_, [a, b])| a.hypot(*b))
        .fold(0.0, larger);
    if longest <= 0.0 {
        return Vec::new();
    }
    let arrow = |(middle, vector): ([f64; 2], [f64; 2])| {
        let end = |sign: f64| {
            std::array::from_fn(|k| middle[k] + sign * 0.45 * step * vector[k] / longest)
        };
        [end(-1.0), end(1.0)]
    };
    chosen.into_iter().map(arrow).collect()
}
