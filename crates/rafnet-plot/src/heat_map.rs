//! A function of two coordinates as colours, with a colour bar.

use crate::axis::{Axis, Scale, finite_range, scientific};
use crate::colours::{self, Colour, Colours, NOTHING};
use crate::contour;
use crate::layout::with_axes;
use crate::{PlotError, file};
use kuva::plot::LinePlot;
use kuva::render::layout::{ComputedLayout, Layout};
use kuva::render::plots::Plot as Drawn;
use kuva::render::render::{Primitive, Scene, TextAnchor, render_multiple};
use std::path::Path;

/// A function of two coordinates on a regular grid, both ends of each range included.
#[derive(Clone, Copy, Debug)]
pub struct HeatMap<'a> {
    /// `values[i·ny + j]` at the i-th x and the j-th y: the last coordinate fastest, as `raf eval --grid` writes them.
    pub values: &'a [f64],
    /// How many x and how many y.
    pub size: [usize; 2],
    /// [low, high] of x and of y.
    pub ranges: [[f64; 2]; 2],
    /// The names of x and y.
    pub labels: [&'a str; 2],
    /// What it shows.
    pub title: &'a str,
    /// Which colours.
    pub colours: Colours,
    /// Rectangles that are drawn around parts of it, each [low, high] of x and of y.
    pub outlines: &'a [[[f64; 2]; 2]],
}

/// Cells along a side: more cannot be seen, or in a vector drawing make a file of megabytes.
const CELLS: usize = 240;
const VECTOR_CELLS: usize = 96;
/// Room at the right of the drawing for the bar and its numbers.
const BAR_ROOM: f64 = 108.0;
const BAR: f64 = 16.0;
const INK: &str = "#28282c";

/// How a map is drawn.
#[derive(Clone, Copy)]
pub(crate) struct Style<'a> {
    /// How wide the field is; without it in the proportions of its ranges.
    pub(crate) width: Option<f64>,
    /// Cells along a side at most.
    pub(crate) cells: usize,
    /// The values at the ends of the colour bar; without them the field's own.
    pub(crate) range: Option<[f64; 2]>,
    /// The colour where there is no value.
    pub(crate) outside: Colour,
    /// Which points are shown.
    pub(crate) inside: &'a dyn Fn([f64; 2]) -> bool,
    /// Values at which lines are drawn.
    pub(crate) levels: &'a [f64],
    /// Arrows, each from a point to another.
    pub(crate) arrows: &'a [[[f64; 2]; 2]],
}

/// Draws a field: colour bar with its least and greatest value, NaN in grey.
///
/// # Errors
/// [`PlotError`] says what does not fit together or could not be written.
pub fn heat_map(path: &Path, map: &HeatMap<'_>) -> Result<(), PlotError> {
    let pixels = path
        .extension()
        .is_some_and(|e| e.eq_ignore_ascii_case("png"));
    let style = Style {
        width: None,
        cells: if pixels { CELLS } else { VECTOR_CELLS },
        range: None,
        outside: NOTHING,
        inside: &|_| true,
        levels: &[],
        arrows: &[],
    };
    file::write(path, &scene(map, style)?)
}

/// The drawing of a field.
pub(crate) fn scene(map: &HeatMap<'_>, style: Style<'_>) -> Result<Scene, PlotError> {
    let [nx, ny] = map.size;
    if map.values.len() != nx * ny || map.values.is_empty() {
        return Err(PlotError::Values {
            what: "values",
            found: map.values.len(),
            expected: (nx * ny).max(1),
        });
    }
    for (range, label) in map.ranges.iter().zip(map.labels) {
        if !(range[0].is_finite() && range[1].is_finite() && range[0] < range[1]) {
            return Err(PlotError::Range {
                what: label.into(),
                found: *range,
            });
        }
    }
    let layout = layout(map, style);
    let places = ComputedLayout::from_layout(&layout);
    let nothing = Drawn::Line(LinePlot::new());
    let mut scene = render_multiple(vec![nothing], layout);
    let found = style
        .range
        .or_else(|| finite_range(map.values.iter().copied()));
    let range = map.colours.range(found);
    scene.elements.insert(0, cells(map, &places, range, style));
    let axes = axes(map, style);
    // in ticks, and no further than the drawing
    let within = |k: usize, v: f64| {
        let [low, high] = map.ranges[k];
        let tick = axes[k].place(v.clamp(low, high));
        if k == 0 {
            places.map_x(tick)
        } else {
            places.map_y(tick)
        }
    };
    for outline in map.outlines {
        let [left, right] = outline[0].map(|v| within(0, v));
        let [bottom, top] = outline[1].map(|v| within(1, v));
        let outline = Primitive::Rect {
            x: left,
            y: top,
            width: right - left,
            height: bottom - top,
            fill: "none".into(),
            stroke: Some(INK.into()),
            stroke_width: Some(0.7),
            opacity: None,
        };
        scene.elements.insert(1, outline);
    }
    for level in style.levels {
        for [from, to] in contour::segments(map, *level) {
            if !((style.inside)(from) && (style.inside)(to)) {
                continue;
            }
            let [x1, x2] = [from[0], to[0]].map(|v| within(0, v));
            let [y1, y2] = [from[1], to[1]].map(|v| within(1, v));
            scene.add(line([x1, y1], [x2, y2], 0.8));
        }
    }
    for [from, to] in style.arrows {
        let [from, to] = [from, to].map(|p| [within(0, p[0]), within(1, p[1])]);
        add_arrow(&mut scene, from, to);
    }
    let bar = Place {
        left: places.width - bar_room(style) + 14.0,
        top: places.margin_top,
        height: places.plot_height(),
        digits: if style.width.is_some() { 3 } else { 4 },
    };
    add_bar(&mut scene, map.colours, found.map(|_| range), &bar);
    Ok(scene)
}

