//! The search: which way, which recipe, how many functions.
//!
//! 1. a coarse round over ways, families and common scales with few functions;
//! 2. scales axis by axis while the held-out residual falls;
//! 3. more functions while they help;
//! 4. fresh draws of the best, from which the error is estimated.

use super::attempt::{Attempt, Candidate, Way, round};
use super::corners::with_corners;
use super::newton::{Start, State};
use super::recipe::{Family, Recipe};
use super::ways::held_exactly;
use crate::domain::DomainError;
use crate::problem::{Enforce, Problem};
use crate::solve::system::{Sample, Verdict, error_estimate, extent};
use crate::solve::{Method, Options, Outcome, Progress};
use std::f64::consts::PI;
use std::ops::ControlFlow;
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
    /// For each way what Newton starts from while it has no attempt.
    starts: Vec<Option<Start>>,
    tried: u64,
    decisions: Vec<String>,
    progress: &'a mut dyn FnMut(&Progress) -> ControlFlow<()>,
}

/// Growth of the layer from one round to the next.
const GROWTH: f64 = 1.6;
/// What a finer scale is, against the one before.
const FINER: f64 = 1.6;
/// A round that lowers the residual by less than this factor was idle.
const HELPED: f64 = 0.7;
/// Below this residual one idle round is enough to stop.
const FINE: f64 = 1e-10;
/// Below this many functions a stagnating residual says nothing.
const ENOUGH: usize = 900;
/// Above this residual Newton's method has found nothing.
const LOST: f64 = 3e-2;
/// Above this residual functions and points gather where it is largest.
const ROUGH: f64 = 1e-5;
/// Below this residual the first layer says that the solution has no singular parts.
const SMOOTH: f64 = 1e-6;
/// The first share of the time, and how much longer each next one is.
const SHORTEST: f64 = 0.05;
const LONGER: f64 = 1.4;
/// The most functions for a part of the time.
const PART: usize = 600;
/// Below this many functions the second-best way is kept in the race.
const NARROW: usize = 700;
/// Common scales that are tried whatever the spectrum says.
const COMMON: [f64; 4] = [2.0, 4.0, 8.0, 16.0];
/// The most columns of a least-squares problem, all unknowns together, unless the user asks for more.
const COLUMNS: usize = 2400;
/// How many attempts are remembered.
const REMEMBERED: usize = 12;

/// Solves a problem; `progress` says whether to go on. `None` if no layer gave finite numbers.
pub(crate) fn solve(
    problem: &Problem,
    options: &Options,
    progress: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
) -> Result<Option<Solution>, DomainError> {
    let mut search = Search::new(problem, options, Instant::now(), progress)?;
    search.coarse()?;
    search.causal(problem)?;
    search.corners(problem)?;
    search.axes()?;
    search.widen()?;
    search.again()?;
    Ok(search.finish())
}

/// The problem in every way its boundary values can be met.
fn ways(problem: &Problem, corners: usize, seed: u64) -> Result<Vec<Way>, DomainError> {
    let demanded = problem
        .conditions
        .iter()
        .any(|c| c.enforce == Enforce::Exact);
    let mut ways = Vec::new();
    if let Some(held) = held_exactly(problem) {
        ways.push(Way::new(
            "boundary values held exactly",
            held,
            corners,
            seed,
        )?);
    }
    if !demanded || ways.is_empty() {
        ways.push(Way::new(
            "boundary values as rows",
            problem.clone(),
            corners,
            seed,
        )?);
    }
    Ok(ways)
}

