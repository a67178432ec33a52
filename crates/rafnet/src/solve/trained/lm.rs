//! Levenberg–Marquardt on every weight: fresh points, one Gram matrix, a search along its step.
//!
//! ```text
//! θ ← θ + t δ(λ),   t the best of 1, ½, ¼, …        λ halves after long steps and grows after short ones
//! ```
//!
//! Where the output layer enters linearly, its weights are then solved for exactly on the same points (variable projection).

use super::normal::Normal;
use super::run::{Run, Trained};
use crate::domain::Sampler;
use crate::solve::{Checkpoint, Outcome, SolveError};

/// Step lengths that are tried: 2⁰ … 2⁻¹¹.
const LENGTHS: i32 = 12;
/// λ at the start and at least, over the mean of the Gram matrix's diagonal.
const FIRST: f64 = 1e-2;
const LEAST: f64 = 1e-15;
/// Steps between looks at held-out points.
const LOOK: u64 = 5;
/// Looks without a better one after which nothing is to be expected.
const IDLE: u64 = 12;
/// The most numbers of a Jacobian (1.6 GB); more points than fit are left out.
const ROOM: usize = 200_000_000;

/// Runs until nothing improves any more or the last step.
pub(super) fn run(
    mut run: Run<'_>,
    mut theta: Vec<f64>,
    from: Option<&Checkpoint>,
) -> Result<Trained, SolveError> {
    let width = run.terms.n_unknowns();
    let seed = run.options.seed;
    while width * (run.setting.points + run.setting.boundary_points) > ROOM
        && run.setting.points > 50
    {
        run.setting.points /= 2;
        run.setting.boundary_points = run.setting.boundary_points.div_ceil(2);
        run.decisions.push(format!(
            "{} points a step, so that the Jacobian fits in memory",
            run.setting.points
        ));
    }
    let points = run.terms.draw(&run.setting, Sampler::Random, seed, 0)?;
    run.terms.balance(&theta, &points)?;
    let (mut damping, mut step, mut idle) = (FIRST, 0, 0);
    if let Some(checkpoint) = from {
        run.restore(checkpoint)?;
        let numbers = checkpoint.get("lm").filter(|v| v.len() == 2);
        let numbers = numbers.ok_or(SolveError::Checkpoint {
            why: "it has no damping",
        })?;
        let saved = checkpoint.get("theta").filter(|v| v.len() == width);
        theta = saved
            .ok_or(SolveError::Checkpoint {
                why: "its vectors have other lengths",
            })?
            .to_vec();
        (damping, step) = (numbers[0], checkpoint.step);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a small count"
        )]
        {
            idle = numbers[1] as u64;
        }
    } else {
        run.look(&theta)?;
    }
    let (mut residual, mut jacobian) = (Vec::new(), Vec::new());
    while step < run.setting.steps && run.outcome.is_none() {
        let points = run
            .terms
            .draw(&run.setting, Sampler::Random, seed, step + 1)?;
        let rows = run.terms.n_rows(&points);
        residual.resize(rows, 0.0);
        jacobian.resize(rows * width, 0.0);
        run.terms
            .jacobian(&theta, &points, &mut residual, &mut jacobian)?;
        let before: f64 = residual.iter().map(|r| r * r).sum();
        if !before.is_finite() {
            run.outcome = Some(Outcome::Diverged);
            run.decisions
                .push(format!("the loss was {before} at step {step}"));
            break;
        }
        let normal = Normal::new(&jacobian, rows, width, run.options.threads());
        let mut best = (before, 0.0, None);
        if let Some(direction) = normal.step(damping * normal.mean, &residual) {
            let mut tried = vec![0.0; rows];
            for k in 0..LENGTHS {
                let length = 0.5f64.powi(k);
                let there: Vec<f64> = theta
                    .iter()
                    .zip(&direction)
                    .map(|(t, d)| t + length * d)
                    .collect();
                run.terms.residuals(&there, &points, &mut tried)?;
                let loss: f64 = tried.iter().map(|r| r * r).sum();
                if loss < best.0 {
                    best = (loss, length, Some(there));
                } else if best.2.is_some() {
                    break; // past the best length
                }
            }
        }
        let (loss, length, there) = best;
        if let Some(there) = there {
            theta = there;
        }
        damping = match length {
            l if l >= 0.5 => (0.5 * damping).max(LEAST),
            l if l >= 0.1 => damping,
            _ => (4.0 * damping).min(1e3),
        };
        step += 1;
        if step % LOOK == 0 {
            let best = run.best.as_ref().map_or(f64::INFINITY, |b| b.1.residual);
            let now = run.look(&theta)?;
            idle = if now < 0.95 * best { 0 } else { idle + 1 };
            if idle >= IDLE && run.outcome.is_none() {
                run.outcome = Some(Outcome::Converged);
            }
        }
        run.stepped(step, loss, &theta)?;
        run.save(step, || {
            vec![("theta", theta.clone()), ("lm", vec![damping, idle as f64])]
        });
    }
    run.look(&theta)?;
    let theta = run.best.as_ref().map_or(theta, |b| b.0.clone());
    run.finish(theta, step)
}
