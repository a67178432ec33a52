//! The spectra of all activations in one picture, linearised training and the rates of waves in others.

use super::comparison::Compared;
use crate::output::Failure;
use crate::run_folder::RunFolder;
use rafnet_plot::{self as picture, Curve, Plot, PlotError, Scale};
use std::path::PathBuf;

/// Draws what there is and names the files by their key in the report.
pub(super) fn draw(
    problem: &str,
    compared: &[Compared],
    folder: &RunFolder,
) -> Result<Vec<(&'static str, PathBuf)>, Failure> {
    let spectra: Vec<(Vec<f64>, Vec<f64>)> = compared
        .iter()
        .map(|c| {
            let y = c.eigenvalues();
            ((1..=y.len()).map(|k| k as f64).collect(), y)
        })
        .collect();
    let mut drawn = vec![("spectrum", folder.file(super::SPECTRUM))];
    let title = format!("{problem}: eigenvalues of the tangent kernel");
    let labels = ["index", "eigenvalue"];
    picture::convergence(&drawn[0].1, &title, labels, &named(compared, &spectra))
        .map_err(unwritable)?;
    let training: Vec<(Vec<f64>, Vec<f64>)> = compared
        .iter()
        .map(|c| {
            let curve = c.seeds[0].curve.iter();
            curve.map(|[t, loss]| (*t, *loss)).unzip()
        })
        .collect();
    if training.iter().any(|(x, _)| !x.is_empty()) {
        let path = folder.file("linearised.png");
        let title = format!("{problem}: loss of linearised training");
        let plot = Plot {
            curves: &named(compared, &training),
            title: &title,
            labels: ["time of gradient flow", "loss / loss at the start"],
            scales: [Scale::Logarithmic; 2],
        };
        picture::curves(&path, &plot).map_err(unwritable)?;
        drawn.push(("linearised", path));
    }
    let rates: Vec<(Vec<f64>, Vec<f64>)> = compared
        .iter()
        .filter_map(Compared::rates)
        .map(|y| ((0..y.len()).map(|k| k as f64).collect(), y))
        .collect();
    if !rates.is_empty() {
        let path = folder.file("fourier.png");
        let title = format!("{problem}: rates at which waves are learnt");
        let labels = ["periods across the domain", "rate"];
        picture::convergence(&path, &title, labels, &named(compared, &rates))
            .map_err(unwritable)?;
        drawn.push(("fourier", path));
    }
    Ok(drawn)
}

fn named<'a>(compared: &'a [Compared], curves: &'a [(Vec<f64>, Vec<f64>)]) -> Vec<Curve<'a>> {
    let pairs = compared.iter().zip(curves);
    pairs
        .map(|(c, (x, y))| Curve::new(&c.activation, x, y))
        .collect()
}

#[expect(clippy::needless_pass_by_value, reason = "as `map_err` hands it over")]
pub(super) fn unwritable(error: PlotError) -> Failure {
    Failure::new(
        error.to_string(),
        "pass `--out` with a folder that can be written",
    )
}
