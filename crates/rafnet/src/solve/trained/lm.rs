//! Levenberg–Marquardt on every weight: fresh points, one Gram matrix, a search along its step.
//!
//! ```text
//! θ ← θ + t δ(λ),   λ and t the best of a few dampings and of 1, ½, ¼, …
//! ```
//!
//! The step starts from part of the last one (G. Goldshlager, N. Abrahamsen, L. Lin, "A Kaczmarz-inspired approach to accelerate the
//! optimization of neural network wavefunctions", 2024): δ minimises |r + J δ|² + λ |δ − μ δ₀|².

mod host;
mod state;
mod step;
mod warm_up;

use super::run::{Run, Trained};
use super::tuning::{DOUBLINGS, IDLE_LOOKS, LOOK_LM, MOST_NUMBERS, NEWEST};
use crate::domain::Sampler;
use crate::run::{Checkpoint, Outcome};
use crate::solve::SolveError;
use host::Rows;
use state::State;
use step::{Stepped, step};
use warm_up::warm_up;

/// Runs until nothing improves any more or the last step, those before them counted in: the warm-up, or what a grown network has
/// behind it.
pub(super) fn run(
    mut run: Run<'_>,
    theta: Vec<f64>,
    grown: bool,
    from: Option<&Checkpoint>,
) -> Result<Trained, SolveError> {
    let width = run.terms.n_unknowns();
    let seed = run.options.seed;
    let most = run.terms.most_numbers().unwrap_or(MOST_NUMBERS);
    halve_points(&mut run, width, most);
    let points = run.terms.draw(&run.setting, Sampler::Random, seed, 0)?;
    run.begin(&theta, &points, from)?;
    let mut state = State::new(theta, run.setting.warm_up);
    if grown {
        state.step = state.begun;
    }
    if let Some(checkpoint) = from {
        state = State::restored(checkpoint, width)?;
    } else {
        run.look(&state.theta)?;
    }
    run.setting.warm_up = state.begun;
    if state.step <= state.begun {
        warm_up(&mut run, &mut state)?;
        state.mean.clone_from(&state.theta); // after the last step of the warm-up too, when a run goes on from there
    }
    let few = [run.setting.points, run.setting.boundary_points];
    let last = run.setting.warm_up + run.setting.steps;
    let mut rows = Rows::default();
    while state.step < last && run.outcome.is_none() {
        [run.setting.points, run.setting.boundary_points] = few.map(|n| n << state.doubled);
        let points = run
            .terms
            .draw(&run.setting, Sampler::Sobol, seed, state.step + 1)?;
        let after = match step(&mut run, &mut state, &points, &mut rows)? {
            Stepped::To(loss) => loss,
            Stepped::Ended => {
                run.outcome = run.pulse.outcome();
                run.save(state.step, || state.to_vectors());
                break;
            }
            Stepped::Nowhere => {
                run.outcome = Some(Outcome::Diverged);
                let step = state.step;
                run.decisions
                    .push(format!("the loss was not finite at step {step}"));
                break;
            }
        };
        let pairs = state.mean.iter_mut().zip(&state.theta);
        pairs.for_each(|(mean, theta)| *mean += NEWEST * (theta - *mean));
        state.step += 1;
        if (state.step - run.setting.warm_up).is_multiple_of(LOOK_LM) {
            let room = 2 * width * run.terms.n_rows(&points) <= most;
            look(&mut run, &mut state, room)?;
        }
        run.stepped(state.step, after, &state.theta, &mut Vec::new())?;
        run.save(state.step, || state.to_vectors());
    }
    run.look(&state.theta)?;
    let theta = run.best.as_ref().map_or(state.theta, |b| b.0.clone());
    run.finish(theta, state.step)
}

/// Half as many points, and again, until the Jacobian fits.
fn halve_points(run: &mut Run<'_>, width: usize, most: usize) {
    while width.saturating_mul(run.setting.points + run.setting.boundary_points) > most
        && run.setting.points > 50
    {
        run.setting.points /= 2;
        run.setting.boundary_points = run.setting.boundary_points.div_ceil(2);
        run.decisions.push(format!(
            "{} points a step, so that the Jacobian fits in memory",
            run.setting.points
        ));
    }
}

/// Looks at held-out points; where that was long not better, more points are drawn if there is room, else the run has converged.
fn look(run: &mut Run<'_>, state: &mut State, room: bool) -> Result<(), SolveError> {
    let best = run.best.as_ref().map_or(f64::INFINITY, |b| b.1.residual);
    let now = run.look(&state.theta)?.min(run.look(&state.mean)?);
    state.idle = if now < 0.95 * best { 0 } else { state.idle + 1 };
    if state.idle >= IDLE_LOOKS && state.doubled < DOUBLINGS && room {
        (state.doubled, state.idle) = (state.doubled + 1, 0);
        let what = format!("{} points from step {}", 2 * run.setting.points, state.step);
        run.decisions.push(what);
    } else if state.idle >= IDLE_LOOKS && run.outcome.is_none() {
        run.outcome = Some(Outcome::Converged);
    }
    Ok(())
}
