//! Basis functions as nodes: by their formulas, and the rational function, whose coefficients belong to a layer.

use super::graph::{Graph, Value};
use super::text::of_leaves;
use crate::basis::Basis;
use crate::expr::Leaf;

/// γ(y); `shape` holds the function's own coefficients, a text's name by name and neuron by neuron.
pub(super) fn basis(
    graph: &mut Graph,
    basis: Basis,
    y: Value,
    shape: &[f64],
    place: &str,
) -> Value {
    let Some(text) = basis.as_text() else {
        // the rational function
        let (above, below) = shape.split_at(4);
        let (above, below) = (polynomial(graph, y, above), polynomial(graph, y, below));
        return graph.node("Div", &[above, below]);
    };
    let neurons = shape.len() / text.names().len().max(1);
    let given = |graph: &mut Graph, leaf: &Leaf| match *leaf {
        Leaf::Parameter(k) => {
            let name = format!("{place}.{}", text.names()[k]);
            let numbers = &shape[k * neurons..(k + 1) * neurons];
            graph.tensor(name, &[neurons], numbers)
        }
        _ => y,
    };
    let function = std::slice::from_ref(text.function());
    of_leaves(graph, function, given)[0]
}

/// c₀ + c₁y + c₂y² + …, by Horner's rule.
fn polynomial(graph: &mut Graph, y: Value, coefficients: &[f64]) -> Value {
    let mut from_the_top = coefficients.iter().rev();
    let first = from_the_top.next().copied().unwrap_or_default();
    let mut sum = graph.number(first);
    for &c in from_the_top {
        let c = graph.number(c);
        let product = graph.node("Mul", &[sum, y]);
        sum = graph.node("Add", &[product, c]);
    }
    sum
}
