//! Numbers as they are written on the command line: texts such as `2*pi`, lists, intervals, degrees that may be nonsense.

use crate::output::Failure;
use rafnet::expr::{Scope, parse_number};
use rafnet_theory::{Degree, Formula, TheoryError, Window};

/// What the library says, as a failure of the command.
#[allow(clippy::needless_pass_by_value, reason = "as `map_err` hands it over")]
pub(super) fn refused(error: TheoryError) -> Failure {
    Failure {
        message: match &error {
            TheoryError::Text { what, error } => {
                format!("{what}: {error}\n\n{}", error.underlined())
            }
            other => other.to_string(),
        },
        hint: error.hint(),
    }
}

/// A whole number that must lie in a range.
pub(super) fn whole(what: &str, value: i64, least: i64, most: i64) -> Result<usize, Failure> {
    usize::try_from(value)
        .ok()
        .filter(|_| (least..=most).contains(&value))
        .ok_or_else(|| Failure {
            message: format!("{what} is {value}; expected a whole number from {least} to {most}"),
            hint: "pass a value in that range".into(),
        })
}

/// A number, or a text that is one.
pub(super) fn number(option: &str, text: &str) -> Result<f64, Failure> {
    parse_number(text.trim(), &Scope::default()).map_err(|e| Failure {
        message: format!("in `{option}`: {e}\n\n{}", e.underlined()),
        hint: e
            .hint()
            .unwrap_or_else(|| "write a number such as 0.5 or 2*pi".into()),
    })
}

/// Numbers between commas.
pub(super) fn numbers(option: &str, text: &str) -> Result<Vec<f64>, Failure> {
    text.split(',').map(|part| number(option, part)).collect()
}

/// `low,high`
pub(super) fn interval(text: &str) -> Result<[f64; 2], Failure> {
    <[f64; 2]>::try_from(numbers("--interval", text)?).map_err(|found| Failure {
        message: format!(
            "`--interval {text}` has {} numbers; expected two",
            found.len()
        ),
        hint: "write `--interval low,high`".into(),
    })
}

/// The box: one interval for all coordinates, or one for each.
pub(super) fn intervals(
    texts: &[String],
    dimension: usize,
) -> Result<Option<Vec<[f64; 2]>>, Failure> {
    let all: Vec<[f64; 2]> = texts
        .iter()
        .map(|t| interval(t))
        .collect::<Result<_, _>>()?;
    Ok(match all.as_slice() {
        [] => None,
        [one] => Some(vec![*one; dimension]),
        _ => Some(all),
    })
}

/// `--degree` or `--tolerance`.
pub(super) fn degree(degree: Option<i64>, tolerance: Option<f64>) -> Result<Degree, Failure> {
    match (degree, tolerance) {
        (Some(n), _) => whole("the degree", n, 0, 2048).map(Degree::Fixed),
        (None, Some(tolerance)) => Ok(Degree::Tolerance(tolerance)),
        (None, None) => Ok(Degree::Tolerance(1e-10)),
    }
}

/// A function, in the usual variables or in those declared.
pub(super) fn formula(text: &str, variables: &[String]) -> Result<Formula, Failure> {
    match variables {
        [] => Formula::read(text),
        names => Formula::in_variables(text, names),
    }
    .map_err(refused)
}

/// Windows from centres and widths; one width serves all axes.
pub(super) fn windows(centre: &str, sigma: &str) -> Result<Vec<Window>, Failure> {
    let (centres, widths) = (numbers("--centre", centre)?, numbers("--sigma", sigma)?);
    if widths.len() != 1 && widths.len() != centres.len() {
        return Err(Failure {
            message: format!("{} widths for {} centres", widths.len(), centres.len()),
            hint: "pass one `--sigma` for all, or one for each centre".into(),
        });
    }
    let widths = widths.iter().cycle();
    let pairs = centres.iter().zip(widths);
    Ok(pairs
        .map(|(&centre, &width)| Window { centre, width })
        .collect())
}
