//! The same bits with any number of threads and from run to run, for every sweep, in both precisions.

use rafnet::activation::{Set, Signal};
use rafnet::engine::{
    Batch, Device, Engine, Objective, OnDevice, Regression, Residual, Response, Site, Streams,
};
use rafnet::network::{Init, Inputs, Network, Weights};
use std::sync::Arc;

/// r = Δu + u² − 1
struct Nonlinear;

impl<T: OnDevice> Residual<T> for Nonlinear {
    fn streams(&self) -> Streams {
        Streams::laplacian()
    }
    fn count(&self) -> usize {
        1
    }
    fn outputs(&self) -> usize {
        1
    }
    fn evaluate(&self, site: &Site<'_, T>, response: &mut Response<'_, T>) {
        for i in 0..site.n() {
            let (u, laplacian) = (site.u(0, 0)[i], site.u(0, 3)[i]);
            response.value(0)[i] = laplacian + u * u - T::ONE;
            response.partial(0, 0, 0)[i] = u + u;
            response.partial(0, 0, 3)[i] = T::ONE;
        }
    }
}

/// Every number of every sweep over 1237 points, as bits.
fn everything<T: OnDevice>(objective: &Objective<T>, threads: usize, columns: usize) -> Vec<u64> {
    let n = 1237;
    let mut engine: Box<dyn Engine<T>> = Device::CPU
        .engine(objective.clone(), threads)
        .expect("an engine");
    let theta: Vec<T> = objective.network.init(Init::new(Weights::FanIn, 3));
    let number = |k: usize| T::from_f64((k as f64 * 0.754_877).fract() * 2.0 - 1.0);
    let points: Vec<T> = (0..2 * n).map(number).collect();
    let data: Vec<T> = (0..n * columns).map(number).collect();
    let weights: Vec<T> = (0..n).map(|k| T::from_f64((k % 5) as f64 * 0.3)).collect();
    let batch = Batch::points(&points)
        .with_data(&data)
        .with_weights(&weights);
    let count = objective.terms[0].residual.count();
    let p = theta.len();
    let mut gradient = vec![T::ZERO; p];
    let mut residual = vec![T::ZERO; n * count];
    let mut again = vec![T::ZERO; n * count];
    let mut jacobian = vec![T::ZERO; n * count * p];
    let mut jets = vec![T::ZERO; n * 6 * objective.network.n_outputs()];
    let loss = engine
        .loss_and_gradient(&theta, &batch, &mut gradient)
        .expect("a loss");
    engine
        .residuals(&theta, &batch, &mut again)
        .expect("residuals");
    engine
        .residuals_and_jacobian(&theta, &batch, &mut residual, &mut jacobian)
        .expect("a Jacobian");
    engine
        .evaluate(&theta, &points, &Streams::hessian(2), &mut jets)
        .expect("jets");
    let mut pulled = vec![T::ZERO; p];
    engine
        .pullback(&theta, &points, &Streams::hessian(2), &jets, &mut pulled)
        .expect("a gradient");
    let all = [&gradient, &residual, &again, &jacobian, &jets, &pulled]
        .into_iter()
        .flatten();
    let bits: Vec<u64> = all.map(|v| v.to_f64().to_bits()).collect();
    assert!(gradient.iter().any(|g| *g != T::ZERO));
    [vec![loss.to_bits()], bits].concat()
}

#[track_caller]
fn same(what: &str, one: &[u64], other: &[u64]) {
    let differs = one.iter().zip(other).position(|(a, b)| a != b);
    assert!(
        one.len() == other.len() && differs.is_none(),
        "{what}: number {differs:?} differs"
    );
}

fn walk<T: OnDevice>() {
    let learnable = Network::fully_connected(
        Inputs::coordinates(2),
        vec![
            Set::Psg.learnable(12, Signal::Image),
            Set::Psg.learnable(9, Signal::Image),
        ],
        2,
    )
    .expect("a network");
    let resnet = Network::resnet(Inputs::coordinates(2), &Set::Psg.shared_out(14, 0.3), 1)
        .expect("a network");
    let objectives: [(Objective<T>, usize); 2] = [
        (
            Objective::new(learnable, Arc::new(Regression { outputs: 2 })),
            2,
        ),
        (Objective::new(resnet, Arc::new(Nonlinear)), 0),
    ];
    for (objective, columns) in &objectives {
        let one = everything(objective, 1, *columns);
        same("run to run", &one, &everything(objective, 1, *columns));
        for threads in [2, 3, 7] {
            for _ in 0..2 {
                let many = everything(objective, threads, *columns);
                same(&format!("{} with {threads} threads", T::NAME), &one, &many);
            }
        }
    }
}

#[test]
fn same_bits_in_f64() {
    walk::<f64>();
}

#[test]
fn same_bits_in_f32() {
    walk::<f32>();
}
