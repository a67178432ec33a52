//! `raf eval`: a model's values and exact derivatives at points, as a table.
//!
//! Every column is an expression in the coordinates and in the unknowns' derivatives; `--derivatives` is short for the usual
//! ones. One program computes them all from a jet, a block of points at a time.

use crate::output::{Failure, Report};
use crate::table_file::{PointsFile, TableWriter};
use crate::threads;
use rafnet::engine::Device;
use rafnet::expr::{Expr, Leaf, Scope, parse};
use rafnet::model::{Expressions, Model, ModelError, Outside};
use serde_json::json;
use std::path::PathBuf;
use std::time::Instant;

/// Points evaluated at a time, where there are few columns.
const BLOCK: usize = 1 << 14;

/// Numbers of a block at most, where there are many.
const BLOCK_NUMBERS: usize = 1 << 24;

/// What a column takes, its name, its expression and its place in a program together.
const COLUMN_BYTES: usize = 1 << 10;

/// Columns of one program times the model's dimension, at most: a Hessian in a thousand dimensions has half a million columns, and
/// each needs a derivative of every neuron.
const PROGRAM_NUMBERS: usize = 1 << 19;

/// Most points of a grid.
const MOST_POINTS: usize = 1 << 40;

#[derive(clap::Args)]
#[command(after_help = "Examples:
  raf eval runs/heat/model.safetensors --at points.csv -o u.csv --derivatives gradient,laplacian
  raf eval model.safetensors --grid 200x200 --time 0.5 -o u.npy
  raf eval model.safetensors --grid 100 -o flux.csv --columns \"x, u, -2*u_x\"

