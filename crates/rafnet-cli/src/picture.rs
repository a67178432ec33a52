//! Pictures of results as PNG files: fields as heat maps, curves, convergence.
//!
//! [`heat_map`] draws a function of two coordinates with a colour bar, [`curves`] draws functions of one, with a logarithmic scale
//! for errors that fall over decades. `canvas` holds pixels and text, `axis` the ticks, `colours` the colour maps.
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_possible_wrap,
    reason = "places become pixels and exponents, all small"
)]

mod axis;
mod canvas;
mod colours;
mod font;

pub(crate) use axis::Scale;
pub(crate) use colours::Colours;

use axis::Axis;
use canvas::{Area, Canvas, Colour};
use std::fmt;
use std::path::{Path, PathBuf};

/// Why there is no picture.
#[derive(Debug)]
pub(crate) enum PictureError {
    /// Another number of values than the picture's shape asks for.
    Values {
        what: &'static str,
        found: usize,
        expected: usize,
    },
    /// A range without extent, or not finite.
    Range { what: String, found: [f64; 2] },
    /// The file could not be written.
    Write {
        path: PathBuf,
        source: std::io::Error,
    },
}

impl fmt::Display for PictureError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Values {
                what,
                found,
                expected,
            } => write!(f, "the picture has {found} {what}; expected {expected}"),
            Self::Range { what, found } => write!(
                f,
                "the range of {what} is {found:?}; expected two finite numbers in ascending order"
            ),
            Self::Write { path, source } => {
                write!(f, "cannot write the picture `{}`: {source}", path.display())
            }
        }
    }
}

impl std::error::Error for PictureError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Write { source, .. } => Some(source),
            _ => None,
        }
    }
}

/// A function of two coordinates on a regular grid, both ends of each range included.
pub(crate) struct HeatMap<'a> {
    /// `values[i·ny + j]` at the i-th x and the j-th y: the last coordinate fastest, as `raf eval --grid` writes them.
    pub(crate) values: &'a [f64],
    /// How many x and how many y.
    pub(crate) size: [usize; 2],
    /// [low, high] of x and of y.
    pub(crate) ranges: [[f64; 2]; 2],
    /// The names of x and y.
    pub(crate) labels: [&'a str; 2],
    pub(crate) title: &'a str,
    pub(crate) colours: Colours,
}

/// One curve; a NaN is a gap.
pub(crate) struct Curve<'a> {
    /// Shown in a legend unless empty.
    pub(crate) name: &'a str,
    pub(crate) x: &'a [f64],
    pub(crate) y: &'a [f64],
}

/// Curves over one coordinate.
pub(crate) struct Plot<'a> {
    pub(crate) curves: &'a [Curve<'a>],
    pub(crate) title: &'a str,
    /// The names of the two axes.
    pub(crate) labels: [&'a str; 2],
    /// How y is shown; values that are not positive are gaps on a logarithmic scale.
    pub(crate) scale: Scale,
}

const INK: Colour = [40, 40, 48];
const PALE: Colour = [226, 226, 230];
const NAN: Colour = [176, 176, 180];
const CURVES: [Colour; 10] = [
    [0, 96, 172],
    [208, 84, 0],
    [0, 138, 104],
    [168, 58, 138],
    [120, 112, 0],
    [90, 90, 100],
    [96, 178, 232],
    [236, 168, 40],
    [120, 190, 60],
    [214, 60, 80],
];
/// Room above and below a drawing for the title and for numbers.
const TOP: usize = 46;
const BOTTOM: usize = 58;

