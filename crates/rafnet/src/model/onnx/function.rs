//! The functions of texts as nodes.
//!
//! Runtimes have many functions in f32 only. In f64 they are put together from those that exist everywhere:
//!
//! ```text
//! tan x = sin x / cos x          cosh x = (eˣ + e⁻ˣ)/2          ∛x = sign x |x|^⅓
//! sinh x = 2t/(1 − t²), t = tanh(x/2), for |x| < 1, else (eˣ − e⁻ˣ)/2
//! atan2(y, x) = θ + (y cos θ − x sin θ)/(x cos θ + y sin θ), θ the angle in f32: what is left is its error, cubed
//! asin x = atan2(x, √((1−x)(1+x)))     acos x = atan2(√((1−x)(1+x)), x)     atan x = atan2(x, 1)
//! erf x = (2/√π) x ∫₀¹ exp(−x²t²) dt by a Gauss rule, all of its terms positive
//! ```

use super::graph::{Graph, Value};
use super::message::Element;
use super::text::{holds, number, times};
use crate::domain::gauss_legendre;
use crate::expr::{Binary, Unary};
use crate::model::Precision;
use std::f64::consts::{FRAC_2_SQRT_PI, PI};

/// Beyond this argument erf is ±1 in f64.
const ERF_END: f64 = 6.0;
/// Gauss points for exp(−x²t²), |x| ≤ 6: with these erf is right to a few units in the last place.
const ERF_POINTS: usize = 32;

pub(super) fn unary(graph: &mut Graph, function: Unary, a: Value) -> Value {
    let single = graph.precision() == Precision::F32;
    match function {
        Unary::Sin => graph.node("Sin", &[a]),
        Unary::Cos => graph.node("Cos", &[a]),
        Unary::Tanh => graph.node("Tanh", &[a]),
        Unary::Exp => graph.node("Exp", &[a]),
        Unary::Log => graph.node("Log", &[a]),
        Unary::Sqrt => graph.node("Sqrt", &[a]),
        Unary::Abs => graph.node("Abs", &[a]),
        Unary::Sign => graph.node("Sign", &[a]),
        Unary::Floor => graph.node("Floor", &[a]),
        Unary::Tan if single => graph.node("Tan", &[a]),
        Unary::Asin if single => graph.node("Asin", &[a]),
        Unary::Acos if single => graph.node("Acos", &[a]),
        Unary::Atan if single => graph.node("Atan", &[a]),
        Unary::Sinh if single => graph.node("Sinh", &[a]),
        Unary::Cosh if single => graph.node("Cosh", &[a]),
        Unary::Erf if single => graph.node("Erf", &[a]),
        Unary::Tan => {
            let (sin, cos) = (graph.node("Sin", &[a]), graph.node("Cos", &[a]));
            graph.node("Div", &[sin, cos])
        }
        Unary::Asin => {
            let other = other_side(graph, a);
            atan2(graph, a, other)
        }
        Unary::Acos => {
            let other = other_side(graph, a);
            atan2(graph, other, a)
        }
        Unary::Atan => {
            let one = graph.number(1.0);
            atan2(graph, a, one)
        }
        Unary::Sinh => sinh(graph, a),
        Unary::Cosh => exponentials(graph, a, "Add"),
        Unary::Erf => erf(graph, a),
        Unary::Cbrt => {
            let (sign, size) = (graph.node("Sign", &[a]), graph.node("Abs", &[a]));
            let third = graph.number(1.0 / 3.0);
            let root = graph.node("Pow", &[size, third]);
            graph.node("Mul", &[sign, root])
        }
        Unary::Not => {
            let zero = graph.number(0.0);
            let not = graph.node("Equal", &[a, zero]);
            number(graph, not)
        }
    }
}

pub(super) fn binary(graph: &mut Graph, function: Binary, a: Value, b: Value) -> Value {
    let condition = match function {
        Binary::Power => return graph.node("Pow", &[a, b]),
        Binary::Atan2 => return atan2(graph, a, b),
        Binary::Min => return graph.node("Min", &[a, b]),
        Binary::Max => return graph.node("Max", &[a, b]),
        Binary::Mod => return modulo(graph, a, b),
        Binary::Less => graph.node("Less", &[a, b]),
        Binary::LessEqual => graph.node("LessOrEqual", &[a, b]),
        Binary::Equal => graph.node("Equal", &[a, b]),
        Binary::NotEqual => {
            let equal = graph.node("Equal", &[a, b]);
            graph.node("Not", &[equal])
        }
        Binary::And | Binary::Or => {
            let (a, b) = (holds(graph, a), holds(graph, b));
            let and = function == Binary::And;
            graph.node(if and { "And" } else { "Or" }, &[a, b])
        }
    };
    number(graph, condition)
}

