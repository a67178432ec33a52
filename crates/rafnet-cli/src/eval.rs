//! `raf eval`: a model's values and exact derivatives at points, as a table.
//!
//! Every column is an expression in the coordinates and in the unknowns' derivatives; `--derivatives` is short for the usual
//! ones. One program computes them all from a jet, a block of points at a time.

mod columns;
mod grid;
mod vtu;
mod written;

use crate::named_model;
use crate::output::{Failure, Report};
use crate::table_file::{PointsFile, TableWriter};
use crate::threads::Place;
use columns::{usual_columns, written_columns};
use grid::Grid;
use rafnet::expr::Expr;
use rafnet::model::{Expressions, Model, ModelError, Outside};
use serde_json::json;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
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
  raf eval runs/heat --at \"x=0.25, t=1\"                       a small table on the screen
  raf eval runs/heat --at \"x=0.25, t=0.5; x=0.75, t=0.5\" --columns \"u, -0.3*u_x\"
  raf eval runs/heat --at points.csv -o u.csv --derivatives gradient,laplacian
  raf eval runs/heat --grid 200 --time 0.5 -o u.npy
  raf eval runs/plate --grid 200x200 -o plate.vtu              for ParaView
  raf eval runs/heat --grid 200 --time 0,0.5,1 -o heat.pvd     a file for each time, and one that lists them

Columns: u, u_x ..., laplacian, then the upper Hessian by rows; unknown by unknown. Points of a grid run through the last
coordinate fastest. Outside the model's domain the values are NaN; a .vtu leaves these points out.")]
pub(crate) struct Arguments {
    /// The folder of a run, or a model file (.safetensors)
    model: PathBuf,
    /// The points: "x=0.25, t=1; x=0.5, t=1", or a file: .npy of shape (n, d), .csv with a header or with the coordinates in order
    #[arg(long, required_unless_present = "grid", conflicts_with = "grid")]
    at: Option<String>,
    /// A regular grid over the domain instead, such as 200x200: a number for each coordinate
    #[arg(long)]
    grid: Option<String>,
    /// With --grid: the time at which the grid in space is taken; for a .pvd several, separated by commas
    #[arg(long, requires = "grid", allow_hyphen_values = true)]
    time: Option<String>,
    /// Where the table goes: .npy (f64), .csv, .vtu or .pvd [default: the screen]
    #[arg(short, long)]
    output: Option<PathBuf>,
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
    let load = || {
        let path = named_model::file(&arguments.model)?;
        Model::load(path).map_err(|e| unusable(&e))
    };
    let model = arguments.place.of(load)?.with_outside(Outside::Nan);
    let columns = match &arguments.columns {
        Some(text) => written_columns(text, &model)?,
        None => usual_columns(&model, &arguments.derivatives)?,
    };
    let times = times(arguments.time.as_deref())?;
    let output = arguments.output.as_deref();
    let ending = output
        .and_then(Path::extension)
        .map(|e| e.to_ascii_lowercase());
    let ending = ending.as_ref().and_then(|e| e.to_str());
    if times.len() > 1 && ending != Some("pvd") {
        let message = format!("`--time` has {} times; one is taken", times.len());
        return Err(Failure::new(
            message,
            "several go into a `.pvd`: pass `-o NAME.pvd`, or leave the others out",
        ));
    }
    let mut evaluation = Evaluation::new(model, columns)?;
    let files = match (output, ending) {
        (Some(output), Some("vtu" | "pvd")) => evaluation.fields(arguments, output, &times)?,
        (Some(output), _) => {
            let mut points = Points::of(arguments, times.first().copied(), &evaluation.model)?;
            let mut writer = TableWriter::create(output, &evaluation.names)?;
            while let Some((_, rows)) = evaluation.next(&mut points)? {
                writer.write_rows(&rows)?;
            }
            writer.finish()?;
            vec![output.display().to_string()]
        }
        (None, _) => {
            let points = Points::of(arguments, times.first().copied(), &evaluation.model)?;
            return evaluation.on_screen(arguments, points, start);
        }
    };
    Ok(evaluation.report(arguments, &files, start))
}

/// The numbers of `--time`.
fn times(text: Option<&str>) -> Result<Vec<f64>, Failure> {
    let number = |part: &str| {
        let found = part.trim().parse::<f64>().ok().filter(|t| t.is_finite());
        found.ok_or_else(|| {
            let message = format!("`--time {part}` cannot be used: expected a number");
            Failure::new(message, "raf eval RUN --grid 200 --time 0.5 -o u.npy")
        })
    };
    text.into_iter()
        .flat_map(|t| t.split(','))
        .map(number)
        .collect()
}

