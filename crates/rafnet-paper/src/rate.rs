//! How fast this machine is, so that the time of a run can be said before it starts.

use rafnet::activation::Set;
use rafnet::engine::{Batch, Device, Objective, Regression};
use rafnet::network::{Init, Inputs, Network, Weights};
use std::sync::Arc;
use std::time::Instant;

/// FLOP a second of the sweeps in double precision.
#[derive(Clone, Copy, Debug)]
pub struct Rate(f64);

impl Rate {
    /// Measured in a tenth of a second: gradients of a regression by a PSG network of four layers of 100.
    pub fn measured(device: Device, threads: usize) -> Self {
        const POINTS: usize = 4_000;
        let slow = Self(5e9);
        let set = Set::Psg.shared_out(100, 0.1);
        let Ok(network) = Network::resnet(Inputs::coordinates(2), &set, 1) else {
            return slow;
        };
        let theta: Vec<f64> = network.init(Init::new(Weights::FanIn, 0));
        let flop = 6.0 * (theta.len() * POINTS) as f64;
        let objective = Objective::new(network, Arc::new(Regression { outputs: 1 }));
        let Ok(mut engine) = device.engine(objective, threads) else {
            return slow;
        };
        let points: Vec<f64> = (0..2 * POINTS)
            .map(|k| (k as f64 * 0.618).fract())
            .collect();
        let (data, mut gradient) = (vec![0.5; POINTS], vec![0.0; theta.len()]);
        let batch = Batch::points(&points).with_data(&data);
        let mut least = f64::INFINITY;
        for _ in 0..4 {
            let started = Instant::now();
            if engine
                .loss_and_gradient(&theta, &batch, &mut gradient)
                .is_err()
            {
                return slow;
            }
            least = least.min(started.elapsed().as_secs_f64());
        }
        Self(flop / least.max(1e-6))
    }

    pub(crate) fn seconds(self, flop: f64) -> f64 {
        flop / self.0
    }
}
