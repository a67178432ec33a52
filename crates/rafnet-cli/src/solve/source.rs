//! The problem that is asked for: a file or a built-in one, with the values that `--set` gives its parameters.

use super::parameter::{self, Sweep};
use crate::output::Failure;
use rafnet::problem::Problem;
use std::path::Path;

/// The problem and the text it was read from.
pub(super) fn read(name: &Path) -> Result<(Problem, String), Failure> {
    let problem = named(name)?;
    let builtin = name.to_str().filter(|_| !is_file(name));
    let text = match builtin.and_then(Problem::builtin_text) {
        Some(text) => text.to_owned(),
        None => rafnet_memory::read_to_string(name).map_err(|e| {
            let message = format!("cannot read `{}`: {e}", name.display());
            Failure::new(message, "check the path")
        })?,
    };
    Ok((problem, text))
}

/// The problem with other values for its parameters, each given as NAME=VALUE.
pub(super) fn with_values(
    (problem, text): (Problem, String),
    name: &Path,
    set: &[String],
) -> Result<(Problem, String), Failure> {
    if set.is_empty() {
        return Ok((problem, text));
    }
    let mut text = text;
    for given in set {
        let sweep = Sweep::read(given)?;
        text = parameter::with_value(&text, &sweep.name, &sweep.values[0])?;
    }
    let folder = name.parent().filter(|_| is_file(name));
    let problem = Problem::from_text(&text, &name.display().to_string(), folder);
    Ok((problem?, text))
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
