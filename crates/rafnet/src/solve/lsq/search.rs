//! The search: which way, which recipe, how many functions.
//!
//! 1. a coarse round over ways, families and common scales with few functions;
//! 2. scales axis by axis while the held-out residual falls;
//! 3. more functions while they help;
//! 4. fresh draws of the best, from which the error is estimated:
//!
//! ```text
//! error ≈ κ · residual,      κ = median over other attempts a of  ‖u_a − u‖ / ( ‖u‖ √(residual_a² + residual²) )
//! ```

use super::attempt::{Attempt, Candidate, Way, round};
use super::newton::State;
use super::recipe::{Family, Recipe};
use super::ways::held_exactly;
use crate::domain::DomainError;
use crate::problem::{Enforce, Problem};
use crate::solve::system::{Verdict, extent};
use crate::solve::{Options, Outcome, Progress};
use std::f64::consts::PI;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// What came out.
pub(crate) struct Solution {
    /// The problem with the factor and lift that were used.
    pub(crate) problem: Problem,
    pub(crate) state: State,
    pub(crate) verdict: Verdict,
    pub(crate) error_estimate: f64,
    pub(crate) points: usize,
    pub(crate) outcome: Outcome,
    pub(crate) decisions: Vec<String>,
}

struct Search<'a> {
    ways: Vec<Way>,
    options: &'a Options,
    started: Instant,
    stop: AtomicBool,
    /// Whether the user stopped it.
    stopped: bool,
    /// Whether time ran out.
    expired: bool,
    attempts: Vec<Attempt>,
    tried: usize,
    decisions: Vec<String>,
    progress: &'a mut dyn FnMut(&Progress) -> std::ops::ControlFlow<()>,
}

/// Growth of the layer from one round to the next.
const GROWTH: f64 = 1.6;
/// What a finer scale is, against the one before.
const FINER: f64 = 1.6;
/// A round that lowers the residual by less than this factor was idle.
const HELPED: f64 = 0.7;
/// Common scales that are tried whatever the spectrum says.
const COMMON: [f64; 4] = [2.0, 4.0, 8.0, 16.0];
/// The most columns of a least-squares problem, all unknowns together, unless the user asks for more.
const COLUMNS: usize = 2400;
/// How many attempts are remembered.
const REMEMBERED: usize = 12;

/// Solves a problem; `progress` says whether to go on.
pub(crate) fn solve(
    problem: &Problem,
    options: &Options,
    progress: &mut dyn FnMut(&Progress) -> std::ops::ControlFlow<()>,
) -> Result<Option<Solution>, DomainError> {
    let started = Instant::now();
    let demanded = problem
        .conditions
        .iter()
        .any(|c| c.enforce == Enforce::Exact);
    let mut ways = Vec::new();
    if let Some(held) = held_exactly(problem) {
        ways.push(Way::new(
            "boundary values held exactly",
            held,
            options.seed,
        )?);
    }
    if !demanded || ways.is_empty() {
        ways.push(Way::new(
            "boundary values as rows",
            problem.clone(),
            options.seed,
        )?);
    }
    let mut search = Search {
        ways,
        options,
        started,
        stop: AtomicBool::new(false),
        stopped: false,
        expired: false,
        attempts: Vec::new(),
        tried: 0,
        decisions: Vec::new(),
        progress,
    };
    search.coarse()?;
    search.axes()?;
    search.widen()?;
    search.again()?;
    Ok(search.finish())
}

