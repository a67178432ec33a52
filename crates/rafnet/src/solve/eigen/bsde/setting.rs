//! The settings of the paper's eigenvalue experiment (those of Han, Lu and Zhou), by dimension.

use crate::activation::Set;
use crate::solve::Options;

/// The width of Gaussians in a PSG layer, where none is asked for.
const GAUSSIAN: f64 = 0.1;

/// Everything a run is made with.
#[derive(Clone, Debug)]
pub(super) struct Setting {
    pub(super) width: usize,
    pub(super) depth: usize,
    /// Sines and cosines of the inputs up to this order.
    pub(super) order: usize,
    pub(super) activation: Set,
    pub(super) gaussian: f64,
    /// T and K
    pub(super) duration: f64,
    pub(super) path_steps: usize,
    /// M
    pub(super) paths: usize,
    pub(super) steps: u64,
    /// Shares of all steps after which the next rate and decay hold.
    boundaries: [f64; 2],
    rates: [f64; 3],
    decays: [f64; 3],
}

impl Setting {
    pub(super) fn new(dimension: usize, options: &Options) -> Self {
        let usual = match dimension {
            1 | 2 => Self {
                width: 30,
                depth: 3,
                order: 3,
                activation: Set::Relu,
                gaussian: GAUSSIAN,
                duration: 0.2,
                path_steps: 40,
                paths: 512,
                steps: 6_000,
                boundaries: [4.0 / 6.0, 5.0 / 6.0],
                rates: [1e-3, 1e-4, 1e-5],
                decays: [0.2, 0.9, 0.99],
            },
            3..=7 => Self {
                width: 80,
                depth: 3,
                order: 5,
                activation: Set::Psg,
                gaussian: GAUSSIAN,
                duration: 0.2,
                path_steps: 120,
                paths: 2048,
                steps: 60_001,
                boundaries: [20_000.0 / 60_001.0, 40_000.0 / 60_001.0],
                rates: [5e-5, 2e-5, 1e-5],
                decays: [0.2, 0.9, 0.99],
            },
            _ => Self {
                width: 200,
                depth: 3,
                order: 5,
                activation: Set::Psg,
                gaussian: GAUSSIAN,
                duration: 0.3,
                path_steps: 200,
                paths: 2048,
                steps: 80_001,
                boundaries: [40_000.0 / 80_001.0, 60_000.0 / 80_001.0],
                rates: [5e-5, 2e-5, 1e-5],
                decays: [0.1, 0.9, 0.99],
            },
        };
        let factor = options.lr.map_or(1.0, |lr| lr / usual.rates[0]);
        Self {
            width: options.width.unwrap_or(usual.width),
            depth: options.depth.unwrap_or(usual.depth),
            activation: options
                .activation
                .first()
                .copied()
                .unwrap_or(usual.activation),
            gaussian: options.gaussian_width.unwrap_or(usual.gaussian),
            paths: options.points.unwrap_or(usual.paths),
            steps: options.steps.unwrap_or(usual.steps),
            rates: usual.rates.map(|rate| rate * factor),
            ..usual
        }
    }

    /// The activation of a hidden layer.
    pub(super) fn hidden(&self) -> crate::activation::Activation {
        self.activation.shared_out(self.width, self.gaussian)
    }

    /// The rate and the decay of a step, from 0.
    pub(super) fn at(&self, step: u64) -> (f64, f64) {
        let boundary = |share: f64| (share * self.steps as f64).round();
        let passed = |share: &&f64| step as f64 > boundary(**share);
        let stage = self.boundaries.iter().filter(passed).count();
        (self.rates[stage], self.decays[stage])
    }
}

#[cfg(test)]
mod tests {
    use super::Setting;
    use crate::solve::Options;

    /// The rates and decays of the experiment in five and ten dimensions.
    #[test]
    fn boundaries_are_those_of_the_experiment() {
        let five = Setting::new(5, &Options::default());
        assert_eq!(five.at(20_000), (5e-5, 0.2));
        assert_eq!(five.at(20_001), (2e-5, 0.9));
        assert_eq!(five.at(40_001), (1e-5, 0.99));
        let ten = Setting::new(10, &Options::default());
        assert_eq!(ten.at(40_000), (5e-5, 0.1));
        assert_eq!(ten.at(60_001), (1e-5, 0.99));
    }
}
