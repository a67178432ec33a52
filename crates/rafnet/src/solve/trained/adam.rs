//! Adam with fresh points at every step, as in the paper.

use super::run::{Run, Trained};
use super::tuning::LOOK_ADAM;
use crate::domain::Sampler;
use crate::optimise::Adam;
use crate::run::{Checkpoint, Outcome};
use crate::solve::SolveError;

/// Runs to the last step, from the start or a checkpoint.
pub(super) fn run(
    mut run: Run<'_>,
    mut theta: Vec<f64>,
    from: Option<&Checkpoint>,
) -> Result<Trained, SolveError> {
    let n = theta.len();
    let (mut gradient, mut scratch) = (vec![0.0; n], vec![0.0; n]);
    let (mut adam, mut step) = (Adam::new(n), 0);
    let points = run
        .terms
        .draw(&run.setting, Sampler::Random, run.options.seed, 0)?;
    run.begin(&theta, &points, from)?;
    if let Some(checkpoint) = from {
        step = checkpoint.step;
        theta = checkpoint.vector("theta", n)?.to_vec();
        adam = checkpoint.adam(n)?;
    }
    while step < run.setting.steps && run.outcome.is_none() {
        let points = run
            .terms
            .draw(&run.setting, Sampler::Random, run.options.seed, step)?;
        let loss = run
            .terms
            .loss_and_gradient(&theta, &points, &mut gradient, &mut scratch)?;
        if !loss.is_finite() || gradient.iter().any(|g| !g.is_finite()) {
            run.outcome = Some(Outcome::Diverged);
            run.decisions.push(format!(
                "the loss was {loss} at step {step}; a smaller `--lr` may help"
            ));
            theta = run.best.as_ref().map_or(theta, |b| b.0.clone());
            break;
        }
        let decay = run.setting.weight_decay;
        if decay > 0.0 {
            gradient
                .iter_mut()
                .zip(&theta)
                .for_each(|(g, t)| *g += decay * t);
        }
        adam.step(
            run.setting.schedule.rate(run.setting.lr, step),
            &mut theta,
            &gradient,
        );
        step += 1;
        if step % LOOK_ADAM == 0 {
            run.look(&theta)?;
        }
        run.stepped(step, loss, &theta)?;
        run.save(step, || {
            let (m, v, _) = adam.state();
            vec![
                ("theta", theta.clone()),
                ("m", m.to_vec()),
                ("v", v.to_vec()),
            ]
        });
    }
    run.finish(theta, step)
}
