//! `ntk`: the tangent kernel of a problem's residuals.

use crate::devices;
use crate::errors::Refused;
use crate::model::Model;
use crate::numbers::{given, taken};
use crate::problem::Problem;
use crate::watch::watched;
use pyo3::prelude::*;
use pyo3::types::PyByteArray;
use rafnet::ntk::{Mode, NtkError, Settings, Tangent};
use rafnet::solve::Options;

/// Eigenvalues, condition number and effective rank; the kernel and its size where it was asked for.
type Answer<'py> = (
    Bound<'py, PyByteArray>,
    Option<f64>,
    f64,
    Option<Bound<'py, PyByteArray>>,
    usize,
);

fn refused(error: &NtkError) -> Refused {
    Refused::new("SolveError", error.to_string())
}

/// The kernel of a fresh network, or of a model, with the options of a solution by name and text.
#[pyfunction]
#[pyo3(signature = (problem, options, gaussian_width, mode, model=None, points=None, kernel=false))]
#[expect(clippy::too_many_arguments, reason = "Python passes them by name")]
pub(crate) fn ntk<'py>(
    py: Python<'py>,
    problem: &Problem,
    options: Vec<(String, String)>,
    gaussian_width: Option<f64>,
    mode: &str,
    model: Option<&Model>,
    points: Option<&Bound<'py, PyAny>>,
    kernel: bool,
) -> PyResult<Answer<'py>> {
    let mut asked = Options {
        devices: devices::all(),
        ..Options::default()
    };
    let from_file = ["activation", "width", "depth", "init_scale", "seed"];
    let in_file = problem.inner.options.iter();
    let in_file = in_file.filter(|(name, _)| from_file.contains(&name.as_str()));
    for (name, text) in in_file.chain(&options) {
        asked.set(name, text).map_err(Refused::from)?;
    }
    devices::usable(asked.device)?;
    let mode = Mode::named(mode).ok_or_else(|| {
        Refused::new(
            "OptionError",
            format!("mode={mode} cannot be used: expected f64-svd or f32-theta"),
        )
    })?;
    let usual = Settings::default();
    let settings = Settings {
        activation: asked.activation.clone(),
        width: asked.width,
        depth: asked.depth,
        gaussian_width: gaussian_width.unwrap_or(usual.gaussian_width),
        init_scale: asked.init_scale.unwrap_or(usual.init_scale),
        points: asked.points.unwrap_or(usual.points),
        boundary_points: asked.boundary_points,
        seed: asked.seed,
        threads: asked.threads(),
        device: asked.device,
    };
    let model = model.map(Model::plain);
    let points = points.map(taken).transpose()?;
    let problem = problem.inner.clone();
    let ended = watched(py, None, move |_| {
        let mut tangent = match &model {
            Some(model) => Tangent::of_model(&problem, &settings, model)?,
            None => Tangent::new(&problem, &settings)?,
        };
        if let Some(points) = &points {
            tangent = tangent.at(points)?;
        }
        let spectrum = tangent.spectrum(mode)?;
        let gram = if kernel { Some(tangent.gram()?) } else { None };
        Ok::<_, NtkError>((spectrum, gram))
    })?;
    let (spectrum, gram) = ended.answer.map_err(|e| refused(&e))?;
    if let Some(asked) = ended.asked {
        return Err(asked);
    }
    let kernel = gram.map(|kernel| given(py, &kernel.values)).transpose()?;
    Ok((
        given(py, &spectrum.eigenvalues)?,
        spectrum.condition_number(),
        spectrum.effective_rank(),
        kernel,
        spectrum.n_rows,
    ))
}
