//! `raf plot`: a figure of one or several solutions, at the width that a journal asks for.
//!
//! ```text
//! runs ─▶ models ─▶ axes that are left (what `--time` and `--at` do not fix) ─▶ one: curves, two: maps ─▶ panels ─▶ file
//! ```

mod axes;
mod sampled;

use crate::named_model;
use crate::output::{Failure, Report};
use crate::threads::Place;
use axes::{Axes, Slice};
use rafnet::expr::{larger, smaller};
use rafnet::model::{Model, Outside};
use rafnet_plot::{Colours, Curve, HeatMap, Panel, Plot, Scale};
use rafnet_signal::video::{Frame, VideoWriter};
use sampled::{Quantity, Sampled};
use serde_json::json;
use std::path::{Path, PathBuf};

#[derive(clap::Args)]
#[command(after_help = "Examples:
  raf plot runs/plate -o plate.pdf
  raf plot runs/heat --time 0,0.5,2 -o heat.pdf                 curves at three times
  raf plot runs/heat --quantity \"-0.3*u_x\" --at x=1 -o loss.svg  a quantity along a line
  raf plot runs/plate --kind contours -o plate.png
  raf plot runs/flow --quantity u,v --kind arrows -o flow.pdf
  raf plot runs/nu=0.1-0 runs/nu=0.05-0 --time 1 -o compared.pdf
  raf plot runs/heat --frames 60 -o heat.gif                    GIF or MP4 over the time

A figure is as wide as a column (85 mm) unless `--width` says otherwise, its letters 9 points high: include it without scaling,
\\\\includegraphics{plate.pdf}. For ParaView: raf eval RUN --grid 200x200 -o plate.vtu.")]
pub(crate) struct Arguments {
    /// Folders of runs, or model files; several are compared
    #[arg(required = true)]
    models: Vec<PathBuf>,
    /// What is shown: a text in coordinates, unknowns and their derivatives; several separated by commas [default: the first unknown]
    #[arg(long, allow_hyphen_values = true)]
    quantity: Option<String>,
    /// Times, separated by commas: a curve or a map for each
    #[arg(long, allow_hyphen_values = true)]
    time: Option<String>,
    /// Coordinates that are held: "y=0.5"; others than those shown stay in the middle
    #[arg(long, value_name = "NAME=VALUE")]
    at: Option<String>,
    /// lines, map, contours or arrows [default: lines along one coordinate, a map of two]
    #[arg(long, value_enum, hide_possible_values = true)]
    kind: Option<Kind>,
    /// column (85 mm), page (175 mm), or millimetres
    #[arg(long, default_value = "column")]
    width: String,
    /// A logarithmic scale for curves
    #[arg(long)]
    log: bool,
    /// A line above the figure
    #[arg(long, default_value = "")]
    title: String,
    /// Pictures of a GIF or MP4, from the first time to the last
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u16).range(2..=1000))]
    frames: u16,
    /// The file: .pdf, .svg or .png, or .gif or .mp4 over the time
    #[arg(short, long)]
    output: PathBuf,
    #[command(flatten)]
    place: Place,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Kind {
    Lines,
    Map,
    Contours,
    Arrows,
}

