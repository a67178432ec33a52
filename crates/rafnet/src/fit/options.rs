//! Which network, and how it is trained.

use super::{Holdout, Supervision};
use crate::activation::{Activation, Initial, Set, Signal, Term, random};
use crate::basis::Basis;
use crate::engine::Device;
use crate::model::Precision;
use crate::network::{Init, Inputs, Network, NetworkError, Weights};
use crate::optimise::Schedule;
use std::f64::consts::PI;

/// The frequency of SIREN's sine, for which its weights are made.
const SIREN: f64 = 30.0;

/// What is fitted: where the paper starts its coefficients, and what a sample is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// (row, column) → grey or colours.
    Image,
    /// time → amplitude.
    Audio,
    /// (time, row, column) → colours.
    Video,
    /// Columns → columns.
    Table,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Self; 4] = [Self::Image, Self::Audio, Self::Video, Self::Table];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Image => "image",
            Self::Audio => "audio",
            Self::Video => "video",
            Self::Table => "table",
        }
    }

    /// The kind of a name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    const fn signal(self) -> Signal {
        match self {
            Self::Image | Self::Table => Signal::Image,
            Self::Audio => Signal::Audio,
            Self::Video => Signal::Video,
        }
    }
}

/// What makes a step of a gradient.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Optimiser {
    /// [`Adam`](crate::optimise::Adam) for everything.
    Adam,
    /// [`Muon`](crate::optimise::Muon) for the weights between hidden layers, Adam for the rest.
    Muon,
}

impl Optimiser {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Adam, Self::Muon];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Adam => "adam",
            Self::Muon => "muon",
        }
    }
}

/// Everything resolved.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// What is fitted.
    pub kind: Kind,
    /// The activation of every layer.
    pub activation: Set,
    /// A first layer of Fourier features sin(w·x + b) that is not trained, w normal with this deviation.
    pub fourier: Option<f64>,
    /// The frequency for which the weights of a text's layers are made: SIREN's 30, or how fast the text varies.
    pub frequency: f64,
    /// The deviation of the sines' frequencies from 30 at the start, where it is not the paper's 0.001.
    pub spread: Option<f64>,
    /// Neurons of a layer.
    pub width: usize,
    /// Activated layers.
    pub depth: usize,
    /// A factor on the hidden weights at the start.
    pub init_scale: f64,
    /// A factor on the first layer's weights at the start: how fine the first waves are.
    pub first_scale: f64,
    /// Values or derivatives.
    pub supervision: Supervision,
    /// Samples of a step; all of them if there are no more.
    pub batch: usize,
    /// Which samples are kept from the training.
    pub holdout: Holdout,
    /// The share of a step's samples that are taken beside their places, where a smooth signal is told; it falls to zero in the second half
    /// of the first descent.
    pub displaced: f64,
    /// What makes a step of a gradient.
    pub optimiser: Optimiser,
    /// Steps.
    pub steps: u64,
    /// The learning rate at the start.
    pub lr: f64,
    /// How it falls.
    pub schedule: Schedule,
    /// The precision of the arithmetic.
    pub precision: Precision,
    /// The same seed, the same bits.
    pub seed: u64,
    /// Mean square at which the run ends.
    pub target: f64,
    /// Largest difference at which the run ends.
    pub tolerance: f64,
    /// Steps between looks at held-out samples and at the largest difference.
    pub look: u64,
    /// Seconds after which the run ends.
    pub time_limit: f64,
    /// Seconds between checkpoints.
    pub checkpoint: f64,
    /// Where the sweeps are computed.
    pub device: Device,
    /// Threads; the answer does not depend on it.
    pub threads: usize,
}

