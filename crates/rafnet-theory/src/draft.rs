//! Drafts: networks that grow neuron by neuron, every neuron one basis function of an affine pre-activation.
//!
//! [`Draft::add`] puts γ(wire) into the layer after the wire's own and answers with the new neuron's wire. Identity neurons carry
//! values on, and products come from squares (the paper's Lemma, part iii):
//!
//! ```text
//! a b = ¼ (a + b)² − ¼ (a − b)²
//! ```
//!
//! The identity holds for rounded a and b too, so an error of the factors enters as A·e_b + B·e_a + e_a e_b, and only the rounding
//! of the two squares is new. [`Draft::finish`] sorts each layer by basis function and lays the numbers out as a [`Network`].

use super::wire::{UNIT, Wire};
use rafnet::activation::{Activation, Group, Term};
use rafnet::basis::Basis;
use rafnet::network::{Bias, Inputs, Layer, Network, NetworkError};

/// A network with its parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Built {
    /// The structure.
    pub network: Network,
    /// The parameters, laid out as the network says.
    pub parameters: Vec<f64>,
}

struct Neuron {
    basis: Basis,
    input: Wire,
}

/// A network in the making.
pub(super) struct Draft {
    inputs: usize,
    layers: Vec<Vec<Neuron>>,
}

impl Draft {
    pub(super) fn new(inputs: usize) -> Self {
        Self {
            inputs,
            layers: Vec::new(),
        }
    }

    /// γ(input), in the layer after the input's.
    pub(super) fn add(&mut self, basis: Basis, input: &Wire) -> Wire {
        let layer = input.layer;
        if self.layers.len() == layer {
            self.layers.push(Vec::new());
        }
        let neurons = &mut self.layers[layer];
        neurons.push(Neuron {
            basis,
            input: input.clone(),
        });
        let (z, e) = (input.most, input.settled());
        let (most, error) = match basis {
            Basis::Square => (z * z, square_error(z, e)),
            // at most 1.5 units in the last place of a number below 1
            Basis::Sine | Basis::Cosine => (1.0, e + 4.0 * UNIT),
            // |γ′| ≤ √(2/e); y² e^(−y²) ≤ 1/e for the rounding of y², and 1.1 units in the last place
            Basis::Gaussian => (1.0, 0.86 * e + 6.0 * UNIT),
            Basis::Floor | Basis::Exp2 | Basis::Step => (f64::INFINITY, 0.0),
            _ => (z, e),
        };
        Wire::neuron(layer + 1, neurons.len() - 1, most, error)
    }

    /// The value, one layer on.
    pub(super) fn carry(&mut self, wire: &Wire) -> Wire {
        self.add(Basis::Identity, wire)
    }

    /// a·b, one layer on, by two square neurons.
    pub(super) fn product(&mut self, a: &Wire, b: &Wire) -> Wire {
        let (sum, difference) = (a.plus(b), a.minus(b));
        let (z, fresh) = (sum.most + sum.error, sum.fresh());
        let first = self.add(Basis::Square, &sum);
        let second = self.add(Basis::Square, &difference);
        let rounding = 0.5 * square_error(z, fresh);
        Wire {
            error: a.most * b.error + b.most * a.error + a.error * b.error + rounding,
            ..first.minus(&second).scaled(0.25).within(a.most * b.most)
        }
    }
    /// The network whose outputs are these wires of the last layer.
    pub(super) fn finish(self, outputs: &[Wire]) -> Result<Built, NetworkError> {
        let mut layers = Vec::new();
        let mut parameters = Vec::new();
        let mut places: Vec<usize> = (0..self.inputs).collect();
        for neurons in &self.layers {
            let mut order: Vec<usize> = (0..neurons.len()).collect();
            order.sort_by_key(|&i| rank(neurons[i].basis));
            let wires: Vec<&Wire> = order.iter().map(|&i| &neurons[i].input).collect();
            lay_out(&wires, &places, &mut parameters);
            let bases: Vec<Basis> = order.iter().map(|&i| neurons[i].basis).collect();
            let groups = bases.chunk_by(|a, b| a == b).map(|same| Group {
                neurons: same.len(),
                terms: vec![Term::plain(same[0])],
            });
            layers.push(Layer::dense(Activation::new(groups.collect())?));
            places = vec![0; order.len()];
            for (place, &neuron) in order.iter().enumerate() {
                places[neuron] = place;
            }
        }
        let wires: Vec<&Wire> = outputs.iter().collect();
        assert!(
            wires.iter().all(|w| w.layer == self.layers.len()),
            "outputs are read off the last layer"
        );
        lay_out(&wires, &places, &mut parameters);
        layers.push(Layer::linear(outputs.len(), Bias::Yes));
        let network = Network::new(Inputs::coordinates(self.inputs), layers)?;
        Ok(Built {
            network,
            parameters,
        })
    }
}

fn rank(basis: Basis) -> usize {
    Basis::ALL
        .iter()
        .position(|&b| b == basis)
        .unwrap_or_default()
}

/// |fl(ẑ²) − z²| for |z| ≤ z and |ẑ − z| ≤ e.
fn square_error(z: f64, e: f64) -> f64 {
    2.0 * z * e + e * e + UNIT * (z + e) * (z + e)
}

/// The weights, then the biases, of one layer.
fn lay_out(wires: &[&Wire], places: &[usize], parameters: &mut Vec<f64>) {
    for wire in wires {
        let start = parameters.len();
        parameters.resize(start + places.len(), 0.0);
        for &(index, weight) in &wire.terms {
            parameters[start + places[index]] += weight;
        }
    }
    parameters.extend(wires.iter().map(|wire| wire.constant));
}
