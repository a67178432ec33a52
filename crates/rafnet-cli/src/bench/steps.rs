//! Steps of a fit and of an equation: networks, points and residuals exactly as in `bench/peers.py`.

use super::works::{Step, StepError};
use rafnet::activation::{Set, Signal};
use rafnet::engine::{
    Ansatz, Batch, Carried, Device, Engine, EngineError, Field, Objective, OnDevice, Points,
    Regression, Residual, Response, Site, Streams,
};
use rafnet::network::{Init, Inputs, Network, Weights};
use rafnet::optimise::Adam;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::f64::consts::PI;
use std::sync::Arc;

/// Side of the picture.
const SIDE: usize = 256;
/// Points of a PDE step.
const POINTS: usize = 10_000;

/// What both kinds of step share.
struct Training<T> {
    engine: Box<dyn Engine<T>>,
    parameters: Vec<T>,
    gradient: Vec<T>,
    adam: Adam<T>,
    learning_rate: f64,
}

impl<T: OnDevice> Training<T> {
    fn new(
        objective: Objective<T>,
        weights: Weights,
        learning_rate: f64,
        (device, threads): (Device, usize),
        seed: u64,
    ) -> Result<Self, EngineError> {
        let parameters = objective.network.init(Init::new(weights, seed));
        let gradient = vec![T::ZERO; parameters.len()];
        let adam = Adam::new(parameters.len());
        Ok(Self {
            engine: device.engine(objective, threads)?,
            parameters,
            gradient,
            adam,
            learning_rate,
        })
    }
    fn step(&mut self, batch: &Batch<'_, T>) -> Result<f64, EngineError> {
        let loss = self
            .engine
            .loss_and_gradient(&self.parameters, batch, &mut self.gradient)?;
        self.adam
            .step(self.learning_rate, &mut self.parameters, &self.gradient);
        Ok(loss)
    }
}

struct SignalStep {
    training: Training<f32>,
    points: Vec<f32>,
    targets: Vec<f32>,
}

#[allow(clippy::cast_possible_truncation, reason = "pixels are f32")]
pub(super) fn signal(
    set: Set,
    part: usize,
    place: (Device, usize),
    seed: u64,
) -> Result<Box<dyn Step>, StepError> {
    let activations = vec![set.learnable(SIDE, Signal::Image); 4];
    let network =
        Network::fully_connected(Inputs::coordinates(2), activations, 1).expect("a sound network");
    let objective = Objective::new(network, Arc::new(Regression { outputs: 1 }));
    let grid = |i: usize| 2.0 * i as f64 / (SIDE - 1) as f64 - 1.0;
    let pixels = (0..SIDE * SIDE).step_by(part);
    let pixels = pixels.map(|p| [grid(p / SIDE), grid(p % SIDE)]);
    let points = pixels.clone().flatten().map(|v| v as f32).collect();
    let targets = pixels
        .map(|[y, x]| ((9.0 * y).sin() * (7.0 * x).cos()) as f32)
        .collect();
    let training = Training::new(objective, Weights::Siren, 1e-4, place, seed)?;
    Ok(Box::new(SignalStep {
        training,
        points,
        targets,
    }))
}

impl Step for SignalStep {
    fn step(&mut self) -> Result<f64, StepError> {
        let batch = Batch::points(&self.points).with_data(&self.targets);
        Ok(self.training.step(&batch)?)
    }
}

#[derive(Clone, Copy)]
pub(super) enum Equation {
    Poisson,
    Oscillation,
}

struct EquationStep {
    training: Training<f64>,
    points: Vec<f64>,
    random: Xoshiro256PlusPlus,
}

pub(super) fn equation(
    width: usize,
    equation: Equation,
    part: usize,
    place: (Device, usize),
    seed: u64,
) -> Result<Box<dyn Step>, StepError> {
    let activation = Set::Psg.shared_out(width, 0.1);
    let network = Network::resnet(Inputs::coordinates(2), &activation, 1).expect("a sound network");
    let ansatz = Ansatz {
        factor: Some(Arc::new(BoxFactor) as Arc<dyn Field<f64>>),
        lift: None,
    };
    let objective = Objective::new(network, Arc::new(equation)).with_ansatz(vec![ansatz]);
    let training = Training::new(objective, Weights::FanIn, 1e-3, place, seed)?;
    Ok(Box::new(EquationStep {
        training,
        points: vec![0.0; 2 * (POINTS / part)],
        random: Xoshiro256PlusPlus::seed_from_u64(seed),
    }))
}

impl Step for EquationStep {
    fn step(&mut self) -> Result<f64, StepError> {
        self.points.fill_with(|| self.random.random());
        Ok(self.training.step(&Batch::points(&self.points))?)
    }
}

/// g = x(1−x) y(1−y)
struct BoxFactor;

impl Field<f64> for BoxFactor {
    fn streams(&self, points: &Points<'_, f64>, _carried: &Carried, out: &mut [f64]) {
        let n = points.len();
        let (x, y) = (points.coordinate(0), points.coordinate(1));
        for i in 0..n {
            let (p, q) = (x[i] * (1.0 - x[i]), y[i] * (1.0 - y[i]));
            out[i] = p * q;
            out[n + i] = (1.0 - 2.0 * x[i]) * q;
            out[2 * n + i] = (1.0 - 2.0 * y[i]) * p;
            out[3 * n + i] = -2.0 * (p + q);
        }
    }
}

impl Residual<f64> for Equation {
    fn streams(&self) -> Streams {
        Streams::laplacian()
    }
    fn count(&self) -> usize {
        1
    }
    fn outputs(&self) -> usize {
        1
    }
    fn evaluate(&self, site: &Site<'_, f64>, response: &mut Response<'_, f64>) {
        let (x, y) = (site.points.coordinate(0), site.points.coordinate(1));
        let (u, laplacian) = (site.u(0, 0), site.u(0, 3));
        response.partial(0, 0, 3).fill(-1.0);
        match self {
            Self::Poisson => {
                for i in 0..site.n() {
                    let f = (6.0 * x[i] - 2.0) * y[i] * y[i] * (1.0 - y[i])
                        + (6.0 * y[i] - 2.0) * x[i] * x[i] * (1.0 - x[i]);
                    response.value(0)[i] = -laplacian[i] - f;
                }
            }
            Self::Oscillation => {
                let k = 6.0 * PI;
                for i in 0..site.n() {
                    let exact = (k * x[i]).sin() * (k * y[i]).sin();
                    let f = 2.0 * k * k * exact + (exact + 2.0).powi(2);
                    response.value(0)[i] = -laplacian[i] + (u[i] + 2.0).powi(2) - f;
                    response.partial(0, 0, 0)[i] = 2.0 * (u[i] + 2.0);
                }
            }
        }
    }
}
