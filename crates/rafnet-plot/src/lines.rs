//! Curves over one coordinate, with bands, in one plot or several.

use crate::axis::{Axis, Scale, finite_range, widened};
use crate::layout::with_axes;
use crate::legend::{emptiest_corner, short};
use crate::{PlotError, colours, file};
use kuva::plot::legend::LegendPosition;
use kuva::plot::{BandPlot, LinePlot, ScatterPlot};
use kuva::render::figure::Figure;
use kuva::render::layout::Layout;
use kuva::render::plots::Plot as Drawn;
use kuva::render::render::render_multiple;
use std::path::Path;

/// One curve; a NaN is a gap.
#[derive(Clone, Copy, Debug)]
pub struct Curve<'a> {
    /// Shown in a legend unless empty.
    pub name: &'a str,
    /// Along.
    pub x: &'a [f64],
    /// Up.
    pub y: &'a [f64],
    /// The lower and the upper end of a band around it.
    pub band: Option<[&'a [f64]; 2]>,
}

impl<'a> Curve<'a> {
    /// A curve without a band.
    pub fn new(name: &'a str, x: &'a [f64], y: &'a [f64]) -> Self {
        Self {
            name,
            x,
            y,
            band: None,
        }
    }

    /// The same with a band.
    pub fn with_band(self, low: &'a [f64], high: &'a [f64]) -> Self {
        Self {
            band: Some([low, high]),
            ..self
        }
    }

    fn check(&self) -> Result<(), PlotError> {
        let [low, high] = self.band.unwrap_or([self.y; 2]);
        for (what, values) in [
            ("values of y", self.y),
            ("lower ends of a band", low),
            ("upper ends of a band", high),
        ] {
            if values.len() != self.x.len() {
                return Err(PlotError::Values {
                    what,
                    found: values.len(),
                    expected: self.x.len(),
                });
            }
        }
        Ok(())
    }
}

/// Curves over one coordinate.
#[derive(Clone, Copy, Debug)]
pub struct Plot<'a> {
    /// The curves, in the order of the legend.
    pub curves: &'a [Curve<'a>],
    /// What it shows.
    pub title: &'a str,
    /// The names of the two axes, with their units.
    pub labels: [&'a str; 2],
    /// How x and y are shown; values that are not positive are gaps on a logarithmic scale.
    pub scales: [Scale; 2],
}

/// Points of a curve that are drawn: more cannot be seen.
const MOST_POINTS: usize = 1_500;
/// Drawings that are narrower have their legend below.
const NARROW: f64 = 420.0;
/// Names beyond which the legend stands beside the drawing.
const INSIDE: usize = 4;

/// Draws curves with axes and a legend.
///
/// # Errors
/// [`PlotError`] says what does not fit together or could not be written.
pub fn curves(path: &Path, plot: &Plot<'_>) -> Result<(), PlotError> {
    let (drawn, layout) = drawn(plot, [680.0, 430.0])?;
    file::write(path, &render_multiple(drawn, layout))
}

