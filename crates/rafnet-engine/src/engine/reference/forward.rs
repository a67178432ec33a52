//! From the coordinates of a point to the network's outputs, all streams at once.
//!
//! ```text
//! dense        z_• = W a_•                     (bias on v only)
//! activation   h_v = σ(z_v)    h_k = σ′ z_k    h_s = σ′ z_s + σ″ q_s,   q_s = Σ_ij C_s,ij z_i z_j
//! skip         h_• += skip_•
//! ```

use super::Jets;
use super::neurons::{Mix, Neurons};
use crate::engine::{Carried, streams::Quadratic};
use crate::network::{Encoding, Network, Skip};
use crate::simd::{Lanes, Real, Vector};

/// What the way back needs of the way forward.
pub(super) struct Trace<T> {
    pub(super) inputs: Jets<T>,
    /// Each layer before its activation, and after it.
    pub(super) z: Vec<Jets<T>>,
    pub(super) h: Vec<Jets<T>>,
}

impl<T> Trace<T> {
    /// What layer `l` reads.
    pub(super) fn below(&self, l: usize) -> &Jets<T> {
        if l == 0 { &self.inputs } else { &self.h[l - 1] }
    }
    /// φ
    pub(super) fn outputs(&self) -> &Jets<T> {
        self.below(self.h.len())
    }
}

/// The whole network at one point.
pub(super) fn sweep<T: Real>(
    network: &Network,
    neurons: &Neurons<'_, T>,
    carried: &Carried,
    x: &[T],
    features: &[Vec<T>],
) -> Trace<T>
where
    Lanes<T, 1>: Vector<Element = T>,
{
    let mut trace = Trace {
        inputs: inputs(network.inputs().encoding, carried, x, features),
        z: Vec::new(),
        h: Vec::new(),
    };
    for (l, layer) in network.layers().iter().enumerate() {
        let z = dense(network, l, neurons.parameters, trace.below(l));
        let mut h = match layer.activation {
            Some(_) => activate(&neurons.layers[l], carried, &z),
            None => z.clone(),
        };
        match layer.skip {
            Skip::None => {}
            Skip::Inputs => add(&mut h, &trace.inputs),
            Skip::Layer(from) => add(&mut h, &trace.h[from]),
        }
        trace.z.push(z);
        trace.h.push(h);
    }
    trace
}

/// The numbers that enter the first layer: coordinates or sin(mx), cos(mx), then the known functions.
fn inputs<T: Real>(encoding: Encoding, carried: &Carried, x: &[T], features: &[Vec<T>]) -> Jets<T> {
    let mut jets: Jets<T> = vec![Vec::new(); carried.len()];
    // a function of coordinate k alone, by its value and two derivatives
    let mut of_one = |k: usize, [value, first, second]: [T; 3]| {
        jets[0].push(value);
        for (p, &direction) in carried.directions().iter().enumerate() {
            jets[1 + p].push(if direction == k { first } else { T::ZERO });
        }
        for (s, q) in carried.second().iter().enumerate() {
            let along = |p: usize| carried.directions()[p] == k;
            let diagonal = q.entries.iter().filter(|(i, j, _)| i == j && along(*i));
            let c = T::from_f64(diagonal.map(|e| e.2).sum());
            jets[carried.second_stream(s)].push(c * second);
        }
    };
    match encoding {
        Encoding::Raw => {
            for (k, &x) in x.iter().enumerate() {
                of_one(k, [x, T::ONE, T::ZERO]);
            }
        }
        Encoding::Periodic { order } => {
            for m in (1..=order).map(|m| T::from_f64(m as f64)) {
                let turned: Vec<(T, T)> = x.iter().map(|&x| (m * x).sincos_std()).collect();
                for (k, &(sin, cos)) in turned.iter().enumerate() {
                    of_one(k, [sin, m * cos, -m * m * sin]);
                }
                for (k, &(sin, cos)) in turned.iter().enumerate() {
                    of_one(k, [cos, -m * sin, -m * m * cos]);
                }
            }
        }
    }
    for feature in features {
        for (stream, &value) in jets.iter_mut().zip(feature) {
            stream.push(value);
        }
    }
    jets
}

/// z_• = W a_•, the bias on the value.
fn dense<T: Real>(network: &Network, l: usize, parameters: &[T], a: &Jets<T>) -> Jets<T> {
    let (width, fan_in) = (network.layers()[l].width, network.fan_in(l));
    let places = &network.layout().layers[l];
    let weight = &parameters[places.weight..places.weight + width * fan_in];
    let product = |a: &Vec<T>| -> Vec<T> {
        let row = |row: &[T]| row.iter().zip(a).fold(T::ZERO, |sum, (&w, &a)| sum + w * a);
        weight.chunks_exact(fan_in).map(row).collect()
    };
    let mut z: Jets<T> = a.iter().map(product).collect();
    if let Some(bias) = places.bias {
        let bias = &parameters[bias..bias + width];
        z[0].iter_mut().zip(bias).for_each(|(z, &b)| *z += b);
    }
    z
}

/// h = σ(z) with its streams.
fn activate<T: Real>(layer: &[Mix<T>], carried: &Carried, z: &Jets<T>) -> Jets<T>
where
    Lanes<T, 1>: Vector<Element = T>,
{
    let mut h = z.clone();
    for (i, mix) in layer.iter().enumerate() {
        let [value, first, second, _] = tower(mix, carried, z[0][i]);
        h[0][i] = value;
        for k in 1..=carried.directions().len() {
            h[k][i] = first * z[k][i];
        }
        for (s, q) in carried.second().iter().enumerate() {
            let s = carried.second_stream(s);
            h[s][i] = first * z[s][i] + second * quadratic(q, z, i);
        }
    }
    h
}

/// [σ, σ′, σ″, σ‴] at z; where only values are carried nobody asks beyond σ′, which need not be finite there.
pub(super) fn tower<T: Real>(mix: &Mix<T>, carried: &Carried, z: T) -> [T; 4]
where
    Lanes<T, 1>: Vector<Element = T>,
{
    let tower = match carried.len() {
        1 => mix.neuron().tower::<_, 1>(Lanes([z])),
        _ => mix.neuron().tower::<_, 3>(Lanes([z])),
    };
    tower.map(|v| v.0[0])
}

/// q = Σ C_ij z_i z_j of neuron `i`.
pub(super) fn quadratic<T: Real>(q: &Quadratic, z: &Jets<T>, i: usize) -> T {
    let entry = |&(a, b, c): &(usize, usize, f64)| T::from_f64(c) * z[1 + a][i] * z[1 + b][i];
    q.entries.iter().map(entry).fold(T::ZERO, |sum, v| sum + v)
}

/// Adds to as many numbers as there are.
pub(super) fn add<T: Real>(to: &mut Jets<T>, from: &Jets<T>) {
    for (to, from) in to.iter_mut().zip(from) {
        to.iter_mut().zip(from).for_each(|(to, &from)| *to += from);
    }
}
