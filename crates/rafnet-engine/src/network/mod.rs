//! Networks: a structure, and one flat vector of parameters with named ranges.
//!
//! ```text
//! z_l = W_l h_{l−1} + b_l        h_l = σ_l(z_l) + skip_l        u = W_out h_L + b_out
//! ```
//!
//! [`Network::fully_connected`] is SIREN's shape (no skips), [`Network::resnet`] the residual network of the paper's
//! scientific experiments as coded, [`Network::resnet_printed`] as printed. Every output is linear in the last hidden
//! layer. The inputs may be raw coordinates or fixed periodic features, with further known functions beside them.

mod fnn;
mod grow;
mod init;
mod inputs;
mod layout;
mod resnet;

pub use init::{Init, Weights};
pub use inputs::{Encoding, Inputs};
pub use layout::{GroupPlaces, LayerPlaces, Layout, Named};

use crate::activation::{Activation, ActivationError};

/// Whether a dense layer has a bias.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bias {
    /// z = W h + b
    Yes,
    /// z = W h
    No,
}

/// What is added to a layer's activation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Skip {
    /// Nothing.
    None,
    /// The network's inputs, padded with zeros.
    Inputs,
    /// The output of an earlier layer, from 0.
    Layer(usize),
}

/// A dense layer with its activation and skip; without an activation it is linear.
#[derive(Clone, Debug, PartialEq)]
pub struct Layer {
    /// How many neurons.
    pub width: usize,
    /// Whether it has a bias.
    pub bias: Bias,
    /// σ, or none for a linear layer.
    pub activation: Option<Activation>,
    /// What is added after σ.
    pub skip: Skip,
}

impl Layer {
    /// A dense layer with an activation of the same width.
    pub fn dense(activation: Activation) -> Self {
        Self {
            width: activation.width(),
            bias: Bias::Yes,
            activation: Some(activation),
            skip: Skip::None,
        }
    }
    /// A linear layer.
    pub fn linear(width: usize, bias: Bias) -> Self {
        Self {
            width,
            bias,
            activation: None,
            skip: Skip::None,
        }
    }
    /// The same layer with a skip.
    #[must_use]
    pub fn with_skip(self, skip: Skip) -> Self {
        Self { skip, ..self }
    }
}

/// A network that cannot be.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum NetworkError {
    /// A size of zero or beyond all memory.
    #[error("{what} is {found}; expected a number from 1 to {most}")]
    Size {
        /// Which size.
        what: &'static str,
        /// What was asked for.
        found: usize,
        /// The largest that is taken.
        most: usize,
    },
    /// More parameters than memory holds.
    #[error(transparent)]
    Memory(#[from] rafnet_memory::NotEnough),
    /// An activation of another width than its layer.
    #[error("layer {layer} has {width} neurons but an activation for {found}")]
    Width {
        /// Which layer, from 0.
        layer: usize,
        /// Its width.
        width: usize,
        /// The activation's width.
        found: usize,
    },
    /// A skip that does not fit.
    #[error("the skip into layer {layer} does not fit: {reason}")]
    Skip {
        /// Which layer, from 0.
        layer: usize,
        /// Why.
        reason: &'static str,
    },
    /// An activation that makes no sense.
    #[error(transparent)]
    Activation(#[from] ActivationError),
}

/// Largest width, depth, dimension or number of outputs.
const MOST: usize = 1 << 16;
/// Largest number of parameters (8 GiB of f64).
const MOST_PARAMETERS: usize = 1 << 30;

/// The structure of a network. Its parameters are a flat vector laid out by [`Network::layout`].
///
/// ```
/// use rafnet::activation::Set;
/// use rafnet::network::{Inputs, Network};
/// let net = Network::resnet(Inputs::coordinates(2), &Set::Psg.shared_out(50, 0.1), 1)?;
/// assert_eq!(net.n_parameters(), 7851);
/// # Ok::<(), rafnet::network::NetworkError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Network {
    inputs: Inputs,
    layers: Vec<Layer>,
    layout: Layout,
}