/// Draws how an error fell: curves over the steps, logarithmic.
///
/// # Errors
/// As [`curves`].
pub fn convergence(
    path: &Path,
    title: &str,
    labels: [&str; 2],
    shown: &[Curve<'_>],
) -> Result<(), PlotError> {
    let plot = Plot {
        curves: shown,
        title,
        labels,
        scales: [Scale::Linear, Scale::Logarithmic],
    };
    curves(path, &plot)
}

/// Draws several plots as panels in rows of `columns`.
///
/// # Errors
/// As [`curves`].
pub fn panels(
    path: &Path,
    title: &str,
    columns: usize,
    plots: &[Plot<'_>],
) -> Result<(), PlotError> {
    let size = [460.0, 300.0];
    let all = plots.iter().map(|plot| drawn(plot, size));
    let (shown, layouts): (Vec<_>, Vec<_>) =
        all.collect::<Result<Vec<_>, _>>()?.into_iter().unzip();
    let columns = columns.clamp(1, plots.len().max(1));
    let figure = Figure::new(plots.len().div_ceil(columns).max(1), columns)
        .with_plots(shown)
        .with_layouts(layouts)
        .with_cell_size(size[0], size[1]);
    let figure = if title.is_empty() {
        figure
    } else {
        figure.with_title(title)
    };
    file::write(path, &figure.render())
}

/// What the plotting library is handed.
pub(crate) fn drawn(plot: &Plot<'_>, size: [f64; 2]) -> Result<(Vec<Drawn>, Layout), PlotError> {
    plot.curves.iter().try_for_each(Curve::check)?;
    let axes = axes(plot);
    let mut shown = Vec::new();
    for (k, curve) in plot.curves.iter().enumerate() {
        add_band(&mut shown, curve, axes, k);
    }
    for (k, curve) in plot.curves.iter().enumerate() {
        add_line(&mut shown, curve, axes, k);
    }
    let names = plot.curves.iter().filter(|c| !c.name.is_empty()).count();
    let all = Layout::auto_from_plots(&shown);
    let narrow = size[0] < NARROW && names > 1;
    // names below take a row for two of them
    let rows = if narrow { names.div_ceil(2) } else { 0 };
    let layout = with_axes(all, axes, plot.labels, plot.title)
        .with_width(size[0])
        .with_height(size[1] + 22.0 * rows as f64);
    let layout = match names {
        0 => layout,
        _ if narrow => layout
            .with_legend_position(LegendPosition::OutsideBottomColumns)
            .with_legend_box(false),
        n if n <= INSIDE => layout.with_legend_position(emptiest_corner(plot, axes)),
        _ => layout.with_legend_position(LegendPosition::OutsideRightTop),
    };
    Ok((shown, layout))
}

/// The axes that hold every point that can be shown.
fn axes(plot: &Plot<'_>) -> [Axis; 2] {
    let every = |pick: fn(&[f64; 2]) -> f64| {
        let pairs = plot.curves.iter().flat_map(|c| {
            let [low, high] = c.band.unwrap_or([c.y; 2]);
            let ends = [c.y, low, high].map(|y| c.x.iter().zip(y));
            ends.into_iter().flatten().map(|(x, y)| [*x, *y])
        });
        let seen = pairs.filter(|p| seen(*p, plot.scales));
        finite_range(seen.map(|p| pick(&p)))
    };
    let [along, up] = plot.scales;
    let x_room = if along == Scale::Linear { 0.0 } else { 0.02 };
    [
        Axis::new(widened(every(|p| p[0]), along, x_room), along, 6),
        Axis::new(widened(every(|p| p[1]), up, 0.05), up, 6),
    ]
}

/// Whether a point can be shown.
fn seen(point: [f64; 2], scales: [Scale; 2]) -> bool {
    let one = |(v, scale): (f64, Scale)| v.is_finite() && (scale == Scale::Linear || v > 0.0);
    point.into_iter().zip(scales).all(one)
}

/// The stretches without a gap, in ticks: of the points and of what else stands at them.
pub(crate) fn stretches(curve: &Curve<'_>, axes: [Axis; 2]) -> Vec<Vec<[f64; 4]>> {
    let [low, high] = curve.band.unwrap_or([curve.y; 2]);
    let every = curve.x.len().div_ceil(MOST_POINTS).max(1);
    let mut all: Vec<Vec<[f64; 4]>> = vec![Vec::new()];
    for k in 0..curve.x.len() {
        let last = k + 1 == curve.x.len();
        if !k.is_multiple_of(every) && !last {
            continue;
        }
        let up = |v: f64| axes[1].place(v);
        let point = [
            axes[0].place(curve.x[k]),
            up(curve.y[k]),
            up(low[k]),
            up(high[k]),
        ];
        if point.iter().all(|v| v.is_finite()) {
            all.last_mut().expect("one at least").push(point);
        } else if all.last().is_some_and(|s| !s.is_empty()) {
            all.push(Vec::new());
        }
    }
    all.retain(|s| !s.is_empty());
    all
}

fn add_band(shown: &mut Vec<Drawn>, curve: &Curve<'_>, axes: [Axis; 2], k: usize) {
    if curve.band.is_none() {
        return;
    }
    for stretch in stretches(curve, axes) {
        let column = |c: usize| stretch.iter().map(move |p| p[c]);
        let band = BandPlot::new(column(0), column(2), column(3));
        let band = band.with_color(colours::of_curve(k).0).with_opacity(0.18);
        shown.push(Drawn::Band(band));
    }
}

fn add_line(shown: &mut Vec<Drawn>, curve: &Curve<'_>, axes: [Axis; 2], k: usize) {
    let (colour, style) = colours::of_curve(k);
    let mut named = curve.name.is_empty();
    for stretch in stretches(curve, axes) {
        let points = stretch.iter().map(|p| (p[0], p[1]));
        if stretch.len() == 1 {
            let dot = ScatterPlot::new().with_data(points).with_color(colour);
            let dot = if named {
                dot
            } else {
                dot.with_legend(short(curve.name))
            };
            shown.push(Drawn::Scatter(dot));
        } else {
            let mut line = LinePlot::new().with_data(points).with_color(colour);
            line = line.with_stroke_width(1.8);
            line.line_style = style.clone();
            let line = if named {
                line
            } else {
                line.with_legend(short(curve.name))
            };
            shown.push(Drawn::Line(line));
        }
        named = true;
    }
}
