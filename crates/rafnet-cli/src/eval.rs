//! `raf eval`: a model's values and exact derivatives at points, as a table.
//!
//! Every column is an expression in the coordinates and in the unknowns' derivatives; `--derivatives` is short for the usual
//! ones. One program computes them all from a jet, a block of points at a time.

mod columns;
mod grid;

use crate::output::{Failure, Report};
use crate::table_file::{PointsFile, TableWriter};
use crate::threads::Place;
use columns::{usual_columns, written_columns};
use grid::Grid;
use rafnet::expr::Expr;
use rafnet::model::{Expressions, Model, ModelError, Outside};
use serde_json::json;
use std::path::PathBuf;
use std::time::Instant;

/// Points evaluated at a time, where there are few columns.
const BLOCK: usize = 1 << 14;

/// Numbers of a block at most, where there are many.
const BLOCK_NUMBERS: usize = 1 << 24;

/// Columns of one program times the model's dimension, at most: a Hessian in a thousand dimensions has half a million columns, and
/// each needs a derivative of every neuron.
const PROGRAM_NUMBERS: usize = 1 << 19;

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
    #[command(flatten)]
    place: Place,
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
    let load = || Model::load(&arguments.model).map_err(|e| unusable(&e));
    let model = arguments.place.of(load)?.with_outside(Outside::Nan);
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
    let (names, texts): (Vec<String>, Vec<Expr>) = columns.into_iter().unzip();
    let mut programs = programs(&model, &texts)?;
    let block_points = (BLOCK_NUMBERS / texts.len().max(1)).clamp(1, BLOCK);
    let mut writer = TableWriter::create(&arguments.output, &names)?;
    let (mut n, mut outside) = (0, 0);
    loop {
        let block = points.next_block(block_points)?;
        if block.is_empty() {
            break;
        }
        writer.write_rows(&rows(&mut programs, &model, &block, texts.len())?)?;
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
            "columns": names, "seconds": seconds, "seed": null, "device": arguments.place.device.name(),
            "precision": model.parts().precision.name(), "version": env!("CARGO_PKG_VERSION"),
        }),
        status: 0,
    })
}

/// The columns' expressions, so many in one program that it has room.
fn programs(model: &Model, texts: &[Expr]) -> Result<Vec<Expressions>, Failure> {
    let together = (PROGRAM_NUMBERS / model.dimension()).clamp(64, 4096);
    let programs = texts.chunks(together).map(|t| Expressions::new(model, t));
    let programs = programs.collect::<Result<Vec<Expressions>, _>>();
    programs.map_err(|e| {
        let hint = "use coordinates, unknowns and their derivatives only";
        Failure::new(e.to_string(), hint)
    })
}

/// All columns at a block of points, row by row.
fn rows(
    programs: &mut [Expressions],
    model: &Model,
    block: &[f64],
    n_columns: usize,
) -> Result<Vec<f64>, Failure> {
    let mut columns = Vec::new();
    for program in programs {
        let found = program.evaluate(model, block).map_err(|e| {
            let hint = "check the points, and ask for fewer columns if memory is short";
            Failure::new(e.to_string(), hint)
        })?;
        columns.extend(found);
    }
    let height = columns.len() / n_columns;
    let at = |k: usize| columns[(k % n_columns) * height + k / n_columns];
    Ok((0..columns.len()).map(at).collect())
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
