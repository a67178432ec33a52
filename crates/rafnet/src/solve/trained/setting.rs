//! What a trained method works with: network, points, rates, from the options and a preset.
//!
//! | preset | decay of the rate | weight decay | width of Gaussians |
//! |---|---|---|---|
//! | `default`, `paper` | 0.95 every 1,000 steps | none | 0.1 |
//! | `code` | the same, Poisson: 0.7 every 2,000 | 1e-4, oscillation: none | Poisson 0.05, low regularity 0.1, oscillation 0.5 |
//!
//! `paper` and `code` measure the error at every step on 10,000 fresh points, `default` on 1,000, and under Adam at every tenth. The oscillation problems use
//! 100 neurons a layer and, with PSG, their own share of neurons; everything else 50.

use crate::activation::{Activation, Set, oscillation_psg};
use crate::network::{Bias, Init, Inputs, Layer, Network, NetworkError, Skip, Weights};
use crate::optimise::Schedule;
use crate::problem::Problem;
use crate::solve::{Method, Options, Preset};

/// Steps of Adam before `lm`.
const WARM_UP: u64 = 3_000;

/// Everything resolved.
#[derive(Clone, Debug)]
pub(super) struct Setting {
    pub(super) network: Network,
    pub(super) init: Init,
    pub(super) points: usize,
    pub(super) boundary_points: usize,
    pub(super) steps: u64,
    /// Steps of Adam before those of `lm`.
    pub(super) warm_up: u64,
    pub(super) lr: f64,
    pub(super) schedule: Schedule,
    pub(super) weight_decay: f64,
    pub(super) test_points: usize,
    /// Steps between measurements of the error.
    pub(super) test_every: u64,
}

impl Setting {
    pub(super) fn new(problem: &Problem, options: &Options) -> Result<Self, NetworkError> {
        let oscillating = problem.name.contains("oscillation");
        let code = options.preset == Preset::Code;
        let poisson = code && problem.name == "poisson-smooth";
        let gaussian = match () {
            () if poisson => 0.05,
            () if oscillating => 0.5,
            () => 0.1,
        };
        let width = options.width.unwrap_or(if oscillating { 100 } else { 50 });
        let layer = |set: Set| match set {
            Set::Psg if oscillating => oscillation_psg(width, gaussian),
            set => set.shared_out(width, gaussian),
        };
        let named: Vec<Set> = match options.activation.len() {
            0 => vec![Set::Psg],
            _ => options.activation.clone(),
        };
        let depth = options.depth.unwrap_or(named.len().max(4));
        Network::allow_depth(depth)?;
        let activations: Vec<Activation> = (0..depth)
            .map(|l| layer(named[l.min(named.len() - 1)]))
            .collect();
        let inputs =
            Inputs::coordinates(problem.coordinates.len()).with_features(problem.features.len());
        let (points, steps) = match options.method {
            Method::Adam => (10_000, 20_000),
            Method::Lbfgs => (4_000, 2_000),
            _ => (2_000, 500),
        };
        let points = options.points.unwrap_or(points);
        let steps = options.steps.unwrap_or(steps);
        let exact_tests = options.preset != Preset::Default;
        Ok(Self {
            network: if problem.periodic.is_empty() {
                residual_network(inputs, activations, problem.unknowns.len())?
            } else {
                ring_network(inputs, activations, problem.unknowns.len())?
            },
            init: Init {
                weights: Weights::FanIn,
                hidden_scale: options.init_scale.unwrap_or(1.0),
                seed: options.seed,
            },
            points,
            boundary_points: options.boundary_points.unwrap_or((points / 4).max(8)),
            steps,
            warm_up: if options.method == Method::Lm {
                WARM_UP
            } else {
                0
            },
            lr: options.lr.unwrap_or(1e-3),
            schedule: match &options.schedule {
                Some(name) => Schedule::named(name, steps).unwrap_or(Schedule::Constant),
                None => Schedule::Step {
                    factor: if poisson { 0.7 } else { 0.95 },
                    every: if poisson { 2_000 } else { 1_000 },
                },
            },
            weight_decay: if code && !oscillating { 1e-4 } else { 0.0 },
            test_points: if exact_tests { 10_000 } else { 1_000 },
            test_every: if exact_tests || options.method != Method::Adam {
                1
            } else {
                10
            },
        })
    }
}

/// The paper's residual network for any depth: a skip over every second layer, the first from the inputs.
pub(crate) fn residual_network(
    inputs: Inputs,
    activations: Vec<Activation>,
    outputs: usize,
) -> Result<Network, NetworkError> {
    let mut layers: Vec<Layer> = Vec::new();
    for (l, activation) in activations.into_iter().enumerate() {
        let layer = Layer::dense(activation);
        layers.push(match l {
            1 => layer.with_skip(Skip::Inputs),
            l if l % 2 == 1 => layer.with_skip(Skip::Layer(l - 2)),
            _ => layer,
        });
    }
    layers.push(Layer::linear(outputs, Bias::Yes));
    Network::new(inputs, layers)
}

/// The same without the skip from the inputs, by which a periodic axis itself would enter.
fn ring_network(
    inputs: Inputs,
    activations: Vec<Activation>,
    outputs: usize,
) -> Result<Network, NetworkError> {
    let whole = residual_network(inputs, activations, outputs)?;
    let mut layers = whole.layers().to_vec();
    for layer in &mut layers {
        if layer.skip == Skip::Inputs {
            layer.skip = Skip::None;
        }
    }
    Network::new(inputs, layers)
}
