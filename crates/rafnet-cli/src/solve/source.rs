//! The problem that is asked for: a file or a built-in one, with the values that `--set` gives its parameters.

use super::parameter::Sweep;
use crate::output::Failure;
use rafnet::problem::Problem;
use std::path::Path;

/// The problem with other values for its parameters, each given as NAME=VALUE.
pub(super) fn with_values(problem: Problem, set: &[String]) -> Result<Problem, Failure> {
    let with = |problem: Problem, given: &String| {
        let sweep = Sweep::read(given)?;
        Ok(problem.with(&sweep.name, &sweep.values[0])?)
    };
    set.iter().try_fold(problem, with)
}

/// A problem by its file or, where that is none, by its built-in name.
pub(crate) fn named(name: &Path) -> Result<Problem, Failure> {
    let problem = if is_file(name) {
        Problem::from_file(name)
    } else {
        Problem::builtin(&name.display().to_string())
    };
    problem.map_err(Failure::from)
}

fn is_file(name: &Path) -> bool {
    name.extension().is_some_and(|e| e == "toml") || name.is_file()
}
