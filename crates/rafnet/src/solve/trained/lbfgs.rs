//! L-BFGS (J. Nocedal, S. Wright, "Numerical Optimization", 2006, algorithms 7.4, 7.5, 3.5 and 3.6) on fixed points.
//!
//! ```text
//! d = −H g  by the two-loop recursion over the last m pairs (s, y)
//! t with  f(t) ≤ f(0) + c₁ t f′(0)  and  |f′(t)| ≤ c₂ |f′(0)|         (strong Wolfe)
//! ```

use super::run::{Run, Trained};
use super::tuning::{LOOK_LBFGS, MEMORY, MOST_EVALUATIONS};
use crate::domain::Sampler;
use crate::run::{Checkpoint, Outcome};
use crate::solve::SolveError;

const C1: f64 = 1e-4;
const C2: f64 = 0.9;

/// The memory of curvature.
#[derive(Clone, Debug, Default)]
pub(crate) struct History {
    pairs: Vec<(Vec<f64>, Vec<f64>)>,
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

impl History {
    /// −H g.
    pub(crate) fn direction(&self, gradient: &[f64]) -> Vec<f64> {
        let mut q: Vec<f64> = gradient.iter().map(|g| -g).collect();
        let mut alphas = Vec::with_capacity(self.pairs.len());
        for (s, y) in self.pairs.iter().rev() {
            let alpha = dot(s, &q) / dot(y, s);
            q.iter_mut().zip(y).for_each(|(q, y)| *q -= alpha * y);
            alphas.push(alpha);
        }
        if let Some((s, y)) = self.pairs.last() {
            let scale = dot(s, y) / dot(y, y);
            q.iter_mut().for_each(|q| *q *= scale);
        }
        for ((s, y), alpha) in self.pairs.iter().zip(alphas.iter().rev()) {
            let beta = dot(y, &q) / dot(y, s);
            q.iter_mut()
                .zip(s)
                .for_each(|(q, s)| *q += (alpha - beta) * s);
        }
        q
    }

