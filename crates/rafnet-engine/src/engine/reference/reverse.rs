//! The way back: from φ̄, what the loss feels of the outputs' streams, to what it feels of every parameter.
//!
//! ```text
//! activation   z̄_s = σ′ h̄_s
//!              z̄_k = σ′ h̄_k + σ″ Σ_s h̄_s ∂q_s/∂z_k
//!              z̄_v = H₀ σ′ + H₁ σ″ + H₂ σ‴      H₀ = h̄_v   H₁ = Σ_k h̄_k z_k + Σ_s h̄_s z_s   H₂ = Σ_s h̄_s q_s
//! dense        W̄ = Σ_• z̄_• a_•ᵀ     b̄ = z̄_v     ā_• = Wᵀ z̄_•
//! skip         its source feels what the sum feels
//! ```

use super::Jets;
use super::forward::{Trace, add, quadratic, tower};
use super::neurons::{Mix, Neurons};
use crate::engine::Carried;
use crate::network::{Network, Skip};
use crate::simd::{Lanes, Real, Vector};

/// Adds a point's gradient.
pub(super) fn sweep<T: Real>(
    network: &Network,
    neurons: &Neurons<'_, T>,
    carried: &Carried,
    trace: &Trace<T>,
    phi_bar: Jets<T>,
    gradient: &mut [T],
) where
    Lanes<T, 1>: Vector<Element = T>,
{
    let zero = |h: &Jets<T>| -> Jets<T> { h.iter().map(|s| vec![T::ZERO; s.len()]).collect() };
    let mut h_bar: Vec<Jets<T>> = trace.h.iter().map(zero).collect();
    let last = h_bar.len() - 1;
    h_bar[last] = phi_bar;
    for l in (0..=last).rev() {
        let mut bar = std::mem::take(&mut h_bar[l]);
        if let Skip::Layer(from) = network.layers()[l].skip {
            add(&mut h_bar[from], &bar);
        }
        for (i, mix) in neurons.layers[l].iter().enumerate() {
            activation(mix, carried, &trace.z[l], i, &mut bar, gradient);
        }
        dense(network, l, &bar, trace.below(l), gradient);
        if l > 0 {
            let below = transposed(network, l, neurons.parameters, &bar);
            add(&mut h_bar[l - 1], &below);
        }
    }
}

/// h̄ of neuron `i` becomes z̄, in place; ᾱ, β̄ and the gradients of the function's own coefficients are added.
fn activation<T: Real>(
    mix: &Mix<T>,
    carried: &Carried,
    z: &Jets<T>,
    i: usize,
    bar: &mut Jets<T>,
    gradient: &mut [T],
) where
    Lanes<T, 1>: Vector<Element = T>,
{
    let directions = carried.directions().len();
    let mut felt = [bar[0][i], T::ZERO, T::ZERO]; // H₀, H₁, H₂
    for s in 1..carried.len() {
        felt[1] += bar[s][i] * z[s][i];
    }
    for (s, q) in carried.second().iter().enumerate() {
        felt[2] += bar[carried.second_stream(s)][i] * quadratic(q, z, i);
    }
    let [_, first, second, third] = tower(mix, carried, z[0][i]);
    bar[0][i] = felt[0] * first + felt[1] * second + felt[2] * third;
    for bar in &mut bar[1..=directions] {
        bar[i] *= first;
    }
    for (s, q) in carried.second().iter().enumerate() {
        let felt = bar[carried.second_stream(s)][i];
        for &(a, b, c) in &q.entries {
            let felt = second * felt * T::from_f64(c);
            bar[1 + a][i] += felt * z[1 + b][i];
            bar[1 + b][i] += felt * z[1 + a][i];
        }
        bar[carried.second_stream(s)][i] *= first;
    }
    coefficients(mix, carried, z[0][i], felt, gradient);
}

/// θ̄ = H₀ g + H₁ g′ + H₂ g″ with g = ∂σ/∂θ, for every trained number θ of a neuron.
fn coefficients<T: Real>(mix: &Mix<T>, carried: &Carried, z: T, felt: [T; 3], gradient: &mut [T])
where
    Lanes<T, 1>: Vector<Element = T>,
{
    let (neuron, z, felt) = (mix.neuron(), Lanes([z]), felt.map(|h| Lanes([h])));
    let values_only = carried.len() == 1;
    for (p, (alpha_at, beta_at)) in mix.alpha_at.iter().zip(&mix.beta_at).enumerate() {
        if alpha_at.is_none() && beta_at.is_none() {
            continue;
        }
        let (alpha, beta) = if values_only {
            neuron.term_gradient::<_, 1>(p, z, felt)
        } else {
            neuron.term_gradient::<_, 3>(p, z, felt)
        };
        if let Some(at) = *alpha_at {
            gradient[at] += alpha.0[0];
        }
        if let Some((at, slope)) = *beta_at {
            gradient[at] += beta.0[0] * slope;
        }
    }
    for p in mix.shaped() {
        for (c, &at) in mix.shape_at.iter().enumerate() {
            let own = if values_only {
                neuron.shape_gradient::<_, 1>(p, c, z, felt)
            } else {
                neuron.shape_gradient::<_, 3>(p, c, z, felt)
            };
            gradient[at] += own.0[0];
        }
    }
}

/// W̄ = Σ_• z̄_• a_•ᵀ, b̄ = z̄_v.
fn dense<T: Real>(network: &Network, l: usize, z_bar: &Jets<T>, a: &Jets<T>, gradient: &mut [T]) {
    let (width, fan_in) = (network.layers()[l].width, network.fan_in(l));
    let places = &network.layout().layers[l];
    for i in 0..width {
        for j in 0..fan_in {
            let streams = z_bar.iter().zip(a);
            let sum = streams.fold(T::ZERO, |sum, (z_bar, a)| sum + z_bar[i] * a[j]);
            gradient[places.weight + i * fan_in + j] += sum;
        }
        if let Some(bias) = places.bias {
            gradient[bias + i] += z_bar[0][i];
        }
    }
}

/// Wᵀ z̄_•
fn transposed<T: Real>(network: &Network, l: usize, parameters: &[T], z_bar: &Jets<T>) -> Jets<T> {
    let fan_in = network.fan_in(l);
    let weight = &parameters[network.layout().layers[l].weight..];
    let product = |z_bar: &Vec<T>| -> Vec<T> {
        let column = |j: usize| {
            let terms = z_bar.iter().enumerate();
            terms.fold(T::ZERO, |sum, (i, &z)| sum + weight[i * fan_in + j] * z)
        };
        (0..fan_in).map(column).collect()
    };
    z_bar.iter().map(product).collect()
}
