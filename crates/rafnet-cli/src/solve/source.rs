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
    if name.is_dir() && Problem::builtin_text(&name.display().to_string()).is_none() {
        return Err(of_folder(name));
    }
    let problem = if is_file(name) {
        Problem::from_file(name)
    } else {
        Problem::builtin(&name.display().to_string())
    };
    problem.map_err(Failure::from)
}

/// What is said of a folder in the place of a problem.
fn of_folder(name: &Path) -> Failure {
    let shown = name.display();
    let message = format!("`{shown}` is a folder, not a problem");
    if name.join("config.toml").is_file() {
        let hint = format!(
            "`raf solve {shown}/config.toml` makes that run again, `raf solve --resume {shown}` goes on with it"
        );
        return Failure::new(message, hint);
    }
    Failure::new(
        message,
        "name a `.toml` problem file, or a built-in problem: `raf solve --list`",
    )
}

fn is_file(name: &Path) -> bool {
    name.extension().is_some_and(|e| e == "toml") || name.is_file()
}