fn line([x1, y1]: [f64; 2], [x2, y2]: [f64; 2], stroke_width: f64) -> Primitive {
    Primitive::Line {
        x1,
        y1,
        x2,
        y2,
        stroke: INK.into(),
        stroke_width,
        stroke_dasharray: None,
    }
}

/// An arrow between two places of the drawing, its head a third of it.
fn add_arrow(scene: &mut Scene, from: [f64; 2], to: [f64; 2]) {
    let along = [to[0] - from[0], to[1] - from[1]];
    if along.iter().map(|v| v * v).sum::<f64>() < 0.25 {
        return;
    }
    scene.add(line(from, to, 0.9));
    for side in [-1.0, 1.0] {
        let back = [
            to[0] - 0.32 * along[0] + side * 0.16 * along[1],
            to[1] - 0.32 * along[1] - side * 0.16 * along[0],
        ];
        scene.add(line(to, back, 0.9));
    }
}

/// Where the colour bar stands.
struct Place {
    left: f64,
    top: f64,
    height: f64,
    /// Digits of its ends.
    digits: usize,
}

fn axes(map: &HeatMap<'_>, style: Style<'_>) -> [Axis; 2] {
    let Some(width) = style.width else {
        return map.ranges.map(|range| Axis::new(range, Scale::Linear, 5));
    };
    // as many ticks as there is room for
    let size = sized(map.ranges, (width - 150.0).max(60.0));
    let room = [60.0, 32.0];
    std::array::from_fn(|k| {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a small positive number"
        )]
        let count = (size[k] / room[k]) as usize;
        Axis::new(map.ranges[k], Scale::Linear, count.clamp(2, 5))
    })
}

/// Room at the right of the field.
fn bar_room(style: Style<'_>) -> f64 {
    match style.width {
        None => BAR_ROOM,
        Some(_) => 84.0,
    }
}

fn layout(map: &HeatMap<'_>, style: Style<'_>) -> Layout {
    let axes = axes(map, style);
    let [x, y] = axes.map(|axis| axis.ends());
    let room = bar_room(style);
    let all = Layout::new((x[0], x[1]), (y[0], y[1])).with_show_grid(false);
    let layout = with_axes(all, axes, map.labels, map.title);
    let left = ComputedLayout::from_layout(&layout).margin_left;
    let layout = layout.with_force_margins(left, room);
    let [width, height] = match style.width {
        None => drawing_size(map.ranges),
        Some(whole) => sized(map.ranges, (whole - left - room).max(60.0)),
    };
    let upright = ComputedLayout::from_layout(&layout);
    let room = [left + room, upright.margin_top + upright.margin_bottom];
    layout
        .with_width(width + room[0])
        .with_height(height + room[1])
}

/// The size of a drawing in the proportions of its ranges, within reason.
fn drawing_size(ranges: [[f64; 2]; 2]) -> [f64; 2] {
    let [x, y] = ranges.map(|[low, high]| high - low);
    match x / y {
        r if !(0.25..=4.0).contains(&r) => [420.0, 320.0],
        r if r >= 1.0 => [420.0, (420.0 / r).max(150.0)],
        r => [(420.0 * r).max(160.0), 420.0],
    }
}

/// The same of a given width; a field that is much wider or much taller is drawn in other proportions.
fn sized(ranges: [[f64; 2]; 2], width: f64) -> [f64; 2] {
    let [x, y] = ranges.map(|[low, high]| high - low);
    match x / y {
        r if (0.25..=4.0).contains(&r) => [width, (width / r).min(1.5 * width)],
        _ => [width, 0.75 * width],
    }
}

