//! Levenberg–Marquardt on every weight: fresh points, one Gram matrix, a search along its step.
//!
//! ```text
//! θ ← θ + t δ(λ),   λ and t the best of a few dampings and of 1, ½, ¼, …
//! ```
//!
//! The step starts from part of the last one (G. Goldshlager, N. Abrahamsen, L. Lin, "A Kaczmarz-inspired approach to accelerate the
//! optimization of neural network wavefunctions", 2024): δ minimises |r + J δ|² + λ |δ − μ δ₀|².

use super::run::{Run, Trained};
use super::setting::Setting;
use super::terms::Terms;
use crate::domain::Sampler;
use crate::optimise::{Adam, GaussNewton};
use crate::solve::{Checkpoint, CheckpointError, Outcome, SolveError};

/// Step lengths that are tried: 2⁰ … 2⁻¹¹.
const LENGTHS: i32 = 12;
/// λ at the start and at least, over the mean of the Gram matrix's diagonal.
const FIRST: f64 = 1e-2;
const LEAST: f64 = 1e-15;
/// Dampings that are tried for one Gram matrix, over the current one, and what follows a long step.
const TRIED: [f64; 2] = [1.0, 6.0];
const SMALLER: f64 = 0.4;
const LARGER: f64 = 16.0;
/// The first round of the warm-up's draws.
const WARM: u64 = 1 << 41;
/// Points inside at each step of the warm-up.
const WARM_POINTS: usize = 1_000;
/// The share of the last step that the next one starts from.
const CARRIED: f64 = 0.9;
/// The share of the newest state in the running mean.
const NEWEST: f64 = 0.2;
/// Steps between looks at held-out points.
const LOOK: u64 = 5;
/// Looks without a better one after which the points are doubled, so often; then nothing more is to be expected.
const IDLE: u64 = 6;
const DOUBLINGS: u32 = 2;
/// More steps than any run takes: 2⁵³, up to which f64 counts.
const MOST_STEPS: f64 = 9_007_199_254_740_992.0;
/// The most numbers of a Jacobian (1.6 GB); more points than fit are left out.
const ROOM: usize = 200_000_000;

/// The state between two steps.
struct State {
    theta: Vec<f64>,
    /// A running mean of the last states: fresh points make each of them a little wrong in its own way.
    mean: Vec<f64>,
    /// The last step, part of which the next one starts from.
    momentum: Vec<f64>,
    damping: f64,
    /// Looks without a better one.
    idle: u64,
    /// How often the points were doubled.
    doubled: u32,
    step: u64,
    /// Steps before the first of these: the warm-up, or what a grown network has behind it.
    begun: u64,
    adam: Adam<f64>,
}

impl State {
    fn new(theta: Vec<f64>, begun: u64) -> Self {
        Self {
            momentum: vec![0.0; theta.len()],
            mean: theta.clone(),
            damping: FIRST,
            idle: 0,
            doubled: 0,
            step: 0,
            begun,
            adam: Adam::new(theta.len()),
            theta,
        }
    }

    fn to_vectors(&self) -> Vec<(&'static str, Vec<f64>)> {
        let (m, v, _) = self.adam.state();
        let (idle, begun) = (self.idle as f64, self.begun as f64);
        let numbers = vec![self.damping, idle, f64::from(self.doubled), begun];
        let mut vectors = vec![
            ("theta", self.theta.clone()),
            ("mean", self.mean.clone()),
            ("lm", numbers),
        ];
        if self.momentum.iter().any(|m| *m != 0.0) {
            vectors.push(("momentum", self.momentum.clone()));
        } else {
            vectors.extend([("m", m.to_vec()), ("v", v.to_vec())]);
        }
        vectors
    }

