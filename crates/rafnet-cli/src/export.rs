//! `raf export`: a model for other runtimes, as an ONNX file with the inputs and outputs of `raf eval`.

use crate::eval::unusable;
use crate::named_model;
use crate::output::{Failure, Report};
use rafnet::model::{AtomicFile, Model, Onnx};
use serde_json::json;
use std::io::Write;
use std::path::{Path, PathBuf};

#[derive(clap::Args)]
#[command(after_help = "Examples:
  raf export runs/heat --to onnx
  raf export model.safetensors --to onnx -o u.onnx

The file takes `points`, one row of coordinates a point, and gives `values`, one row of unknowns a point, in the model's
precision; NaN outside the domain. docs/guide/other-runtimes.md shows how to use it.")]
pub(crate) struct Arguments {
    /// The folder of a run, or a model file (.safetensors)
    model: PathBuf,
    /// What to write
    #[arg(long, value_enum)]
    to: Format,
    /// Where it goes (default: beside the model, ending in .onnx)
    #[arg(short, long)]
    output: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    Onnx,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Report, Failure> {
    let Format::Onnx = arguments.to;
    let output = arguments.output.clone().unwrap_or_else(|| {
        let folder = arguments.model.is_dir();
        let model = folder.then(|| arguments.model.join(Model::FILE));
        let model = model.as_ref().unwrap_or(&arguments.model);
        model.with_extension("onnx")
    });
    if output.extension().is_none_or(|ending| ending != "onnx") {
        return Err(Failure::new(
            format!("`-o {}` does not end in .onnx", output.display()),
            format!("pass `-o {}`", output.with_extension("onnx").display()),
        ));
    }
    let model = Model::load(named_model::file(&arguments.model)?).map_err(|e| unusable(&e))?;
    let parts = model.parts();
    let onnx = model.to_onnx().map_err(|e| {
        Failure::new(
            e.to_string(),
            "export a smaller model, or read the tensors with a safetensors package",
        )
    })?;
    write(&output, &onnx.bytes)?;
    let names: Vec<&str> = parts.outputs.iter().map(|o| o.name.as_str()).collect();
    let (precision, size) = (parts.precision.name(), onnx.bytes.len());
    Ok(Report {
        text: format!(
            "{}: ({}) -> ({}), {precision}, {} nodes, {size} bytes\n",
            output.display(),
            parts.coordinates.join(", "),
            names.join(", "),
            onnx.nodes
        ),
        json: json!({
            "outcome": "done", "model": arguments.model.display().to_string(), "to": "onnx",
            "output": output.display().to_string(), "inputs": { Onnx::INPUT: parts.coordinates },
            "outputs": { Onnx::OUTPUT: names }, "opset": Onnx::OPERATORS, "nodes": onnx.nodes, "bytes": size,
            "seed": null, "device": "cpu", "precision": precision, "version": env!("CARGO_PKG_VERSION"),
        }),
        status: 0,
    })
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let write = || {
        let mut file = AtomicFile::create(path)?;
        file.write_all(bytes)?;
        file.commit()
    };
    write().map_err(|e| {
        Failure::new(
            format!("cannot write `{}`: {e}", path.display()),
            "pass `-o` with a file in a folder that exists and can be written",
        )
    })
}
