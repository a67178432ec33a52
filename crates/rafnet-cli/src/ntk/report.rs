//! The figures of the kernels, for people and for programs.

use super::comparison::{Compared, Seeded};
use crate::output::Report;
use crate::spread::Spread;
use rafnet::engine::Device;
use rafnet::ntk::{Mode, TermWeight};
use serde_json::{Map, Value, json};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// What all kernels share.
pub(super) struct About<'a> {
    pub(super) problem: &'a str,
    pub(super) mode: Mode,
    pub(super) device: Device,
    pub(super) seed: u64,
    pub(super) seeds: u64,
    pub(super) seconds: f64,
    pub(super) pictures: &'a [(&'static str, PathBuf)],
    /// Where the kernel was written.
    pub(super) kernel: Option<&'a Path>,
}

pub(super) fn report(about: &About<'_>, compared: &[Compared]) -> Report {
    Report {
        text: text(about, compared),
        json: object(about, compared),
        status: 0,
    }
}

fn text(about: &About<'_>, compared: &[Compared]) -> String {
    let first = &compared[0].seeds[0];
    let seeds = match about.seeds {
        1 => String::new(),
        n => format!(", median of {n} seeds"),
    };
    let mut text = format!(
        "{}: {} residuals, {} parameters{seeds}, {:.1} s\n",
        about.problem, first.spectrum.n_rows, first.n_columns, about.seconds
    );
    let widths = compared.iter().map(|c| c.activation.chars().count());
    let width = widths.max().unwrap_or(0).max("activation".len());
    let _ = writeln!(
        text,
        "  {:<width$}  condition number   effective rank",
        "activation"
    );
    for c in compared {
        let (condition, rank) = (c.condition_number(), c.effective_rank());
        let number = |v: f64| {
            if v.is_finite() {
                format!("{v:.2e}")
            } else {
                "singular".into()
            }
        };
        let _ = write!(
            text,
            "  {:<width$}  {:<17}  {:<6.2}",
            c.activation,
            number(condition.median),
            rank.median
        );
        if about.seeds > 1 {
            let _ = write!(
                text,
                "  {} to {}",
                number(condition.least),
                number(condition.greatest)
            );
        }
        match c.singular() {
            0 => {}
            n if n == c.seeds.len() => text.push_str("  singular to rounding"),
            n => {
                let _ = write!(text, "  singular to rounding at {n} seeds");
            }
        }
        text.push('\n');
    }
    write_weights(&mut text, compared, width);
    write_rates(&mut text, compared, width);
    let _ = writeln!(
        text,
        "  found by {} with {:.0} MB of matrices",
        first.spectrum.way.name(),
        first.bytes as f64 / 1e6
    );
    if about.mode == Mode::F32Theta {
        text.push_str(
            "  beyond 1e7 rounding may decide such a condition number; compare with `--mode f64-svd`\n",
        );
    }
    let pictures = about.pictures.iter().map(|(_, path)| path.as_path());
    for path in about.kernel.into_iter().chain(pictures) {
        let _ = writeln!(text, "  {}", path.display());
    }
    text
}

/// The weight of each term, where there are several.
fn write_weights(text: &mut String, compared: &[Compared], width: usize) {
    if compared[0].seeds[0].terms.len() > 1 {
        text.push_str("  weights from the traces\n");
        for c in compared {
            let weight = |t: &TermWeight| {
                let weight = t.weight.map_or("none".into(), |w| format!("{w:.3e}"));
                format!("{} {weight}", t.name)
            };
            let weights: Vec<String> = c.seeds[0].terms.iter().map(weight).collect();
            let _ = writeln!(text, "  {:<width$}  {}", c.activation, weights.join(", "));
        }
    }
}

/// The rates at which waves are learnt, of some numbers of periods.
fn write_rates(text: &mut String, compared: &[Compared], width: usize) {
    if let Some(rates) = compared[0].rates() {
        let shown = || (0..rates.len()).filter(|m| *m < 2 || m.is_power_of_two());
        let _ = write!(text, "  {:<width$}", "periods");
        for m in shown() {
            let _ = write!(text, "  {m:<8}");
        }
        text.push('\n');
        for c in compared {
            let rates = c.rates().unwrap_or_default();
            let _ = write!(text, "  {:<width$}", c.activation);
            for m in shown() {
                let _ = write!(text, "  {:<8.2e}", rates[m]);
            }
            text.push('\n');
        }
    }
}

fn object(about: &About<'_>, compared: &[Compared]) -> Value {
    let first = &compared[0].seeds[0];
    let pictures: Map<String, Value> = about
        .pictures
        .iter()
        .map(|(key, path)| ((*key).to_owned(), json!(path.display().to_string())))
        .collect();
    let kernels: Vec<Value> = compared.iter().map(kernel).collect();
    json!({
        "outcome": "done",
        "problem": about.problem,
        "kernels": kernels,
        "mode": about.mode.name(),
        "way": first.spectrum.way.name(),
        "points": first.n_points,
        "residuals": first.spectrum.n_rows,
        "seeds": about.seeds,
        "seconds": about.seconds,
        "matrix_bytes": first.bytes,
        "peak_rss_mb": crate::bench::memory::peak_mb(),
        "kernel": about.kernel.map(|path| path.display().to_string()),
        "pictures": pictures,
        "seed": about.seed,
        "device": about.device.name(),
        "precision": "f64",
        "version": env!("CARGO_PKG_VERSION"),
    })
}

fn kernel(c: &Compared) -> Value {
    let finite = |v: f64| v.is_finite().then_some(v);
    let spread = |s: &Spread| json!([finite(s.least), finite(s.greatest)]);
    let (condition, rank) = (c.condition_number(), c.effective_rank());
    let by_seed = |s: &Seeded| {
        json!({
            "seed": s.seed,
            "condition_number": s.spectrum.condition_number(),
            "effective_rank": s.spectrum.effective_rank(),
            "numerically_singular": s.spectrum.numerically_singular(),
        })
    };
    let terms: Vec<Value> = c.seeds[0]
        .terms
        .iter()
        .map(|t| json!({ "term": t.name, "rows": t.n_rows, "trace": t.trace, "weight": t.weight }))
        .collect();
    let mut object = json!({
        "activation": c.activation,
        "condition_number": finite(condition.median),
        "effective_rank": rank.median,
        "condition_number_range": spread(&condition),
        "effective_rank_range": spread(&rank),
        "numerically_singular": 2 * c.singular() > c.seeds.len(),
        "parameters": c.seeds[0].n_columns,
        "terms": terms,
        "by_seed": c.seeds.iter().map(by_seed).collect::<Vec<Value>>(),
        "eigenvalues": c.eigenvalues(),
    });
    if !c.seeds[0].curve.is_empty() {
        let (t, loss): (Vec<f64>, Vec<f64>) = c.seeds[0].curve.iter().map(|p| (p[0], p[1])).unzip();
        object["linearised"] = json!({ "time": t, "relative_loss": loss });
    }
    if let Some(rates) = c.rates() {
        let trace: f64 = c.seeds[0]
            .terms
            .iter()
            .take(1)
            .map(|t| t.trace / t.n_rows as f64)
            .sum();
        let periods: Vec<usize> = (0..rates.len()).collect();
        object["fourier"] = json!({ "periods": periods, "rate": rates, "mean_eigenvalue": trace });
    }
    object
}
