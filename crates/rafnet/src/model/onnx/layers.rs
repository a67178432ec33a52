//! The network as nodes: inputs, dense layers, activations, skips.

use super::basis::basis;
use super::graph::{Graph, Value};
use super::text::times;
use crate::activation::{Activation, Coefficient, random};
use crate::model::Parts;
use crate::network::{Encoding, Skip};

/// φ, n × outputs.
pub(super) fn network(
    graph: &mut Graph,
    parts: &Parts,
    points: Value,
    features: &[Value],
) -> Value {
    let network = &parts.network;
    let inputs = inputs(graph, network.inputs().encoding, points, features);
    let mut outputs: Vec<Value> = Vec::new();
    for (l, layer) in network.layers().iter().enumerate() {
        let mut dense = vec![outputs.last().copied().unwrap_or(inputs)];
        for kind in ["weight", "bias"] {
            if let Some(block) = network.layout().get(&format!("layers.{l}.{kind}")) {
                let numbers = &parts.parameters[block.range.clone()];
                dense.push(graph.tensor(&block.name, &block.shape, numbers));
            }
        }
        let z = graph.node_with("Gemm", &dense, &[("transB", 1)]);
        let mut h = match &layer.activation {
            None => z,
            Some(activation) => activated(graph, parts, l, activation, z),
        };
        match layer.skip {
            Skip::None => {}
            Skip::Layer(from) => h = graph.node("Add", &[h, outputs[from]]),
            Skip::Inputs => {
                let missing = layer.width - network.inputs().width();
                let pads = graph.places(&[0, 0, 0, missing]);
                let padded = graph.node("Pad", &[inputs, pads]);
                h = graph.node("Add", &[h, padded]);
            }
        }
        outputs.push(h);
    }
    outputs.last().copied().unwrap_or(inputs)
}

/// The encoded coordinates, then the features.
fn inputs(graph: &mut Graph, encoding: Encoding, points: Value, features: &[Value]) -> Value {
    let mut tables = Vec::new();
    match encoding {
        Encoding::Raw => tables.push(points),
        Encoding::Periodic { order } => {
            for m in 1..=order {
                let y = times(graph, points, m as f64);
                tables.push(graph.node("Sin", &[y]));
                tables.push(graph.node("Cos", &[y]));
            }
        }
    }
    tables.extend(features);
    graph.beside(&tables)
}

/// σ(z), group by group: Σ α γ(β z).
fn activated(
    graph: &mut Graph,
    parts: &Parts,
    l: usize,
    activation: &Activation,
    z: Value,
) -> Value {
    let places = &parts.network.layout().layers[l].groups;
    let groups = activation.groups();
    let (mut tables, mut start) = (Vec::new(), 0);
    for (g, (group, places)) in groups.iter().zip(places).enumerate() {
        let n = group.neurons;
        let stored = |coefficient: &Coefficient, at: Option<usize>| -> Vec<f64> {
            let mut nothing = random(0); // fixed numbers take no random ones
            match at {
                Some(at) => parts.parameters[at..at + n].to_vec(),
                None => (0..n)
                    .map(|k| coefficient.initial.draw(k, &mut nothing))
                    .collect(),
            }
        };
        let z = match groups.len() {
            1 => z,
            _ => graph.columns(z, start, start + n),
        };
        let shape = places
            .shape
            .map_or(&[][..], |at| &parts.parameters[at..at + group.shape_len()]);
        let mut sum = None;
        for (p, term) in group.terms.iter().enumerate() {
            let beta = term.scale.coefficient().map(|c| stored(c, places.beta[p]));
            let beta = beta.map(|all| all.iter().map(|&s| term.scale.beta(s)).collect::<Vec<_>>());
            let alpha = stored(&term.alpha, places.alpha[p]);
            let name = |what: &str| format!("layers.{l}.groups.{g}.{what}.{p}");
            let y = beta.map_or(z, |beta| scaled(graph, z, name("beta"), &beta));
            let gamma = basis(graph, term.basis, y, shape, &name("text"));
            let part = scaled(graph, gamma, name("alpha"), &alpha);
            sum = Some(sum.map_or(part, |sum| graph.node("Add", &[sum, part])));
        }
        tables.extend(sum);
        start += n;
    }
    graph.beside(&tables)
}

/// Each column times its number.
#[expect(
    clippy::float_cmp,
    reason = "only a factor of exactly 1 may be left out"
)]
fn scaled(graph: &mut Graph, columns: Value, name: String, numbers: &[f64]) -> Value {
    if numbers.iter().all(|c| *c == 1.0) {
        return columns;
    }
    let numbers = graph.tensor(name, &[numbers.len()], numbers);
    graph.node("Mul", &[columns, numbers])
}
