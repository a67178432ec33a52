//! `auto`: `lsq` first; where frozen features stall, a small network is trained by `lm` and grown while that helps.

use super::trained::{self, Start, Trained};
use super::{Checkpoint, CheckpointError, Method, Options, Outcome, SolveError, Solved, Watch};
use crate::activation::Set;
use crate::problem::Problem;
use std::time::Instant;

/// Above this held-out residual frozen features have stalled and training is worth a try.
const STALLED: f64 = 1e-7;
/// Neurons of a layer, one training after the other, and layers.
const WIDTHS: [usize; 3] = [20, 30, 44];
const DEPTH: usize = 3;
/// A training that lowers the residual by less than this factor was the last.
const HELPED: f64 = 0.5;

impl Problem {
    /// Whether `auto` may train a network: with more weights than observations, training would fit their noise, and periodic axes and
    /// means are `lsq`'s alone.
    pub(super) fn is_trainable(&self) -> bool {
        self.means.is_empty() && self.periodic.is_empty() && self.data.is_empty()
    }

    /// `lsq`, then `lm`, and the better of both.
    pub(super) fn by_itself(
        &self,
        options: &Options,
        checkpoint: Option<&Checkpoint>,
        started: Instant,
        watch: &mut dyn Watch,
    ) -> Result<Solved, SolveError> {
        let frozen = self.by_lsq(options, watch)?;
        let stalled = frozen.outcome == Outcome::Converged && frozen.verdict.residual > STALLED;
        if !stalled || !self.is_trainable() {
            return frozen.solved(self, options);
        }
        let trained = self.grown(options, checkpoint, started, watch)?;
        let residuals = [frozen.verdict.residual, trained.verdict.residual];
        let mut decisions = frozen.decisions.clone();
        decisions.push(format!(
            "frozen features stalled at {:.1e}; a network trained by lm: {:.1e}",
            residuals[0], residuals[1]
        ));
        decisions.extend(trained.decisions.iter().cloned());
        let outcome = trained.outcome;
        let mut solved = if residuals[1] < residuals[0] {
            trained.solved(self, options, "lsq, then lm")?
        } else {
            frozen.solved(self, options)?
        };
        (solved.decisions, solved.outcome) = (decisions, outcome);
        Ok(solved)
    }

    /// Trains a small network, then wider ones around it.
    fn grown(
        &self,
        options: &Options,
        checkpoint: Option<&Checkpoint>,
        started: Instant,
        watch: &mut dyn Watch,
    ) -> Result<Trained, SolveError> {
        let activation = match options.activation.len() {
            0 => vec![Set::Tanh],
            _ => options.activation.clone(),
        };
        let stage = |width: usize| Options {
            method: Method::Lm,
            activation: activation.clone(),
            width: Some(width),
            depth: options.depth.or(Some(DEPTH)),
            ..options.clone()
        };
        let mut widths = options.width.map_or(WIDTHS.to_vec(), |w| vec![w]);
        // a checkpoint of a wider network holds what the narrower ones found
        if let Some(checkpoint) = checkpoint {
            let begun = self.width_of(checkpoint, &widths, stage)?;
            widths.drain(..begun);
        }
        let (mut best, mut decisions): (Option<Trained>, _) = (None, Vec::new());
        for (k, width) in widths.into_iter().enumerate() {
            let stage = stage(width);
            let mine = checkpoint.filter(|_| k == 0);
            let start = match &best {
                Some(narrower) => {
                    let network = narrower.network.clone();
                    Start::Grown(network, narrower.theta.clone(), narrower.steps)
                }
                None => Start::Fresh,
            };
            let trained = trained::solve(self, &stage, Method::Lm, start, mine, started, watch)?;
            let residual = trained.verdict.residual;
            decisions.push(format!("{width} neurons a layer: {residual:.1e}"));
            decisions.extend(trained.decisions.iter().cloned());
            let go_on = trained.outcome == Outcome::Converged
                && residual < HELPED * trained.first
                && trained.network.can_grow();
            best = Some(trained);
            if !go_on {
                break;
            }
        }
        let mut best = best.expect("there is a width to train");
        best.decisions = decisions;
        Ok(best)
    }

    /// Which of the widths a checkpoint is of.
    fn width_of(
        &self,
        checkpoint: &Checkpoint,
        widths: &[usize],
        stage: impl Fn(usize) -> Options,
    ) -> Result<usize, SolveError> {
        let vector = "theta";
        let saved = checkpoint.get(vector);
        let found = saved.ok_or(CheckpointError::Missing { vector })?.len();
        let mut lengths = Vec::with_capacity(widths.len());
        for width in widths {
            lengths.push(trained::n_unknowns(self, &stage(*width))?);
        }
        let place = lengths.iter().position(|length| *length == found);
        place.ok_or_else(|| {
            let expected: Vec<String> = lengths.iter().map(usize::to_string).collect();
            let expected = expected.join(" or ");
            SolveError::Checkpoint(CheckpointError::Length {
                vector,
                found,
                expected,
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::activation::Set;
    use crate::engine::{CpuEngine, Engine, Objective, Regression, Streams};
    use crate::network::{Bias, Init, Inputs, Layer, Network, Skip, Weights};
    use std::sync::Arc;

    /// Values of both at random points: new neurons add products with zero, which round to nothing.
    #[test]
    fn a_grown_network_is_the_same_function() -> Result<(), Box<dyn std::error::Error>> {
        let network = |width: usize| {
            let dense =
                || Layer::dense(Set::Tanh.learnable(width, crate::activation::Signal::Image));
            let layers = vec![
                dense(),
                dense().with_skip(Skip::Inputs),
                Layer::linear(2, Bias::Yes),
            ];
            Network::new(Inputs::coordinates(2), layers)
        };
        let (narrow, wide) = (network(5)?, network(9)?);
        let old = narrow.init::<f64>(Init::new(Weights::FanIn, 3));
        let mut new = wide.init::<f64>(Init::new(Weights::FanIn, 4));
        let drawn = new.clone();
        narrow.grow(&old, &wide, &mut new);
        assert!(narrow.can_grow() && new != drawn);
        let points = [0.3, -0.7, 0.9, 0.1, -0.4, 0.6];
        let values = |network: Network, theta: &[f64]| {
            let mut engine = CpuEngine::new(
                Objective::new(network, Arc::new(Regression { outputs: 2 })),
                1,
            )?;
            let mut out = vec![0.0; 6];
            engine.evaluate(theta, &points, &Streams::value(), &mut out)?;
            Ok::<_, crate::engine::EngineError>(out)
        };
        let (before, after) = (values(narrow, &old)?, values(wide, &new)?);
        for (a, b) in before.iter().zip(&after) {
            assert!(
                (a - b).abs() <= 4.0 * f64::EPSILON * a.abs().max(1.0),
                "{a} {b}"
            );
        }
        Ok(())
    }
}
