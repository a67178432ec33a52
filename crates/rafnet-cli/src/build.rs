//! `raf build`: networks built by hand that reproduce classical approximation tools, with their bound and their measured error.
//!
//! `kinds` holds one kind after the other: its options and what is made of them; this file names the folder, writes the model
//! and what stands beside it, and reports.

mod bandlimited;
mod chebyshev;
mod expand;
mod kinds;
mod piece;
mod polynomial;
mod rbf;
mod values;

use crate::output::{Failure, Report};
use crate::run_folder::RunFolder;
use kinds::{Kind, Made};
use rafnet_theory::{Construction, Form};
use serde_json::{Map, Value, json};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

#[derive(clap::Args)]
#[command(after_help = "Examples:
  raf build polynomial \"x^3*y - 2*x\"
  raf build chebyshev \"exp(x)\" --tolerance 1e-12 --out runs/exp
  raf build gabor --wave 12 --centre 0.5 --sigma 0.1 --json
  raf build expand runs/image/model.safetensors

The model works with `raf eval`. Theorem 1 (Sine-ReLU) has no construction; `raf build sine-relu` has the exact pieces.")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    kind: Kind,
    /// Folder for the model (default: runs/KIND-DATE-TIME)
    #[arg(long, global = true)]
    out: Option<PathBuf>,
    /// Write into a folder that holds another run
    #[arg(long, global = true)]
    force: bool,
    /// Seed of what is drawn at random
    #[arg(long, global = true, default_value_t = 0)]
    seed: u64,
    /// Print one JSON object
    #[arg(long, global = true)]
    pub(crate) json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Report, Failure> {
    let out = arguments
        .out
        .clone()
        .unwrap_or_else(|| RunFolder::usual(arguments.kind.name()));
    let taken = ["model.safetensors", "digits.json"].map(|name| out.join(name).exists());
    if !arguments.force && taken.contains(&true) {
        return Err(Failure {
            message: format!("`{}` holds another run", out.display()),
            hint: "pass `--force` to replace it, or `--out` with another folder".into(),
        });
    }
    match arguments.kind.make(arguments.seed)? {
        Made::Construction { made, extras } => {
            let files = write(&made, &extras.pictures, &out)?;
            Ok(report(&made, extras.json, &files, arguments.seed))
        }
        Made::Expanded { model, max_error } => {
            let folder = RunFolder::create(out, true, false)?;
            let path = folder.file("model.safetensors");
            model.save(&path).map_err(|e| unwritable(&e))?;
            Ok(report_expanded(&model, max_error, &path, arguments.seed))
        }
    }
}

