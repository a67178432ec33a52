//! How a run went over its steps and seconds.

use crate::array;
use crate::page::Section;
use crate::run::Run;
use serde_json::json;

/// The columns of `metrics.jsonl` that are curves: key, name, and whether a logarithmic axis suits it.
const COLUMNS: [(&str, &str, bool); 8] = [
    ("residual", "held-out residual", true),
    ("best", "best so far", true),
    ("loss", "loss", true),
    ("relative_l2", "relative L2 error", true),
    ("psnr", "dB at the batch", false),
    ("psnr_heldout", "dB at held-out samples", false),
    ("mse_heldout", "held-out mean square", true),
    ("width", "functions", true),
];

/// Its curves, those that say something.
pub(crate) fn section(run: &Run) -> Option<Section> {
    if run.metrics.len() < 2 {
        return None;
    }
    let column = |key: &str| -> Vec<f64> {
        let of = run.metrics.iter().map(|r| r[key].as_f64());
        of.map(|v| v.unwrap_or(f64::NAN)).collect()
    };
    let decibels = run.metrics.iter().any(|r| r["psnr"].is_number());
    let shown = |(key, _, _): &&(&str, &str, bool)| {
        let values = column(key);
        // of a picture the error is said in dB
        let twice = decibels && matches!(*key, "loss" | "mse_heldout");
        !twice && values.iter().filter(|v| v.is_finite()).count() > 1
    };
    let curves = COLUMNS.iter().filter(shown).map(|(key, name, log)| {
        json!({ "name": name, "key": key, "log": log, "values": array::f32(&column(key)) })
    });
    let curves: Vec<_> = curves.collect();
    if curves.is_empty() {
        return None;
    }
    let lines: Vec<_> = run
        .figure("psnr_bicubic")
        .map(|db| json!({ "name": "bicubic interpolation at held-out pixels", "value": db, "of": "psnr_heldout" }))
        .into_iter()
        .collect();
    let data = json!({
        "step": array::f64(&column("step")), "seconds": array::f32(&column("seconds")), "curves": curves, "lines": lines,
    });
    let text = "Drag to zoom, double-click for the whole; the buttons change the axes.";
    Some(Section::new("curves", "How it went over time", text, data))
}