/// Draws a field: colour bar with its least and greatest value, NaN in grey.
pub(crate) fn heat_map(path: &Path, map: &HeatMap<'_>) -> Result<(), PictureError> {
    let [nx, ny] = map.size;
    if map.values.len() != nx * ny || map.values.is_empty() {
        return Err(PictureError::Values {
            what: "values",
            found: map.values.len(),
            expected: (nx * ny).max(1),
        });
    }
    for (range, label) in map.ranges.iter().zip(map.labels) {
        check_range(label, *range)?;
    }
    let [width, height] = drawing_size(map.ranges);
    let found = finite_range(map.values);
    let [low, high] = map.colours.range(found);
    let bar_axis = Axis::new([low, high], Scale::Linear, 6);
    let y_axis = Axis::new(map.ranges[1], Scale::Linear, 5);
    let x_axis = Axis::new(map.ranges[0], Scale::Linear, 5);
    let extremes = [low, high].map(canvas::significant);
    let numbers = bar_axis.widest().max(canvas::text_width(&extremes[0]));
    let numbers = numbers
        .max(canvas::text_width(&extremes[1]))
        .max(canvas::text_width("NaN"));
    let left = y_axis.widest() + 48;
    let wide = left + width + 28 + 24 + 14 + numbers + 16;
    let wide = wide.max(canvas::text_width(map.title) + 16);
    let mut canvas = Canvas::new(wide, TOP + height + BOTTOM);
    let area = Area {
        left,
        top: TOP,
        width,
        height,
    };
    canvas.each(&area, |x, y| {
        let value = interpolate(map, x, 1.0 - y);
        if value.is_finite() {
            map.colours.at(unit(value, low, high))
        } else {
            NAN
        }
    });
    frame(&mut canvas, &area, &x_axis, &y_axis, map.labels);
    title(&mut canvas, &area, map.title);
    let bar = Area {
        left: left + width + 28,
        width: 24,
        ..area
    };
    canvas.each(&bar, |_, y| map.colours.at(1.0 - y));
    canvas.border(&bar, INK);
    match found {
        Some(_) => bar_numbers(&mut canvas, &bar, &bar_axis, [low, high]),
        None => canvas.text(bar.left + bar.width + 10, bar.y(0.5) - 6, "NaN", INK),
    }
    save(path, &canvas)
}

/// Draws curves with axes and numbers.
pub(crate) fn curves(path: &Path, plot: &Plot<'_>) -> Result<(), PictureError> {
    for curve in plot.curves {
        if curve.x.len() != curve.y.len() {
            return Err(PictureError::Values {
                what: "values of y",
                found: curve.y.len(),
                expected: curve.x.len(),
            });
        }
    }
    let shown = |y: f64| y.is_finite() && (plot.scale == Scale::Linear || y > 0.0);
    let every = |pick: fn(&(f64, f64)) -> f64| -> Vec<f64> {
        let pairs = plot.curves.iter().flat_map(|c| c.x.iter().zip(c.y));
        let pairs = pairs.map(|(x, y)| (*x, *y));
        pairs
            .filter(|p| p.0.is_finite() && shown(p.1))
            .map(|p| pick(&p))
            .collect()
    };
    let x_axis = Axis::new(
        widened(finite_range(&every(|p| p.0)), Scale::Linear, 0.0),
        Scale::Linear,
        6,
    );
    let y_axis = Axis::new(
        widened(finite_range(&every(|p| p.1)), plot.scale, 0.05),
        plot.scale,
        6,
    );
    let left = y_axis.widest() + 48;
    let area = Area {
        left,
        top: TOP,
        width: 680,
        height: 400,
    };
    let mut canvas = Canvas::new(left + area.width + 36, TOP + area.height + BOTTOM);
    for (place, _) in y_axis.ticks() {
        canvas.horizontal(&area, 1.0 - place, PALE);
    }
    for (place, _) in x_axis.ticks() {
        canvas.vertical(&area, place, PALE);
    }
    for (curve, colour) in plot.curves.iter().zip(CURVES.into_iter().cycle()) {
        let points = curve.x.iter().zip(curve.y).map(|(&x, &y)| {
            (x.is_finite() && shown(y)).then(|| [x_axis.place(x), 1.0 - y_axis.place(y)])
        });
        canvas.line(&area, points, colour);
    }
    frame(&mut canvas, &area, &x_axis, &y_axis, plot.labels);
    title(&mut canvas, &area, plot.title);
    legend(&mut canvas, &area, plot.curves);
    save(path, &canvas)
}

