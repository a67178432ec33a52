//! The columns of a table, each an expression: the usual derivatives by name, or whatever was written.

use super::Derivatives;
use crate::expressions;
use crate::output::Failure;
use rafnet::expr::{Expr, Leaf};
use rafnet::model::Model;

/// What a column takes, its name, its expression and its place in a program together.
const COLUMN_BYTES: usize = 1 << 10;

/// `u`, `u_x` …, laplacian, the upper Hessian by rows, for each unknown.
pub(super) fn usual_columns(
    model: &Model,
    derivatives: &[Derivatives],
) -> Result<Vec<(String, Expr)>, Failure> {
    let (parts, scope) = (model.parts(), model.scope());
    let d = model.dimension();
    if derivatives.contains(&Derivatives::Hessian) {
        let n = (d * (d + 1) / 2).saturating_mul(parts.outputs.len());
        rafnet_memory::require(
            format_args!("{n} columns of the Hessian"),
            &[n, COLUMN_BYTES],
        )
        .map_err(|e| Failure {
            message: e.to_string(),
            hint: "name the derivatives you need, such as `--columns \"u, u_x1x2\"`".into(),
        })?;
    }
    let mut columns = Vec::new();
    for (o, output) in parts.outputs.iter().enumerate() {
        let mut put = |axes: &[usize]| {
            let leaf = Expr::leaf(Leaf::jet(o, axes));
            columns.push((leaf.display(&scope).to_string(), leaf));
        };
        put(&[]);
        if derivatives.contains(&Derivatives::Gradient) {
            (0..d).for_each(|k| put(&[k]));
        }
        if derivatives.contains(&Derivatives::Laplacian) {
            let second = scope.space().map(|k| Expr::leaf(Leaf::jet(o, &[k, k])));
            let laplacian = second.fold(Expr::number(0.0), |sum, u_kk| sum + u_kk);
            let name = match parts.outputs.len() {
                1 => "laplacian".into(),
                _ => format!("laplacian({})", output.name),
            };
            columns.push((name, laplacian));
        }
        if derivatives.contains(&Derivatives::Hessian) {
            for i in 0..d {
                for j in i..d {
                    let leaf = Expr::leaf(Leaf::jet(o, &[i, j]));
                    columns.push((leaf.display(&scope).to_string(), leaf));
                }
            }
        }
    }
    Ok(columns)
}

/// The columns of `--columns`: texts between the commas that stand outside brackets.
pub(super) fn written_columns(text: &str, model: &Model) -> Result<Vec<(String, Expr)>, Failure> {
    let column = |text: String| {
        let expr = expressions::read("--columns", &text, model, "separate columns by commas; ")?;
        Ok((text, expr))
    };
    expressions::split(text).into_iter().map(column).collect()
}
