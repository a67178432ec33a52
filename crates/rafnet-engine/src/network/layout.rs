//! Names and places in the flat parameter vector.
//!
//! Layer by layer: `layers.K.weight` (out × in), `layers.K.bias` (out), then the trained numbers of the activation:
//! `layers.K.alpha` (one row a basis function that trains its α), `layers.K.beta` (one row a basis function that trains a
//! frequency or a width) and `layers.K.rational` (7) or `layers.K.text` (one row a name of the text). A layer of several groups
//! numbers them: `layers.K.groups.G.alpha`.

use super::{Bias, Inputs, Layer};
use crate::activation::{Group, Term};
use std::ops::Range;

/// A named block of the parameter vector.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// For example `layers.0.weight`.
    pub name: String,
    /// Row-major shape.
    pub shape: Vec<usize>,
    /// Where it stands.
    pub range: Range<usize>,
}

/// Where a group's trained numbers start; rows of `neurons` numbers each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupPlaces {
    /// For each term, where its row of α stands, if trained.
    pub alpha: Vec<Option<usize>>,
    /// For each term, where its row of frequencies or widths stands, if trained.
    pub beta: Vec<Option<usize>>,
    /// Where the coefficients stand that a function has of its own, if there is one.
    pub shape: Option<usize>,
}

/// Where a layer's parameters start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LayerPlaces {
    /// Where its weights begin.
    pub weight: usize,
    /// Where its biases begin, where it has them.
    pub bias: Option<usize>,
    /// Its activation's groups.
    pub groups: Vec<GroupPlaces>,
}

/// The names and places of all parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    named: Vec<Named>,
    /// Each layer's places.
    pub layers: Vec<LayerPlaces>,
    len: usize,
}

impl Layout {
    pub(super) fn new(inputs: &Inputs, layers: &[Layer]) -> Self {
        let mut layout = Self {
            named: Vec::new(),
            layers: Vec::new(),
            len: 0,
        };
        let mut fan_in = inputs.width();
        for (l, layer) in layers.iter().enumerate() {
            let weight = layout.add(format!("layers.{l}.weight"), vec![layer.width, fan_in]);
            let bias = (layer.bias == Bias::Yes)
                .then(|| layout.add(format!("layers.{l}.bias"), vec![layer.width]));
            let groups = layer.activation.as_ref().map_or(&[][..], |a| a.groups());
            let places = groups.iter().enumerate().map(|(g, group)| {
                let prefix = if groups.len() == 1 {
                    format!("layers.{l}")
                } else {
                    format!("layers.{l}.groups.{g}")
                };
                layout.add_group(&prefix, group)
            });
            let groups = places.collect();
            layout.layers.push(LayerPlaces {
                weight,
                bias,
                groups,
            });
            fan_in = layer.width;
        }
        layout
    }

    fn add(&mut self, name: String, shape: Vec<usize>) -> usize {
        let start = self.len;
        self.len = shape
            .iter()
            .fold(1usize, |n, &s| n.saturating_mul(s))
            .saturating_add(start);
        self.named.push(Named {
            name,
            shape,
            range: start..self.len,
        });
        start
    }

    fn add_group(&mut self, prefix: &str, group: &Group) -> GroupPlaces {
        let mut rows = |what: &str, trained: &dyn Fn(&Term) -> bool| {
            let flags: Vec<bool> = group.terms.iter().map(trained).collect();
            let n = flags.iter().filter(|&&f| f).count();
            let mut next = if n > 0 {
                self.add(format!("{prefix}.{what}"), vec![n, group.neurons])
            } else {
                self.len
            };
            let place = |flag: bool| {
                let here = next;
                next = next.saturating_add(if flag { group.neurons } else { 0 });
                flag.then_some(here)
            };
            flags.into_iter().map(place).collect::<Vec<_>>()
        };
        let alpha = rows("alpha", &|t| t.alpha.is_trained());
        let beta = rows("beta", &|t| {
            t.scale
                .coefficient()
                .is_some_and(crate::activation::Coefficient::is_trained)
        });
        let shape = group.shaped().map(|basis| {
            let n = basis.shape_len();
            if basis.shape_is_by_neuron() {
                self.add(format!("{prefix}.text"), vec![n, group.neurons])
            } else {
                self.add(format!("{prefix}.rational"), vec![n])
            }
        });
        GroupPlaces { alpha, beta, shape }
    }

    /// All blocks, in order.
    pub fn named(&self) -> &[Named] {
        &self.named
    }
    /// The block of a name.
    pub fn get(&self, name: &str) -> Option<&Named> {
        self.named.iter().find(|n| n.name == name)
    }
    /// How many parameters.
    pub fn len(&self) -> usize {
        self.len
    }
    /// Whether there are none (never the case in a network).
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}
