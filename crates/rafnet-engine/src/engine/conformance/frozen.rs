//! Frozen layers: what a device hands out, against the oracle.
//!
//! A layer is also a network with one hidden layer and an output for each function, its box taken up by the weights,
//!
//! ```text
//! φ_j = γ_j(z)        z = (w / h)·x + v·f(x) + (b − (w / h)·m)
//! ```
//!
//! so the oracle knows its derivatives, with bounds of their rounding errors. The device's own engine evaluates that network and is held to the
//! same bounds: it shares no loop with the sweep over the layer.

use super::bounded::Bounded;
use super::number::Number;
use super::oracle::hyper_dual;
use super::wave::{Surroundings, Wave};
use super::{Report, text};
use crate::activation::{Activation, Group, Term, random};
use crate::basis::Basis;
use crate::engine::ridges::{Axes, Layer, LocalBox, Places};
use crate::engine::{Device, Field, Objective, Points, Regression, Streams};
use crate::network::{Init, Inputs, Network, Weights};
use rand::{Rng, RngExt};
use std::ops::ControlFlow;
use std::sync::Arc;

const DIMENSION: usize = 3;
const POINTS: usize = 21;
/// Functions of the basis that is looked at; one more is a sine.
const FUNCTIONS: usize = 4;

/// Holds a device's [`ridges`](Device::ridges) to the oracle: layers of every basis function, with and without known functions
/// and a box of their own, every derivative up to second order. What two devices hand out then differs by two bounds at most.
///
/// # Errors
/// The first disagreement, as [`check`](super::check).
pub fn frozen(device: Device, seed: u64) -> Result<Report, String> {
    let mut report = Report::default();
    for (b, basis) in Basis::ALL.into_iter().chain(text()).enumerate() {
        for (inputs, boxed) in [(0, false), (0, true), (2, false), (2, true)] {
            let mut random = random(seed + b as u64);
            let case = Case::new(basis, inputs, boxed, &mut random).map_err(|e| e.to_string())?;
            let boxed = if boxed { " in a box" } else { "" };
            let what = format!("{device}: `{basis}`, {inputs} known functions{boxed}");
            case.check(device, &what, &mut report)?;
        }
    }
    Ok(report)
}

/// A layer, the same as a network, and points.
struct Case {
    layer: Layer,
    network: Network,
    theta: Vec<Bounded<f64>>,
    around: Surroundings,
    /// By coordinate.
    points: Vec<Vec<f64>>,
}

impl Case {
    fn new(
        basis: Basis,
        inputs: usize,
        boxed: bool,
        random: &mut impl Rng,
    ) -> Result<Self, crate::network::NetworkError> {
        let features = (0..inputs).map(|_| Wave::random(DIMENSION, random));
        let around = Surroundings {
            features: features.collect(),
            ansatz: Vec::new(),
        };
        let mut draw = |n: usize, low: f64, high: f64| -> Vec<f64> {
            (0..n).map(|_| random.random_range(low..high)).collect()
        };
        let mut layer = Layer::default();
        for j in 0..=FUNCTIONS {
            let mut weights = draw(DIMENSION + inputs, -1.5, 1.5);
            weights[j % DIMENSION] *= f64::from(u8::from(j != 1)); // a function of the other coordinates
            if j == 2 {
                weights[DIMENSION..].fill(0.0); // one that knows no known function
            }
            let basis = if j < FUNCTIONS { basis } else { Basis::Sine };
            layer.push(basis, &weights, draw(1, -1.0, 1.0)[0]);
        }
        let bounds: Vec<[f64; 2]> = (0..DIMENSION)
            .map(|_| [draw(1, -2.0, -0.5)[0], draw(1, 0.3, 1.5)[0]])
            .collect();
        layer.local = boxed.then(|| LocalBox::new(&bounds));
        let group = |neurons, basis| Group {
            neurons,
            terms: vec![Term::plain(basis)],
        };
        let groups = vec![group(FUNCTIONS, basis), group(1, Basis::Sine)];
        let network = Network::fully_connected(
            Inputs::coordinates(DIMENSION).with_features(inputs),
            vec![Activation::new(groups)?],
            layer.len(),
        )?;
        Ok(Self {
            theta: parameters(&network, &layer),
            points: (0..DIMENSION).map(|_| draw(POINTS, -1.0, 1.0)).collect(),
            layer,
            network,
            around,
        })
    }

    fn check(&self, device: Device, what: &str, report: &mut Report) -> Result<(), String> {
        let wanted = derivatives();
        let handed = self.handed_out(device, &wanted)?;
        let evaluated = self.evaluated(device)?;
        let mut compared = vec![[Vec::new(), Vec::new()]; wanted.len() * self.layer.len()];
        for i in 0..POINTS {
            let x: Vec<f64> = self.points.iter().map(|column| column[i]).collect();
            for (s, axes) in wanted.iter().enumerate() {
                let (pair, place) = match axes[..] {
                    [] => ([0, 0], 0),
                    [k] => ([k, k], 1),
                    [k, l] => ([k, l], 3),
                    _ => unreachable!("second order is the most that is asked for"),
                };
                let u = hyper_dual(&self.network, &self.around, &self.theta, &x, pair);
                for (j, u) in u.into_iter().enumerate() {
                    let at = j * wanted.len() + s;
                    compared[at][0].push((i, handed[j][s][i], u[place]));
                    compared[at][1].push((i, evaluated[at * POINTS + i], u[place]));
                }
            }
        }
        for (at, [ridge, engine]) in compared.iter().enumerate() {
            let (j, axes) = (at / wanted.len(), &wanted[at % wanted.len()]);
            report.near(&format!("{what}, function {j} along {axes:?}"), ridge)?;
            report.near(&format!("{what}, output {j} along {axes:?}"), engine)?;
        }
        Ok(())
    }