impl Search<'_> {
    fn best(&self) -> Option<&Attempt> {
        self.attempts.first()
    }

    fn residual(&self) -> f64 {
        self.best().map_or(f64::INFINITY, |b| b.verdict.residual)
    }

    fn over(&self) -> bool {
        self.stopped || self.expired || self.residual() <= self.options.target
    }

    /// The most functions of a layer.
    fn most(&self) -> usize {
        let unknowns = self.ways[0].system.problem.unknowns.len();
        self.options
            .width
            .unwrap_or(COLUMNS / unknowns.max(1))
            .max(1)
    }

    /// Tries candidates and remembers the better attempts, the best first.
    fn round(&mut self, candidates: Vec<Candidate>) -> Result<(), DomainError> {
        if candidates.is_empty() || self.stopped || self.expired {
            return Ok(());
        }
        let of_way = |w: usize| {
            let mine = self.attempts.iter().find(|a| a.candidate.way == w);
            mine.map(|a| a.state.clone())
        };
        let starts: Vec<Option<State>> = (0..self.ways.len())
            .map(|w| of_way(w).filter(|_| self.ways[w].system.nonlinear()))
            .collect();
        let starts: Vec<Option<&State>> = starts.iter().map(Option::as_ref).collect();
        let mut best = self.residual();
        let (started, limit, progress) =
            (self.started, self.options.time_limit, &mut *self.progress);
        let (mut stopped, mut expired) = (false, false);
        let mut last = Progress {
            seconds: 0.0,
            step: 0,
            width: candidates[0].n,
            residual: best,
            best,
        };
        let tried = self.tried;
        let mut finished = 0;
        let watch = |attempt: Option<&Attempt>| {
            if let Some(a) = attempt {
                finished += 1;
                last.residual = a.verdict.residual;
                last.width = a.candidate.n;
                best = best.min(a.verdict.residual);
            }
            last.step = tried + finished;
            last.best = best;
            last.seconds = started.elapsed().as_secs_f64();
            expired |= last.seconds > limit;
            stopped |= progress(&last).is_break();
            !stopped && !expired
        };
        self.tried += candidates.len();
        let done = round(
            &mut self.ways,
            candidates,
            &starts,
            self.options.threads(),
            &self.stop,
            watch,
        )?;
        (self.stopped, self.expired) = (stopped, expired);
        let finite = done
            .into_iter()
            .flatten()
            .filter(|a| a.verdict.residual.is_finite());
        self.attempts.extend(finite);
        self.attempts
            .sort_by(|a, b| a.verdict.residual.total_cmp(&b.verdict.residual));
        self.attempts.truncate(REMEMBERED);
        Ok(())
    }

    /// Scales at which the data oscillate, for each input.
    fn data_scales(&self, way: usize) -> Vec<f64> {
        let inputs = &self.ways[way].inputs;
        let crowd = (inputs.spectra.len() as f64 / 2.0).max(1.0).sqrt();
        (0..inputs.ranges.len())
            .map(|k| {
                inputs
                    .spectra
                    .get(k)
                    .map_or(4.0, |p| (PI * extent(p)).clamp(4.0, 400.0))
                    / crowd
            })
            .collect()
    }

    /// Ways, families and common scales.
    fn coarse(&mut self) -> Result<(), DomainError> {
        let d = self.ways[0].system.known.dimension;
        let n = [48, 240, 360, 480][d.clamp(1, 4) - 1].min(self.most());
        let seed = self.options.seed.wrapping_mul(0x9e37_79b9).wrapping_add(1);
        let mut candidates = Vec::new();
        for way in 0..self.ways.len() {
            let base = self.data_scales(way);
            let scaled = |f: f64| base.iter().map(|s| s * f).collect::<Vec<f64>>();
            let mut add = |family, factor, steepness, spectral| {
                let recipe = Recipe {
                    family,
                    scales: scaled(factor),
                    steepness,
                    spectral,
                    seed,
                };
                candidates.push(Candidate {
                    way,
                    n,
                    recipe,
                    points: 1,
                });
            };
            let mean = (base.iter().map(|s| s.ln()).sum::<f64>() / base.len() as f64).exp();
            for scale in
                COMMON
                    .into_iter()
                    .filter(|s| *s < 0.7 * mean)
                    .chain([mean, 2.0 * mean, 4.0 * mean])
            {
                add(Family::Sine, scale / mean, 1.0, 0.0);
            }
            if self.ways[way].inputs.oscillating() {
                for spectral in [0.5, 0.95] {
                    add(Family::Sine, 1.0, 1.0, spectral);
                }
            }
            for steepness in [3.0, 10.0, 40.0] {
                add(Family::Tanh, 0.5, steepness, 0.0);
                add(Family::Gaussian, 0.5, steepness, 0.0);
            }
        }
        self.round(candidates)?;
        self.say("first layers");
        Ok(())
    }

    /// Each scale alone, up and down, while that helps.
    fn axes(&mut self) -> Result<(), DomainError> {
        for _ in 0..6 {
            let before = self.residual();
            let Some(best) = self.best().filter(|_| !self.over()) else {
                return Ok(());
            };
            let at = best.candidate.clone();
            let mut candidates = Vec::new();
            for factor in [FINER, 1.0 / FINER] {
                let inputs = at.recipe.scales.len();
                for axis in 0..inputs {
                    let mut candidate = at.clone();
                    candidate.recipe.scales[axis] *= factor;
                    candidates.push(candidate);
                }
                if inputs > 1 {
                    let mut candidate = at.clone();
                    candidate
                        .recipe
                        .scales
                        .iter_mut()
                        .for_each(|s| *s *= factor);
                    candidates.push(candidate);
                }
                if at.recipe.family != Family::Sine {
                    let mut candidate = at.clone();
                    candidate.recipe.steepness *= factor;
                    candidates.push(candidate);
                }
            }
            self.round(candidates)?;
            if self.residual() > 0.8 * before {
                break;
            }
        }
        self.say("scales by axis");
        Ok(())
    }

    /// More functions while they help, the scales growing with them or not.
    fn widen(&mut self) -> Result<(), DomainError> {
        let d = self.ways[0].system.known.dimension as f64;
        let mut idle = 0;
        let Some(mut n) = self.best().map(|b| b.candidate.n) else {
            return Ok(());
        };
        let most = self.most();
        while !self.over() && n < most && idle < 2 {
            let before = self.residual();
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a small positive number"
            )]
            let wider = ((n as f64 * GROWTH) as usize).min(most);
            let mut candidates = Vec::new();
            let mut leaders: Vec<&Attempt> = self.best().into_iter().collect();
            // the other way, while it is near
            let other = self
                .attempts
                .iter()
                .find(|a| a.candidate.way != leaders[0].candidate.way);
            leaders.extend(other.filter(|a| a.verdict.residual < 100.0 * before));
            for leader in leaders {
                for factor in [1.0, GROWTH.powf(1.0 / d)] {
                    let mut candidate = leader.candidate.clone();
                    candidate.n = wider;
                    candidate
                        .recipe
                        .scales
                        .iter_mut()
                        .for_each(|s| *s *= factor);
                    candidate.recipe.steepness *= factor;
                    candidates.push(candidate);
                }
            }
            self.round(candidates)?;
            self.say("wider");
            idle = match self.residual() {
                r if r < HELPED * before => 0,
                r if r < 1e-10 => 2,
                _ => idle + 1,
            };
            n = wider;
        }
        Ok(())
    }

    /// Fresh draws of weights and points: perhaps better, and a measure of how much the answer depends on them.
    fn again(&mut self) -> Result<(), DomainError> {
        let Some(best) = self.best() else {
            return Ok(());
        };
        let fresh = |k: u64| {
            let mut candidate = best.candidate.clone();
            candidate.recipe.seed = candidate.recipe.seed.wrapping_add(77 * k);
            candidate.points = 10 + k;
            candidate
        };
        let candidates = vec![fresh(1), fresh(2)];
        self.round(candidates)
    }

    /// κ · residual.
    fn error_estimate(&self) -> f64 {
        let Some((best, others)) = self.attempts.split_first() else {
            return f64::INFINITY;
        };
        let unknowns = self.ways[0].system.problem.unknowns.len();
        let n = best.values.len() / unknowns.max(1);
        let difference = |a: &Attempt| {
            let one = |u: usize| {
                let (x, y) = (
                    &best.values[u * n..(u + 1) * n],
                    &a.values[u * n..(u + 1) * n],
                );
                let square: f64 = x.iter().zip(y).map(|(x, y)| (x - y).powi(2)).sum();
                (square / x.iter().map(|x| x * x).sum::<f64>().max(f64::MIN_POSITIVE)).sqrt()
            };
            (0..unknowns).map(one).fold(0.0, f64::max)
        };
        let mut kappa: Vec<f64> = others
            .iter()
            .filter(|a| a.verdict.residual < 1e4 * best.verdict.residual)
            .take(5)
            .map(|a| difference(a) / best.verdict.residual.hypot(a.verdict.residual))
            .filter(|k| k.is_finite())
            .collect();
        kappa.sort_by(f64::total_cmp);
        let middle = kappa.get(kappa.len() / 2).copied().unwrap_or(1.0);
        (middle * best.verdict.residual).max(f64::EPSILON)
    }

    fn say(&mut self, what: &str) {
        let Some(best) = self.best() else {
            return;
        };
        let c = &best.candidate;
        let scales: Vec<String> = c.recipe.scales.iter().map(|s| format!("{s:.1}")).collect();
        let decision = format!(
            "{what}: {:.1e} with {} {}, scales {}, {}",
            best.verdict.residual,
            c.n,
            c.recipe.family.name(),
            scales.join(" "),
            self.ways[c.way].name
        );
        self.decisions.push(decision);
    }

    fn finish(mut self) -> Option<Solution> {
        let error_estimate = self.error_estimate();
        let reached = self.residual() <= self.options.target;
        let outcome = match () {
            () if self.stopped => Outcome::Stopped,
            () if reached => Outcome::TargetReached,
            () if self.expired => Outcome::BudgetSpent,
            () => Outcome::Converged,
        };
        self.decisions.push(format!("{} layers tried", self.tried));
        let best = self.attempts.into_iter().next()?;
        let way = self.ways.swap_remove(best.candidate.way);
        Some(Solution {
            points: way.rows(best.candidate.n),
            problem: way.system.problem,
            state: best.state,
            verdict: best.verdict,
            error_estimate,
            outcome,
            decisions: self.decisions,
        })
    }
}
