//! Random networks with known surroundings and a residual, of every kind that an engine has to carry.

use super::probe::Probe;
use super::wave::{Surroundings, Wave, Written};
use crate::activation::{Activation, Coefficient, Group, Initial, Scale, Term, random};
use crate::basis::Basis;
use crate::engine::{self, Ansatz, Field, Objective, Second, Streams};
use crate::network::{Bias, Init, Inputs, Layer, Network, NetworkError, Skip, Weights};
use crate::simd::Real;
use rand::{Rng, RngExt};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

/// Points of a row of the second term.
pub(super) const SUMMED: usize = 5;
/// Bounds of shared numbers; every second one is given above them.
const WITHIN: [f64; 2] = [-1.5, 0.75];

/// The kinds of network that are built around a basis function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Fully connected, every neuron a trained mix, widths and frequencies trained.
    Learnable,
    /// The residual network as coded, neurons shared out, one output with factor and lift.
    Coded,
    /// The residual network as printed, an extra feature, three outputs with and without factor and lift.
    Printed,
    /// Periodic inputs with extra features, a linear hidden layer, a long skip.
    Periodic,
}

impl Kind {
    pub(super) const ALL: [Self; 4] = [Self::Learnable, Self::Coded, Self::Printed, Self::Periodic];
}

/// A network, its surroundings, its residual, its parameters: the network's, then shared numbers.
pub(super) struct Case<T> {
    pub(super) name: String,
    pub(super) network: Network,
    pub(super) around: Surroundings,
    pub(super) probe: Arc<Probe>,
    pub(super) parameters: Vec<T>,
}

impl<T: Real> Case<T> {
    pub(super) fn new(
        kind: Kind,
        basis: Basis,
        dimension: usize,
        width: Option<usize>,
        seed: u64,
    ) -> Result<Self, NetworkError> {
        let mut random = random(seed);
        let network = network(kind, basis, dimension, width, &mut random)?;
        let mut wave = || Wave::random(dimension, &mut random);
        let features = (0..network.inputs().features).map(|_| wave()).collect();
        let ansatz = match kind {
            Kind::Learnable | Kind::Periodic => Vec::new(),
            Kind::Coded => vec![(Some(wave()), Some(wave()))],
            Kind::Printed => vec![(Some(wave()), None), (None, Some(wave())), (None, None)],
        };
        let outputs = network.n_outputs();
        let (streams, count) = residual_streams(kind, dimension);
        let shared = match kind {
            Kind::Coded | Kind::Learnable => 2,
            Kind::Printed => 1,
            Kind::Periodic => 0,
        };
        let n_streams = streams.carried(dimension).map_or(0, |c| c.len());
        let c = (0..count * outputs * n_streams)
            .map(|_| random.random_range(-1.0..1.0))
            .collect();
        let probe = Probe {
            streams,
            n_streams,
            outputs,
            count,
            c,
            shared,
            tile: AtomicUsize::new(0),
        };
        let mut parameters: Vec<T> = network.init(Init::new(Weights::FanIn, seed));
        for block in network.layout().named() {
            if [".rational", ".text"]
                .iter()
                .any(|w| block.name.ends_with(w))
            {
                for p in &mut parameters[block.range.clone()] {
                    *p += T::from_f64(random.random_range(-0.1..0.1));
                }
            }
        }
        let given = (0..shared).map(|k| if k % 2 == 0 { 0.4 } else { 1.25 });
        parameters.extend(given.map(T::from_f64));
        Ok(Self {
            name: format!(
                "{kind:?} network with `{basis}`, d = {dimension}, {}",
                T::NAME
            ),
            network,
            around: Surroundings { features, ansatz },
            probe: Arc::new(probe),
            parameters,
        })
    }

    pub(super) fn objective(&self) -> Objective<T> {
        let field = |w: &Wave| Arc::new(Written::new(w)) as Arc<dyn Field<T>>;
        let ansatz = self.around.ansatz.iter().map(|(factor, lift)| Ansatz {
            factor: factor.as_ref().map(field),
            lift: lift.as_ref().map(field),
        });
        let mut objective = Objective::new(self.network.clone(), self.probe.clone())
            .with_features(self.around.features.iter().map(field).collect())
            .with_ansatz(ansatz.collect())
            .with_shared(vec![WITHIN; self.probe.shared]);
        let summed = engine::Term::new(self.probe.clone()).summed(SUMMED);
        objective.terms.push(summed);
        objective
    }

    /// The parameters as they are read: shared numbers within their bounds.
    pub(super) fn read(&self) -> Vec<f64> {
        let mut read: Vec<f64> = self.parameters.iter().map(|p| p.to_f64()).collect();
        for p in &mut read[self.network.n_parameters()..] {
            *p = p.clamp(WITHIN[0], WITHIN[1]);
        }
        read
    }

