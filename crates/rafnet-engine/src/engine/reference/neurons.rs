//! The numbers of every neuron, gathered from the parameters and from what the network's description holds fixed.

use crate::activation::neuron::Neuron;
use crate::activation::{Group, random};
use crate::basis::Basis;
use crate::network::{GroupPlaces, Network};
use crate::simd::Real;

/// One neuron: σ(z) = Σ_p α_p γ_p(β_p z), and where its trained numbers stand among the parameters.
pub(super) struct Mix<T> {
    bases: Vec<Basis>,
    alpha: Vec<T>,
    beta: Vec<T>,
    shape: Vec<T>,
    /// Where ᾱ_p goes.
    pub(super) alpha_at: Vec<Option<usize>>,
    /// Where β̄_p goes, times dβ/d(stored number).
    pub(super) beta_at: Vec<Option<(usize, T)>>,
    /// Where the gradients of the function's own coefficients go: (term, place), by coefficient.
    pub(super) shape_at: Vec<usize>,
}

impl<T: Real> Mix<T> {
    /// Its formulas.
    pub(super) fn neuron(&self) -> Neuron<'_, T> {
        Neuron {
            bases: &self.bases,
            alpha: &self.alpha,
            beta: &self.beta,
            shape: &self.shape,
        }
    }

    /// The terms whose function has coefficients of its own.
    pub(super) fn shaped(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.bases.len()).filter(|&p| self.bases[p].shape_len() > 0)
    }

    /// Neuron `k` of a group.
    fn new(group: &Group, places: &GroupPlaces, k: usize, parameters: &[T]) -> Self {
        let mut unused = random(0); // fixed numbers are written down, none is drawn
        let mut mix = Self {
            bases: group.terms.iter().map(|t| t.basis).collect(),
            alpha: Vec::new(),
            beta: Vec::new(),
            shape: Vec::new(),
            alpha_at: places.alpha.iter().map(|at| at.map(|at| at + k)).collect(),
            beta_at: Vec::new(),
            shape_at: Vec::new(),
        };
        for (p, term) in group.terms.iter().enumerate() {
            mix.alpha.push(match mix.alpha_at[p] {
                Some(at) => parameters[at],
                None => T::from_f64(term.alpha.initial.draw(k, &mut unused)),
            });
            let stored = match (places.beta[p], term.scale.coefficient()) {
                (Some(at), _) => parameters[at + k].to_f64(),
                (None, Some(fixed)) => fixed.initial.draw(k, &mut unused),
                (None, None) => 1.0,
            };
            mix.beta.push(T::from_f64(term.scale.beta(stored)));
            let slope = T::from_f64(term.scale.beta_slope(stored));
            mix.beta_at.push(places.beta[p].map(|at| (at + k, slope)));
        }
        if let (Some(at), Some(basis)) = (places.shape, group.shaped()) {
            // a text's names have a row of neurons each, the rational function's coefficients belong to the layer
            let of_neuron = |c: usize| at + c * group.neurons + k;
            let by_neuron = basis.shape_is_by_neuron();
            let place = |c: usize| if by_neuron { of_neuron(c) } else { at + c };
            mix.shape_at = (0..basis.shape_len()).map(place).collect();
            mix.shape = mix.shape_at.iter().map(|&at| parameters[at]).collect();
        }
        mix
    }
}

/// A network's parameters as the formulas name them.
pub(super) struct Neurons<'a, T> {
    pub(super) parameters: &'a [T],
    /// σ of every neuron of every layer; none for a linear layer.
    pub(super) layers: Vec<Vec<Mix<T>>>,
}

impl<'a, T: Real> Neurons<'a, T> {
    pub(super) fn new(network: &Network, parameters: &'a [T]) -> Self {
        let layers = network.layers().iter().zip(&network.layout().layers);
        let layers = layers.map(|(layer, places)| {
            let groups = layer.activation.iter().flat_map(|a| a.groups());
            let each = |(group, places): (&Group, &GroupPlaces)| -> Vec<Mix<T>> {
                (0..group.neurons)
                    .map(|k| Mix::new(group, places, k, parameters))
                    .collect()
            };
            groups.zip(&places.groups).flat_map(each).collect()
        });
        Self {
            parameters,
            layers: layers.collect(),
        }
    }
}
