//! `solve`: from a problem to models and figures.

use crate::devices;
use crate::errors::Refused;
use crate::model::Model;
use crate::problem::Problem;
use crate::watch::watched;
use pyo3::prelude::*;
use rafnet::solve::{Options, SolveError};
use std::path::Path;

/// What a run came to: figures as JSON, models by the names of their files, whether it succeeded, and what asked it to stop.
type Answer = (String, Vec<(String, Model)>, bool, Option<PyErr>);

/// Solves a problem with options by name and text.
#[pyfunction]
#[pyo3(signature = (problem, options, told=None))]
pub(crate) fn solve(
    py: Python<'_>,
    problem: &Problem,
    options: Vec<(String, String)>,
    told: Option<&Bound<'_, PyAny>>,
) -> PyResult<Answer> {
    let problem = problem.inner.clone();
    let given: Vec<(&str, &str)> = options.iter().map(|(n, t)| (&**n, &**t)).collect();
    let options = Options::asked(&problem, &given, devices::all()).map_err(Refused::from)?;
    devices::usable(options.device)?;
    let ended = watched(py, told, move |watch| {
        problem.solve_from(&options, None, watch)
    })?;
    let solved = match (ended.answer, ended.asked) {
        (Err(SolveError::Stopped { .. }), asked @ Some(_)) => {
            return Ok((String::new(), Vec::new(), false, asked));
        }
        (Err(error), _) => return Err(Refused::from(error).into()),
        (Ok(solved), asked) => (solved, asked),
    };
    let (solved, asked) = solved;
    let json = solved.to_json(Some(Path::new(""))).to_string();
    let models = solved.models().into_iter();
    let models = models.map(|(name, model)| (name, Model::new(model.clone())));
    Ok((json, models.collect(), solved.succeeded(), asked))
}
