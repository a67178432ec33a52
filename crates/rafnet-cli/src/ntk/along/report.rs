//! The moments of a run for people, for programs, and as a picture.

use super::Moment;
use crate::ntk::pictures::unwritable;
use crate::output::Failure;
use crate::run_folder::RunFolder;
use rafnet_plot::{self as picture, Curve, Plot, Scale};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// The frequencies that people are shown: 0, 1, 2, 4, 8, …
fn shown(moments: &[Moment]) -> Vec<usize> {
    let n = moments[0].by_frequency.len();
    (0..n).filter(|m| *m < 2 || m.is_power_of_two()).collect()
}

pub(super) fn draw(
    problem: &str,
    moments: &[Moment],
    folder: &RunFolder,
) -> Result<PathBuf, Failure> {
    let steps: Vec<f64> = moments.iter().map(|m| m.step as f64).collect();
    let shown = shown(moments);
    let names: Vec<String> = shown.iter().map(|m| format!("{m} periods")).collect();
    let errors: Vec<Vec<f64>> = shown
        .iter()
        .map(|&f| moments.iter().map(|m| m.by_frequency[f]).collect())
        .collect();
    let curves: Vec<Curve<'_>> = names
        .iter()
        .zip(&errors)
        .map(|(name, y)| Curve::new(name, &steps, y))
        .collect();
    let path = folder.file("frequencies.png");
    let title = format!("{problem}: error by frequency");
    let plot = Plot {
        curves: &curves,
        title: &title,
        labels: ["step", "rms error"],
        scales: [Scale::Logarithmic; 2],
    };
    picture::curves(&path, &plot).map_err(unwritable)?;
    Ok(path)
}

pub(super) fn text(problem: &str, moments: &[Moment], against: &str, picture: &Path) -> String {
    let shown = shown(moments);
    let mut text = format!(
        "{problem}: rms error against the {against}, all of it and by periods across the domain\n"
    );
    let _ = write!(text, "  {:<8}  condition  rank    error   ", "step");
    for m in &shown {
        let _ = write!(text, "  {m:<8}");
    }
    text.push('\n');
    for m in moments {
        let condition = m
            .spectrum
            .condition_number()
            .map_or("singular".into(), |c| format!("{c:.2e}"));
        let rank = m.spectrum.effective_rank();
        let _ = write!(
            text,
            "  {:<8}  {condition:<9}  {rank:<6.2}  {:.2e}",
            m.step, m.error
        );
        for f in &shown {
            let _ = write!(text, "  {:.2e}", m.by_frequency[*f]);
        }
        text.push('\n');
    }
    let _ = writeln!(text, "  {}", picture.display());
    text
}

pub(super) fn object(m: &Moment) -> Value {
    json!({
        "step": m.step, "rms_error": m.error, "condition_number": m.spectrum.condition_number(),
        "effective_rank": m.spectrum.effective_rank(), "numerically_singular": m.spectrum.numerically_singular(),
        "error": m.by_frequency, "rate": m.rates,
    })
}
