//! What must hold for any text: no panic, bounded work, and a message that stands on its own.
//!
//! Shared by the fuzz targets and by the tests of `rafnet`.
#![allow(dead_code, reason = "each fuzz target uses one of them")]

use rafnet::expr::{Expr, Leaf, Program, Scope, free_names, parse, parse_condition};
use rafnet::problem::Problem;
use std::path::Path;

/// Parts of an expression, for each byte of its text: a sum of 10,000 terms is the dearest thing that can be written shortly.
const PARTS_A_BYTE: usize = 20_000;

/// Messages quote a line of the text at most, shortened.
const LONGEST_MESSAGE: usize = 4000;

fn scope() -> Scope {
    Scope::new(["x", "y", "t"])
        .time("t")
        .unknowns(["u"])
        .parameters(["k"])
        .columns(["f"])
        .array("c", [1.0, 2.0])
        .define("q", "x*sin(y)")
        .define("w", "w + 1")
}

/// Reads a text as an expression; says whether it was accepted.
pub(crate) fn expression(text: &str) -> bool {
    let scope = scope();
    let _ = free_names(text, &scope);
    let _ = parse_condition(text, &scope);
    match parse(text, &scope) {
        Ok(expr) => {
            assert!(expr.count_nodes() <= PARTS_A_BYTE * text.len().max(1));
            evaluates(&expr);
            true
        }
        Err(error) => {
            assert!(error.text().get(error.span()).is_some(), "{error:?}");
            let message = error.render();
            assert!(message.contains('^'), "{message}");
            assert!(message.len() < LONGEST_MESSAGE, "{message}");
            false
        }
    }
}

/// One point at a time and over slices, an expression has the same bits.
fn evaluates(expr: &Expr) {
    let point = |leaf: &Leaf| match leaf {
        Leaf::Coordinate(k) => 0.3 + [0.0, 1.0, 2.0][*k],
        _ => 1.7,
    };
    let value = expr.eval(&point);
    let leaves = expr.leaves();
    let columns: Vec<[f64; 1]> = leaves.iter().map(|leaf| [point(leaf)]).collect();
    let inputs: Vec<&[f64]> = columns.iter().map(|column| &column[..]).collect();
    let mut out = [0.0];
    let program = Program::compile(std::slice::from_ref(expr), &leaves);
    let program = program.expect("every leaf is an input");
    program.evaluate(&inputs, &mut [&mut out], &mut program.scratch());
    let same = value.to_bits() == out[0].to_bits() || value.is_nan() && out[0].is_nan();
    assert!(same, "{value} and {}", out[0]);
}

/// Reads a text as a problem file; says whether it was accepted. A text that names a data file is left alone.
pub(crate) fn problem(text: &str) -> bool {
    if text.contains("file") {
        return false;
    }
    match Problem::from_text(text, "any.toml", None) {
        Ok(problem) => {
            is_whole(&problem);
            true
        }
        Err(error) => {
            let message = error.to_string();
            assert!(message.starts_with("any.toml"), "{message}");
            assert!(message.len() < LONGEST_MESSAGE, "{message}");
            assert!(
                error.hint().is_some() || error.line().is_some(),
                "{message}"
            );
            let lines = text.split('\n').count();
            assert!(error.line().is_none_or(|line| (1..=lines).contains(&line)));
            false
        }
    }
}

/// Reads a file as the table of a `[[data]]` with two coordinates and two unknowns; says whether it was accepted.
pub(crate) fn table(path: &Path, bytes: &[u8]) -> bool {
    let name = path.file_name().and_then(|name| name.to_str());
    let (folder, name) = (path.parent(), name.unwrap_or_default());
    let text = format!(
        "unknowns = [\"u\", \"v\"]\n[domain]\nkind = \"box\"\nx = [0, 1]\ny = [0, 1]\n[equation]\nresidual = [\"u - v\"]\n\
         [[data]]\nfile = \"{name}\"\n"
    );
    match Problem::from_text(&text, "any.toml", folder) {
        Ok(problem) => {
            is_whole(&problem);
            let observed: usize = problem.data.iter().map(|data| data.values.len()).sum();
            assert!((1..=bytes.len()).contains(&observed), "{observed} values");
            true
        }
        Err(error) => {
            let message = error.to_string();
            assert!(
                !message.is_empty() && message.len() < LONGEST_MESSAGE,
                "{message}"
            );
            false
        }
    }
}

/// Whatever was accepted fits together.
fn is_whole(problem: &Problem) {
    let (d, unknowns) = (problem.coordinates.len(), problem.unknowns.len());
    assert!((1..=1000).contains(&d) && (1..=64).contains(&unknowns));
    assert_eq!(problem.domain.bounds().len(), d);
    assert!(problem.time.is_none_or(|axis| axis < d));
    for list in [
        problem.exact.len(),
        problem.guess.len(),
        problem.ansatz.len(),
    ] {
        assert_eq!(list, unknowns);
    }
    let pieces = problem.domain.pieces().len();
    for condition in &problem.conditions {
        assert!(condition.pieces.iter().all(|piece| *piece < pieces));
        assert!(condition.weight.is_none_or(|weight| weight > 0.0));
    }
    for data in &problem.data {
        assert_eq!(data.points.len(), d * data.values.len());
        assert!(
            data.values
                .iter()
                .chain(&data.points)
                .all(|v| v.is_finite())
        );
    }
    let known = problem.conditions.iter().map(|c| &c.residual);
    for expr in problem.equations.iter().chain(known) {
        for jet in expr.jets() {
            assert!(jet.unknown() < unknowns && jet.order() <= 4);
        }
        assert!(expr.coordinates().iter().all(|axis| *axis < d));
    }
}
