//! The works that are timed, their names and what they cost.

use super::steps::{Equation, equation, signal};
use rafnet::activation::Set;
use rafnet::engine::Device;
use rafnet::problem::Problem;
use rafnet::solve::{Options, RandomPaths};

/// A training step that is timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Work {
    /// 65,536 pixels, four sine layers of 256, f32
    Siren,
    /// The same with the poly-sine-Gaussian mix, six trained numbers a neuron, f32
    Image,
    /// −Δu = f at 10,000 fresh points, residual network of width 50, f64
    Poisson,
    /// −Δu + (u+2)² = f, width 100, f64
    Oscillation,
    /// 2,048 random paths of 120 steps in 5 dimensions, two networks of width 80, f64
    #[value(name = "bsde-5")]
    Bsde5,
    /// 2,048 random paths of 200 steps in 10 dimensions, two networks of width 200, f64
    #[value(name = "bsde-10")]
    Bsde10,
}

/// What a step may fail with.
pub(super) type StepError = Box<dyn std::error::Error>;

/// One step: fresh points where the problem samples, forward, loss, gradient, Adam. Returns the loss.
pub(super) trait Step {
    fn step(&mut self) -> Result<f64, StepError>;
}

impl Work {
    pub(super) const ALL: [Self; 6] = [
        Self::Siren,
        Self::Image,
        Self::Poisson,
        Self::Oscillation,
        Self::Bsde5,
        Self::Bsde10,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Siren => "siren",
            Self::Image => "image",
            Self::Poisson => "poisson",
            Self::Oscillation => "oscillation",
            Self::Bsde5 => "bsde-5",
            Self::Bsde10 => "bsde-10",
        }
    }

    pub(super) fn is_f32(self) -> bool {
        matches!(self, Self::Siren | Self::Image)
    }

    /// Arithmetic of a step's matrix products: 6·n·W, for the PDEs 6·n·(d + 2)·W with the first layer's value stream alone; 4·n·W in the
    /// first layer, whose inputs have no gradient. Random paths: z at every point, y at the starts, y and ∇y at the ends.
    pub(super) fn gflop(self) -> f64 {
        match self {
            Self::Siren | Self::Image => 77.54,
            Self::Poisson => 1.836,
            Self::Oscillation => 7.272,
            Self::Bsde5 => random_paths_gflop(5, 80, 120),
            Self::Bsde10 => random_paths_gflop(10, 200, 200),
        }
    }

    /// The step at every `part`-th of its points: 1 for the work itself.
    pub(super) fn step(
        self,
        part: usize,
        place: (Device, usize),
        seed: u64,
    ) -> Result<Box<dyn Step>, StepError> {
        match self {
            Self::Siren => signal(Set::Siren, part, place, seed),
            Self::Image => signal(Set::Psg, part, place, seed),
            Self::Poisson => equation(50, Equation::Poisson, part, place, seed),
            Self::Oscillation => equation(100, Equation::Oscillation, part, place, seed),
            Self::Bsde5 => random_paths("schrodinger-d5", part, place, seed),
            Self::Bsde10 => random_paths("schrodinger-d10", part, place, seed),
        }
    }
}

/// Paths of a step along random paths, and the order of the inputs' sines and cosines.
const PATHS: usize = 2048;
const ORDER: usize = 5;

/// The arithmetic of a step along random paths, in d dimensions, with that width and so many steps a path.
fn random_paths_gflop(d: usize, width: usize, steps: usize) -> f64 {
    let point = |outputs: usize| {
        let (first, rest) = (2 * d * ORDER * width, 2 * width * width + width * outputs);
        (4 * first + 6 * rest) as f64
    };
    let ends = (1 + (1 + d)) as f64; // y at the starts, y and ∇y at the ends
    PATHS as f64 * ((steps + 1) as f64 * point(d) + ends * point(1)) / 1e9
}

fn random_paths(
    problem: &str,
    part: usize,
    (device, threads): (Device, usize),
    seed: u64,
) -> Result<Box<dyn Step>, StepError> {
    let problem = Problem::builtin(problem)?;
    let options = Options {
        points: Some(PATHS / part),
        activation: vec![Set::Psg],
        device,
        threads,
        seed,
        ..Options::default()
    };
    Ok(Box::new(RandomPaths::new(&problem, &options)?))
}

impl Step for RandomPaths {
    fn step(&mut self) -> Result<f64, StepError> {
        Ok(Self::step(self)?)
    }
}
