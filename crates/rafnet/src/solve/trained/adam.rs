//! Adam with fresh points at every step, as in the paper.

use super::rule::FreshPoints;
use super::run::{Run, Trained, next_look};
use crate::domain::Sampler;
use crate::engine::Descent;
use crate::optimise::Adam;
use crate::run::{Checkpoint, Outcome, Pace};
use crate::solve::SolveError;
use std::time::Instant;

/// Runs to the last step, from the start or a checkpoint.
pub(super) fn run(
    mut run: Run<'_>,
    theta: Vec<f64>,
    from: Option<&Checkpoint>,
) -> Result<Trained, SolveError> {
    let n = theta.len();
    let points = run
        .terms
        .draw(&run.setting, Sampler::Random, run.options.seed, 0)?;
    run.begin(&theta, &points, from)?;
    let (mut descent, mut adam) = (Descent::new(theta, 0), Adam::new(n));
    if let Some(checkpoint) = from {
        let theta = checkpoint.vector("theta", n)?.to_vec();
        descent = Descent::new(theta, checkpoint.step);
        adam = checkpoint.adam(n)?;
    }
    let mut rule = FreshPoints::new(&run, &run.setting, 0, adam);
    rule = rule.with_decay(run.setting.weight_decay);
    let (last, mut pace) = (run.setting.steps, Pace::default());
    while descent.step < last && run.outcome.is_none() {
        let look = next_look(descent.step);
        let most = pace.most(look.min(last) - descent.step);
        let (began, before) = (Instant::now(), descent.step);
        let came = run.terms.descend(&mut descent, &mut rule, most)?;
        pace.took(descent.step - before, began);
        let (loss, step) = (came.loss, descent.step);
        if !came.is_finite {
            run.outcome = Some(Outcome::Diverged);
            run.decisions.push(format!(
                "the loss was {loss} at step {step}; a smaller `--lr` may help"
            ));
            if let Some((best, _)) = &run.best {
                descent.parameters.clone_from(best);
            }
            break;
        }
        if step == look {
            run.look(&descent.parameters)?;
        }
        run.stepped(step, loss, &descent.parameters, &mut rule.recorded)?;
        run.save(step, || {
            let (m, v, _) = rule.adam.state();
            vec![
                ("theta", descent.parameters.clone()),
                ("m", m.to_vec()),
                ("v", v.to_vec()),
            ]
        });
    }
    run.finish(descent.parameters, descent.step)
}
