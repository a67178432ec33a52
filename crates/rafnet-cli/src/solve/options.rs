//! The options of a solution: the library's table as arguments, and what a file and the command line ask for together.

use crate::choices::{Choices, Row, Table, Takes};
use crate::help;
use crate::output::Failure;
use crate::threads;
use rafnet::problem::{Problem, SOLVER_OPTIONS, SolverOption};
use rafnet::solve::{OptionError, Options};

/// Where the options are listed.
pub(super) const HINT: &str = "see `raf solve --help` for the options";

/// `rafnet::problem::SOLVER_OPTIONS`.
#[derive(Clone)]
pub(super) struct SolverTable;

impl Table for SolverTable {
    fn rows() -> Vec<Row> {
        let row = |option: &SolverOption| Row {
            name: option.name,
            takes: match option.name {
                "activation" => Takes::Texts,
                _ => Takes::Text,
            },
            help: option.help,
            heading: heading(option),
        };
        SOLVER_OPTIONS.iter().map(row).collect()
    }
}

/// Where an option stands in the help: by the methods that look at it.
fn heading(option: &SolverOption) -> Option<&'static str> {
    match option.name {
        "method" | "time-limit" | "target" | "seed" => None,
        "precision" | "device" | "checkpoint" | "threads" => Some(help::WHERE),
        "width" => Some(help::PIECES),
        _ if option.methods.contains(&"pieces") => Some(help::PIECES),
        _ => Some(help::NETWORK),
    }
}

/// What the file asks for, then what the command line asks for.
pub(crate) fn options(problem: &Problem, given: &Choices) -> Result<Options, Failure> {
    let asked: Vec<(&str, &str)> = given
        .0
        .iter()
        .map(|(n, v)| (n.as_ref(), v.as_str()))
        .collect();
    Options::asked(problem, &asked, threads::devices()).map_err(|error| match error {
        OptionError::Unusable {
            name,
            found,
            expected,
        } => refused(&name.replace('_', "-"), &found, &expected),
        OptionError::Useless {
            name,
            found,
            method,
            methods,
        } => Failure::new(
            format!("`--{name} {found}` does nothing with `--method {method}`"),
            format!(
                "leave it out, or choose a method that looks at it: {}",
                methods.join(", ")
            ),
        ),
        error @ OptionError::InFile(_) => Failure::new(error.to_string(), HINT),
    })
}

pub(crate) fn refused(name: &str, text: &str, expected: &str) -> Failure {
    let message = format!("`--{name} {text}` cannot be used: expected {expected}");
    Failure::new(message, HINT)
}

#[cfg(test)]
mod tests {
    use crate::reference;
    use crate::solve::Arguments;
    use rafnet::problem::{SOLVER_OPTIONS, SolverOption};
    use rafnet::solve::{Method, Options};

    /// The reference page is made of the table.
    #[test]
    fn reference() {
        let row = |shown: reference::Shown| {
            let option = SolverOption::named(&shown.name);
            let methods = option.map_or(String::new(), |option| match option.methods.len() {
                n if n == Method::ALL.len() => "all".to_owned(),
                _ => option.methods.join(", "),
            });
            vec![shown.typed, shown.help, shown.default, methods]
        };
        let options = reference::options::<Arguments>().into_iter();
        let rows: Vec<Vec<String>> = options.map(row).collect();
        let head = ["option", "what it does", "default", "methods"];
        reference::compare("solve.md", &reference::table(&head, &rows));
    }

    /// Every row is an option that can be set, every method is one, and what a run writes down of its options are rows.
    #[test]
    fn rows_are_the_options_of_a_solution() {
        let mut options = Options::default();
        for option in &SOLVER_OPTIONS {
            let refused = options.set(option.name, "\u{1}");
            let refused = refused.expect_err("a text that no option takes");
            let unknown = refused.to_string().contains("an option that");
            assert!(!unknown, "`{}` cannot be set", option.name);
            for method in option.methods {
                let known = Method::ALL.iter().any(|m| m.name() == *method);
                assert!(known, "`{}` has a method `{method}`", option.name);
            }
        }
        for (name, text) in [
            ("activation", "psg"),
            ("width", "1"),
            ("pieces", "1"),
            ("slabs", "1"),
            ("depth", "1"),
            ("steps", "1"),
            ("points", "1"),
            ("boundary-points", "1"),
            ("lr", "1"),
            ("schedule", "cosine"),
            ("init-scale", "1"),
            ("gaussian-width", "1"),
            ("weight-decay", "1"),
            ("resnet", "printed"),
            ("sharing", "even"),
            ("mode", "gradient"),
            ("device", "reference"),
            ("target", "1"),
        ] {
            options.set(name, text).expect("a text that can be used");
        }
        let listed = options.listed();
        for (name, _) in &listed {
            assert!(SolverOption::named(name).is_some(), "`{name}` is no row");
        }
        // what is not written down decides nothing
        for option in &SOLVER_OPTIONS {
            let written = listed.iter().any(|(name, _)| *name == option.key());
            let silent = ["precision", "checkpoint", "threads"].contains(&option.name);
            assert!(written != silent, "`{}` in `config.toml`", option.name);
        }
    }
}