impl<'a> Search<'a> {
    fn new(
        problem: &Problem,
        options: &'a Options,
        started: Instant,
        progress: &'a mut dyn FnMut(&Progress) -> ControlFlow<()>,
    ) -> Result<Self, DomainError> {
        Ok(Self {
            ways: ways(problem, 0, options.seed)?,
            options,
            started,
            stop: AtomicBool::new(false),
            stopped: false,
            expired: false,
            attempts: Vec::new(),
            starts: Vec::new(),
            tried: 0,
            decisions: Vec::new(),
            progress,
        })
    }
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
        let asked = self
            .options
            .width
            .filter(|_| self.options.method == Method::Lsq);
        asked.unwrap_or(COLUMNS / unknowns.max(1)).max(1)
    }

    /// Tries candidates and remembers the better attempts, the best first.
    fn round(&mut self, candidates: &[Candidate]) -> Result<(), DomainError> {
        if candidates.is_empty() || self.stopped || self.expired {
            return Ok(());
        }
        let of_way = |w: usize| {
            let mine = self.attempts.iter().find(|a| a.candidate.way == w);
            let found = mine.map(|a| Start {
                state: a.state.clone(),
                until: None,
            });
            found.or_else(|| self.starts.get(w).cloned().flatten())
        };
        let starts: Vec<Option<Start>> = (0..self.ways.len())
            .map(|w| of_way(w).filter(|_| self.ways[w].system.nonlinear()))
            .collect();
        let starts: Vec<Option<&Start>> = starts.iter().map(Option::as_ref).collect();
        let mut best = self.residual();
        let (started, limit, progress) =
            (self.started, self.options.time_limit, &mut *self.progress);
        let (mut stopped, mut expired) = (false, false);
        let mut last = Progress {
            seconds: 0.0,
            step: 0,
            steps: None,
            width: candidates[0].n,
            loss: None,
            error: None,
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
        self.tried += candidates.len() as u64;
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

    /// Ways, families and common scales, with few functions.
    fn coarse(&mut self) -> Result<(), DomainError> {
        let d = self.ways[0].system.known.dimension;
        let n = [48, 240, 360, 480][d.clamp(1, 4) - 1].min(self.most());
        let candidates: Vec<Candidate> = (0..self.ways.len())
            .flat_map(|way| self.grid(way, n, &[]))
            .collect();
        self.round(&candidates)?;
        self.say("first layers");
        Ok(())
    }

    /// Families and common scales for one way.
    fn grid(&self, way: usize, n: usize, finer: &[f64]) -> Vec<Candidate> {
        let seed = self.options.seed.wrapping_mul(0x9e37_79b9).wrapping_add(1);
        let base = self.data_scales(way);
        let mean = (base.iter().map(|s| s.ln()).sum::<f64>() / base.len() as f64).exp();
        let mut candidates = Vec::new();
        let mut add = |family, scale: f64, steepness, spectral| {
            let recipe = Recipe {
                family,
                scales: base.iter().map(|s| s * scale / mean).collect(),
                steepness,
                spectral,
                focus: 0.0,
                seed,
            };
            candidates.push(Candidate {
                way,
                n,
                recipe,
                points: 1,
            });
        };
        let coarser = COMMON.into_iter().filter(|s| *s < 0.7 * mean);
        for scale in coarser.chain([mean, 2.0 * mean, 4.0 * mean]) {
            add(Family::Sine, scale, 1.0, 0.0);
        }
        finer
            .iter()
            .for_each(|f| add(Family::Sine, f * mean, 1.0, 0.0));
        if self.ways[way].inputs.oscillating() {
            for spectral in [0.5, 0.95] {
                add(Family::Sine, mean, 1.0, spectral);
            }
        }
        for steepness in [10.0, 40.0, 160.0] {
            add(Family::Tanh, 0.5 * mean, steepness, 0.0);
            add(Family::Gaussian, 0.5 * mean, steepness, 0.0);
        }
        candidates
    }

    /// Where Newton's method finds nothing from the guess, a problem in time is solved for a short time first, then for longer and
    /// longer ones, each from the one before.
    fn causal(&mut self, problem: &Problem) -> Result<(), DomainError> {
        let Some(axis) = problem.time.filter(|_| self.ways[0].system.nonlinear()) else {
            return Ok(());
        };
        let [first, last] = problem.domain.bounds()[axis];
        let ends =
            |piece: &usize| problem.domain.pieces()[*piece].face.fixed() == Some((axis, last));
        let forward = problem.data.is_empty()
            && problem.means.is_empty()
            && !problem.conditions.iter().any(|c| c.pieces.iter().any(ends));
        if !forward || self.residual() < LOST || self.stopped || self.expired {
            return Ok(());
        }
        let mut starts: Vec<Option<Start>> = Vec::new();
        let mut share = SHORTEST;
        while share < 1.0 && !self.stopped && !self.expired {
            let until = first + share * (last - first);
            let mut shorter = problem.clone();
            let Some(domain) = problem.domain.until(axis, until)? else {
                return Ok(());
            };
            shorter.domain = domain;
            let progress = &mut *self.progress;
            let mut part = Search::new(&shorter, self.options, self.started, progress)?;
            part.starts = starts;
            part.tried = self.tried;
            part.coarse()?;
            part.widen_until(PART, LOST * LOST)?;
            (self.tried, self.stopped, self.expired) = (part.tried, part.stopped, part.expired);
            let reached = part.residual();
            self.decisions
                .push(format!("until {until:.3}: {reached:.1e}"));
            if reached >= LOST {
                return Ok(());
            }
            let state_of = |w: usize| {
                let mine = part.attempts.iter().find(|a| a.candidate.way == w);
                mine.map(|a| Start {
                    state: a.state.clone(),
                    until: Some((axis, until)),
                })
            };
            starts = (0..part.ways.len()).map(state_of).collect();
            share *= LONGER;
        }
        self.attempts.clear();
        self.starts = starts;
        self.coarse()
    }

    /// The functions of the domain's corners, where a first layer without them is not good.
    fn corners(&mut self, problem: &Problem) -> Result<(), DomainError> {
        if self.residual() < SMOOTH || self.stopped || self.expired {
            return Ok(());
        }
        let Some((problem, corners)) = with_corners(problem) else {
            return Ok(());
        };
        let Some(n) = self.best().map(|b| b.candidate.n) else {
            return Ok(());
        };
        let first = self.ways.len();
        self.ways
            .extend(ways(&problem, corners, self.options.seed)?);
        let candidates: Vec<Candidate> = (first..self.ways.len())
            .flat_map(|way| self.grid(way, (n + corners).min(self.most()), &[]))
            .filter(|c| c.recipe.family == Family::Sine)
            .collect();
        self.round(&candidates)?;
        self.say("with the corners' functions");
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
                let corners = self.ways[at.way].inputs.corners;
                let inputs = at.recipe.scales.len() - corners;
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
            self.round(&candidates)?;
            if self.residual() > 0.8 * before {
                break;
            }
        }
        self.say("scales by axis");
        Ok(())
    }

    /// More functions while they help.
    fn widen(&mut self) -> Result<(), DomainError> {
        self.widen_until(self.most(), self.options.target)
    }

    /// More functions, at most so many, while they help and the residual is above a target; the scales grow with them or not.
    fn widen_until(&mut self, most: usize, target: f64) -> Result<(), DomainError> {
        let d = self.ways[0].system.known.dimension as f64;
        let mut idle = 0;
        let noisy = self.ways[0]
            .system
            .problem
            .data
            .iter()
            .any(|o| o.sigma.is_some());
        let Some(mut n) = self.best().map(|b| b.candidate.n) else {
            return Ok(());
        };
        while !self.over() && self.residual() > target && n < most && idle < 2 {
            let before = self.residual();
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a small positive number"
            )]
            let wider = ((n as f64 * GROWTH) as usize).min(most);
            if let Some(best) = self.attempts.first().filter(|_| before > ROUGH) {
                self.ways[best.candidate.way].heat(&best.state)?;
            }
            let mut candidates = Vec::new();
            let mut leaders: Vec<&Attempt> = self.best().into_iter().collect();
            // the other way, while it is near
            let other = self
                .attempts
                .iter()
                .find(|a| a.candidate.way != leaders[0].candidate.way);
            leaders.extend(other.filter(|a| n < NARROW && a.verdict.residual < 10.0 * before));
            if before > LOST {
                let ways: Vec<usize> = leaders.iter().map(|l| l.candidate.way).collect();
                candidates.extend(ways.iter().flat_map(|w| self.grid(*w, wider, &[8.0, 16.0])));
            }
            if before > ROUGH {
                let hottest = leaders[0].candidate.clone();
                let steepest = hottest.recipe.steepness.max(10.0);
                for (family, factor) in [
                    (Family::Tanh, 1.0),
                    (Family::Tanh, 3.0),
                    (Family::Gaussian, 2.0),
                ] {
                    let mut candidate = hottest.clone();
                    candidate.n = wider;
                    candidate.recipe.family = family;
                    candidate.recipe.focus = 0.8;
                    candidate.recipe.steepness = steepest * factor;
                    candidates.push(candidate);
                }
            }
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
            self.round(&candidates)?;
            self.say("wider");
            n = wider;
            idle = match self.residual() {
                r if r < HELPED * before => 0,
                r if r < FINE => idle + 2,
                _ if n < ENOUGH.min(most) && !noisy => 0,
                _ => idle + 1,
            };
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
        self.round(&candidates)
    }

    fn error_estimate(&self) -> f64 {
        let mut samples = self.attempts.iter().map(|a| Sample {
            values: &a.values,
            residual: a.verdict.residual,
        });
        let unknowns = self.ways[0].system.problem.unknowns.len();
        let Some(best) = samples.next() else {
            return f64::INFINITY;
        };
        let values = best.values;
        let frozen = error_estimate(best, samples, unknowns);
        // what the noise of observations leaves open: as if each sought number took its share of it
        let problem = &self.ways[0].system.problem;
        let seen: usize = problem
            .data
            .iter()
            .filter(|o| o.sigma.is_some())
            .map(|o| o.values.len())
            .sum();
        let noise = problem
            .data
            .iter()
            .filter_map(|o| o.sigma)
            .fold(0.0, f64::max);
        let size = (values.iter().map(|v| v * v).sum::<f64>() / values.len().max(1) as f64).sqrt();
        let share = (problem.sought.len().max(1) as f64 / seen.max(1) as f64).sqrt();
        frozen.hypot(noise * share / size.max(f64::MIN_POSITIVE))
    }

    fn say(&mut self, what: &str) {
        let Some(best) = self.best() else {
            return;
        };
        let c = &best.candidate;
        let corners = self.ways[c.way].inputs.corners;
        let plain = &c.recipe.scales[..c.recipe.scales.len() - corners];
        let scales: Vec<String> = plain.iter().map(|s| format!("{s:.1}")).collect();
        let decision = format!(
            "{what}: {:.1e} with {} {}{}, scales {}, {}",
            best.verdict.residual,
            c.n,
            c.recipe.family.name(),
            if c.recipe.focus > 0.0 {
                ", focused"
            } else {
                ""
            },
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