/// Draws how an error fell: curves over the steps, logarithmic.
pub(crate) fn convergence(
    path: &Path,
    title: &str,
    labels: [&str; 2],
    curves_shown: &[Curve<'_>],
) -> Result<(), PictureError> {
    let plot = Plot {
        curves: curves_shown,
        title,
        labels,
        scale: Scale::Logarithmic,
    };
    curves(path, &plot)
}

fn check_range(label: &str, range: [f64; 2]) -> Result<(), PictureError> {
    let [low, high] = range;
    if low.is_finite() && high.is_finite() && low < high {
        return Ok(());
    }
    Err(PictureError::Range {
        what: label.into(),
        found: range,
    })
}

/// The field at a place of the unit square, between the grid's points; NaN next to a NaN.
fn interpolate(map: &HeatMap<'_>, x: f64, y: f64) -> f64 {
    let [nx, ny] = map.size;
    let split = |at: f64, n: usize| {
        let at = at.clamp(0.0, 1.0) * (n - 1) as f64;
        let cell = (at.floor() as usize).min(n.saturating_sub(2));
        (cell, at - cell as f64)
    };
    let ((i, a), (j, b)) = (split(x, nx), split(y, ny));
    let value = |i: usize, j: usize| map.values[i.min(nx - 1) * ny + j.min(ny - 1)];
    let nearest = value(i + usize::from(a >= 0.5), j + usize::from(b >= 0.5));
    let along = |i: usize| value(i, j) * (1.0 - b) + value(i, j + 1) * b;
    let mixed = along(i) * (1.0 - a) + along(i + 1) * a;
    if mixed.is_nan() { nearest } else { mixed }
}

/// The least and the greatest finite value; none when there is none.
fn finite_range(values: &[f64]) -> Option<[f64; 2]> {
    let finite = values.iter().filter(|v| v.is_finite());
    finite.fold(None, |range: Option<[f64; 2]>, &v| {
        let [low, high] = range.unwrap_or([v, v]);
        Some([low.min(v), high.max(v)])
    })
}

/// A range with some room at its ends, never empty.
fn widened(range: Option<[f64; 2]>, scale: Scale, room: f64) -> [f64; 2] {
    let [low, high] = range.unwrap_or(if scale == Scale::Linear {
        [0.0, 1.0]
    } else {
        [0.1, 1.0]
    });
    if scale == Scale::Logarithmic {
        let (a, b) = (low.log10(), high.log10());
        let extra = if b - a < 0.5 { 0.5 } else { room * (b - a) };
        let [low, high] = [10f64.powf(a - extra), 10f64.powf(b + extra)];
        return [low.max(f64::MIN_POSITIVE), high.min(f64::MAX)];
    }
    if high > low {
        return [low - room * (high - low), high + room * (high - low)];
    }
    let extra = if low == 0.0 { 1.0 } else { 0.1 * low.abs() };
    [low - extra, high + extra]
}

/// Where a value lies between two others, 0 to 1.
fn unit(value: f64, low: f64, high: f64) -> f64 {
    if high > low {
        ((value - low) / (high - low)).clamp(0.0, 1.0)
    } else {
        0.5
    }
}

/// Pixels of a drawing in the proportions of its ranges, within reason.
fn drawing_size(ranges: [[f64; 2]; 2]) -> [usize; 2] {
    let [x, y] = ranges.map(|[low, high]| high - low);
    let ratio = x / y;
    match ratio {
        r if !(0.25..=4.0).contains(&r) => [600, 450],
        r if r >= 1.0 => [600, ((600.0 / r) as usize).max(200)],
        r => [((600.0 * r) as usize).max(220), 600],
    }
}

fn frame(canvas: &mut Canvas, area: &Area, x_axis: &Axis, y_axis: &Axis, labels: [&str; 2]) {
    canvas.border(area, INK);
    let bottom = area.top + area.height;
    for (place, text) in x_axis.ticks() {
        let x = area.x(place);
        canvas.fill(x, bottom, 2, 6, INK);
        canvas.text_centred(x + 1, bottom + 10, &text, INK);
    }
    for (place, text) in y_axis.ticks() {
        let y = area.y(1.0 - place);
        canvas.fill(area.left - 6, y, 6, 2, INK);
        let x = area.left - 10 - canvas::text_width(&text);
        canvas.text(x, y.saturating_sub(6), &text, INK);
    }
    canvas.text_centred(area.left + area.width / 2, bottom + 34, labels[0], INK);
    canvas.text_upwards(8, area.top + area.height / 2, labels[1], INK);
}

fn title(canvas: &mut Canvas, area: &Area, text: &str) {
    canvas.text_centred(area.left + area.width / 2, 16, text, INK);
}

/// The greatest value at the top, the least at the bottom, round ones between that leave room for both.
fn bar_numbers(canvas: &mut Canvas, bar: &Area, axis: &Axis, [low, high]: [f64; 2]) {
    let x = bar.left + bar.width + 10;
    if low >= high {
        let y = bar.y(0.5).saturating_sub(6);
        canvas.text(x, y, &canvas::significant(low), INK);
        return;
    }
    canvas.text(
        x,
        bar.top.saturating_sub(6),
        &canvas::significant(high),
        INK,
    );
    let bottom = (bar.top + bar.height).saturating_sub(8);
    canvas.text(x, bottom, &canvas::significant(low), INK);
    for (place, text) in axis.ticks() {
        let y = bar.y(1.0 - place);
        if y > bar.top + 28 && y + 28 < bar.top + bar.height {
            canvas.fill(bar.left + bar.width, y, 6, 2, INK);
            canvas.text(x, y.saturating_sub(6), &text, INK);
        }
    }
}

fn legend(canvas: &mut Canvas, area: &Area, curves: &[Curve<'_>]) {
    let named = curves.iter().zip(CURVES.into_iter().cycle());
    let named = named.filter(|(curve, _)| !curve.name.is_empty());
    let most = area.width.saturating_sub(90) / canvas::text_width("x").max(1);
    let named = named.map(|(curve, colour)| (shortened(curve.name, most), colour));
    let named: Vec<(String, Colour)> = named.collect();
    let widths = named.iter().map(|(name, _)| canvas::text_width(name));
    let Some(widest) = widths.max() else { return };
    let (width, height) = (widest + 58, 24 * named.len() + 8);
    // the corner where it meets least; what it meets stays visible
    let right = (area.left + area.width).saturating_sub(width + 8);
    let below = (area.top + area.height).saturating_sub(height + 8);
    let corners = [
        [right, area.top + 6],
        [area.left + 8, area.top + 6],
        [right, below],
        [area.left + 8, below],
    ];
    let covered = |[x, y]: &[usize; 2]| canvas.inked(*x, *y, width, height);
    let Some([x, y]) = corners.into_iter().min_by_key(covered) else {
        return;
    };
    let (left, top) = (x + 8, y + 6);
    for (k, (name, colour)) in named.iter().enumerate() {
        let y = top + 24 * k;
        canvas.fill(left, y + 6, 28, 3, *colour);
        canvas.text(left + 38, y, name, INK);
    }
}

/// At most so many letters of a name.
fn shortened(name: &str, most: usize) -> String {
    if name.chars().count() <= most {
        return name.to_owned();
    }
    let kept: String = name.chars().take(most.saturating_sub(3)).collect();
    format!("{kept}...")
}

fn save(path: &Path, canvas: &Canvas) -> Result<(), PictureError> {
    canvas.save(path).map_err(|source| PictureError::Write {
        path: path.into(),
        source,
    })
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use super::*;

    /// A folder for the pictures: that of `RAF_PICTURES` if they are to be looked at, else one that goes away.
    fn folder() -> PathBuf {
        let looked_at = std::env::var_os("RAF_PICTURES").map(PathBuf::from);
        let folder = looked_at.unwrap_or_else(std::env::temp_dir);
        folder.join(format!("raf-pictures-{}", std::process::id()))
    }

    fn size(path: &Path) -> (u32, u32) {
        let file = std::io::BufReader::new(std::fs::File::open(path).unwrap());
        let reader = png::Decoder::new(file).read_info().unwrap();
        (reader.info().width, reader.info().height)
    }

    #[test]
    fn the_smallest_numbers_have_an_axis() {
        let [low, high] = widened(Some([5e-324, f64::MAX]), Scale::Logarithmic, 0.05);
        assert!(low > 0.0 && high.is_finite());
    }

    #[test]
    #[expect(clippy::too_many_lines, reason = "a list of pictures")]
    fn pictures_of_every_kind() {
        let folder = folder();
        std::fs::create_dir_all(&folder).unwrap();
        let n = 101;
        let place = |k: usize| k as f64 / (n - 1) as f64;
        let grid = |f: &dyn Fn(f64, f64) -> f64| -> Vec<f64> {
            let all = (0..n).flat_map(|i| (0..n).map(move |j| (i, j)));
            all.map(|(i, j)| f(2.0 * place(i), place(j))).collect()
        };
        let waves = grid(&|x, y| (3.0 * x).sin() * (6.0 * y).cos() * 0.123);
        let holed = grid(&|x, y| {
            if (x - 1.0).hypot(y - 0.5) < 0.3 {
                f64::NAN
            } else {
                1e-9 * (x - 0.4 - y)
            }
        });
        let flat = grid(&|_, _| 1.5);
        let none = grid(&|_, _| f64::NAN);
        for (name, values, colours, ranges) in [
            (
                "waves",
                &waves,
                Colours::Sequential,
                [[0.0, 2.0], [0.0, 1.0]],
            ),
            (
                "holed",
                &holed,
                Colours::Diverging,
                [[0.0, 2.0], [0.0, 1.0]],
            ),
            (
                "flat",
                &flat,
                Colours::Sequential,
                [[-1.0, 1.0], [0.0, 100.0]],
            ),
            (
                "none",
                &none,
                Colours::Sequential,
                [[-1.0, 1.0], [0.0, 4.0]],
            ),
        ] {
            let path = folder.join(format!("{name}.png"));
            let map = HeatMap {
                values,
                size: [n, n],
                ranges,
                labels: ["x", "y"],
                title: &format!("{name}: u(x, y), relative L2 1.3e-14"),
                colours,
            };
            heat_map(&path, &map).unwrap();
            let (width, height) = size(&path);
            assert!(
                (300..900).contains(&width) && (250..800).contains(&height),
                "{name}"
            );
        }
        let x: Vec<f64> = (0..400).map(|k| f64::from(k) / 399.0).collect();
        let u: Vec<f64> = x.iter().map(|x| (12.0 * x).sin() * x).collect();
        let broken: Vec<f64> = x
            .iter()
            .map(|x| {
                if *x > 0.4 && *x < 0.5 {
                    f64::NAN
                } else {
                    0.5 - x * x
                }
            })
            .collect();
        let plot = Plot {
            curves: &[
                Curve {
                    name: "solution",
                    x: &x,
                    y: &u,
                },
                Curve {
                    name: "with a gap",
                    x: &x,
                    y: &broken,
                },
            ],
            title: "u over x",
            labels: ["x", "u"],
            scale: Scale::Linear,
        };
        curves(&folder.join("curves.png"), &plot).unwrap();
        let steps: Vec<f64> = (0..2000).map(f64::from).collect();
        let loss: Vec<f64> = steps
            .iter()
            .map(|s| 10.0 * (-s / 90.0).exp() * (1.3 + (s / 7.0).sin()) + 1e-9)
            .collect();
        let held_out = [Curve {
            name: "",
            x: &steps,
            y: &loss,
        }];
        convergence(
            &folder.join("convergence.png"),
            "held-out residual",
            ["step", "residual"],
            &held_out,
        )
        .unwrap();
        let dot = [Curve {
            name: "",
            x: &[1.0],
            y: &[0.0],
        }];
        curves(
            &folder.join("dot.png"),
            &Plot {
                curves: &dot,
                ..plot
            },
        )
        .unwrap();
        convergence(&folder.join("empty.png"), "nothing", ["step", "loss"], &[]).unwrap();
        if std::env::var_os("RAF_PICTURES").is_none() {
            std::fs::remove_dir_all(&folder).unwrap();
        }
    }

    #[test]
    fn what_cannot_be_drawn_is_refused() {
        let map = HeatMap {
            values: &[1.0, 2.0, 3.0],
            size: [2, 2],
            ranges: [[0.0, 1.0], [0.0, 1.0]],
            labels: ["x", "y"],
            title: "",
            colours: Colours::Sequential,
        };
        let refused =
            |map: &HeatMap<'_>, path: &str| heat_map(Path::new(path), map).unwrap_err().to_string();
        assert_eq!(
            refused(&map, "a.png"),
            "the picture has 3 values; expected 4"
        );
        let values = [1.0, 2.0, 3.0, 4.0];
        let map = HeatMap {
            values: &values,
            ..map
        };
        assert!(
            refused(&map, "no/such/folder/a.png")
                .contains("cannot write the picture `no/such/folder/a.png`")
        );
        let map = HeatMap {
            ranges: [[0.0, 1.0], [1.0, 1.0]],
            ..map
        };
        assert!(refused(&map, "a.png").starts_with("the range of y is [1.0, 1.0]"));
    }
}
