//! Pictures: row after row, so that memory does not grow with the height.

use super::{Arguments, extension, number, refused, size};
use crate::output::Failure;
use rafnet::{Model, Streams};
use rafnet_signal::grid::region_axis;
use rafnet_signal::image::{Channels, Depth, PngWriter};
use rafnet_signal::table::npy::NpyWriter;
use serde_json::Value;

/// Pixels evaluated at a time, in whole rows.
const BLOCK: usize = 1 << 16;

/// What is shown of the function.
#[derive(Clone, Copy, PartialEq)]
enum Quantity {
    Value,
    Gradient,
    Laplacian,
}

/// Where the rows go.
enum Sink {
    Png(Box<PngWriter>, Depth),
    Npy(NpyWriter<f64>),
}

pub(super) fn render(model: &Model, about: &Value, a: &Arguments) -> Result<String, Failure> {
    let (columns, rows) = (number(about, "width")?, number(about, "height")?);
    let region = match &a.region {
        Some(text) => region(text, columns, rows)?,
        None => [0, 0, columns - 1, rows - 1],
    };
    let [x0, y0, x1, y1] = region;
    let [width, height] = match &a.size {
        Some(text) => size(text)?,
        None => [x1 - x0 + 1, y1 - y0 + 1],
    };
    let quantity = Quantity::named(&a.quantity)?;
    let outputs = model.n_outputs();
    let channels = match (quantity, outputs) {
        (Quantity::Value, 2) => Channels::GreyAlpha,
        (Quantity::Value, 3) => Channels::Rgb,
        (Quantity::Value, 4) => Channels::Rgba,
        _ => Channels::Grey,
    };
    let depth = if about["bits"].as_u64() == Some(8) {
        Depth::Eight
    } else {
        Depth::Sixteen
    };
    let mut sink = match extension(&a.output).as_str() {
        "png" => Sink::Png(
            Box::new(
                PngWriter::create(&a.output, width, height, channels, depth).map_err(refused)?,
            ),
            depth,
        ),
        "npy" => Sink::Npy(
            NpyWriter::create(&a.output, &[height, width, channels.count()]).map_err(refused)?,
        ),
        _ => {
            let message = format!(
                "`{}` has no ending that a picture can have",
                a.output.display()
            );
            return Err(Failure::new(
                message,
                "raf render MODEL -o out.png, or out.npy for the numbers",
            ));
        }
    };
    let bounds = model
        .parts()
        .region
        .as_ref()
        .map_or(vec![[-1.0, 1.0]; 2], |r| r.bounds.clone());
    let [low, high] = bounds[0];
    let down = region_axis(rows, y0, y1, height, low, high);
    let [low, high] = bounds[1];
    let across = region_axis(columns, x0, x1, width, low, high);
    // derivatives are stretched to white by their size over a coarse grid
    let scale = match quantity {
        Quantity::Value => 1.0,
        _ => coarse_extent(model, quantity, &down, &across)?,
    };
    let per_block = (BLOCK / width).max(1);
    for rows in down.chunks(per_block) {
        let points: Vec<f64> = rows
            .iter()
            .flat_map(|y| across.iter().flat_map(|x| [*y, *x]))
            .collect();
        let values = evaluate(model, quantity, &points)?;
        sink.write(&values, width * channels.count(), quantity, scale)?;
    }
    sink.finish()?;
    Ok(format!("{width} x {height}"))
}

impl Quantity {
    fn named(name: &str) -> Result<Self, Failure> {
        match name {
            "value" => Ok(Self::Value),
            "gradient" => Ok(Self::Gradient),
            "laplacian" => Ok(Self::Laplacian),
            other => Err(Failure::new(
                format!(
                    "`--quantity {other}` cannot be used: expected value, gradient or laplacian"
                ),
                "raf render MODEL --quantity gradient -o edges.png",
            )),
        }
    }
}

/// x0,y0,x1,y1 in pixels of the original.
fn region(text: &str, columns: usize, rows: usize) -> Result<[usize; 4], Failure> {
    let parts: Vec<usize> = text
        .split(',')
        .filter_map(|p| p.trim().parse().ok())
        .collect();
    if let [x0, y0, x1, y1] = parts[..]
        && text.split(',').count() == 4
        && x0 <= x1
        && y0 <= y1
        && x1 < columns
        && y1 < rows
    {
        return Ok([x0, y0, x1, y1]);
    }
    let message = format!(
        "`--region {text}` cannot be used: expected x0,y0,x1,y1 with x up to {} and y up to {}",
        columns - 1,
        rows - 1
    );
    Err(Failure::new(
        message,
        format!(
            "raf render MODEL --region 0,0,{},{} -o out.png",
            columns - 1,
            rows - 1
        ),
    ))
}

/// The quantity at points, channel by channel for each.
fn evaluate(model: &Model, quantity: Quantity, points: &[f64]) -> Result<Vec<f64>, Failure> {
    if quantity == Quantity::Value {
        return model.eval(points).map_err(refused);
    }
    let streams = if quantity == Quantity::Gradient {
        Streams::gradient()
    } else {
        Streams::laplacian()
    };
    let jets = model.jet(points, streams).map_err(refused)?;
    let outputs = jets.n_outputs();
    let one = |i: usize, o: usize| {
        if quantity == Quantity::Laplacian {
            return jets.laplacian(o).map_or(0.0, |l| l[i]);
        }
        let slope = |k: usize| jets.gradient(o, k).map_or(0.0, |g| g[i]);
        slope(0).hypot(slope(1))
    };
    let mean = |i: usize| (0..outputs).map(|o| one(i, o)).sum::<f64>() / outputs as f64;
    Ok((0..jets.n_points()).map(mean).collect())
}

/// The 99th hundredth of the quantity's size over a coarse grid.
fn coarse_extent(
    model: &Model,
    quantity: Quantity,
    down: &[f64],
    across: &[f64],
) -> Result<f64, Failure> {
    let thin = |axis: &[f64]| {
        axis.iter()
            .step_by(axis.len().div_ceil(100))
            .copied()
            .collect::<Vec<f64>>()
    };
    let (down, across) = (thin(down), thin(across));
    let points: Vec<f64> = down
        .iter()
        .flat_map(|y| across.iter().flat_map(|x| [*y, *x]))
        .collect();
    let mut sizes: Vec<f64> = evaluate(model, quantity, &points)?
        .iter()
        .map(|v| v.abs())
        .collect();
    sizes.sort_by(f64::total_cmp);
    Ok(sizes
        .get(sizes.len() * 99 / 100)
        .copied()
        .unwrap_or(1.0)
        .max(f64::MIN_POSITIVE))
}

impl Sink {
    fn write(
        &mut self,
        values: &[f64],
        row: usize,
        quantity: Quantity,
        scale: f64,
    ) -> Result<(), Failure> {
        match self {
            Self::Npy(writer) => writer.write(values).map_err(refused),
            Self::Png(writer, depth) => {
                let unit = |v: f64| match quantity {
                    Quantity::Value => v,
                    Quantity::Gradient => v / scale,
                    Quantity::Laplacian => 0.5 + 0.5 * v / scale,
                };
                for row in values.chunks(row) {
                    let steps: Vec<u16> =
                        row.iter().map(|v| depth.quantise_unit(unit(*v))).collect();
                    writer.write_row(&steps).map_err(refused)?;
                }
                Ok(())
            }
        }
    }

    fn finish(self) -> Result<(), Failure> {
        match self {
            Self::Npy(writer) => writer.finish().map_err(refused),
            Self::Png(writer, _) => writer.finish().map_err(refused),
        }
    }
}
