//! A graph while it is written: values by number, constants once each.

use super::message::{self, Element, Message};
use crate::model::Precision;
use std::collections::HashMap;

/// Something computed or given in a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Value(usize);

/// The nodes and tensors so far. A node reads values that were there before it, so their order is one in which they can be
/// computed.
pub(super) struct Graph {
    precision: Precision,
    names: Vec<String>,
    nodes: Vec<Message>,
    tensors: Vec<Message>,
    numbers: HashMap<u64, Value>,
    shared: HashMap<&'static str, Value>,
}

impl Graph {
    /// A graph whose numbers have this precision, and its only input.
    pub(super) fn new(precision: Precision, input: &str) -> (Self, Value) {
        let graph = Self {
            precision,
            names: vec![input.into()],
            nodes: Vec::new(),
            tensors: Vec::new(),
            numbers: HashMap::new(),
            shared: HashMap::new(),
        };
        (graph, Value(0))
    }

    pub(super) fn precision(&self) -> Precision {
        self.precision
    }

    pub(super) fn n_nodes(&self) -> usize {
        self.nodes.len()
    }

    pub(super) fn element(&self) -> Element {
        match self.precision {
            Precision::F32 => Element::F32,
            Precision::F64 => Element::F64,
        }
    }

    fn named(&mut self, name: String) -> Value {
        self.names.push(name);
        Value(self.names.len() - 1)
    }

    /// What an operator makes of values.
    pub(super) fn node(&mut self, operator: &str, inputs: &[Value]) -> Value {
        self.node_with(operator, inputs, &[])
    }

    /// The same with whole numbers that the operator takes by name.
    pub(super) fn node_with(
        &mut self,
        operator: &str,
        inputs: &[Value],
        attributes: &[(&str, u64)],
    ) -> Value {
        let output = self.named(format!("v{}", self.names.len()));
        self.push(operator, inputs, output, attributes);
        output
    }

    /// Gives a value the name under which the graph hands it out.
    pub(super) fn output(&mut self, value: Value, name: &str) {
        let output = self.named(name.into());
        self.push("Identity", &[value], output, &[]);
    }

    fn push(
        &mut self,
        operator: &str,
        inputs: &[Value],
        output: Value,
        attributes: &[(&str, u64)],
    ) {
        let attributes: Vec<Message> = attributes
            .iter()
            .map(|(name, value)| message::attribute(name, *value))
            .collect();
        let inputs = inputs.iter().map(|v| self.names[v.0].as_str());
        let node = message::node(operator, inputs, &self.names[output.0], &attributes);
        self.nodes.push(node);
    }

    /// A tensor of numbers under its own name.
    pub(super) fn tensor(
        &mut self,
        name: impl Into<String>,
        shape: &[usize],
        numbers: &[f64],
    ) -> Value {
        let data: Vec<u8> = match self.precision {
            Precision::F64 => numbers.iter().flat_map(|v| v.to_le_bytes()).collect(),
            #[expect(
                clippy::cast_possible_truncation,
                reason = "the model is asked for in this precision"
            )]
            Precision::F32 => numbers
                .iter()
                .flat_map(|v| (*v as f32).to_le_bytes())
                .collect(),
        };
        let name = name.into();
        let tensor = message::tensor(&name, self.element(), shape, &data);
        self.tensors.push(tensor);
        self.named(name)
    }

    /// A tensor that several places read; its name says all of it.
    pub(super) fn shared_tensor(
        &mut self,
        name: &'static str,
        shape: &[usize],
        numbers: &[f64],
    ) -> Value {
        if let Some(known) = self.shared.get(name) {
            return *known;
        }
        let tensor = self.tensor(name, shape, numbers);
        self.shared.insert(name, tensor);
        tensor
    }

    /// A number, for every point the same.
    pub(super) fn number(&mut self, value: f64) -> Value {
        if let Some(known) = self.numbers.get(&value.to_bits()) {
            return *known;
        }
        let tensor = self.tensor(format!("number.{}", self.numbers.len()), &[], &[value]);
        self.numbers.insert(value.to_bits(), tensor);
        tensor
    }

    /// A list of whole numbers: places and sizes.
    pub(super) fn places(&mut self, places: &[usize]) -> Value {
        let name = format!("places.{}", self.names.len());
        let data: Vec<u8> = places
            .iter()
            .flat_map(|&k| (k as u64).to_le_bytes())
            .collect();
        let tensor = message::tensor(&name, Element::I64, &[places.len()], &data);
        self.tensors.push(tensor);
        self.named(name)
    }

    /// Columns `from..to` of a table.
    pub(super) fn columns(&mut self, table: Value, from: usize, to: usize) -> Value {
        let [from, to, axis] = [from, to, 1].map(|k| self.places(&[k]));
        self.node("Slice", &[table, from, to, axis])
    }

    /// Tables side by side.
    pub(super) fn beside(&mut self, tables: &[Value]) -> Value {
        match tables {
            [only] => *only,
            _ => self.node_with("Concat", tables, &[("axis", 1)]),
        }
    }

    /// The graph as a message, its input and its output tables of so many columns.
    pub(super) fn message(&self, name: &str, columns: [usize; 2]) -> Message {
        let (input, output) = (&self.names[0], &self.names[self.names.len() - 1]);
        let [input, output] = [(input, columns[0]), (output, columns[1])]
            .map(|(name, columns)| message::table(name, self.element(), columns));
        message::graph(name, &self.nodes, &self.tensors, &input, &output)
    }
}
