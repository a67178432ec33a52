//! Learnable networks rewritten with one basis function a neuron, equal outputs.
//!
//! ```text
//! σ(z) = Σ_p α_p γ_p(β_p z)        neuron p: γ_p(β_p W h + β_p b)        next layer: W′ α_p
//! ```
//!
//! A neuron that mixes P functions becomes P neurons with the same incoming weights, scaled by β, whose outputs the next layer
//! combines with α (the paper's remark on its ⊕). Nothing of an activation is trained any more.

use super::TheoryError;
use rafnet::activation::{Activation, Coefficient, Group, Initial, Term};
use rafnet::model::Model;
use rafnet::network::{Bias, Layer, Network, Skip};

/// The same function with one basis function a neuron.
///
/// # Errors
/// [`TheoryError::NotExpandable`] for a network with skip connections.
///
/// ```
/// use rafnet::Model;
/// use rafnet::activation::{Set, Signal};
/// use rafnet::model::{Output, Parts};
/// use rafnet::network::{Init, Inputs, Network, Weights};
/// let layer = Set::Psg.learnable(3, Signal::Image);
/// let network = Network::fully_connected(Inputs::coordinates(1), vec![layer], 1)?;
/// let theta = network.init(Init::new(Weights::Siren, 1));
/// let model = Model::new(Parts::new(["x"], vec![Output::new("u")], network, theta))?;
/// let wide = rafnet_theory::expand(&model)?;
/// assert_eq!(wide.parts().network.layers()[0].width, 4 * 3);
/// let (u, v) = (model.eval(&[0.3])?[0], wide.eval(&[0.3])?[0]);
/// assert!((u - v).abs() < 1e-13);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn expand(model: &Model) -> Result<Model, TheoryError> {
    let parts = model.parts();
    if !parts.pieces.is_empty() {
        return Err(TheoryError::NotExpandable {
            reason: "it is a model of several pieces, each with a last layer of its own".into(),
        });
    }
    let old = &parts.network;
    let theta = &parts.parameters;
    let mut layers = Vec::new();
    let mut parameters = Vec::new();
    // for every old neuron, the new ones that replace it, with their coefficients
    let mut before: Vec<Vec<(usize, f64)>> = (0..old.fan_in(0)).map(|i| vec![(i, 1.0)]).collect();
    let mut width_before = old.fan_in(0);
    for (l, layer) in old.layers().iter().enumerate() {
        if layer.skip != Skip::None {
            return Err(TheoryError::NotExpandable {
                reason: format!("layer {l} has a skip connection, which has no place in it"),
            });
        }
        let places = &old.layout().layers[l];
        let fan_in = old.fan_in(l);
        let row = |i: usize, beta: f64| {
            let mut row = vec![0.0; width_before];
            let start = places.weight + i * fan_in;
            for (w, replaced) in theta[start..start + fan_in].iter().zip(&before) {
                for &(new, alpha) in replaced {
                    row[new] += beta * w * alpha;
                }
            }
            row
        };
        let mut rows: Vec<(usize, f64)> = Vec::new(); // (old neuron, β)
        let mut after = vec![Vec::new(); layer.width];
        let mut groups = Vec::new();
        let mut shapes: Vec<f64> = Vec::new();
        match &layer.activation {
            None => {
                rows = (0..layer.width).map(|i| (i, 1.0)).collect();
                after = (0..layer.width).map(|i| vec![(i, 1.0)]).collect();
            }
            Some(activation) => {
                let mut first = 0;
                for (group, at) in activation.groups().iter().zip(&places.groups) {
                    for (p, term) in group.terms.iter().enumerate() {
                        let alpha = numbers(&term.alpha, at.alpha[p], group.neurons, theta);
                        let stored = term.scale.coefficient();
                        let stored = stored.map(|c| numbers(c, at.beta[p], group.neurons, theta));
                        for i in 0..group.neurons {
                            let beta = term.scale.beta(stored.as_ref().map_or(1.0, |s| s[i]));
                            after[first + i].push((rows.len(), alpha[i]));
                            rows.push((first + i, beta));
                        }
                        groups.push(Group {
                            neurons: group.neurons,
                            terms: vec![Term::plain(term.basis)],
                        });
                        if let Some(shape) = at.shape.filter(|_| term.basis.shape_len() > 0) {
                            shapes.extend(&theta[shape..shape + term.basis.shape_len()]);
                        }
                    }
                    first += group.neurons;
                }
            }
        }
        rows.iter()
            .for_each(|&(i, beta)| parameters.extend(row(i, beta)));
        if let Some(bias) = places.bias.filter(|_| layer.bias == Bias::Yes) {
            parameters.extend(rows.iter().map(|&(i, beta)| beta * theta[bias + i]));
        }
        parameters.extend(shapes);
        let activation = match layer.activation {
            None => None,
            Some(_) => Some(Activation::new(groups).map_err(rafnet::network::NetworkError::from)?),
        };
        layers.push(Layer {
            width: rows.len(),
            bias: layer.bias,
            activation,
            skip: Skip::None,
        });
        width_before = rows.len();
        before = after;
    }
    let mut expanded = parts.clone();
    expanded.network = Network::new(*old.inputs(), layers)?;
    expanded.parameters = parameters;
    Ok(Model::new(expanded)?)
}

/// A coefficient's value for each neuron: trained ones from the parameters, fixed ones as described.
fn numbers(
    coefficient: &Coefficient,
    place: Option<usize>,
    neurons: usize,
    theta: &[f64],
) -> Vec<f64> {
    match place {
        Some(start) => theta[start..start + neurons].to_vec(),
        None => match coefficient.initial.drawn(neurons, 0) {
            Initial::Values(values) => values,
            other => unreachable!("drawn numbers are values, not {other:?}"),
        },
    }
}
