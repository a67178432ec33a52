//! One step: a Gram matrix, a few dampings, a search along the step of each.
//!
//! ```text
//! δ(λ) = μ δ₀ − (JᵀJ + λ)⁻¹ Jᵀ(r + μ J δ₀)        θ ← θ + t δ(λ),   λ and t those of the least sum of squares
//! ```

use super::State;
use super::host::{OnHost, Rows};
use crate::engine::{Cloud, EngineError, Squares};
use crate::halt::Crew;
use crate::solve::SolveError;
use crate::solve::trained::run::Run;
use crate::solve::trained::tuning::{CARRIED, DAMPINGS, LARGER, LEAST_DAMPING, LENGTHS, SMALLER};
use crate::solve::watched::Pulse;

/// What came of a step.
pub(super) enum Stepped {
    /// A state with this loss.
    To(f64),
    /// Nothing, because the run is to end; the state is as it was.
    Ended,
    /// Nothing, because the loss was not finite before.
    Nowhere,
}

/// Multiplications of a Gram matrix from which on one looks whether to go on while it is made: a tenth of a second.
const LONG: f64 = 1e9;

/// The best state that was tried.
struct Best {
    loss: f64,
    damping: f64,
    length: f64,
    /// None where the step began.
    theta: Option<Vec<f64>>,
}

/// Takes a step on these points, on the engine's device or on the host.
pub(super) fn step(
    run: &mut Run<'_>,
    state: &mut State,
    points: &[Cloud<f64>],
    rows: &mut Rows,
) -> Result<Stepped, SolveError> {
    let (n, width) = (run.terms.n_rows(points), run.terms.n_unknowns());
    let is_long = n as f64 * width as f64 * n.min(width) as f64 > LONG;
    if let Some(mut squares) = run.terms.squares(points)? {
        return taken(&mut *squares, &mut run.pulse, state, is_long);
    }
    let crew = Crew::new(run.options.threads(), run.pulse.halt);
    let terms = &mut run.terms;
    let mut squares = OnHost {
        terms,
        points,
        rows,
        crew,
    };
    taken(&mut squares, &mut run.pulse, state, is_long)
}

fn taken(
    squares: &mut dyn Squares<f64>,
    pulse: &mut Pulse<'_>,
    state: &mut State,
    is_long: bool,
) -> Result<Stepped, SolveError> {
    let before = loss(squares, &state.theta)?;
    if !before.is_finite() {
        return Ok(Stepped::Nowhere);
    }
    let carried: Vec<f64> = state.momentum.iter().map(|m| CARRIED * m).collect();
    // several dampings for one Gram matrix, each with a search along its step
    let dampings = DAMPINGS.map(|f| (f * state.damping).max(LEAST_DAMPING));
    let mut steps = || squares.steps(&state.theta, &dampings, &carried);
    let steps = if is_long {
        pulse.during(steps)
    } else {
        steps()
    };
    let mut best = Best {
        loss: before,
        damping: state.damping,
        length: 0.0,
        theta: None,
    };
    for (damping, step) in dampings.into_iter().zip(steps?) {
        if let Some(step) = step {
            search(squares, pulse, (&state.theta, &step), damping, &mut best)?;
        }
    }
    if pulse.halt.is_raised() {
        return Ok(Stepped::Ended);
    }
    let after = best.loss;
    take(state, best);
    Ok(Stepped::To(after))
}

/// The sum of squares, infinite where it is no number.
fn loss(squares: &mut dyn Squares<f64>, theta: &[f64]) -> Result<f64, EngineError> {
    let sum = squares.loss(theta)?;
    Ok(if sum.is_finite() { sum } else { f64::INFINITY })
}

/// Shorter and shorter along a step, until it gets worse or is ended.
fn search(
    squares: &mut dyn Squares<f64>,
    pulse: &mut Pulse<'_>,
    (theta, step): (&[f64], &[f64]),
    damping: f64,
    best: &mut Best,
) -> Result<(), SolveError> {
    let mut along = f64::INFINITY;
    for k in 0..LENGTHS {
        let length = 0.5f64.powi(k);
        let moved = step.iter().map(|s| length * s);
        let there: Vec<f64> = theta.iter().zip(moved).map(|(t, d)| t + d).collect();
        if pulse.is_ended() {
            break;
        }
        let there_loss = loss(squares, &there)?;
        if there_loss < best.loss {
            *best = Best {
                loss: there_loss,
                damping,
                length,
                theta: Some(there),
            };
        }
        if there_loss > along {
            break; // past the best length
        }
        along = there_loss;
    }
    Ok(())
}

/// Moves to the best state, and damps the next step less after a long one, more after none.
fn take(state: &mut State, best: Best) {
    state.damping = match best.theta {
        Some(_) if best.length >= 0.5 => (SMALLER * best.damping).max(LEAST_DAMPING),
        Some(_) => best.damping,
        None => (LARGER * state.damping).min(1e3),
    };
    if let Some(there) = best.theta {
        let moved = there.iter().zip(&state.theta).map(|(a, b)| a - b);
        state.momentum = moved.collect();
        state.theta = there;
    } else {
        state.momentum.fill(0.0);
    }
}
