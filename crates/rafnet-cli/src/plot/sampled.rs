//! Quantities of a model on the points of a figure.

use super::Kind;
use super::axes::{Axes, Slice};
use crate::expressions;
use crate::output::Failure;
use rafnet::expr::Expr;
use rafnet::model::{Expressions, Model};

/// Points that are evaluated at a time.
const BLOCK: usize = 1 << 14;

/// What is shown: an expression that reads without error.
pub(super) struct Quantity {
    pub(super) name: String,
}

/// Values on a slice.
pub(super) struct Sampled {
    pub(super) label: String,
    /// Which of the models, and which of the quantities.
    pub(super) of: [usize; 2],
    /// The coordinates that are held.
    pub(super) point: Vec<f64>,
    pub(super) values: Vec<f64>,
}

impl Quantity {
    /// What was asked for, or the first unknown; arrows take two components and are drawn over their length.
    pub(super) fn all(
        text: Option<&str>,
        kind: Option<Kind>,
        model: &Model,
    ) -> Result<Vec<Self>, Failure> {
        let outputs = &model.parts().outputs;
        let mut texts: Vec<String> = match text {
            Some(text) => expressions::split(text),
            None if kind == Some(Kind::Arrows) => {
                outputs.iter().take(2).map(|o| o.name.clone()).collect()
            }
            None => vec![outputs[0].name.clone()],
        };
        if kind == Some(Kind::Arrows) {
            if texts.len() != 2 {
                let message = format!(
                    "arrows take two components, and `--quantity` has {}",
                    texts.len()
                );
                return Err(Failure::new(
                    message,
                    "pass `--quantity u,v`, or a gradient, `--quantity u_x,u_y`",
                ));
            }
            texts.push(format!("sqrt(({})^2 + ({})^2)", texts[0], texts[1]));
        }
        let quantity = |name: String| {
            read(&name, model)?;
            Ok(Self { name })
        };
        texts.into_iter().map(quantity).collect()
    }
}

/// The expression of a quantity.
fn read(text: &str, model: &Model) -> Result<Expr, Failure> {
    expressions::read("--quantity", text, model, "")
}

/// Every quantity on the points of a slice, the last axis fastest: curves have NaN outside the domain, maps are cut out later.
pub(super) fn on(
    model: &Model,
    axes: &Axes,
    slice: &Slice,
    quantities: &[Quantity],
) -> Result<Vec<Vec<f64>>, Failure> {
    let texts = quantities
        .iter()
        .map(|q| read(&q.name, model))
        .collect::<Result<Vec<Expr>, Failure>>()?;
    let failed = |e: &dyn std::fmt::Display| {
        Failure::new(
            e.to_string(),
            "use coordinates, unknowns and their first and second derivatives only",
        )
    };
    let mut expressions = Expressions::new(model, &texts).map_err(|e| failed(&e))?;
    let sides: Vec<Vec<f64>> = (0..axes.places.len()).map(|k| axes.along(k)).collect();
    let n: usize = sides.iter().map(Vec::len).product();
    let point = |k: usize| {
        let mut point = slice.point.clone();
        let last = sides.len() - 1;
        point[axes.places[last]] = sides[last][k % sides[last].len()];
        if last > 0 {
            point[axes.places[0]] = sides[0][k / sides[last].len()];
        }
        point
    };
    let mut found = vec![Vec::with_capacity(n); quantities.len()];
    for from in (0..n).step_by(BLOCK) {
        let points: Vec<f64> = (from..n.min(from + BLOCK)).flat_map(point).collect();
        let columns = expressions
            .evaluate(model, &points)
            .map_err(|e| failed(&e))?;
        let height = columns.len() / quantities.len();
        // a map is cut along the outline itself, not along the grid
        let shown = |p: &[f64]| sides.len() > 1 || model.contains(p);
        let inside: Vec<bool> = points.chunks_exact(model.dimension()).map(shown).collect();
        for (all, column) in found.iter_mut().zip(columns.chunks_exact(height)) {
            all.extend(
                column
                    .iter()
                    .zip(&inside)
                    .map(|(v, inside)| if *inside { *v } else { f64::NAN }),
            );
        }
    }
    Ok(found)
}
