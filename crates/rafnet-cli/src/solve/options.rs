//! The options of a solution: the library's table as arguments, and what a file and the command line ask for together.

use crate::choices::{Choices, Row, Table, Takes};
use crate::output::Failure;
use crate::threads;
use rafnet::problem::{Problem, SOLVER_OPTIONS, SolverOption};
use rafnet::solve::Options;

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
        };
        SOLVER_OPTIONS.iter().map(row).collect()
    }
}

/// What the file asks for, then what the command line asks for.
pub(crate) fn options(problem: &Problem, given: &Choices) -> Result<Options, Failure> {
    let mut options = threads::options();
    for (name, text) in problem.options.iter().filter(|(name, _)| name != "out") {
        let set = options.set(name, text);
        set.map_err(|e| Failure::new(format!("in the problem file: {e}"), HINT))?;
    }
    for (name, text) in &given.0 {
        let set = options.set(name, text);
        set.map_err(|e| refused(name, text, &e.expected))?;
    }
    for (name, text) in &given.0 {
        check_use(name, text, options.method.name())?;
    }
    if options.steps.is_some() && !is_asked(problem, given, "time-limit") {
        options.time_limit = f64::INFINITY;
    }
    Ok(options)
}

/// Whether an option stands in the file or on the command line.
fn is_asked(problem: &Problem, given: &Choices, name: &str) -> bool {
    let key = name.replace('-', "_");
    given.get(name).is_some() || problem.options.iter().any(|(name, _)| *name == key)
}

pub(super) fn refused(name: &str, text: &str, expected: &str) -> Failure {
    let message = format!("`--{name} {text}` cannot be used: expected {expected}");
    Failure::new(message, HINT)
}

/// Refuses an option that the method has no use for: it would be ignored.
fn check_use(name: &str, text: &str, method: &str) -> Result<(), Failure> {
    let Some(option) = SolverOption::named(name) else {
        return Ok(());
    };
    if option.methods.contains(&method) {
        return Ok(());
    }
    Err(Failure::new(
        format!("`--{name} {text}` does nothing with `--method {method}`"),
        format!(
            "leave it out, or choose a method that looks at it: {}",
            option.methods.join(", ")
        ),
    ))
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
            let unknown = refused.expected.contains("an option that");
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
