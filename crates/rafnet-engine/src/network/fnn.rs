//! The fully connected network: SIREN's shape.

use super::{Bias, Inputs, Layer, Network, NetworkError};
use crate::activation::Activation;

impl Network {
    /// One dense layer for each activation, then a linear output with bias.
    ///
    /// # Errors
    /// [`NetworkError`] if a size is zero or absurd.
    pub fn fully_connected(
        inputs: Inputs,
        activations: Vec<Activation>,
        outputs: usize,
    ) -> Result<Self, NetworkError> {
        let mut layers: Vec<Layer> = activations.into_iter().map(Layer::dense).collect();
        layers.push(Layer::linear(outputs, Bias::Yes));
        Self::new(inputs, layers)
    }
}