/// Points with their rows.
type Block = (Vec<f64>, Vec<f64>);

/// A model with its columns, and what was counted while they were evaluated.
struct Evaluation {
    model: Model,
    names: Vec<String>,
    programs: Vec<Expressions>,
    points: usize,
    outside: usize,
}

impl Evaluation {
    fn new(model: Model, columns: Vec<(String, Expr)>) -> Result<Self, Failure> {
        let (names, texts): (Vec<String>, Vec<Expr>) = columns.into_iter().unzip();
        Ok(Self {
            programs: programs(&model, &texts)?,
            model,
            names,
            points: 0,
            outside: 0,
        })
    }

    /// The next block of points with its rows; none at the end.
    fn next(&mut self, points: &mut Points) -> Result<Option<Block>, Failure> {
        let most = (BLOCK_NUMBERS / self.names.len().max(1)).clamp(1, BLOCK);
        let block = points.next_block(most)?;
        if block.is_empty() {
            return Ok(None);
        }
        let rows = rows(&mut self.programs, &self.model, &block, self.names.len())?;
        let places = block.chunks_exact(self.model.dimension());
        self.points += places.len();
        self.outside += places.filter(|point| !self.model.contains(point)).count();
        Ok(Some((block, rows)))
    }

    /// A small table: coordinates, then the columns.
    fn on_screen(
        mut self,
        arguments: &Arguments,
        mut points: Points,
        start: Instant,
    ) -> Result<Report, Failure> {
        let d = self.model.dimension();
        let head: Vec<String> = self
            .model
            .parts()
            .coordinates
            .iter()
            .chain(&self.names)
            .cloned()
            .collect();
        let mut table: Vec<Vec<f64>> = Vec::new();
        while let Some((block, rows)) = self.next(&mut points)? {
            if self.points > ON_SCREEN {
                let message = format!("more than {ON_SCREEN} points are too many for the screen");
                return Err(Failure::new(
                    message,
                    "pass `-o values.csv` or `-o values.npy`",
                ));
            }
            let pairs = block
                .chunks_exact(d)
                .zip(rows.chunks_exact(self.names.len()));
            table.extend(pairs.map(|(point, row)| [point, row].concat()));
        }
        let mut text = String::new();
        let cells: Vec<Vec<String>> = table
            .iter()
            .map(|row| {
                row.iter()
                    .enumerate()
                    .map(|(k, v)| if k < d { v.to_string() } else { digits(*v) })
                    .collect()
            })
            .collect();
        let width = |k: usize| {
            cells
                .iter()
                .map(|row| row[k].len())
                .chain([head[k].chars().count()])
                .max()
                .unwrap_or(0)
        };
        let widths: Vec<usize> = (0..head.len()).map(width).collect();
        for row in [&head].into_iter().chain(&cells) {
            let shown: Vec<String> = row
                .iter()
                .zip(&widths)
                .map(|(cell, w)| format!("{cell:>w$}"))
                .collect();
            let _ = writeln!(text, "{}", shown.join("  "));
        }
        if self.outside > 0 {
            let _ = writeln!(
                text,
                "\n{} outside the domain, where the model says nothing (NaN)",
                self.outside
            );
        }
        let finite = |v: &f64| v.is_finite().then_some(*v);
        let values: Vec<Vec<Option<f64>>> = table
            .iter()
            .map(|row| row[d..].iter().map(finite).collect())
            .collect();
        let at: Vec<&[f64]> = table.iter().map(|row| &row[..d]).collect();
        let mut report = self.report(arguments, &[], start);
        report.json["at"] = json!(at);
        report.json["values"] = json!(values);
        Ok(Report { text, ..report })
    }

