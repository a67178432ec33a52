//! Texts as nodes, known functions of the coordinates and basis functions: the steps of a program, one after the other.
//!
//! A step is a column (n × 1) or a number. Conditions are the numbers 1 and 0, as everywhere in expressions.

use super::function::{binary, unary};
use super::graph::{Graph, Value};
use super::message::Element;
use crate::expr::{Expr, Leaf, MissingInput, Schedule, Step};

/// The values of expressions in the coordinates, the columns of `points`: columns, or numbers where nothing varies.
pub(super) fn values(graph: &mut Graph, points: Value, exprs: &[Expr]) -> Vec<Value> {
    of_leaves(graph, exprs, |graph, leaf| match *leaf {
        Leaf::Coordinate(axis) => graph.columns(points, axis, axis + 1),
        ref other => unreachable!("a model's texts know coordinates only, not {other:?}"),
    })
}

/// The values of expressions whose leaves are given.
pub(super) fn of_leaves(
    graph: &mut Graph,
    exprs: &[Expr],
    mut given: impl FnMut(&mut Graph, &Leaf) -> Value,
) -> Vec<Value> {
    let mut leaves: Vec<Leaf> = exprs.iter().flat_map(Expr::leaves).collect();
    leaves.sort();
    leaves.dedup();
    let schedule = match Schedule::new(exprs, &leaves) {
        Ok(schedule) => schedule,
        Err(MissingInput { leaf }) => unreachable!("{leaf:?} was collected from the expressions"),
    };
    let mut done: Vec<Value> = Vec::with_capacity(schedule.steps.len());
    for step in &schedule.steps {
        let value = match step {
            Step::Input(k) => given(graph, &leaves[*k]),
            step => computed(graph, *step, &done),
        };
        done.push(value);
    }
    schedule.outputs.iter().map(|&place| done[place]).collect()
}

fn computed(graph: &mut Graph, step: Step, done: &[Value]) -> Value {
    match step {
        Step::Input(_) => unreachable!("inputs are given"),
        Step::Constant(value) => graph.number(value),
        Step::Add(a, b) => graph.node("Add", &[done[a], done[b]]),
        Step::AddScaled(a, b, -1.0) => graph.node("Sub", &[done[a], done[b]]),
        Step::AddScaled(a, b, c) => {
            let scaled = times(graph, done[b], c);
            graph.node("Add", &[done[a], scaled])
        }
        Step::Scale(a, -1.0) => graph.node("Neg", &[done[a]]),
        Step::Scale(a, c) => times(graph, done[a], c),
        Step::Shift(a, c) => {
            let c = graph.number(c);
            graph.node("Add", &[done[a], c])
        }
        Step::Multiply(a, b) => graph.node("Mul", &[done[a], done[b]]),
        Step::Divide(a, b) => graph.node("Div", &[done[a], done[b]]),
        Step::Reciprocal(a) => {
            let one = graph.number(1.0);
            graph.node("Div", &[one, done[a]])
        }
        Step::Unary(function, a) => unary(graph, function, done[a]),
        Step::Binary(function, a, b) => binary(graph, function, done[a], done[b]),
        Step::Select(c, a, b) => {
            let condition = holds(graph, done[c]);
            graph.node("Where", &[condition, done[a], done[b]])
        }
    }
}

/// c a
pub(super) fn times(graph: &mut Graph, a: Value, c: f64) -> Value {
    let c = graph.number(c);
    graph.node("Mul", &[a, c])
}

/// A value in the graph's own numbers; a condition is 1 where it holds, else 0.
pub(super) fn number(graph: &mut Graph, value: Value) -> Value {
    let to = graph.element() as u64;
    graph.node_with("Cast", &[value], &[("to", to)])
}

/// Where a number is not 0.
pub(super) fn holds(graph: &mut Graph, number: Value) -> Value {
    graph.node_with("Cast", &[number], &[("to", Element::Bool as u64)])
}

/// A number as a column, once for each point.
pub(super) fn everywhere(graph: &mut Graph, points: Value, number: Value) -> Value {
    let first = graph.columns(points, 0, 1);
    let shape = graph.node("Shape", &[first]);
    graph.node("Expand", &[number, shape])
}