    fn restored(checkpoint: &Checkpoint, width: usize) -> Result<Self, CheckpointError> {
        let vector = "lm";
        let numbers = checkpoint.vector(vector, 4)?;
        let count = |number: f64, most: f64, expected: &'static str| {
            let found = number;
            if found < 0.0 || found > most || found.fract() != 0.0 || found.is_nan() {
                return Err(CheckpointError::Number {
                    vector,
                    found,
                    expected,
                });
            }
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a whole number below 2⁵³"
            )]
            Ok(found as u64)
        };
        let doubled = count(
            numbers[2],
            f64::from(DOUBLINGS),
            "how often points were doubled",
        )?;
        // Adam's moments until the first step of Gauss–Newton, then the last step
        let momentum = checkpoint.optional("momentum", width)?;
        let adam = match momentum {
            Some(_) => Adam::new(width),
            None => checkpoint.adam(width)?,
        };
        Ok(Self {
            theta: checkpoint.vector("theta", width)?.to_vec(),
            mean: checkpoint.vector("mean", width)?.to_vec(),
            momentum: momentum.map_or_else(|| vec![0.0; width], <[f64]>::to_vec),
            damping: numbers[0],
            idle: count(numbers[1], IDLE as f64, "a number of looks")?,
            doubled: u32::try_from(doubled).unwrap_or(DOUBLINGS),
            step: checkpoint.step,
            begun: count(numbers[3], MOST_STEPS, "a number of steps")?,
            adam,
        })
    }
}

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
    while width.saturating_mul(run.setting.points + run.setting.boundary_points) > ROOM
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
    let (mut residual, mut jacobian) = (Vec::new(), Vec::new());
    while state.step < last && run.outcome.is_none() {
        [run.setting.points, run.setting.boundary_points] = few.map(|n| n << state.doubled);
        let points = run
            .terms
            .draw(&run.setting, Sampler::Sobol, seed, state.step + 1)?;
        let rows = run.terms.n_rows(&points);
        let what = format_args!("the derivatives of {rows} residuals by {width} parameters");
        rafnet_memory::require(what, &[rows, width, 8])?;
        residual.resize(rows, 0.0);
        jacobian.resize(rows * width, 0.0);
        run.terms
            .jacobian(&state.theta, &points, &mut residual, &mut jacobian)?;
        let mut tried = vec![0.0; rows];
        let mut loss = |terms: &mut Terms, theta: &[f64]| -> Result<f64, SolveError> {
            terms.residuals(theta, &points, &mut tried)?;
            let sum: f64 = tried.iter().map(|r| r * r).sum();
            Ok(if sum.is_finite() { sum } else { f64::INFINITY })
        };
        let before = loss(&mut run.terms, &state.theta)?;
        if !before.is_finite() {
            run.outcome = Some(Outcome::Diverged);
            let step = state.step;
            run.decisions
                .push(format!("the loss was not finite at step {step}"));
            break;
        }
        let normal = GaussNewton::new(&jacobian, rows, width, run.options.threads());
        let carried: Vec<f64> = state.momentum.iter().map(|m| CARRIED * m).collect();
        let ahead = normal.ahead(&carried, &residual);
        // several dampings for one Gram matrix, each with a search along its step
        let dampings = TRIED.map(|f| (f * state.damping).max(LEAST));
        let directions = steps(&normal, &dampings, &ahead, run.options.threads());
        let mut best = (before, state.damping, 0.0, None);
        for (damping, direction) in dampings.into_iter().zip(directions) {
            let Some(direction) = direction else {
                continue;
            };
            let mut along = f64::INFINITY;
            for k in 0..LENGTHS {
                let length = 0.5f64.powi(k);
                let moved = direction
                    .iter()
                    .zip(&carried)
                    .map(|(d, c)| length * (d + c));
                let there: Vec<f64> = state.theta.iter().zip(moved).map(|(t, d)| t + d).collect();
                let there_loss = loss(&mut run.terms, &there)?;
                if there_loss < best.0 {
                    best = (there_loss, damping, length, Some(there));
                }
                if there_loss > along {
                    break; // past the best length
                }
                along = there_loss;
            }
        }
        let (after, taken, length, there) = best;
        state.damping = match there {
            Some(_) if length >= 0.5 => (SMALLER * taken).max(LEAST),
            Some(_) => taken,
            None => (LARGER * state.damping).min(1e3),
        };
        if let Some(there) = there {
            let moved = there.iter().zip(&state.theta).map(|(a, b)| a - b);
            state.momentum = moved.collect();
            state.theta = there;
        } else {
            state.momentum.fill(0.0);
        }
        let pairs = state.mean.iter_mut().zip(&state.theta);
        pairs.for_each(|(mean, theta)| *mean += NEWEST * (theta - *mean));
        state.step += 1;
        if (state.step - run.setting.warm_up).is_multiple_of(LOOK) {
            let best = run.best.as_ref().map_or(f64::INFINITY, |b| b.1.residual);
            let now = run.look(&state.theta)?.min(run.look(&state.mean)?);
            state.idle = if now < 0.95 * best { 0 } else { state.idle + 1 };
            let room = 2 * width * run.terms.n_rows(&points) <= ROOM;
            if state.idle >= IDLE && state.doubled < DOUBLINGS && room {
                (state.doubled, state.idle) = (state.doubled + 1, 0);
                let what = format!("{} points from step {}", 2 * run.setting.points, state.step);
                run.decisions.push(what);
            } else if state.idle >= IDLE && run.outcome.is_none() {
                run.outcome = Some(Outcome::Converged);
            }
        }
        run.stepped(state.step, after, &state.theta)?;
        run.save(state.step, || state.to_vectors());
    }
    run.look(&state.theta)?;
    let theta = run.best.as_ref().map_or(state.theta, |b| b.0.clone());
    run.finish(theta, state.step)
}

/// Adam on few points, until the network is where Gauss–Newton steps are worth their price.
fn warm_up(run: &mut Run<'_>, state: &mut State) -> Result<(), SolveError> {
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