    /// Grids for ParaView, one or one for each time.
    fn fields(
        &mut self,
        arguments: &Arguments,
        output: &Path,
        times: &[f64],
    ) -> Result<Vec<String>, Failure> {
        let list = output
            .extension()
            .is_some_and(|e| e.eq_ignore_ascii_case("pvd"));
        let Some(sizes) = &arguments.grid else {
            let message = "a .vtu is written of a grid";
            return Err(Failure::new(
                message,
                "pass `--grid 200x200` in the place of `--at`",
            ));
        };
        if list && times.is_empty() {
            let message = "a .pvd lists grids at several times";
            return Err(Failure::new(
                message,
                "pass `--time 0,0.5,1`, or `-o NAME.vtu` for one grid",
            ));
        }
        let each: Vec<Option<f64>> = if times.is_empty() {
            vec![None]
        } else {
            times.iter().copied().map(Some).collect()
        };
        // checked before anything is written
        let grids = each.iter().map(|time| Grid::new(sizes, *time, &self.model));
        let grids = grids.collect::<Result<Vec<Grid>, Failure>>()?;
        let free = grids[0].free();
        if !(1..=3).contains(&free.len()) {
            let message = format!(
                "a .vtu has one to three axes, and this grid has {}",
                free.len()
            );
            return Err(Failure::new(
                message,
                "give the others one point: `--grid 50x50x50x1`",
            ));
        }
        let sizes: Vec<usize> = free.iter().map(|(_, n)| *n).collect();
        let n: usize = sizes.iter().product();
        let numbers = self.names.len() + self.model.dimension() + 12;
        rafnet_memory::require(format_args!("a grid of {n} points"), &[n, numbers, 8])
            .map_err(|e| Failure::new(e.to_string(), "take a coarser grid"))?;
        let mut names = vec![output.to_owned()];
        if list {
            names = vtu::write_list(output, times)?;
        }
        for (grid, name) in grids.into_iter().zip(&names) {
            let mut points = Points::Grid(grid);
            let (mut places, mut inside, mut rows) = (Vec::new(), Vec::new(), Vec::new());
            while let Some((block, values)) = self.next(&mut points)? {
                for point in block.chunks_exact(self.model.dimension()) {
                    places.extend(free.iter().map(|(axis, _)| point[*axis]));
                    inside.push(self.model.contains(point));
                }
                rows.extend(values);
            }
            let field = vtu::Field {
                sizes: &sizes,
                places: &places,
                inside: &inside,
                names: &self.names,
                rows: &rows,
            };
            vtu::write(name, &field)?;
        }
        let list = list.then(|| output.to_owned());
        Ok(list
            .iter()
            .chain(&names)
            .map(|name| name.display().to_string())
            .collect())
    }

    fn report(&self, arguments: &Arguments, files: &[String], start: Instant) -> Report {
        let seconds = start.elapsed().as_secs_f64();
        let note = match self.outside {
            0 => String::new(),
            n => format!(", {n} of them outside the domain (NaN)"),
        };
        let output = files.first().cloned();
        let more = match files.len() {
            0 | 1 => String::new(),
            n => format!(" and {} more files", n - 1),
        };
        Report {
            text: format!(
                "{}{more}: {} at {} points{note}, {seconds:.2} s\n",
                output.as_deref().unwrap_or(""),
                self.names.join(", "),
                self.points
            ),
            json: json!({
                "outcome": "done", "model": arguments.model.display().to_string(), "output": output, "points": self.points, "outside": self.outside,
                "columns": self.names, "seconds": seconds, "seed": null, "device": arguments.place.device.name(),
                "precision": self.model.parts().precision.name(), "version": env!("CARGO_PKG_VERSION"),
            }),
            status: 0,
        }
    }
}

/// Points whose values are shown.
const ON_SCREEN: usize = 200;

/// A value with ten digits, which is more than most answers have.
fn digits(value: f64) -> String {
    if value == 0.0 || (1e-3..1e6).contains(&value.abs()) {
        let before = value.abs().max(1.0).log10().floor();
        let after = (0..10_u8)
            .rev()
            .find(|k| f64::from(*k) <= 9.0 - before)
            .unwrap_or(0);
        let after = usize::from(after);
        return format!("{value:.after$}");
    }
    format!("{value:.9e}")
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
    /// What is left of those on the command line.
    Written(Vec<f64>),
}

impl Points {
    fn of(arguments: &Arguments, time: Option<f64>, model: &Model) -> Result<Self, Failure> {
        Ok(match (&arguments.grid, &arguments.at) {
            (Some(sizes), _) => Self::Grid(Grid::new(sizes, time, model)?),
            (None, Some(at)) if at.contains('=') && !Path::new(at).exists() => {
                Self::Written(written::points(at, model)?)
            }
            (None, Some(at)) => {
                let file = PointsFile::open(Path::new(at), &model.parts().coordinates)?;
                Self::File(Box::new(file))
            }
            (None, None) => unreachable!("the parser asks for one of them"),
        })
    }

    fn next_block(&mut self, most: usize) -> Result<Vec<f64>, Failure> {
        match self {
            Self::File(file) => file.next_block(most),
            Self::Grid(grid) => Ok(grid.next_block(most)),
            Self::Written(points) => Ok(std::mem::take(points)),
        }
    }
}
