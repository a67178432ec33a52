//! What a trained method works with: network, points, rates, from the options and a preset.
//!
//! | preset | decay of the rate | weight decay | width of Gaussians |
//! |---|---|---|---|
//! | `default`, `paper` | 0.95 every 1,000 steps | none | of the problem's `[trained]`, or 0.1 |
//! | `code` | of `[trained.code]`, or the same | of `[trained.code]`, or 1e-4 | of `[trained.code]`, or the same |
//!
//! `paper` and `code` measure the error at every step on 10,000 fresh points, `default` on 1,000, and under Adam at every tenth.
//! Neurons a layer, and how many of PSG's are Gaussians, are the problem's too.

use super::tuning::WARM_UP;
use crate::activation::{Activation, Set, psg};
use crate::domain::{DomainError, Draw, Sampler};
use crate::engine::Cloud;
use crate::network::{Bias, Init, Inputs, Layer, Network, NetworkError, Skip, Weights};
use crate::optimise::Schedule;
use crate::posed::{Terms, residual_network};
use crate::problem::Problem;
use crate::run::Preset;
use crate::solve::{Method, Options, Resnet, Sharing};

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
        let trained = problem.trained;
        let code = (options.preset == Preset::Code).then_some(trained.code);
        let gaussian = code.map_or(trained.gaussian_width, |c| c.gaussian_width);
        let gaussian = options.gaussian_width.unwrap_or(gaussian);
        let width = options.width.unwrap_or(trained.width);
        let gaussians = trained
            .gaussians
            .filter(|_| options.sharing == Sharing::Code);
        let layer = |set: Set| match (set, gaussians) {
            (Set::Psg, Some(gaussians)) => psg(width, gaussian, gaussians),
            (set, _) => set.shared_out(width, gaussian),
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
            network: match options.resnet {
                Resnet::Printed => printed_network(inputs, activations, problem.unknowns.len())?,
                Resnet::Code if problem.periodic.is_empty() => {
                    residual_network(inputs, activations, problem.unknowns.len())?
                }
                Resnet::Code => ring_network(inputs, activations, problem.unknowns.len())?,
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
                    factor: code.map_or(0.95, |c| c.decay),
                    every: code.map_or(1_000, |c| c.decay_every),
                },
            },
            weight_decay: options
                .weight_decay
                .unwrap_or(code.map_or(0.0, |c| c.weight_decay)),
            test_points: if exact_tests { 10_000 } else { 1_000 },
            test_every: if exact_tests || options.method != Method::Adam {
                1
            } else {
                10
            },
        })
    }
}

impl Terms {
    /// Fresh points for every term, as many as the setting says.
    pub(super) fn draw(
        &self,
        setting: &Setting,
        sampler: Sampler,
        seed: u64,
        round: u64,
    ) -> Result<Vec<Cloud<f64>>, DomainError> {
        let counts = [setting.points, setting.boundary_points];
        self.drawing()
            .draw(counts, Draw::new(sampler, seed).round(round))
    }
}

/// The residual network without the skip from the inputs, by which a periodic axis itself would enter.
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

/// The network as the paper prints it, for any depth: h₀ = Vx, a skip over every second layer, no bias of the output.
fn printed_network(
    inputs: Inputs,
    activations: Vec<Activation>,
    outputs: usize,
) -> Result<Network, NetworkError> {
    let mut layers = vec![Layer::linear(activations[0].width(), Bias::No)];
    for (l, activation) in activations.into_iter().enumerate() {
        let layer = Layer::dense(activation);
        layers.push(if l % 2 == 1 {
            layer.with_skip(Skip::Layer(l - 1))
        } else {
            layer
        });
    }
    layers.push(Layer::linear(outputs, Bias::No));
    Network::new(inputs, layers)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Both forms at the paper's sizes, by the counts of parameters that their formulas give: (d + 1)w + 3(w² + w) + w + 1 and
    /// wd + 4(w² + w) + w.
    #[test]
    fn both_forms_of_the_residual_network() {
        let set = vec![Set::Psg.shared_out(50, 0.1); 4];
        let of = |made: Result<Network, NetworkError>| made.map(|n| n.n_parameters());
        assert_eq!(
            of(residual_network(Inputs::coordinates(2), set.clone(), 1)),
            Ok(7851)
        );
        let printed = printed_network(Inputs::coordinates(2), set.clone(), 1);
        assert_eq!(of(printed.clone()), Ok(10_350));
        assert_eq!(
            printed,
            Network::resnet_printed(Inputs::coordinates(2), &set[0], 1)
        );
    }
}
