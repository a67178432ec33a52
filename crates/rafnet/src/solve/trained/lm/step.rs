//! One step: a Gram matrix, a few dampings, a search along the step of each.
//!
//! ```text
//! δ(λ) = μ δ₀ − (JᵀJ + λ)⁻¹ Jᵀ(r + μ J δ₀)        θ ← θ + t δ(λ),   λ and t those of the least sum of squares
//! ```

use super::State;
use crate::engine::Cloud;
use crate::halt::Crew;
use crate::optimise::GaussNewton;
use crate::posed::Terms;
use crate::solve::SolveError;
use crate::solve::trained::run::Run;
use crate::solve::trained::tuning::{CARRIED, DAMPINGS, LARGER, LEAST_DAMPING, LENGTHS, SMALLER};

/// Residuals and their derivatives, kept from step to step.
#[derive(Default)]
pub(super) struct Rows {
    residual: Vec<f64>,
    jacobian: Vec<f64>,
}

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

/// The sum of squares on the points of a step.
struct Loss<'a> {
    points: &'a [Cloud<f64>],
    tried: Vec<f64>,
}

impl Loss<'_> {
    fn at(&mut self, terms: &mut Terms, theta: &[f64]) -> Result<f64, SolveError> {
        terms.residuals(theta, self.points, &mut self.tried)?;
        let sum: f64 = self.tried.iter().map(|r| r * r).sum();
        Ok(if sum.is_finite() { sum } else { f64::INFINITY })
    }
}

/// The best state that was tried.
struct Best {
    loss: f64,
    damping: f64,
    length: f64,
    /// None where the step began.
    theta: Option<Vec<f64>>,
}

/// Takes a step on these points.
pub(super) fn step(
    run: &mut Run<'_>,
    state: &mut State,
    points: &[Cloud<f64>],
    Rows { residual, jacobian }: &mut Rows,
) -> Result<Stepped, SolveError> {
    let (rows, width) = (run.terms.n_rows(points), run.terms.n_unknowns());
    let what = format_args!("the derivatives of {rows} residuals by {width} parameters");
    rafnet_memory::require(what, &[rows, width, 8])?;
    residual.resize(rows, 0.0);
    jacobian.resize(rows * width, 0.0);
    run.terms
        .jacobian(&state.theta, points, residual, jacobian)?;
    let mut loss = Loss {
        points,
        tried: vec![0.0; rows],
    };
    let before = loss.at(&mut run.terms, &state.theta)?;
    if !before.is_finite() {
        return Ok(Stepped::Nowhere);
    }
    let carried: Vec<f64> = state.momentum.iter().map(|m| CARRIED * m).collect();
    // several dampings for one Gram matrix, each with a search along its step
    let dampings = DAMPINGS.map(|f| (f * state.damping).max(LEAST_DAMPING));
    let crew = Crew::new(run.options.threads(), run.pulse.halt);
    let directions = || {
        let normal = GaussNewton::new(jacobian, rows, width, crew);
        let ahead = normal.ahead(&carried, residual);
        steps(&normal, &dampings, &ahead, crew.threads)
    };
    let work = rows as f64 * width as f64 * rows.min(width) as f64;
    let directions = if work > LONG {
        run.pulse.during(directions)
    } else {
        directions()
    };
    let mut best = Best {
        loss: before,
        damping: state.damping,
        length: 0.0,
        theta: None,
    };
    for (damping, direction) in dampings.into_iter().zip(directions) {
        let Some(direction) = direction else {
            continue;
        };
        let step: Vec<f64> = direction.iter().zip(&carried).map(|(d, c)| d + c).collect();
        search(run, &mut loss, (&state.theta, &step), damping, &mut best)?;
    }
    if run.pulse.halt.is_raised() {
        return Ok(Stepped::Ended);
    }
    let after = best.loss;
    take(state, best);
    Ok(Stepped::To(after))
}

/// Shorter and shorter along a step, until it gets worse or is ended.
fn search(
    run: &mut Run<'_>,
    loss: &mut Loss<'_>,
    (theta, step): (&[f64], &[f64]),
    damping: f64,
    best: &mut Best,
) -> Result<(), SolveError> {
    let mut along = f64::INFINITY;
    for k in 0..LENGTHS {
        let length = 0.5f64.powi(k);
        let moved = step.iter().map(|s| length * s);
        let there: Vec<f64> = theta.iter().zip(moved).map(|(t, d)| t + d).collect();
        if run.pulse.is_ended() {
            break;
        }
        let there_loss = loss.at(&mut run.terms, &there)?;
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

/// The steps of several dampings, one a thread.
fn steps(
    normal: &GaussNewton<'_>,
    dampings: &[f64],
    residual: &[f64],
    threads: usize,
) -> Vec<Option<Vec<f64>>> {
    let step = |damping: &f64| normal.step(damping * normal.mean, residual);
    if threads < 2 {
        return dampings.iter().map(step).collect();
    }
    std::thread::scope(|scope| {
        let running: Vec<_> = dampings
            .iter()
            .map(|d| scope.spawn(move || step(d)))
            .collect();
        running
            .into_iter()
            .map(|r| r.join().unwrap_or(None))
            .collect()
    })
}