    /// Remembers a pair whose curvature is positive.
    pub(crate) fn remember(&mut self, s: Vec<f64>, y: Vec<f64>) {
        if dot(&s, &y) > 1e-10 * dot(&y, &y).sqrt() * dot(&s, &s).sqrt() {
            if self.pairs.len() == MEMORY {
                self.pairs.remove(0);
            }
            self.pairs.push((s, y));
        }
    }
}

/// A point of a line search: its step, value, slope, gradient.
#[derive(Clone, Debug)]
pub(crate) struct Trial {
    pub(crate) step: f64,
    pub(crate) value: f64,
    slope: f64,
    pub(crate) gradient: Vec<f64>,
}

/// A step that meets the strong Wolfe conditions, or the best found; `f(t)` gives value and gradient at t.
pub(crate) fn wolfe<E>(
    start: (f64, &[f64]),
    direction: &[f64],
    first: f64,
    mut f: impl FnMut(f64) -> Result<(f64, Vec<f64>), E>,
) -> Result<Option<Trial>, E> {
    let (value0, slope0) = (start.0, dot(start.1, direction));
    if slope0 >= 0.0 || slope0.is_nan() {
        return Ok(None);
    }
    let mut at = |step: f64| -> Result<Trial, E> {
        let (value, gradient) = f(step)?;
        let slope = dot(&gradient, direction);
        let value = if value.is_finite() && slope.is_finite() {
            value
        } else {
            f64::INFINITY
        };
        Ok(Trial {
            step,
            value,
            slope,
            gradient,
        })
    };
    let enough = |t: &Trial| t.value <= value0 + C1 * t.step * slope0;
    let flat = |t: &Trial| t.slope.abs() <= -C2 * slope0;
    let zero = Trial {
        step: 0.0,
        value: value0,
        slope: slope0,
        gradient: start.1.to_vec(),
    };
    let (mut low, mut high) = (zero, None::<Trial>);
    let mut step = first;
    for _ in 0..MOST_EVALUATIONS {
        let trial = at(step)?;
        if !enough(&trial) || (trial.value >= low.value && low.step > 0.0) {
            high = Some(trial);
        } else if flat(&trial) {
            return Ok(Some(trial));
        } else if trial.slope >= 0.0
            || high
                .as_ref()
                .is_some_and(|h| trial.slope * (h.step - low.step) >= 0.0)
        {
            high = Some(std::mem::replace(&mut low, trial));
        } else {
            low = trial;
        }
        step = match &high {
            None => 2.0 * low.step,
            Some(high) => between(&low, high),
        };
        if high
            .as_ref()
            .is_some_and(|h| (h.step - low.step).abs() < 1e-14 * low.step.max(1e-300))
        {
            break;
        }
    }
    Ok((low.step > 0.0).then_some(low))
}

/// The minimum of the cubic through two trials, kept away from both ends.
fn between(low: &Trial, high: &Trial) -> f64 {
    let width = high.step - low.step;
    let middle = low.step + 0.5 * width;
    let d1 = low.slope + high.slope - 3.0 * (high.value - low.value) / width;
    let d2 = (d1 * d1 - low.slope * high.slope).sqrt().copysign(width);
    let cubic = high.step - width * (high.slope + d2 - d1) / (high.slope - low.slope + 2.0 * d2);
    let (near, far) = (low.step + 0.1 * width, low.step + 0.9 * width);
    let inside = cubic.is_finite() && (cubic - near) * (cubic - far) <= 0.0;
    if inside { cubic } else { middle }
}

/// Runs until the line search finds nothing more or the last step; a line search that is ended counts for nothing.
pub(super) fn run(
    mut run: Run<'_>,
    mut theta: Vec<f64>,
    from: Option<&Checkpoint>,
) -> Result<Trained, SolveError> {
    let n = theta.len();
    let points = run
        .terms
        .draw(&run.setting, Sampler::Random, run.options.seed, 0)?;
    run.begin(&theta, &points, from)?;
    let (mut history, mut step) = (History::default(), 0);
    let (mut gradient, mut scratch) = (vec![0.0; n], vec![0.0; n]);
    if let Some(checkpoint) = from {
        theta = checkpoint.vector("theta", n)?.to_vec();
        let pairs = checkpoint.rows("pairs", 2 * n, MEMORY)?;
        history.pairs = pairs
            .chunks_exact(2 * n)
            .map(|p| (p[..n].to_vec(), p[n..].to_vec()))
            .collect();
        step = checkpoint.step;
    }
    let mut loss = run
        .terms
        .loss_and_gradient(&theta, &points, &mut gradient, &mut scratch)?;
    while step < run.setting.steps && run.outcome.is_none() {
        if !loss.is_finite() {
            run.outcome = Some(Outcome::Diverged);
            run.decisions
                .push(format!("the loss was {loss} at step {step}"));
            break;
        }
        let direction = history.direction(&gradient);
        let length = dot(&gradient, &gradient).sqrt();
        let first = if history.pairs.is_empty() {
            (1.0 / length).min(1.0)
        } else {
            1.0
        };
        let found = wolfe((loss, &gradient), &direction, first, |t| {
            let there: Vec<f64> = theta
                .iter()
                .zip(&direction)
                .map(|(x, d)| x + t * d)
                .collect();
            if run.pulse.is_ended() {
                return Err(None);
            }
            let mut slope = vec![0.0; n];
            let value = run
                .terms
                .loss_and_gradient(&there, &points, &mut slope, &mut scratch);
            value
                .map(|value| (value, slope))
                .map_err(|error| Some(SolveError::from(error)))
        });
        let found = match found {
            Ok(Some(found)) => found,
            Ok(None) => {
                run.outcome = Some(Outcome::Converged);
                break;
            }
            Err(None) => {
                run.outcome = run.pulse.outcome();
                run.save(step, || saved(&theta, &history));
                break;
            }
            Err(Some(error)) => return Err(error),
        };
        let s: Vec<f64> = direction.iter().map(|d| found.step * d).collect();
        let y: Vec<f64> = found
            .gradient
            .iter()
            .zip(&gradient)
            .map(|(a, b)| a - b)
            .collect();
        theta.iter_mut().zip(&s).for_each(|(t, s)| *t += s);
        history.remember(s, y);
        (loss, gradient) = (found.value, found.gradient);
        step += 1;
        if step % LOOK_LBFGS == 0 {
            run.look(&theta)?;
        }
        run.stepped(step, loss, &theta, &mut Vec::new())?;
        run.save(step, || saved(&theta, &history));
    }
    run.finish(theta, step)
}

/// What a run goes on from.
fn saved(theta: &[f64], history: &History) -> Vec<(&'static str, Vec<f64>)> {
    let pairs = history.pairs.iter();
    let pairs = pairs.flat_map(|(s, y)| s.iter().chain(y).copied());
    vec![("theta", theta.to_vec()), ("pairs", pairs.collect())]
}