/// One model with the name that it has in a legend.
struct Shown {
    name: String,
    model: Model,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Report, Failure> {
    let width = width(&arguments.width)?;
    let output = &arguments.output;
    let ending = output
        .extension()
        .map(|e| e.to_string_lossy().to_lowercase());
    let moving = matches!(ending.as_deref(), Some("gif" | "mp4"));
    if !moving && !matches!(ending.as_deref(), Some("pdf" | "svg" | "png")) {
        let message = format!(
            "`-o {}` does not end in .pdf, .svg, .png, .gif or .mp4",
            output.display()
        );
        let hint = match ending.as_deref() {
            Some("vtu" | "pvd") => format!(
                "raf eval {} --grid 200x200 -o {}",
                arguments.models[0].display(),
                output.display()
            ),
            _ => format!("pass `-o {}`", output.with_extension("pdf").display()),
        };
        return Err(Failure::new(message, hint));
    }
    let load = |named: &PathBuf| {
        let path = named_model::file(named)?;
        let load = || Model::load(&path).map_err(|e| crate::eval::unusable(&e));
        let model = arguments.place.of(load)?.with_outside(Outside::Continued);
        let name = named.file_name().map_or_else(
            || named.display().to_string(),
            |n| n.to_string_lossy().into_owned(),
        );
        Ok(Shown { name, model })
    };
    let shown = arguments
        .models
        .iter()
        .map(load)
        .collect::<Result<Vec<Shown>, Failure>>()?;
    let axes = Axes::of(
        &shown[0].model,
        arguments.time.as_deref(),
        arguments.at.as_deref(),
        arguments.kind,
        moving,
    )?;
    if arguments.log && axes.names().len() > 1 {
        let message = "`--log` is for curves, and this is a map".to_owned();
        return Err(Failure::new(
            message,
            "pass the logarithm as the quantity, `--quantity \"log(abs(u))/log(10)\"`, or `--kind lines`",
        ));
    }
    for other in &shown[1..] {
        let same = other.model.parts().coordinates == shown[0].model.parts().coordinates;
        if !same {
            let message = format!(
                "`{}` and `{}` have different coordinates",
                shown[0].name, other.name
            );
            return Err(Failure::new(
                message,
                "compare runs of one problem, or draw them one by one",
            ));
        }
    }
    let quantities = Quantity::all(
        arguments.quantity.as_deref(),
        arguments.kind,
        &shown[0].model,
    )?;
    let drawing = Drawing {
        arguments,
        shown: &shown,
        axes: &axes,
        quantities: &quantities,
        width,
    };
    let what = if moving {
        drawing.film(output)?
    } else {
        drawing.still(output)?
    };
    Ok(Report {
        text: format!("{}: {what}, {width:.0} mm wide\n", output.display()),
        json: json!({
            "outcome": "done", "output": output.display().to_string(), "shows": what, "millimetres": width,
            "version": env!("CARGO_PKG_VERSION"),
        }),
        status: 0,
    })
}

/// The width in millimetres.
fn width(text: &str) -> Result<f64, Failure> {
    match text {
        "column" => return Ok(85.0),
        "page" => return Ok(175.0),
        _ => {}
    }
    let millimetres = text.trim_end_matches("mm").trim().parse::<f64>().ok();
    let usable = millimetres.filter(|w| (30.0..=1000.0).contains(w));
    usable.ok_or_else(|| {
        let message = format!(
            "`--width {text}` cannot be used: expected column, page, or 30 to 1000 millimetres"
        );
        Failure::new(message, "pass `--width 120`")
    })
}

/// What is drawn, and how.
struct Drawing<'a> {
    arguments: &'a Arguments,
    shown: &'a [Shown],
    axes: &'a Axes,
    quantities: &'a [Quantity],
    width: f64,
}