    /// For each function its columns.
    fn handed_out(&self, device: Device, wanted: &[Axes]) -> Result<Vec<Vec<Vec<f64>>>, String> {
        let mut sorted = wanted.to_vec();
        sorted.sort();
        let streams = sorted.iter();
        let streams = streams.filter_map(|axes| wanted.iter().position(|w| w == axes));
        let streams: Vec<usize> = streams.collect();
        let carried = Streams::hessian(DIMENSION).carried(DIMENSION);
        let carried = carried.map_err(|e| e.to_string())?;
        let points = self.points.concat();
        let jets = |wave: &Wave| -> Vec<Vec<f64>> {
            let mut out = vec![0.0; carried.len() * POINTS];
            wave.streams(&Points::new(&points, POINTS), &carried, &mut out);
            let column = |s: &usize| out[s * POINTS..(s + 1) * POINTS].to_vec();
            streams.iter().map(column).collect()
        };
        let inputs: Vec<_> = self.around.features.iter().map(jets).collect();
        let places = Places {
            coordinates: &self.points,
            inputs: &inputs,
            derivatives: &sorted,
        };
        let (mut order, mut functions) = (Vec::new(), Vec::new());
        let mut take = |j: usize, columns: &[Vec<f64>]| {
            order.push(j);
            functions.push(columns.to_vec());
            ControlFlow::Continue(())
        };
        let swept = device.ridges(&self.layer, &places, wanted, &mut take);
        swept.map_err(|e| e.to_string())?;
        if order != (0..self.layer.len()).collect::<Vec<usize>>() {
            return Err(format!("{device}: functions came as {order:?}"));
        }
        Ok(functions)
    }

    /// The network's outputs, laid out as [`Engine::evaluate`](crate::engine::Engine::evaluate) says.
    fn evaluated(&self, device: Device) -> Result<Vec<f64>, String> {
        let outputs = self.layer.len();
        let features = self.around.features.iter();
        let features = features.map(|w| Arc::new(w.clone()) as Arc<dyn Field<f64>>);
        let objective = Objective::new(self.network.clone(), Arc::new(Regression { outputs }))
            .with_features(features.collect());
        let points = (0..POINTS * DIMENSION).map(|k| self.points[k % DIMENSION][k / DIMENSION]);
        let points: Vec<f64> = points.collect();
        let theta: Vec<f64> = self.theta.iter().map(|p| p.value).collect();
        let mut out = vec![f64::NAN; outputs * derivatives().len() * POINTS];
        let mut engine = device.engine(objective, 1).map_err(|e| e.to_string())?;
        let streams = Streams::hessian(DIMENSION);
        let evaluated = engine.evaluate(&theta, &points, &streams, &mut out);
        evaluated.map_err(|e| e.to_string())?;
        Ok(out)
    }
}

/// All up to second order, in the order of [`Streams::hessian`].
fn derivatives() -> Vec<Axes> {
    let upper = (0..DIMENSION).flat_map(|i| (i..DIMENSION).map(move |k| vec![i, k]));
    let lower = (0..DIMENSION).map(|i| vec![i]);
    [vec![]].into_iter().chain(lower).chain(upper).collect()
}

/// The parameters of the network that is the layer, with what rounding did to them.
fn parameters(network: &Network, layer: &Layer) -> Vec<Bounded<f64>> {
    // the functions' own coefficients where they start
    let start: Vec<f64> = network.init(Init::new(Weights::FanIn, 0));
    let mut theta: Vec<Bounded<f64>> = start.into_iter().map(Bounded::exact).collect();
    let mut put = |name: &str, values: Vec<Bounded<f64>>| {
        if let Some(named) = network.layout().get(name) {
            theta[named.range.clone()].copy_from_slice(&values);
        }
    };
    let (n, width) = (layer.len(), network.inputs().width());
    let (mut weights, mut biases) = (Vec::new(), Vec::new());
    for (row, b) in layer.weights.chunks_exact(width).zip(&layer.biases) {
        let mut bias = Bounded::exact(*b);
        for (i, w) in row.iter().map(|w| Bounded::exact(*w)).enumerate() {
            weights.push(match &layer.local {
                Some(own) if i < DIMENSION => {
                    let steep = w * Bounded::exact(own.half[i]).recip();
                    bias = bias - steep * Bounded::exact(own.middle[i]);
                    steep
                }
                _ => w,
            });
        }
        biases.push(bias);
    }
    put("layers.0.weight", weights);
    put("layers.0.bias", biases);
    let identity = (0..n * n).map(|k| Bounded::exact(f64::from(u8::from(k / n == k % n))));
    put("layers.1.weight", identity.collect());
    put("layers.1.bias", vec![Bounded::exact(0.0); n]);
    theta
}
