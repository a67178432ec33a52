//! Which network, and how it is trained.

use super::{Holdout, Supervision};
use crate::activation::{Activation, Set, Signal};
use crate::model::Precision;
use crate::network::{Init, Inputs, Network, NetworkError, Weights};
use crate::solve::Schedule;

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
    const fn signal(self) -> Signal {
        match self {
            Self::Image | Self::Table => Signal::Image,
            Self::Audio => Signal::Audio,
            Self::Video => Signal::Video,
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
    /// Threads; the answer does not depend on it.
    pub threads: usize,
}

impl Options {
    /// The network and its parameters at the start: SIREN's shape and weights, coefficients by the kind of signal. Networks without a
    /// sine start as PyTorch's layers do.
    ///
    /// # Errors
    /// [`NetworkError`] if a size is zero or absurd.
    pub fn network(
        &self,
        dimension: usize,
        channels: usize,
    ) -> Result<(Network, Vec<f64>), NetworkError> {
        let activations: Vec<Activation> =
            vec![self.activation.learnable(self.width, self.kind.signal()); self.depth];
        let network =
            Network::fully_connected(Inputs::coordinates(dimension), activations, channels)?;
        let sine = self.activation.bases().contains(&crate::basis::Basis::Sine);
        let mut parameters = network.init::<f64>(Init {
            weights: if sine { Weights::Siren } else { Weights::FanIn },
            hidden_scale: self.init_scale,
            seed: self.seed,
        });
        if let Some(first) = network.layout().get("layers.0.weight") {
            let weights = &mut parameters[first.range.clone()];
            weights.iter_mut().for_each(|w| *w *= self.first_scale);
        }
        Ok((network, parameters))
    }
}
