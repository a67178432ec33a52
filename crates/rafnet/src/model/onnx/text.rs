//! Texts as nodes, known functions of the coordinates and basis functions: the steps of a program, one after the other.
//!
//! A step is a column (n × 1) or a number. Conditions are the numbers 1 and 0, as everywhere in expressions.

use super::function::{binary, unary};
use super::graph::{Graph, Value};
use super::message::Element;
use crate::expr::{Binary, Expr, Leaf, MissingInput, Schedule, Step};

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
    let mut done: Vec<Done> = Vec::with_capacity(schedule.steps.len());
    for step in &schedule.steps {
        let value = match *step {
            Step::Input(k) => Done::Value(given(graph, &leaves[k])),
            Step::Constant(value) => Done::Number(value),
            step => Done::Value(computed(graph, step, &done)),
        };
        done.push(value);
    }
    let outputs = schedule.outputs.iter();
    outputs.map(|&place| done[place].value(graph)).collect()
}

/// What a step came to. A number becomes a tensor where a node reads it.
#[derive(Clone, Copy, PartialEq)]
enum Done {
    Number(f64),
    Value(Value),
}

impl Done {
    fn value(self, graph: &mut Graph) -> Value {
        match self {
            Self::Number(value) => graph.number(value),
            Self::Value(value) => value,
        }
    }
}

fn computed(graph: &mut Graph, step: Step, done: &[Done]) -> Value {
    let is = |place: usize, number: f64| done[place] == Done::Number(number);
    match step {
        // max(0, a)
        Step::Binary(Binary::Max, zero, a) | Step::Binary(Binary::Max, a, zero)
            if is(zero, 0.0) =>
        {
            let a = done[a].value(graph);
            return graph.node("Relu", &[a]);
        }
        // where(c, 1, 0) is c
        Step::Select(c, one, zero) if is(one, 1.0) && is(zero, 0.0) => {
            return done[c].value(graph);
        }
        _ => {}
    }
    let of: Vec<Value> = step.operands().map(|k| done[k].value(graph)).collect();
    match step {
        Step::Input(_) | Step::Constant(_) => unreachable!("inputs and numbers are not computed"),
        Step::Add(..) => graph.node("Add", &of),
        Step::AddScaled(_, _, -1.0) => graph.node("Sub", &of),
        Step::AddScaled(_, _, c) => {
            let scaled = times(graph, of[1], c);
            graph.node("Add", &[of[0], scaled])
        }
        Step::Scale(_, -1.0) => graph.node("Neg", &of),
        Step::Scale(_, c) => times(graph, of[0], c),
        Step::Shift(_, c) => {
            let c = graph.number(c);
            graph.node("Add", &[of[0], c])
        }
        Step::Multiply(..) => graph.node("Mul", &of),
        Step::Divide(..) => graph.node("Div", &of),
        Step::Reciprocal(_) => {
            let one = graph.number(1.0);
            graph.node("Div", &[one, of[0]])
        }
        Step::Unary(function, _) => unary(graph, function, of[0]),
        Step::Binary(function, ..) => binary(graph, function, of[0], of[1]),
        Step::Select(..) => {
            let condition = holds(graph, of[0]);
            graph.node("Where", &[condition, of[1], of[2]])
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
