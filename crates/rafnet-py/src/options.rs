//! The library's tables of options, for the documentation in Python.

use pyo3::prelude::*;
use rafnet::fit::FIT_OPTIONS;
use rafnet::problem::SOLVER_OPTIONS;

/// Names of the options of a solution, and what they do.
#[pyfunction]
pub(crate) fn solver_options() -> Vec<(String, &'static str)> {
    let rows = SOLVER_OPTIONS.iter();
    rows.map(|option| (option.key(), option.help)).collect()
}

/// Names of the options of a fit, and what they do.
#[pyfunction]
pub(crate) fn fit_options() -> Vec<(String, &'static str)> {
    let rows = FIT_OPTIONS.iter();
    rows.map(|option| (option.name.replace('-', "_"), option.help))
        .collect()
}
