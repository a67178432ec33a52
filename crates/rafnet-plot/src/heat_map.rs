//! A function of two coordinates as colours, with a colour bar.

use crate::axis::{Axis, Scale, finite_range, scientific};
use crate::colours::{self, Colours, NOTHING};
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

/// Draws a field: colour bar with its least and greatest value, NaN in grey.
///
/// # Errors
/// [`PlotError`] says what does not fit together or could not be written.
pub fn heat_map(path: &Path, map: &HeatMap<'_>) -> Result<(), PlotError> {
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
    let layout = layout(map);
    let places = ComputedLayout::from_layout(&layout);
    let nothing = Drawn::Line(LinePlot::new());
    let mut scene = render_multiple(vec![nothing], layout);
    let found = finite_range(map.values.iter().copied());
    let range = map.colours.range(found);
    let pixels = path
        .extension()
        .is_some_and(|e| e.eq_ignore_ascii_case("png"));
    let most = if pixels { CELLS } else { VECTOR_CELLS };
    scene.elements.insert(0, cells(map, &places, range, most));
    let axes = axes(map);
    for outline in map.outlines {
        // in ticks, and no further than the drawing
        let within = |k: usize| {
            let [low, high] = map.ranges[k];
            outline[k].map(|v| axes[k].place(v.clamp(low, high)))
        };
        let [left, right] = within(0).map(|v| places.map_x(v));
        let [bottom, top] = within(1).map(|v| places.map_y(v));
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
    let bar = Place {
        left: places.width - BAR_ROOM + 14.0,
        top: places.margin_top,
        height: places.plot_height(),
    };
    add_bar(&mut scene, map.colours, found.map(|_| range), &bar);
    file::write(path, &scene)
}

/// Where the colour bar stands.
struct Place {
    left: f64,
    top: f64,
    height: f64,
}

fn axes(map: &HeatMap<'_>) -> [Axis; 2] {
    map.ranges.map(|range| Axis::new(range, Scale::Linear, 5))
}

fn layout(map: &HeatMap<'_>) -> Layout {
    let axes = axes(map);
    let [x, y] = axes.map(|axis| axis.ends());
    let [width, height] = drawing_size(map.ranges);
    let all = Layout::new((x[0], x[1]), (y[0], y[1])).with_show_grid(false);
    let layout = with_axes(all, axes, map.labels, map.title);
    let left = ComputedLayout::from_layout(&layout).margin_left;
    let layout = layout.with_force_margins(left, BAR_ROOM);
    let upright = ComputedLayout::from_layout(&layout);
    let room = [left + BAR_ROOM, upright.margin_top + upright.margin_bottom];
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

fn cells(
    map: &HeatMap<'_>,
    places: &ComputedLayout,
    [low, high]: [f64; 2],
    most: usize,
) -> Primitive {
    let [x, y] = axes(map).map(|axis| axis.ends());
    let [left, right] = x.map(|v| places.map_x(v));
    let [bottom, top] = y.map(|v| places.map_y(v));
    let [columns, rows] = map.size.map(|n| most.min(4 * n));
    let (w, h) = (
        (right - left) / columns as f64,
        (bottom - top) / rows as f64,
    );
    let (mut xs, mut ys, mut fills) = (Vec::new(), Vec::new(), Vec::new());
    for row in 0..rows {
        for column in 0..columns {
            let at = [(column, columns), (row, rows)].map(|(k, n)| (k as f64 + 0.5) / n as f64);
            let value = interpolate(map, at[0], 1.0 - at[1]);
            let colour = if value.is_finite() {
                map.colours.at(unit(value, low, high))
            } else {
                NOTHING
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
        add_number(scene, bar, 0.5, &significant(low));
        return;
    }
    add_number(scene, bar, 1.0, &significant(high));
    add_number(scene, bar, 0.0, &significant(low));
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

/// Three digits that count.
fn significant(value: f64) -> String {
    if value == 0.0 || (1e-3..1e4).contains(&value.abs()) {
        let text = format!("{value:.4}");
        let text = text.trim_end_matches('0').trim_end_matches('.');
        return text.replace('-', "−");
    }
    scientific(value, 2)
}
