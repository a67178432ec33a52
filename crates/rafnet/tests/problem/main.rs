//! Reading problem files: what they mean, what is built in, and what is refused in which words.

mod broken; // twenty and more files with a mistake each, their messages in broken.txt
mod builtins; // every built-in problem
mod conditions; // every kind of condition against closed forms
mod defaults; // coordinates, defaults, parameters, data
mod manufactured; // sources against values derived by hand

use rafnet::expr::{Expr, Leaf};
use rafnet::problem::Problem;

/// The problem in a text.
fn read(text: &str) -> Problem {
    Problem::from_text(text, "test.toml", None).unwrap_or_else(|error| panic!("{error}"))
}

/// The message for a text that is refused.
fn refused(text: &str) -> String {
    match Problem::from_text(text, "test.toml", None) {
        Ok(_) => panic!("was not refused: {text}"),
        Err(error) => error.to_string(),
    }
}

/// An expression at a point, with the exact solutions of the problem put in for the unknowns.
fn at_exact(problem: &Problem, expr: &Expr, point: &[f64], normal: &[f64]) -> f64 {
    let exact: Vec<Expr> = problem.exact.iter().flatten().cloned().collect();
    assert_eq!(
        exact.len(),
        problem.unknowns.len(),
        "{} has an exact solution",
        problem.name
    );
    at(&expr.substitute(&exact), point, normal)
}

/// An expression without unknowns at a point.
fn at(expr: &Expr, point: &[f64], normal: &[f64]) -> f64 {
    expr.eval(&|leaf: &Leaf| match leaf {
        Leaf::Coordinate(axis) => point[*axis],
        Leaf::Normal(axis) => normal[*axis],
        other => panic!("{other:?} is left"),
    })
}

/// Equal up to `units` of rounding at the size of what was computed.
fn close(found: f64, expected: f64, size: f64, units: f64) {
    let tolerance = units * f64::EPSILON * size.max(expected.abs()).max(1.0);
    assert!(
        (found - expected).abs() <= tolerance,
        "found {found}, expected {expected} ± {tolerance:e}"
    );
}