fn cells(
    map: &HeatMap<'_>,
    places: &ComputedLayout,
    [low, high]: [f64; 2],
    style: Style<'_>,
) -> Primitive {
    let [x, y] = axes(map, style).map(|axis| axis.ends());
    let [left, right] = x.map(|v| places.map_x(v));
    let [bottom, top] = y.map(|v| places.map_y(v));
    let [columns, rows] = map.size.map(|n| style.cells.min(4 * n));
    let (w, h) = (
        (right - left) / columns as f64,
        (bottom - top) / rows as f64,
    );
    let (mut xs, mut ys, mut fills) = (Vec::new(), Vec::new(), Vec::new());
    for row in 0..rows {
        for column in 0..columns {
            let at = [(column, columns), (row, rows)].map(|(k, n)| (k as f64 + 0.5) / n as f64);
            let value = interpolate(map, at[0], 1.0 - at[1]);
            let point = [(0, at[0]), (1, 1.0 - at[1])].map(|(k, share)| {
                let [low, high] = map.ranges[k];
                low + (high - low) * share
            });
            let colour = if value.is_finite() && (style.inside)(point) {
                map.colours.at(unit(value, low, high))
            } else {
                style.outside
            };
            xs.push(left + column as f64 * w);
            ys.push(top + row as f64 * h);
            fills.push(colours::text(colour).into());
        }
    }
    let n = xs.len();
    // a little more than a cell, so that no hair lines show between neighbours
    Primitive::RectBatch {
        x: xs,
        y: ys,
        w: vec![w + 0.4; n],
        h: vec![h + 0.4; n],
        fills,
    }
}

/// The field between its grid points, linear in each coordinate; both from 0 to 1.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "indices of a grid"
)]
fn interpolate(map: &HeatMap<'_>, x: f64, y: f64) -> f64 {
    let [nx, ny] = map.size;
    let cell = |t: f64, n: usize| {
        let at = t * (n - 1) as f64;
        let k = (at as usize).min(n.saturating_sub(2));
        (k, (k + 1).min(n - 1), at - k as f64)
    };
    let ((i, i1, s), (j, j1, t)) = (cell(x, nx), cell(y, ny));
    let v = |i: usize, j: usize| map.values[i * ny + j];
    let corners = [v(i, j), v(i1, j), v(i, j1), v(i1, j1)];
    // beside a hole the nearest corner decides
    if corners.iter().any(|c| !c.is_finite()) {
        return v(if s < 0.5 { i } else { i1 }, if t < 0.5 { j } else { j1 });
    }
    let [a, b, c, d] = corners;
    (1.0 - t) * ((1.0 - s) * a + s * b) + t * ((1.0 - s) * c + s * d)
}

/// Where a value lies between two others, 0 to 1.
fn unit(value: f64, low: f64, high: f64) -> f64 {
    if high > low {
        ((value - low) / (high - low)).clamp(0.0, 1.0)
    } else {
        0.5
    }
}

/// The bar, its least and greatest value, and round ones between that leave room for both.
fn add_bar(scene: &mut Scene, colours: Colours, range: Option<[f64; 2]>, bar: &Place) {
    const SLICES: usize = 128;
    let slice = bar.height / SLICES as f64;
    for k in 0..SLICES {
        let place = 1.0 - (k as f64 + 0.5) / SLICES as f64;
        scene.add(Primitive::Rect {
            x: bar.left,
            y: bar.top + k as f64 * slice,
            width: BAR,
            height: slice + 0.4,
            fill: colours::text(colours.at(place)).into(),
            stroke: None,
            stroke_width: None,
            opacity: None,
        });
    }
    scene.add(Primitive::Rect {
        x: bar.left,
        y: bar.top,
        width: BAR,
        height: bar.height,
        fill: "none".into(),
        stroke: Some(INK.into()),
        stroke_width: Some(1.0),
        opacity: None,
    });
    let Some([low, high]) = range else {
        add_number(scene, bar, 0.5, "NaN");
        return;
    };
    if low >= high {
        add_number(scene, bar, 0.5, &significant(low, bar.digits));
        return;
    }
    // what is nothing against the other end is written as zero
    let end = |v: f64| {
        if v.abs() < 1e-5 * (high - low) {
            0.0
        } else {
            v
        }
    };
    add_number(scene, bar, 1.0, &significant(end(high), bar.digits));
    add_number(scene, bar, 0.0, &significant(end(low), bar.digits));
    let axis = Axis::new([low, high], Scale::Linear, 6);
    let [first, last] = axis.ends();
    for (tick, text) in axis.ticks() {
        let place = (tick - first) / (last - first);
        let room = 18.0 / bar.height;
        if (room..=1.0 - room).contains(&place) {
            add_number(scene, bar, place, &text);
        }
    }
}

fn add_number(scene: &mut Scene, bar: &Place, place: f64, text: &str) {
    let y = bar.top + (1.0 - place) * bar.height;
    scene.add(Primitive::Line {
        x1: bar.left + BAR,
        y1: y,
        x2: bar.left + BAR + 4.0,
        y2: y,
        stroke: INK.into(),
        stroke_width: 1.0,
        stroke_dasharray: None,
    });
    scene.add(Primitive::Text {
        x: bar.left + BAR + 7.0,
        y: y + 4.0,
        content: text.into(),
        size: 12,
        anchor: TextAnchor::Start,
        rotate: None,
        bold: false,
        color: None,
    });
}

/// So many digits after the point, or that count where a number is small or large.
fn significant(value: f64, digits: usize) -> String {
    if value == 0.0 || (1e-3..1e4).contains(&value.abs()) {
        let text = format!("{value:.digits$}");
        let text = text.trim_end_matches('0').trim_end_matches('.');
        return text.replace('-', "−");
    }
    scientific(value, if digits > 3 { 2 } else { 1 })
}
