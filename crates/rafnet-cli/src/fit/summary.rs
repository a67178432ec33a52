//! One table and one picture of many runs.

use crate::interrupt;
use crate::output::{Failure, Report, said_only};
use crate::run_folder::{self, unwritable};
use crate::spread::Spread;
use rafnet::model::AtomicFile;
use rafnet_plot::{self as picture, Curve, Plot, Scale};
use rafnet_table::quoted;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// The columns of `summary.csv`.
const COLUMNS: [&str; 8] = [
    "file",
    "activation",
    "seed",
    "psnr",
    "ssim",
    "psnr_heldout",
    "seconds",
    "parameters",
];

/// Writes `summary.csv` and `comparison.png`, and says what is in them.
pub(super) fn summarise(out: &Path, names: &[PathBuf], results: &[Option<Value>]) -> Report {
    let cell = |value: &Value| match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let mut csv = COLUMNS.join(",") + "\n";
    let found: Vec<&Value> = results.iter().flatten().collect();
    for result in &found {
        let row = COLUMNS.iter().map(|c| cell(&result[*c]));
        let row: Vec<String> = row.map(|cell| quoted(&cell).into_owned()).collect();
        csv += &(row.join(",") + "\n");
    }
    let path = out.join("summary.csv");
    let write = || {
        let mut file = AtomicFile::create(&path)?;
        file.write_all(csv.as_bytes())?;
        file.commit()
    };
    said_only(write().map_err(|e| unwritable(out, &e)));
    said_only(comparison(out, names, results));
    let mut text = format!(
        "{:<24} {:<16} {:>6} {:>10} {:>10} {:>9}\n",
        "file", "activation", "seed", "dB", "between", "seconds"
    );
    for result in &found {
        let number = |key: &str, digits: usize| {
            result[key]
                .as_f64()
                .map_or_else(|| "-".to_owned(), |v| format!("{v:.digits$}"))
        };
        let name = cell(&result["file"]);
        let short = Path::new(&name)
            .file_name()
            .map_or(name.clone(), |n| n.to_string_lossy().into_owned());
        let _ = writeln!(
            text,
            "{short:<24} {:<16} {:>6} {:>10} {:>10} {:>9}",
            cell(&result["activation"]),
            cell(&result["seed"]),
            number("psnr", 2),
            number("psnr_heldout", 2),
            number("seconds", 1)
        );
    }
    let _ = writeln!(text, "\n{}", path.display());
    let missing = results.len() - found.len();
    if missing > 0 {
        let _ = writeln!(
            text,
            "{missing} of {} runs are not finished; the same command goes on with them",
            results.len()
        );
    }
    Report {
        text,
        json: json!({
            "outcome": if missing > 0 { "stopped" } else { "done" }, "summary": path.display().to_string(), "runs": found,
            "version": env!("CARGO_PKG_VERSION"),
        }),
        status: if missing > 0 { interrupt::status() } else { 0 },
    }
}

/// One curve for each activation: the median over its runs, between its least and its best.
fn comparison(out: &Path, names: &[PathBuf], results: &[Option<Value>]) -> Result<(), Failure> {
    let mut groups: Vec<(String, Vec<Vec<[f64; 2]>>)> = Vec::new();
    for (folder, result) in names.iter().zip(results) {
        let Some(result) = result else { continue };
        let label = result["activation"].as_str().unwrap_or("").to_owned();
        let curve = run_folder::curve(folder, |record| {
            Some([record["step"].as_f64()?, record["psnr"].as_f64()?])
        });
        match groups.iter_mut().find(|g| g.0 == label) {
            Some(group) => group.1.push(curve),
            None => groups.push((label, vec![curve])),
        }
    }
    let mut shown: Vec<(String, Vec<f64>, [Vec<f64>; 3])> = Vec::new();
    for (label, curves) in groups {
        let length = curves.iter().map(Vec::len).min().unwrap_or(0);
        let every = length.div_ceil(500).max(1);
        let places: Vec<usize> = (0..length).step_by(every).collect();
        let x: Vec<f64> = places.iter().map(|k| curves[0][*k][0]).collect();
        let at = |k: &usize| Spread::of(curves.iter().map(|c| c[*k][1]));
        let spreads: Vec<Spread> = places.iter().filter_map(at).collect();
        shown.push((label, x, Spread::curves(&spreads)));
    }
    shown.retain(|s| s.1.len() > 1);
    if shown.is_empty() {
        return Ok(());
    }
    let curves: Vec<Curve<'_>> = shown
        .iter()
        .map(|(name, x, [low, median, high])| Curve::new(name, x, median).with_band(low, high))
        .collect();
    let plot = Plot {
        curves: &curves,
        title: "quality over the steps",
        labels: ["step", "dB at the batch"],
        scales: [Scale::Linear; 2],
    };
    let hint = "pass `--out` with a folder that can be written";
    picture::curves(&out.join("comparison.png"), &plot)
        .map_err(|e| Failure::new(e.to_string(), hint))
}
