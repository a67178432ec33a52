//! Initial parameters.
//!
//! | [`Weights`] | weights | biases |
//! |---|---|---|
//! | `FanIn` | U(±1/√n_in) | U(±1/√n_in) |
//! | `Siren` | first layer U(±1/n_in), others U(±√(6/n_in)/30) | U(±1/√n_in) |
//! | `Glorot` | U(±√(6/(n_in + n_out))) | 0 |
//!
//! The numbers of the activations start from their own distributions.

use super::{Bias, Network};
use crate::activation::{Initial, random};
use crate::simd::Real;
use rand::Rng;

/// The distribution of weights and biases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weights {
    /// Uniform by the number of inputs of a layer: the scientific experiments.
    FanIn,
    /// SIREN's, for all coordinate networks.
    Siren,
    /// Glorot uniform with zero biases: the eigenvalue experiment.
    Glorot,
}

/// How a network starts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Init {
    /// The distribution of weights and biases.
    pub weights: Weights,
    /// A factor on the weights between hidden layers (1: none).
    pub hidden_scale: f64,
    /// The same seed gives the same bits.
    pub seed: u64,
}

impl Init {
    /// A distribution and a seed, hidden weights unscaled.
    pub fn new(weights: Weights, seed: u64) -> Self {
        Self {
            weights,
            hidden_scale: 1.0,
            seed,
        }
    }
}

impl Network {
    /// Draws the flat parameter vector; drawn in f64 and rounded, so that both precisions start alike.
    pub fn init<T: Real>(&self, init: Init) -> Vec<T> {
        let mut random = random(init.seed);
        let mut parameters = Vec::with_capacity(self.n_parameters());
        for (l, layer) in self.layers().iter().enumerate() {
            let (fan_in, fan_out) = (self.fan_in(l) as f64, layer.width as f64);
            let plain = 1.0 / fan_in.sqrt();
            let (weight, bias) = match init.weights {
                Weights::FanIn => (plain, plain),
                Weights::Siren if l == 0 => (1.0 / fan_in, plain),
                Weights::Siren => ((6.0 / fan_in).sqrt() / 30.0, plain),
                Weights::Glorot => ((6.0 / (fan_in + fan_out)).sqrt(), 0.0),
            };
            let hidden = l > 0 && l + 1 < self.layers().len();
            let weight = if hidden {
                weight * init.hidden_scale
            } else {
                weight
            };
            uniform(
                &mut parameters,
                layer.width * self.fan_in(l),
                weight,
                &mut random,
            );
            if layer.bias == Bias::Yes {
                uniform(&mut parameters, layer.width, bias, &mut random);
            }
            for group in layer.activation.iter().flat_map(|a| a.groups()) {
                let alphas = group.terms.iter().map(|t| &t.alpha);
                let scales = group.terms.iter().filter_map(|t| t.scale.coefficient());
                for coefficient in alphas.chain(scales).filter(|c| c.is_trained()) {
                    let draw = |k| T::from_f64(coefficient.initial.draw(k, &mut random));
                    parameters.extend((0..group.neurons).map(draw));
                }
                if let Some(basis) = group.shaped() {
                    let each = if basis.shape_is_by_neuron() {
                        group.neurons
                    } else {
                        1
                    };
                    for start in basis.shape_start() {
                        parameters.extend(std::iter::repeat_n(T::from_f64(start), each));
                    }
                }
            }
        }
        parameters
    }
}

fn uniform<T: Real>(parameters: &mut Vec<T>, n: usize, bound: f64, random: &mut impl Rng) {
    let distribution = Initial::Uniform {
        low: -bound,
        high: bound,
    };
    parameters.extend((0..n).map(|k| T::from_f64(distribution.draw(k, random))));
}