/// √((1 − a)(1 + a))
fn other_side(graph: &mut Graph, a: Value) -> Value {
    let one = graph.number(1.0);
    let (less, more) = (graph.node("Sub", &[one, a]), graph.node("Add", &[one, a]));
    let square = graph.node("Mul", &[less, more]);
    graph.node("Sqrt", &[square])
}

/// (eᵃ ± e⁻ᵃ)/2
fn exponentials(graph: &mut Graph, a: Value, join: &str) -> Value {
    let minus = graph.node("Neg", &[a]);
    let (up, down) = (graph.node("Exp", &[a]), graph.node("Exp", &[minus]));
    let both = graph.node(join, &[up, down]);
    times(graph, both, 0.5)
}

fn sinh(graph: &mut Graph, a: Value) -> Value {
    let one = graph.number(1.0);
    let half = times(graph, a, 0.5);
    let t = graph.node("Tanh", &[half]);
    let square = graph.node("Mul", &[t, t]);
    let below = graph.node("Sub", &[one, square]);
    let above = graph.node("Add", &[t, t]);
    let near = graph.node("Div", &[above, below]);
    let far = exponentials(graph, a, "Sub");
    let size = graph.node("Abs", &[a]);
    let is_near = graph.node("Less", &[size, one]);
    graph.node("Where", &[is_near, near, far])
}

/// The angle of (x, y) in (−π, π]; that of the origin is 0.
fn atan2(graph: &mut Graph, y: Value, x: Value) -> Value {
    let zero = graph.number(0.0);
    let slope = graph.node("Div", &[y, x]);
    let single = graph.node_with("Cast", &[slope], &[("to", Element::F32 as u64)]);
    let angle = graph.node("Atan", &[single]);
    let right = number(graph, angle);
    let (under, behind) = (
        graph.node("Less", &[y, zero]),
        graph.node("Less", &[x, zero]),
    );
    let (down, up) = (graph.number(-PI), graph.number(PI));
    let turn = graph.node("Where", &[under, down, up]);
    let left = graph.node("Add", &[right, turn]);
    let angle = graph.node("Where", &[behind, left, right]);
    let (sin, cos) = (graph.node("Sin", &[angle]), graph.node("Cos", &[angle]));
    let (y_cos, x_sin) = (graph.node("Mul", &[y, cos]), graph.node("Mul", &[x, sin]));
    let (x_cos, y_sin) = (graph.node("Mul", &[x, cos]), graph.node("Mul", &[y, sin]));
    let across = graph.node("Sub", &[y_cos, x_sin]);
    let along = graph.node("Add", &[x_cos, y_sin]);
    let rest = graph.node("Div", &[across, along]);
    let angle = graph.node("Add", &[angle, rest]);
    let (flat, thin) = (
        graph.node("Equal", &[y, zero]),
        graph.node("Equal", &[x, zero]),
    );
    let origin = graph.node("And", &[flat, thin]);
    graph.node("Where", &[origin, zero, angle])
}

/// The remainder in [0, |b|).
fn modulo(graph: &mut Graph, a: Value, b: Value) -> Value {
    let zero = graph.number(0.0);
    let rest = graph.node_with("Mod", &[a, b], &[("fmod", 1)]);
    let size = graph.node("Abs", &[b]);
    let lifted = graph.node("Add", &[rest, size]);
    let whole = graph.node("Equal", &[lifted, size]); // a tiny negative rest is lost in |b|
    let lifted = graph.node("Where", &[whole, zero, lifted]);
    let negative = graph.node("Less", &[rest, zero]);
    graph.node("Where", &[negative, lifted, rest])
}

/// Of a column: its products with the Gauss points are a table.
fn erf(graph: &mut Graph, a: Value) -> Value {
    let rule = gauss_legendre(ERF_POINTS);
    let nodes: Vec<f64> = rule.iter().map(|[t, _]| t * t).collect();
    let weights: Vec<f64> = rule.iter().map(|[_, w]| w * FRAC_2_SQRT_PI).collect();
    let (low, high) = (graph.number(-ERF_END), graph.number(ERF_END));
    let nodes = graph.shared_tensor("erf.nodes", &[1, ERF_POINTS], &nodes);
    let weights = graph.shared_tensor("erf.weights", &[ERF_POINTS, 1], &weights);
    let a = graph.node("Max", &[a, low]);
    let a = graph.node("Min", &[a, high]);
    let square = graph.node("Mul", &[a, a]);
    let minus = graph.node("Neg", &[square]);
    let exponents = graph.node("Mul", &[minus, nodes]);
    let powers = graph.node("Exp", &[exponents]);
    let integral = graph.node("MatMul", &[powers, weights]);
    graph.node("Mul", &[a, integral])
}