/// What was written.
struct Files {
    /// The model, unless its numbers are beyond f64.
    model: Option<PathBuf>,
    /// Everything else, by its key in the report.
    beside: Vec<(&'static str, PathBuf)>,
}

fn unwritable(error: &dyn std::fmt::Display) -> Failure {
    Failure {
        message: error.to_string(),
        hint: "pass `--out` with a folder that can be written".into(),
    }
}

fn write(
    made: &Construction,
    pictures: &[(&'static str, String)],
    out: &Path,
) -> Result<Files, Failure> {
    let folder = RunFolder::create(out.to_owned(), true, false)?;
    let mut files = Files {
        model: None,
        beside: Vec::new(),
    };
    let mut put = |key: &'static str, name: String, text: &str| {
        folder.write(&name, text.as_bytes())?;
        files.beside.push((key, folder.file(&name)));
        Ok::<(), Failure>(())
    };
    match &made.form {
        Form::Digits { network, .. } => put("digits", "digits.json".into(), &network.to_json())?,
        Form::Complex { network, .. } => put("complex", "complex.json".into(), &network.to_json())?,
        Form::Real(_) => {}
    }
    for (name, svg) in pictures {
        put("diagram", format!("{name}.svg"), svg)?;
    }
    if !matches!(&made.form, Form::Digits { real: None, .. }) {
        let model = made.to_model().map_err(|e| Failure {
            message: e.to_string(),
            hint: e.hint(),
        })?;
        let path = out.join("model.safetensors");
        model.save(&path).map_err(|e| unwritable(&e))?;
        files.model = Some(path);
    }
    Ok(files)
}

fn report(made: &Construction, more: Map<String, Value>, files: &Files, seed: u64) -> Report {
    let mut text = String::new();
    let mut line = |name: &str, value: &str| {
        let _ = writeln!(text, "  {name:<17} {value}");
    };
    line("width", &made.width().to_string());
    line("depth", &made.depth().to_string());
    line("neurons", &made.neurons().to_string());
    line(
        "parameters",
        &format!("{}, {} of them not zero", made.parameters(), made.nonzero()),
    );
    if let Some(stated) = made.statement {
        let text = format!(
            "width {}, depth {}, {} parameters",
            stated.width, stated.depth, stated.parameters
        );
        line("as stated", &text);
    }
    let bound = made.bound;
    let origin = bound.origin.name();
    line(
        "bound",
        &format!(
            "{} ({origin}), and {} for rounding",
            figure(bound.value),
            figure(bound.rounding)
        ),
    );
    line(
        "measured",
        &format!("{} at most on {}", figure(made.max_error), domain(made)),
    );
    for (name, value) in &made.figures {
        line(name, &figure(*value));
    }
    for (name, value) in &more {
        line(name, &plain(value));
    }
    for note in &made.notes {
        line("note", note);
    }
    for (key, path) in &files.beside {
        line(key, &path.display().to_string());
    }
    match &files.model {
        Some(path) => line("model", &path.display().to_string()),
        None => line("model", "none: its numbers are beyond f64, see the digits"),
    }
    let finite = |v: f64| v.is_finite().then_some(v);
    let mut json = json!({
        "outcome": "done", "kind": made.kind, "width": made.width(), "depth": made.depth(), "parameters": made.parameters(),
        "neurons": made.neurons(), "nonzero": made.nonzero(), "bound": finite(bound.value), "bound_origin": origin,
        "rounding": finite(bound.rounding), "max_error": finite(made.max_error),
        "stated_width": made.statement.map(|s| s.width), "stated_depth": made.statement.map(|s| s.depth),
        "stated_parameters": made.statement.map(|s| s.parameters), "notes": made.notes, "model": files.model,
        "seed": seed, "device": "cpu", "precision": "f64", "version": env!("CARGO_PKG_VERSION"),
    });
    if let Value::Object(object) = &mut json {
        let figures = made.figures.iter();
        object.extend(figures.map(|(name, value)| ((*name).to_owned(), json!(finite(*value)))));
        object.extend(more);
        let beside = files.beside.iter();
        object.extend(beside.map(|(key, path)| ((*key).to_owned(), json!(path))));
    }
    Report {
        text: format!("{}\n{text}", made.kind),
        json,
        status: 0,
    }
}

/// A number as people read it.
fn figure(value: f64) -> String {
    let whole = value.fract() == 0.0 && value.abs() < 1e6;
    if whole {
        value.to_string()
    } else {
        format!("{value:.3e}")
    }
}

/// JSON without its brackets and quotes.
fn plain(value: &Value) -> String {
    match value {
        Value::Object(object) => {
            let pairs = object
                .iter()
                .map(|(key, value)| format!("{key} {}", plain(value)));
            pairs.collect::<Vec<_>>().join(", ")
        }
        Value::Array(rows) => {
            let rows: Vec<String> = rows.iter().map(plain).collect();
            rows.join("; ")
        }
        Value::Number(number) => number.as_f64().map_or_else(|| number.to_string(), figure),
        other => other.to_string(),
    }
}

/// The box of the measurement, as intervals.
fn domain(made: &Construction) -> String {
    let text = |[low, high]: &[f64; 2]| format!("[{low:.4}, {high:.4}]");
    match made.measured_on.as_slice() {
        [first, rest @ ..] if !rest.is_empty() && rest.iter().all(|b| text(b) == text(first)) => {
            format!("{}^{}", text(first), 1 + rest.len())
        }
        all => all.iter().map(text).collect::<Vec<_>>().join(" x "),
    }
}

fn report_expanded(model: &rafnet::Model, max_error: f64, path: &Path, seed: u64) -> Report {
    let network = &model.parts().network;
    let hidden = &network.layers()[..network.layers().len() - 1];
    let widths: Vec<usize> = hidden.iter().map(|l| l.width).collect();
    let width = widths.iter().max().copied().unwrap_or(0);
    let neurons = widths.iter().sum::<usize>();
    let text = format!(
        "expand
  width             {width}
  depth             {}
  neurons           {neurons}
  parameters        {}
  \
         measured          {} at most from the network as it was
  model             {}
",
        widths.len(),
        network.n_parameters(),
        figure(max_error),
        path.display()
    );
    let json = json!({
        "outcome": "done", "kind": "expand", "width": width, "depth": widths.len(), "parameters": network.n_parameters(),
        "neurons": neurons, "bound": 0.0, "bound_origin": "exact", "max_error": max_error, "model": path,
        "seed": seed, "device": "cpu", "precision": "f64", "version": env!("CARGO_PKG_VERSION"),
    });
    Report {
        text,
        json,
        status: 0,
    }
}
