//! Which network at which start, on how many points.
//!
//! The network is the paper's residual one: 50 neurons a layer or what the problem's `[trained]` says, four activated layers, weights
//! uniform by fan-in. Neurons are shared out evenly among the basis functions for every problem, and Gaussians have the width 0.1, so that
//! the columns of one table differ in nothing but the problem.

use super::NtkError;
use crate::activation::{Activation, Set};
use crate::engine::Device;
use crate::network::{Init, Inputs, Network, Weights};
use crate::posed::residual_network;
use crate::problem::Problem;

/// What a kernel is taken of.
///
/// ```
/// use rafnet::{Problem, ntk::Settings};
/// let settings = Settings { width: Some(12), ..Settings::default() };
/// assert_eq!(settings.network(&Problem::builtin("poisson-smooth")?)?.n_parameters(), 517);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// The activation of every layer, or of each; PSG where none is named.
    pub activation: Vec<Set>,
    /// Neurons of a layer.
    pub width: Option<usize>,
    /// Activated layers.
    pub depth: Option<usize>,
    /// The width s of Gaussians exp(−x²/2s²).
    pub gaussian_width: f64,
    /// A factor on the hidden weights.
    pub init_scale: f64,
    /// Points inside.
    pub points: usize,
    /// Points on each part of the boundary that the ansatz does not hold; a quarter of those inside where nothing is said.
    pub boundary_points: Option<usize>,
    /// Of the weights and of the points.
    pub seed: u64,
    /// At least one; the numbers do not depend on it.
    pub threads: usize,
    /// Where the network is computed.
    pub device: Device,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            activation: Vec::new(),
            width: None,
            depth: None,
            gaussian_width: 0.1,
            init_scale: 1.0,
            points: 100,
            boundary_points: None,
            seed: 0,
            threads: 1,
            device: Device::default(),
        }
    }
}

/// The most points that are taken.
pub(super) const MOST_POINTS: usize = 100_000;

impl Settings {
    /// The network for a problem.
    ///
    /// # Errors
    /// [`NtkError`] says which setting makes no sense.
    pub fn network(&self, problem: &Problem) -> Result<Network, NtkError> {
        positive("the width of Gaussians", self.gaussian_width)?;
        let width = self.width.unwrap_or(problem.trained.width);
        let named = match self.activation.len() {
            0 => vec![Set::Psg],
            _ => self.activation.clone(),
        };
        let depth = self.depth.unwrap_or(named.len().max(4));
        if depth == 0 {
            return Err(NtkError::Setting {
                what: "the depth",
                found: "0".into(),
                expected: "at least one activated layer",
            });
        }
        let layer = |l: usize| named[l.min(named.len() - 1)].shared_out(width, self.gaussian_width);
        Network::allow_depth(depth)?;
        let activations: Vec<Activation> = (0..depth).map(layer).collect();
        let inputs =
            Inputs::coordinates(problem.coordinates.len()).with_features(problem.features.len());
        Ok(residual_network(
            inputs,
            activations,
            problem.unknowns.len(),
        )?)
    }

    /// The parameters at the start, the sought ones last.
    pub(super) fn start(&self, problem: &Problem, network: &Network) -> Result<Vec<f64>, NtkError> {
        positive("the factor on the hidden weights", self.init_scale)?;
        let init = Init {
            weights: Weights::FanIn,
            hidden_scale: self.init_scale,
            seed: self.seed,
        };
        let mut theta = network.init::<f64>(init);
        theta.extend(problem.sought.iter().map(|s| s.start));
        Ok(theta)
    }

    /// Points inside and on each part of the boundary.
    pub(super) fn counts(&self) -> Result<[usize; 2], NtkError> {
        let boundary = self.boundary_points.unwrap_or((self.points / 4).max(8));
        for (what, found) in [
            ("the number of points", self.points),
            ("the number of boundary points", boundary),
        ] {
            if !(1..=MOST_POINTS).contains(&found) {
                return Err(NtkError::Setting {
                    what,
                    found: found.to_string(),
                    expected: "a whole number from 1 to 100000",
                });
            }
        }
        Ok([self.points, boundary])
    }
}

fn positive(what: &'static str, found: f64) -> Result<(), NtkError> {
    if found.is_finite() && found > 0.0 {
        return Ok(());
    }
    Err(NtkError::Setting {
        what,
        found: found.to_string(),
        expected: "a positive number",
    })
}