impl Network {
    /// Checks the layers (the last one is the output and must be linear) and joins them.
    ///
    /// # Errors
    /// [`NetworkError`] names the layer and what does not fit.
    pub fn new(inputs: Inputs, layers: Vec<Layer>) -> Result<Self, NetworkError> {
        check(&inputs, &layers)?;
        let layout = Layout::new(&inputs, &layers);
        let n = layout.len();
        if n > MOST_PARAMETERS {
            return Err(NetworkError::Size {
                what: "the number of parameters",
                found: n,
                most: MOST_PARAMETERS,
            });
        }
        rafnet_memory::require(format_args!("a network of {n} parameters"), &[n, 8])?;
        Ok(Self {
            inputs,
            layers,
            layout,
        })
    }

    /// Refuses more layers than a network may have, before they are made.
    ///
    /// # Errors
    /// [`NetworkError`] says how many are.
    pub fn allow_depth(depth: usize) -> Result<(), NetworkError> {
        size("the number of layers", depth)
    }

    /// What the first layer sees.
    pub fn inputs(&self) -> &Inputs {
        &self.inputs
    }
    /// The layers; the last is the output.
    pub fn layers(&self) -> &[Layer] {
        &self.layers
    }
    /// The names and places of the parameters.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }
    /// How many parameters.
    pub fn n_parameters(&self) -> usize {
        self.layout.len()
    }
    /// How many outputs.
    pub fn n_outputs(&self) -> usize {
        self.layers[self.layers.len() - 1].width
    }
    /// How many numbers enter layer `l`.
    pub fn fan_in(&self, l: usize) -> usize {
        if l == 0 {
            self.inputs.width()
        } else {
            self.layers[l - 1].width
        }
    }
}

fn size(what: &'static str, found: usize) -> Result<(), NetworkError> {
    match found {
        1..=MOST => Ok(()),
        _ => Err(NetworkError::Size {
            what,
            found,
            most: MOST,
        }),
    }
}

fn check(inputs: &Inputs, layers: &[Layer]) -> Result<(), NetworkError> {
    size("the dimension", inputs.dimension)?;
    size("the number of inputs", inputs.width())?;
    size("the number of layers", layers.len())?;
    for (l, layer) in layers.iter().enumerate() {
        size(
            if l + 1 == layers.len() {
                "the number of outputs"
            } else {
                "the width of a layer"
            },
            layer.width,
        )?;
        if let Some(activation) = &layer.activation {
            if activation.width() != layer.width {
                return Err(NetworkError::Width {
                    layer: l,
                    width: layer.width,
                    found: activation.width(),
                });
            }
            if l + 1 == layers.len() {
                return Err(NetworkError::Skip {
                    layer: l,
                    reason: "the output layer must be linear",
                });
            }
        }
    }
    check_skips(inputs, layers)
}

/// Skips must fit in width and must not overlap: the reverse sweep keeps one skip's gradient at a time.
fn check_skips(inputs: &Inputs, layers: &[Layer]) -> Result<(), NetworkError> {
    let mut free_from = 0; // the earliest layer that the next skip may start at
    for (l, layer) in layers.iter().enumerate() {
        let fail = |reason| Err(NetworkError::Skip { layer: l, reason });
        match layer.skip {
            Skip::None => {}
            _ if l + 1 == layers.len() => return fail("the output layer takes no skip"),
            Skip::Inputs if inputs.width() > layer.width => {
                return fail("there are more inputs than neurons");
            }
            Skip::Inputs => {}
            Skip::Layer(from) if from >= l => return fail("it must come from an earlier layer"),
            Skip::Layer(from) if layers[from].width != layer.width => {
                return fail("the two layers differ in width");
            }
            Skip::Layer(from) if from < free_from => return fail("skips must not overlap"),
            Skip::Layer(_) => free_from = l,
        }
    }
    Ok(())
}
