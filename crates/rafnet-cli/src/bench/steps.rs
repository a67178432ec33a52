//! Steps of a fit and of an equation: networks, points and residuals exactly as in `bench/peers.py`.

use super::works::{Step, StepError};
use rafnet::activation::{Set, Signal};
use rafnet::engine::{
    Ansatz, Carried, Cloud, Descent, Device, Engine, EngineError, ExprResidual, Field, Formula,
    Meanwhile, Objective, OnDevice, Points, Region, Regression, Residual, Response, Rule, Site,
    Source, Steps, Streams,
};
use rafnet::expr::{Expr, Scope, parse};
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

/// A descent by Adam at a constant rate.
struct Training<T> {
    engine: Box<dyn Engine<T>>,
    descent: Descent<T>,
    rule: Steady<T>,
}

/// Its rule: the same samples at every step, or fresh points of the unit square.
struct Steady<T> {
    cloud: Cloud<T>,
    fresh: Option<Xoshiro256PlusPlus>,
    adam: Adam<T>,
    learning_rate: f64,
    seed: u64,
}

impl<T: OnDevice> Training<T> {
    fn new(
        objective: Objective<T>,
        weights: Weights,
        (cloud, fresh): (Cloud<T>, bool),
        learning_rate: f64,
        (device, threads): (Device, usize),
        seed: u64,
    ) -> Result<Self, EngineError> {
        let parameters: Vec<T> = objective.network.init(Init::new(weights, seed));
        Ok(Self {
            rule: Steady {
                cloud,
                fresh: fresh.then(|| Xoshiro256PlusPlus::seed_from_u64(seed)),
                adam: Adam::new(parameters.len()),
                learning_rate,
                seed,
            },
            descent: Descent::new(parameters, 0),
            engine: device.engine(objective, threads)?,
        })
    }
}

impl<T: OnDevice> Step for Training<T> {
    fn step(&mut self) -> Result<f64, StepError> {
        let came = self.engine.descend(&mut self.descent, &mut self.rule, 1)?;
        Ok(came.loss)
    }
}

impl<T: OnDevice> Rule<T> for Steady<T> {
    fn draw(&mut self, _: u64) -> Result<(&[Cloud<T>], &[f64]), EngineError> {
        if let Some(random) = &mut self.fresh {
            let points = &mut self.cloud.points;
            points.fill_with(|| T::from_f64(random.random()));
        }
        Ok((std::slice::from_ref(&self.cloud), &[1.0]))
    }
    fn steps(&mut self, step: u64, most: u64) -> Result<Option<Steps<'_, T>>, EngineError> {
        let source = match self.fresh {
            None => Source::Same(&self.cloud),
            Some(_) => Source::Uniform {
                region: Region::Box(vec![[0.0, 1.0]; 2]),
                points: self.cloud.points.len() / 2,
                seed: self.seed,
                round: step,
                labels: [0; 2],
                columns: 0,
            },
        };
        let rates = (0..most).map(|_| self.learning_rate);
        Ok(Some(Steps {
            sources: vec![source],
            weights: vec![1.0],
            decay: 0.0,
            still: Vec::new(),
            adam: self.adam.as_data(rates).into(),
            watched: None,
            meanwhile: Meanwhile::default(),
        }))
    }
    fn taken(&mut self, steps: u64) {
        self.adam.taken(steps);
    }
    fn update(&mut self, _: u64, parameters: &mut [T], gradient: &mut [T]) {
        self.adam.step(self.learning_rate, parameters, gradient);
    }
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
    let cloud = Cloud {
        points: pixels.clone().flatten().map(|v| v as f32).collect(),
        data: pixels
            .map(|[y, x]| ((9.0 * y).sin() * (7.0 * x).cos()) as f32)
            .collect(),
        weights: Vec::new(),
    };
    let samples = (cloud, false);
    let training = Training::new(objective, Weights::Siren, samples, 1e-4, place, seed)?;
    Ok(Box::new(training))
}

#[derive(Clone, Copy)]
pub(super) enum Equation {
    Poisson,
    Oscillation,
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
    let factor = BoxFactor(formula("x*(1-x)*y*(1-y)", &[]));
    let ansatz = Ansatz {
        factor: Some(Arc::new(factor) as Arc<dyn Field<f64>>),
        lift: None,
    };
    let objective = Objective::new(network, Arc::new(equation)).with_ansatz(vec![ansatz]);
    let cloud = Cloud {
        points: vec![0.0; 2 * (POINTS / part)],
        ..Cloud::default()
    };
    let points = (cloud, true);
    let training = Training::new(objective, Weights::FanIn, points, 1e-3, place, seed)?;
    Ok(Box::new(training))
}

/// What a device compiles where the processor has these functions by hand.
fn formula(text: &str, unknowns: &[&str]) -> Expr {
    let scope = Scope::new(["x", "y"]).unknowns(unknowns.iter().copied());
    parse(text, &scope).expect("a text of this file")
}

/// g = x(1−x) y(1−y)
struct BoxFactor(Expr);

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
    fn formula(&self) -> Option<&Expr> {
        Some(&self.0)
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
    fn formula(&self) -> Option<Formula> {
        let text = match self {
            Self::Poisson => "-laplacian(u) - (6*x-2)*y^2*(1-y) - (6*y-2)*x^2*(1-x)",
            Self::Oscillation => {
                "-laplacian(u) + (u+2)^2 - 72*pi^2*sin(6*pi*x)*sin(6*pi*y) - (sin(6*pi*x)*sin(6*pi*y)+2)^2"
            }
        };
        let residual = ExprResidual::new(&[formula(text, &["u"])], 2, 1, 0);
        Residual::<f64>::formula(&residual)
    }
}
