//! A step's view of the parameters: weights packed for the products, α and β as tables.
//!
//! Packed once a step and shared by all workers. The tables stand neuron by neuron, all terms of a neuron together, fixed
//! numbers among them, and a width s enters as β = 1/(√2 s).

use super::aligned::Aligned;
use super::plan::{GroupPlan, Panel, Plan};
use crate::network::Network;
use crate::simd::Real;

/// What the sweeps read.
pub(super) struct Coefficients<T> {
    /// For each layer W in panels: `[panel][k][row]`.
    pub(super) weights: Vec<Aligned<T>>,
    /// For each layer Wᵀ in panels.
    pub(super) transposed: Vec<Aligned<T>>,
    pub(super) biases: Vec<Option<Aligned<T>>>,
    pub(super) alpha: Vec<T>,
    pub(super) beta: Vec<T>,
    pub(super) shape: Vec<T>,
}

impl<T: Real> Coefficients<T> {
    /// Room for a network, the fixed numbers already in place.
    pub(super) fn new(network: &Network, plan: &Plan) -> Self {
        let sizes = || {
            plan.layers
                .iter()
                .map(|l| Aligned::zeros(l.width * l.fan_in))
        };
        let mut new = Self {
            weights: sizes().collect(),
            transposed: sizes().collect(),
            biases: plan
                .layers
                .iter()
                .map(|l| l.bias.map(|_| Aligned::zeros(l.width)))
                .collect(),
            alpha: vec![T::ONE; plan.table_len],
            beta: vec![T::ONE; plan.table_len],
            shape: vec![T::ZERO; plan.shape_len],
        };
        let mut random = crate::activation::random(0); // fixed numbers take no random ones: the description holds them
        for (layer, plan) in network.layers().iter().zip(&plan.layers) {
            for (group, plan) in layer
                .activation
                .iter()
                .flat_map(|a| a.groups())
                .zip(&plan.groups)
            {
                let terms = group.terms.len();
                for (p, term) in group.terms.iter().enumerate() {
                    for k in 0..group.neurons {
                        let place = plan.table + k * terms + p;
                        if !term.alpha.is_trained() {
                            new.alpha[place] = T::from_f64(term.alpha.initial.draw(k, &mut random));
                        }
                        if let Some(c) = term.scale.coefficient().filter(|c| !c.is_trained()) {
                            new.beta[place] =
                                T::from_f64(term.scale.beta(c.initial.draw(k, &mut random)));
                        }
                    }
                }
            }
        }
        new
    }

    /// α and β of a term of neuron `i` of a group.
    #[inline(always)]
    pub(super) fn of(&self, group: &GroupPlan, i: usize, term: usize) -> (T, T) {
        let place = group.table + (i - group.neurons.start) * group.bases.len() + term;
        (self.alpha[place], self.beta[place])
    }

    /// Takes a parameter vector over.
    pub(super) fn refresh(&mut self, network: &Network, plan: &Plan, parameters: &[T]) {
        for (l, layer) in plan.layers.iter().enumerate() {
            let weight = &parameters[layer.weight..layer.weight + layer.width * layer.fan_in];
            pack(
                weight,
                layer.fan_in,
                1,
                layer.fan_in,
                &layer.panels,
                &mut self.weights[l],
            );
            pack(
                weight,
                1,
                layer.fan_in,
                layer.width,
                &layer.transposed_panels,
                &mut self.transposed[l],
            );
            if let (Some(bias), Some(to)) = (layer.bias, &mut self.biases[l]) {
                to.copy_from_slice(&parameters[bias..bias + layer.width]);
            }
        }
        each_trained(network, plan, |group, p, k, place, kind| match kind {
            Kind::Alpha(at) => self.alpha[place] = parameters[at],
            Kind::Scale(at) => {
                self.beta[place] = T::from_f64(group.terms[p].scale.beta(parameters[at].to_f64()))
            }
            Kind::Shape(at) => self.shape[k] = parameters[at],
        });
    }
}

/// Which parameter a trained number of an activation is.
pub(super) enum Kind {
    Alpha(usize),
    Scale(usize),
    Shape(usize),
}

/// Visits every trained number of every activation: (group, term, neuron of the group or place in the shape table, place in
/// the α and β tables, place in the parameter vector).
pub(super) fn each_trained(
    network: &Network,
    plan: &Plan,
    mut visit: impl FnMut(&crate::activation::Group, usize, usize, usize, Kind),
) {
    for ((layer, plan), places) in network
        .layers()
        .iter()
        .zip(&plan.layers)
        .zip(&network.layout().layers)
    {
        let groups = layer
            .activation
            .iter()
            .flat_map(|a| a.groups())
            .zip(&plan.groups)
            .zip(&places.groups);
        for ((group, plan), places) in groups {
            let terms = group.terms.len();
            for p in 0..terms {
                for k in 0..group.neurons {
                    let place = plan.table + k * terms + p;
                    if let Some(at) = places.alpha[p] {
                        visit(group, p, k, place, Kind::Alpha(at + k));
                    }
                    if let Some(at) = places.beta[p] {
                        visit(group, p, k, place, Kind::Scale(at + k));
                    }
                }
            }
            let (neurons, step) = (group.neurons, plan.shape_step);
            for (n, k) in plan.shape.clone().enumerate() {
                // a text's names stand neuron by neuron here, name by name among the parameters
                let offset = if step > 0 {
                    n % step * neurons + n / step
                } else {
                    n
                };
                if let Some(at) = places.shape {
                    visit(group, 0, k, 0, Kind::Shape(at + offset));
                }
            }
        }
    }
}

/// Rows `panel.start..` of a matrix (entry (r, k) at r·row_step + k·column_step) as `[k][row]`, panel after panel.
pub(super) fn pack<T: Real>(
    from: &[T],
    row_step: usize,
    column_step: usize,
    columns: usize,
    panels: &[Panel],
    to: &mut [T],
) {
    for panel in panels {
        let to = &mut to[panel.start * columns..(panel.start + panel.rows) * columns];
        for (k, row) in to.chunks_exact_mut(panel.rows).enumerate() {
            for (r, value) in row.iter_mut().enumerate() {
                *value = from[(panel.start + r) * row_step + k * column_step];
            }
        }
    }
}