impl Options {
    /// The network and its parameters at the start: SIREN's shape and weights, coefficients by the kind of signal. Networks without a
    /// sine or a text start as PyTorch's layers do.
    ///
    /// # Errors
    /// [`NetworkError`] if a size is zero or absurd.
    pub fn network(
        &self,
        dimension: usize,
        channels: usize,
    ) -> Result<(Network, Vec<f64>), NetworkError> {
        let mut activations: Vec<Activation> =
            vec![self.activation.learnable(self.width, self.kind.signal()); self.depth];
        if self.fourier.is_some() {
            let sine = vec![Term::plain(Basis::Sine)];
            activations[0] = Activation::uniform(self.width, sine);
        }
        let network =
            Network::fully_connected(Inputs::coordinates(dimension), activations, channels)?;
        let text = matches!(self.activation, Set::Text(_)) && self.kind != Kind::Table;
        let sine = self.activation.bases().contains(&Basis::Sine) || text;
        let mut parameters = network.init::<f64>(Init {
            weights: if sine { Weights::Siren } else { Weights::FanIn },
            hidden_scale: self.init_scale,
            seed: self.seed,
        });
        let mut change = |layer: usize, what: &str, by: &mut dyn FnMut(&mut f64)| {
            if let Some(block) = network.layout().get(&format!("layers.{layer}.{what}")) {
                parameters[block.range.clone()].iter_mut().for_each(by);
            }
        };
        if let Some(deviation) = self.fourier {
            let mut random = random(self.seed ^ 0xf0);
            let mut draw = |initial: Initial| initial.draw(0, &mut random);
            change(0, "weight", &mut |w| {
                *w = draw(Initial::Normal {
                    mean: 0.0,
                    deviation,
                });
            });
            change(0, "bias", &mut |b| {
                *b = draw(Initial::Uniform { low: -PI, high: PI });
            });
        }
        let sines = self.activation.bases().contains(&Basis::Sine);
        if let Some(deviation) = self.spread.filter(|_| sines) {
            let mut random = random(self.seed ^ 0xb1);
            let sines = Initial::Normal {
                mean: SIREN,
                deviation,
            };
            for layer in 0..self.depth {
                // the first row of β: a frequency for every neuron
                let mut k = 0;
                change(layer, "beta", &mut |beta| {
                    if k < self.width {
                        *beta = sines.draw(k, &mut random);
                    }
                    k += 1;
                });
            }
        }
        if text {
            for layer in 0..self.depth {
                for what in ["weight", "bias"] {
                    change(layer, what, &mut |w| *w *= SIREN / self.frequency);
                }
            }
        }
        change(0, "weight", &mut |w| *w *= self.first_scale);
        Ok((network, parameters))
    }

    /// The share of displaced samples at a step.
    pub(super) fn displaced_at(&self, step: u64) -> f64 {
        let descent = self.schedule.first_descent(self.steps);
        let done = step as f64 / descent.max(1) as f64;
        self.displaced * ((0.85 - done) / 0.35).clamp(0.0, 1.0)
    }

    /// The parameters that stay where they are: the first layer's, if it holds Fourier features.
    pub(super) fn frozen(&self, network: &Network) -> std::ops::Range<usize> {
        let second = network.layout().get("layers.1.weight");
        match (self.fourier, second) {
            (Some(_), Some(second)) => 0..second.range.start,
            _ => 0..0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::Preset;

    /// The published code draws the frequencies of sounds from N(30, 10), the text from N(30, 0.001); widths of Gaussians stay.
    #[test]
    fn frequencies_of_sounds() {
        for (preset, deviation) in [(Preset::Paper, 0.001), (Preset::Code, 10.0)] {
            let options = Options::usual(Kind::Audio, preset, 1_000);
            let (network, parameters) = options.network(1, 1).expect("a network");
            for layer in 0..options.depth {
                let name = format!("layers.{layer}.beta");
                let block = network.layout().get(&name).expect("a block");
                let beta = &parameters[block.range.clone()];
                let (sines, widths) = beta.split_at(options.width);
                let n = sines.len() as f64;
                let mean = sines.iter().sum::<f64>() / n;
                let square = sines.iter().map(|b| (b - mean).powi(2)).sum::<f64>() / n;
                assert!((mean - 30.0).abs() < 0.3 * deviation, "{mean}");
                let found = square.sqrt() / deviation;
                assert!((0.8..1.2).contains(&found), "{found}");
                assert!(widths.iter().all(|s| (0.01..0.05).contains(s)));
            }
        }
    }
}
