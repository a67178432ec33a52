//! The basis functions as nodes, one after the other.

use super::graph::{Graph, Value};
use super::text::{number, of_leaves};
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
    match basis {
        Basis::Text(text) => {
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
        Basis::Identity => y,
        Basis::Square => graph.node("Mul", &[y, y]),
        Basis::Sine => graph.node("Sin", &[y]),
        Basis::Cosine => graph.node("Cos", &[y]),
        Basis::Gaussian => {
            let square = graph.node("Mul", &[y, y]);
            let minus = graph.node("Neg", &[square]);
            graph.node("Exp", &[minus])
        }
        Basis::Relu => graph.node("Relu", &[y]),
        Basis::Relu3 => {
            let p = graph.node("Relu", &[y]);
            let square = graph.node("Mul", &[p, p]);
            graph.node("Mul", &[square, p])
        }
        Basis::Tanh => graph.node("Tanh", &[y]),
        Basis::Rational => {
            let (above, below) = shape.split_at(4);
            let (above, below) = (polynomial(graph, y, above), polynomial(graph, y, below));
            graph.node("Div", &[above, below])
        }
        Basis::Root => {
            let one = graph.number(1.0);
            let square = graph.node("Mul", &[y, y]);
            let sum = graph.node("Add", &[square, one]);
            graph.node("Sqrt", &[sum])
        }
        Basis::Floor => graph.node("Floor", &[y]),
        Basis::Exp2 => {
            let two = graph.number(2.0);
            graph.node("Pow", &[two, y])
        }
        Basis::Step => {
            let zero = graph.number(0.0);
            let above = graph.node("GreaterOrEqual", &[y, zero]);
            number(graph, above)
        }
    }
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
