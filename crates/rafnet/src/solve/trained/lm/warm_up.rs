//! The warm-up: Adam on few points.

use super::State;
use crate::engine::Descent;
use crate::run::{Outcome, Pace};
use crate::solve::SolveError;
use crate::solve::trained::rule::FreshPoints;
use crate::solve::trained::run::{Run, next_look};
use crate::solve::trained::setting::Setting;
use crate::solve::trained::tuning::WARM_POINTS;
use std::time::Instant;

/// The first round of the warm-up's draws.
const WARM: u64 = 1 << 41;

/// Adam on few points, until the network is where Gauss–Newton steps are worth their price.
pub(super) fn warm_up(run: &mut Run<'_>, state: &mut State) -> Result<(), SolveError> {
    let few = Setting {
        points: WARM_POINTS.min(run.setting.points),
        boundary_points: (WARM_POINTS / 4).min(run.setting.boundary_points),
        ..run.setting.clone()
    };
    let mut descent = Descent::new(state.theta.clone(), state.step);
    let mut rule = FreshPoints::new(run, &few, WARM, state.adam.clone());
    let (last, mut pace) = (run.setting.warm_up, Pace::default());
    while state.step < last && run.outcome.is_none() {
        let look = next_look(state.step);
        let most = pace.most(look.min(last) - state.step);
        let began = Instant::now();
        let came = run.terms.descend(&mut descent, &mut rule, most)?;
        pace.took(descent.step - state.step, began);
        let loss = came.loss;
        state.step = descent.step;
        if !came.is_finite {
            run.outcome = Some(Outcome::Diverged);
            let step = state.step;
            run.decisions
                .push(format!("the loss was {loss} at step {step} of the warm-up"));
            break;
        }
        if state.step == look {
            run.look(&descent.parameters)?;
        }
        run.stepped(state.step, loss, &descent.parameters, &mut rule.recorded)?;
        run.save(state.step, || {
            state.theta.clone_from(&descent.parameters);
            state.adam = rule.adam.clone();
            state.to_vectors()
        });
    }
    (state.theta, state.adam) = (descent.parameters, rule.adam);
    Ok(())
}
