//! The residual network of the paper's scientific experiments, in its coded and its printed form.

use super::{Bias, Inputs, Layer, Network, NetworkError, Skip};
use crate::activation::Activation;

impl Network {
    /// The form of the released code, the same activation in all four layers:
    ///
    /// ```text
    /// s = (x, 0, …, 0)      y = σ(W₁x + b₁)    y = σ(W₂y + b₂) + s
    /// s = y                 y = σ(W₃y + b₃)    y = σ(W₄y + b₄) + s      u = w·y + b
    /// ```
    ///
    /// # Errors
    /// [`NetworkError`] if a size is zero or absurd, or the inputs outnumber the neurons.
    pub fn resnet(
        inputs: Inputs,
        activation: &Activation,
        outputs: usize,
    ) -> Result<Self, NetworkError> {
        Self::resnet_of(inputs, [0; 4].map(|_| activation.clone()), outputs)
    }

    /// The same with an activation for each layer.
    ///
    /// # Errors
    /// As [`Network::resnet`].
    pub fn resnet_of(
        inputs: Inputs,
        activations: [Activation; 4],
        outputs: usize,
    ) -> Result<Self, NetworkError> {
        let [first, second, third, fourth] = activations.map(Layer::dense);
        let layers = vec![
            first,
            second.with_skip(Skip::Inputs),
            third,
            fourth.with_skip(Skip::Layer(1)),
            Layer::linear(outputs, Bias::Yes),
        ];
        Self::new(inputs, layers)
    }

    /// The form printed in the paper: the input is lifted by V, W₁ is square, the output has no bias:
    ///
    /// ```text
    /// h₀ = Vx    g_l = σ(W_l h_{l−1} + b_l)    h₁ = g₁    h₂ = h₀ + g₂    h₃ = g₃    h₄ = h₂ + g₄    u = a·h₄
    /// ```
    ///
    /// # Errors
    /// [`NetworkError`] if a size is zero or absurd.
    pub fn resnet_printed(
        inputs: Inputs,
        activation: &Activation,
        outputs: usize,
    ) -> Result<Self, NetworkError> {
        let dense = || Layer::dense(activation.clone());
        let layers = vec![
            Layer::linear(activation.width(), Bias::No),
            dense(),
            dense().with_skip(Skip::Layer(0)),
            dense(),
            dense().with_skip(Skip::Layer(2)),
            Layer::linear(outputs, Bias::No),
        ];
        Self::new(inputs, layers)
    }
}