Columns: u, u_x ..., laplacian, then the upper Hessian by rows; unknown by unknown. Points of a grid run through the last
coordinate fastest. Outside the model's domain the values are NaN.")]
pub(crate) struct Arguments {
    /// A model file (.safetensors)
    model: PathBuf,
    /// The points: .npy of shape (n, d), or .csv with a header or with the coordinates in order
    #[arg(long, required_unless_present = "grid", conflicts_with = "grid")]
    at: Option<PathBuf>,
    /// A regular grid over the domain instead, such as 200x200: a number for each coordinate
    #[arg(long)]
    grid: Option<String>,
    /// With --grid: the time at which the grid in space is taken
    #[arg(long, requires = "grid", allow_negative_numbers = true)]
    time: Option<f64>,
    /// Where the table goes: .npy (f64) or .csv
    #[arg(short, long)]
    output: PathBuf,
    /// Further columns
    #[arg(long, value_enum, value_delimiter = ',')]
    derivatives: Vec<Derivatives>,
    /// The columns themselves, such as `u, u_x, laplacian(u), x*u_x`
    #[arg(long, conflicts_with = "derivatives")]
    columns: Option<String>,
    /// Where it is computed: cpu, or reference (one point at a time, slow)
    #[arg(long, default_value_t)]
    device: Device,
    /// Threads (0: one for each core); the answer does not depend on it
    #[arg(long, default_value_t = 0)]
    threads: usize,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Derivatives {
    Gradient,
    Laplacian,
    Hessian,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Report, Failure> {
    let start = Instant::now();
    let threads = threads::meant(arguments.threads)?;
    let model = Model::load(&arguments.model)
        .map_err(|e| unusable(&e))?
        .with_outside(Outside::Nan)
        .with_device(arguments.device)
        .with_threads(threads);
    let columns = match &arguments.columns {
        Some(text) => written_columns(text, &model)?,
        None => usual_columns(&model, &arguments.derivatives)?,
    };
    let mut points = match (&arguments.grid, &arguments.at) {
        (Some(sizes), _) => Points::Grid(Grid::new(sizes, arguments.time, &model)?),
        (None, Some(path)) => Points::File(Box::new(PointsFile::open(
            path,
            &model.parts().coordinates,
        )?)),
        (None, None) => unreachable!("the parser asks for one of them"),
    };
    let names: Vec<String> = columns.iter().map(|(name, _)| name.clone()).collect();
    let texts: Vec<Expr> = columns.into_iter().map(|(_, text)| text).collect();
    let together = (PROGRAM_NUMBERS / model.dimension()).clamp(64, 4096);
    let programs = texts
        .chunks(together)
        .map(|texts| Expressions::new(&model, texts));
    let mut programs = programs
        .collect::<Result<Vec<Expressions>, _>>()
        .map_err(|e| Failure {
            message: e.to_string(),
            hint: "use coordinates, unknowns and their derivatives only".into(),
        })?;
    let block_points = (BLOCK_NUMBERS / texts.len().max(1)).clamp(1, BLOCK);
    let mut writer = TableWriter::create(&arguments.output, &names)?;
    let (mut n, mut outside) = (0, 0);
    let mut rows = Vec::new();
    loop {
        let block = points.next_block(block_points)?;
        if block.is_empty() {
            break;
        }
        let mut columns = Vec::new();
        for program in &mut programs {
            let found = program.evaluate(&model, &block).map_err(|e| Failure {
                message: e.to_string(),
                hint: "check the points, and ask for fewer columns if memory is short".into(),
            })?;
            columns.extend(found);
        }
        let height = columns.len() / texts.len();
        rows.clear();
        rows.extend(
            (0..columns.len()).map(|at| columns[(at % texts.len()) * height + at / texts.len()]),
        );
        writer.write_rows(&rows)?;
        let dimension = model.dimension();
        n += block.len() / dimension;
        outside += block
            .chunks_exact(dimension)
            .filter(|point| !model.contains(point))
            .count();
    }
    writer.finish()?;
    let seconds = start.elapsed().as_secs_f64();
    let output = arguments.output.display().to_string();
    let note = match outside {
        0 => String::new(),
        _ => format!(", {outside} of them outside the domain (NaN)"),
    };
    Ok(Report {
        text: format!(
            "{output}: {} at {n} points{note}, {seconds:.2} s\n",
            names.join(", ")
        ),
        json: json!({
            "outcome": "done", "model": arguments.model.display().to_string(), "output": output, "points": n, "outside": outside,
            "columns": names, "seconds": seconds, "seed": null, "device": arguments.device.name(),
            "precision": model.parts().precision.name(), "version": env!("CARGO_PKG_VERSION"),
        }),
        status: 0,
    })
}

/// What to say about a model that cannot be used.
pub(crate) fn unusable(error: &ModelError) -> Failure {
    let hint = match error {
        ModelError::Read { .. } => {
            "pass the path of a model, such as `model.safetensors` in a run folder"
        }
        _ => "write the model again with this `raf`, or restore the file from where it was copied",
    };
    Failure {
        message: error.to_string(),
        hint: hint.into(),
    }
}

/// `u`, `u_x` …, laplacian, the upper Hessian by rows, for each unknown.
fn usual_columns(
    model: &Model,
    derivatives: &[Derivatives],
) -> Result<Vec<(String, Expr)>, Failure> {
    let (parts, scope) = (model.parts(), model.scope());
    let d = model.dimension();
    if derivatives.contains(&Derivatives::Hessian) {
        let n = (d * (d + 1) / 2).saturating_mul(parts.outputs.len());
        rafnet_memory::require(
            format_args!("{n} columns of the Hessian"),
            &[n, COLUMN_BYTES],
        )
        .map_err(|e| Failure {
            message: e.to_string(),
            hint: "name the derivatives you need, such as `--columns \"u, u_x1x2\"`".into(),
        })?;
    }
    let mut columns = Vec::new();
    for (o, output) in parts.outputs.iter().enumerate() {
        let mut put = |axes: &[usize]| {
            let leaf = Expr::leaf(Leaf::jet(o, axes));
            columns.push((leaf.display(&scope).to_string(), leaf));
        };
        put(&[]);
        if derivatives.contains(&Derivatives::Gradient) {
            (0..d).for_each(|k| put(&[k]));
        }
        if derivatives.contains(&Derivatives::Laplacian) {
            let second = scope.space().map(|k| Expr::leaf(Leaf::jet(o, &[k, k])));
            let laplacian = second.fold(Expr::number(0.0), |sum, u_kk| sum + u_kk);
            let name = match parts.outputs.len() {
                1 => "laplacian".into(),
                _ => format!("laplacian({})", output.name),
            };
            columns.push((name, laplacian));
        }
        if derivatives.contains(&Derivatives::Hessian) {
            for i in 0..d {
                for j in i..d {
                    let leaf = Expr::leaf(Leaf::jet(o, &[i, j]));
                    columns.push((leaf.display(&scope).to_string(), leaf));
                }
            }
        }
    }
    Ok(columns)
}

/// The columns of `--columns`: texts between the commas that stand outside brackets.
fn written_columns(text: &str, model: &Model) -> Result<Vec<(String, Expr)>, Failure> {
    let scope: Scope = model.scope();
    let mut depth = 0;
    let pieces = text.split(|c: char| {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            _ => {}
        }
        c == ',' && depth == 0
    });
    let mut columns = Vec::new();
    for piece in pieces.map(str::trim) {
        let expr = parse(piece, &scope).map_err(|e| Failure {
            message: format!("in `--columns`: {e}\n\n{}", e.underlined()),
            hint: e.hint().unwrap_or_else(|| {
                let names: Vec<&str> = model.parts().outputs.iter().map(|o| o.name.as_str()).collect();
                format!(
                    "separate columns by commas; the model has the coordinates {} and the unknowns {}",
                    model.parts().coordinates.join(", "),
                    names.join(", ")
                )
            }),
        })?;
        columns.push((piece.to_owned(), expr));
    }
    Ok(columns)
}

enum Points {
    File(Box<PointsFile>),
    Grid(Grid),
}

impl Points {
    fn next_block(&mut self, most: usize) -> Result<Vec<f64>, Failure> {
        match self {
            Self::File(file) => file.next_block(most),
            Self::Grid(grid) => Ok(grid.next_block(most)),
        }
    }
}

/// Regular points over the domain's box, both ends included, the last coordinate fastest.
struct Grid {
    /// For each coordinate its range and its number of points.
    axes: Vec<([f64; 2], usize)>,
    next: usize,
    n: usize,
}

impl Grid {
    fn new(sizes: &str, time: Option<f64>, model: &Model) -> Result<Self, Failure> {
        let parts = model.parts();
        let fail = |message: String, hint: &str| Failure {
            message,
            hint: hint.into(),
        };
        let Some(region) = &parts.region else {
            return Err(fail(
                "the model says nothing about its domain, so there is no box for `--grid`".into(),
                "pass the points by `--at points.npy`",
            ));
        };
        let known: Option<Vec<usize>> = sizes
            .split(['x', 'X', '×'])
            .map(|size| size.trim().parse().ok().filter(|n| *n > 0))
            .collect();
        let sizes = known.ok_or_else(|| {
            fail(
                format!("`--grid {sizes}` is no grid"),
                "give a number of points for each coordinate, such as 200x200",
            )
        })?;
        let fixed = match (time, parts.time) {
            (None, _) => None,
            (Some(t), Some(axis)) => Some((axis, t)),
            (Some(_), None) => {
                return Err(fail(
                    "`--time` was given, but the model has no time".into(),
                    "leave `--time` out",
                ));
            }
        };
        let free: Vec<usize> = (0..model.dimension())
            .filter(|k| fixed.is_none_or(|(axis, _)| axis != *k))
            .collect();
        if sizes.len() != free.len() {
            let names: Vec<&str> = free
                .iter()
                .map(|&k| parts.coordinates[k].as_str())
                .collect();
            let hint = if parts.time.is_some() && fixed.is_none() && sizes.len() + 1 == free.len() {
                "add `--time T` for a grid in space at one time"
            } else {
                "give a number of points for each coordinate, such as 200x200"
            };
            return Err(fail(
                format!(
                    "`--grid` has {} numbers; expected {}, for {}",
                    sizes.len(),
                    free.len(),
                    names.join(", ")
                ),
                hint,
            ));
        }
        let mut axes: Vec<([f64; 2], usize)> = region.bounds.iter().map(|b| (*b, 1)).collect();
        for (&k, size) in free.iter().zip(sizes) {
            axes[k].1 = size;
        }
        if let Some((axis, t)) = fixed {
            axes[axis] = ([t, t], 1);
        }
        let product = axes.iter().try_fold(1usize, |n, (_, m)| n.checked_mul(*m));
        let n = product.filter(|n| *n <= MOST_POINTS).ok_or_else(|| {
            fail(
                format!("the grid has more than {MOST_POINTS} points"),
                "take fewer",
            )
        })?;
        Ok(Self { axes, next: 0, n })
    }

    fn next_block(&mut self, most: usize) -> Vec<f64> {
        let end = self.n.min(self.next + most);
        let d = self.axes.len();
        let mut block = vec![0.0; (end - self.next) * d];
        for (point, number) in block.chunks_exact_mut(d).zip(self.next..end) {
            let mut rest = number;
            for (x, ([low, high], size)) in point.iter_mut().zip(&self.axes).rev() {
                let step = rest % size;
                rest /= size;
                *x = match size {
                    1 => 0.5 * (low + high),
                    _ if step + 1 == *size => *high,
                    _ => low + (high - low) * step as f64 / (size - 1) as f64,
                };
            }
        }
        self.next = end;
        block
    }
}
