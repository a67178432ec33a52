//! The warm-up: Adam on few points.

use super::State;
use crate::domain::Sampler;
use crate::run::Outcome;
use crate::solve::SolveError;
use crate::solve::trained::run::Run;
use crate::solve::trained::setting::Setting;
use crate::solve::trained::tuning::WARM_POINTS;

/// The first round of the warm-up's draws.
const WARM: u64 = 1 << 41;

/// Adam on few points, until the network is where Gauss–Newton steps are worth their price.
pub(super) fn warm_up(run: &mut Run<'_>, state: &mut State) -> Result<(), SolveError> {
    let n = state.theta.len();
    let (mut gradient, mut scratch) = (vec![0.0; n], vec![0.0; n]);
    let few = Setting {
        points: WARM_POINTS.min(run.setting.points),
        boundary_points: (WARM_POINTS / 4).min(run.setting.boundary_points),
        ..run.setting.clone()
    };
    while state.step < run.setting.warm_up && run.outcome.is_none() {
        let points = run
            .terms
            .draw(&few, Sampler::Random, run.options.seed, WARM + state.step)?;
        let loss =
            run.terms
                .loss_and_gradient(&state.theta, &points, &mut gradient, &mut scratch)?;
        if !loss.is_finite() || gradient.iter().any(|g| !g.is_finite()) {
            run.outcome = Some(Outcome::Diverged);
            let step = state.step;
            run.decisions
                .push(format!("the loss was {loss} at step {step} of the warm-up"));
            return Ok(());
        }
        let rate = run.setting.schedule.rate(run.setting.lr, state.step);
        state.adam.step(rate, &mut state.theta, &gradient);
        state.step += 1;
        run.stepped(state.step, loss, &state.theta)?;
        run.save(state.step, || state.to_vectors());
    }
    Ok(())
}