    /// The named blocks of parameters.
    pub(super) fn blocks(&self) -> Vec<(String, Range<usize>)> {
        let named = self.network.layout().named().iter();
        let mut blocks: Vec<_> = named.map(|b| (b.name.clone(), b.range.clone())).collect();
        if self.probe.shared > 0 {
            let shared = self.network.n_parameters()..self.parameters.len();
            blocks.push(("shared".to_owned(), shared));
        }
        blocks
    }
}

/// Different residuals read different streams: values only, gradients only, second order with and without a full gradient.
fn residual_streams(kind: Kind, d: usize) -> (Streams, usize) {
    match kind {
        Kind::Learnable => (Streams::laplacian(), 2),
        Kind::Coded => {
            let second = vec![Second::Mixed(0, d - 1), Second::Matrix(matrix(d))];
            let gradient = engine::Gradient::Along(vec![0]);
            (Streams { gradient, second }, 1)
        }
        Kind::Printed if d % 2 == 1 => (Streams::gradient(), 3),
        Kind::Printed => (Streams::laplacian(), 1),
        Kind::Periodic if d % 2 == 1 => (Streams::laplacian(), 2),
        Kind::Periodic => (Streams::value(), 2),
    }
}

/// A symmetric matrix with zeros in it, so that not every pair of directions is carried.
pub(super) fn matrix(d: usize) -> Vec<f64> {
    let entry = |i: usize, j: usize| match i.abs_diff(j) {
        0 => 1.0 + 0.25 * i as f64,
        1 => -0.5,
        _ => 0.0,
    };
    (0..d * d).map(|k| entry(k / d, k % d)).collect()
}

fn network(
    kind: Kind,
    basis: Basis,
    d: usize,
    width: Option<usize>,
    random: &mut impl Rng,
) -> Result<Network, NetworkError> {
    let normal = |mean, deviation| Coefficient::trained(Initial::Normal { mean, deviation });
    let uniform = |low, high| Coefficient::trained(Initial::Uniform { low, high });
    let learnt = |basis, scale| Term {
        basis,
        alpha: normal(0.7, 0.3),
        scale,
    };
    let frequency = || Scale::Frequency(uniform(0.6, 1.6));
    let bump = || Scale::Width(uniform(0.4, 1.1));
    let group = |neurons, terms| Group { neurons, terms };
    // widths that are no multiple of anything, some of several panels of a product
    let n = width.unwrap_or_else(|| match random.random_range(0..8) {
        0 => random.random_range(30..50),
        _ => random.random_range(5..21),
    });
    match kind {
        Kind::Learnable => {
            let harmonics = Term {
                basis: Basis::Sine,
                alpha: normal(0.5, 0.2),
                scale: Scale::Frequency(Coefficient {
                    initial: Initial::Harmonics(0.3),
                    training: crate::activation::Training::Fixed,
                }),
            };
            let mix = vec![
                learnt(basis, frequency()),
                harmonics,
                learnt(Basis::Identity, Scale::One),
            ];
            let fixed_alpha = Term {
                alpha: Coefficient::fixed(0.7),
                ..learnt(basis, bump())
            };
            let layers = vec![
                Activation::new(vec![group(n, mix)])?,
                Activation::new(vec![
                    group(n / 2, vec![fixed_alpha]),
                    group(n - n / 2, vec![learnt(Basis::Gaussian, bump())]),
                ])?,
            ];
            Network::fully_connected(Inputs::coordinates(d), layers, 2)
        }
        Kind::Coded => {
            let n = n.max(d);
            let values = (0..n / 2).map(|k| 0.8 + 0.05 * k as f64).collect();
            let activation = Activation::new(vec![
                group(
                    n / 2,
                    vec![Term::with_frequency(basis, Initial::Values(values))],
                ),
                group(n / 4, vec![Term::gaussian(0.6)]),
                group(n - n / 2 - n / 4, vec![Term::plain(Basis::Sine)]),
            ])?;
            Network::resnet(Inputs::coordinates(d), &activation, 1)
        }
        Kind::Printed => {
            let activation = Activation::new(vec![
                group(
                    n / 2,
                    vec![learnt(basis, frequency()), Term::plain(Basis::Cosine)],
                ),
                group(n - n / 2, vec![learnt(basis, Scale::One)]),
            ])?;
            Network::resnet_printed(Inputs::coordinates(d).with_features(1), &activation, 3)
        }
        Kind::Periodic => {
            let mixed = |basis| Activation::new(vec![group(n, vec![learnt(basis, frequency())])]);
            let bare = Layer {
                bias: Bias::No,
                ..Layer::dense(mixed(basis)?)
            };
            let layers = vec![
                Layer::dense(mixed(Basis::Tanh)?),
                bare,
                Layer::linear(n + 3, Bias::Yes),
                Layer::dense(mixed(basis)?).with_skip(Skip::Layer(0)),
                Layer::linear(2, Bias::Yes),
            ];
            Network::new(Inputs::periodic(d, 2).with_features(2), layers)
        }
    }
}