impl Drawing<'_> {
    fn still(&self, output: &Path) -> Result<String, Failure> {
        let all = self.sampled(&self.axes.slices)?;
        let ranges = self.ranges(&all.iter().collect::<Vec<_>>());
        self.with_panels(&all, &ranges, |panels, columns| {
            rafnet_plot::figure(output, panels, columns, self.width).map_err(|e| undrawn(&e))
        })?;
        Ok(self.said())
    }

    /// A film over the time, with one scale.
    fn film(&self, output: &Path) -> Result<String, Failure> {
        let slices = self.axes.over_time(self.arguments.frames)?;
        let mut all: Vec<Vec<Sampled>> = Vec::new();
        for slice in &slices {
            all.push(self.sampled(std::slice::from_ref(slice))?);
        }
        let flat: Vec<&Sampled> = all.iter().flatten().collect();
        let ranges = self.ranges(&flat);
        let mut writer: Option<VideoWriter> = None;
        let rate = f64::from(self.arguments.frames) / 5.0;
        let unwritten = |e: rafnet_signal::Error| {
            Failure::new(
                e.to_string(),
                "pass `-o` with a .gif or .mp4 in a folder that can be written",
            )
        };
        for one in &all {
            let ([w, h], rgb) = self.with_panels(one, &ranges, |panels, columns| {
                rafnet_plot::pixels(panels, columns, self.width).map_err(|e| undrawn(&e))
            })?;
            if writer.is_none() {
                writer = Some(
                    VideoWriter::create(output, w, h, rate.clamp(5.0, 30.0)).map_err(unwritten)?,
                );
            }
            let frame = Frame::new(w, h, rgb).map_err(unwritten)?;
            if let Some(writer) = &mut writer {
                writer.write_frame(&frame).map_err(unwritten)?;
            }
        }
        if let Some(writer) = writer {
            writer.finish().map_err(unwritten)?;
        }
        Ok(format!(
            "{}, {} pictures",
            self.said(),
            self.arguments.frames
        ))
    }

    fn said(&self) -> String {
        let arrows = self.arguments.kind == Some(Kind::Arrows);
        let shown = self
            .quantities
            .iter()
            .take(if arrows { 2 } else { usize::MAX });
        let names: Vec<&str> = shown.map(|q| q.name.as_str()).collect();
        let of = if self.shown.len() > 1 {
            format!(" of {} runs", self.shown.len())
        } else {
            String::new()
        };
        format!(
            "{}{of} over {}",
            names.join(", "),
            self.axes.names().join(" and ")
        )
    }

    /// Every quantity of every model on every slice: model by model, slice by slice.
    fn sampled(&self, slices: &[Slice]) -> Result<Vec<Sampled>, Failure> {
        let mut all = Vec::new();
        for (m, shown) in self.shown.iter().enumerate() {
            for slice in slices {
                let found = sampled::on(&shown.model, self.axes, slice, self.quantities)?;
                for (q, (quantity, values)) in self.quantities.iter().zip(found).enumerate() {
                    let mut label = Vec::new();
                    if self.shown.len() > 1 {
                        label.push(shown.name.clone());
                    }
                    if self.quantities.len() > 1 && self.arguments.kind != Some(Kind::Arrows) {
                        label.push(quantity.name.clone());
                    }
                    label.extend(slice.label.clone());
                    all.push(Sampled {
                        label: label.join(", "),
                        of: [m, q],
                        point: slice.point.clone(),
                        values,
                    });
                }
            }
        }
        Ok(all)
    }

    /// Whether a point of a map belongs to the model's domain.
    fn inside(&self, sampled: &Sampled, [x, y]: [f64; 2]) -> bool {
        let mut point = sampled.point.clone();
        (point[self.axes.places[0]], point[self.axes.places[1]]) = (x, y);
        self.shown[sampled.of[0]].model.contains(&point)
    }

    /// For each quantity the range of its values within the domain: one scale for all runs and times.
    fn ranges(&self, all: &[&Sampled]) -> Vec<Option<[f64; 2]>> {
        let mut ranges = vec![None; self.quantities.len()];
        for sampled in all {
            let range: &mut Option<[f64; 2]> = &mut ranges[sampled.of[1]];
            let map = self.axes.names().len() > 1;
            let sides = [0, usize::from(map)].map(|k| self.axes.along(k));
            for (k, v) in sampled.values.iter().enumerate() {
                let shown = !map || {
                    let n = sides[1].len();
                    self.inside(sampled, [sides[0][k / n], sides[1][k % n]])
                };
                if v.is_finite() && shown {
                    let [low, high] = range.unwrap_or([*v, *v]);
                    *range = Some([smaller(*v, low), larger(*v, high)]);
                }
            }
        }
        ranges
    }

    /// Hands over the panels of what was sampled.
    fn with_panels<T>(
        &self,
        all: &[Sampled],
        ranges: &[Option<[f64; 2]>],
        draw: impl FnOnce(&[Panel<'_>], usize) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let names = self.axes.names();
        let title = |label: &str| match (self.arguments.title.as_str(), label) {
            ("", label) => label.to_owned(),
            (title, "") => title.to_owned(),
            (title, label) => format!("{title}: {label}"),
        };
        let first = self.quantities[0].name.as_str();
        let [along, up] = match names[..] {
            [x] => [x, first],
            [x, y, ..] => [x, y],
            [] => unreachable!("a slice has one axis at least"),
        };
        if names.len() == 1 {
            let x = self.axes.along(0);
            let curves: Vec<Curve<'_>> = all
                .iter()
                .map(|s| {
                    let name = if all.len() > 1 { s.label.as_str() } else { "" };
                    Curve::new(name, &x, &s.values)
                })
                .collect();
            let up = if self.quantities.len() > 1 { "" } else { up };
            let alone = if all.len() == 1 {
                title(&all[0].label)
            } else {
                self.arguments.title.clone()
            };
            let up_scale = if self.arguments.log {
                Scale::Logarithmic
            } else {
                Scale::Linear
            };
            let plot = Plot {
                curves: &curves,
                title: &alone,
                labels: [along, up],
                scales: [Scale::Linear, up_scale],
            };
            return draw(&[Panel::Curves(plot)], 1);
        }
        let arrows = self.arguments.kind == Some(Kind::Arrows);
        let of_panel = if arrows { 3 } else { 1 };
        let titles: Vec<String> = all.chunks(of_panel).map(|s| title(&s[0].label)).collect();
        // both signs in earnest: grey is zero then
        let signed = |range: Option<[f64; 2]>| {
            range.is_some_and(|[low, high]| low < -0.2 * high && high > -0.2 * low && low < 0.0)
        };
        let inside: Vec<_> = all
            .chunks(of_panel)
            .map(|s| move |point: [f64; 2]| self.inside(&s[0], point))
            .collect();
        let panels: Vec<Panel<'_>> = all
            .chunks(of_panel)
            .zip(&titles)
            .zip(&inside)
            .map(|((s, title), inside)| {
                let shown = &s[of_panel - 1];
                let range = ranges[shown.of[1]];
                let colours = if signed(range) && !arrows {
                    Colours::Diverging
                } else {
                    Colours::Sequential
                };
                Panel::Map {
                    field: HeatMap {
                        values: &shown.values,
                        size: [self.axes.count(0), self.axes.count(1)],
                        ranges: [self.axes.range(0), self.axes.range(1)],
                        labels: [along, up],
                        title,
                        colours,
                        outlines: &[],
                    },
                    contours: self.arguments.kind == Some(Kind::Contours),
                    arrows: arrows.then(|| [&s[0].values[..], &s[1].values[..]]),
                    inside,
                    range,
                }
            })
            .collect();
        let fitting = if self.width < 120.0 { 1 } else { 2 };
        let columns = fitting.min(panels.len());
        draw(&panels, columns)
    }
}

fn undrawn(error: &rafnet_plot::PlotError) -> Failure {
    Failure::new(
        error.to_string(),
        "pass `-o` with a file in a folder that exists and can be written",
    )
}
