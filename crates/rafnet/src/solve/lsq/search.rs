//! The search: which way, which recipe, how many functions.
//!
//! 1. a coarse round over ways, families and common scales with few functions;
//! 2. scales axis by axis while the held-out residual falls;
//! 3. more functions while they help;
//! 4. fresh draws of the best, from which the error is estimated.

use super::attempt::{Attempt, Candidate, Way, round};
use super::contradiction::fighting;
use super::features::jets_of;
use super::newton::{Halt, Start, State};
use super::ways::held_exactly;
use crate::domain::DomainError;
use crate::problem::{Enforce, Problem};
use crate::solve::pieces::suits;
use crate::solve::reports::{Report, Reports, Sums};
use crate::solve::system::{
    Block, EXAMINING, LOST, Residual, Sample, Verdict, error_estimate, rms,
};
use crate::solve::{Method, Options, Outcome, Progress};
use std::ops::ControlFlow;
use std::time::Instant;

/// What came out.
pub(crate) struct Solution {
    /// The problem with the factor and lift that were used.
    pub(crate) problem: Problem,
    pub(crate) state: State,
    pub(crate) verdict: Verdict,
    pub(crate) error_estimate: f64,
    /// How much of it the noise of observations leaves open, whatever is done.
    pub(crate) by_noise: f64,
    pub(crate) points: usize,
    pub(crate) reports: Vec<Report>,
    pub(crate) outcome: Outcome,
    /// The residuals, by their place in the system's list, that no function meets together.
    pub(crate) fighting: Vec<usize>,
    /// The unknown that everything given leaves open, if one is.
    pub(crate) open: Option<usize>,
    pub(crate) decisions: Vec<String>,
}

pub(super) struct Search<'a> {
    pub(super) ways: Vec<Way>,
    pub(super) options: &'a Options,
    pub(super) started: Instant,
    halt: Halt,
    /// Whether the user stopped it.
    pub(super) stopped: bool,
    /// Whether time ran out.
    pub(super) expired: bool,
    pub(super) attempts: Vec<Attempt>,
    /// For each way what Newton starts from while it has no attempt.
    pub(super) starts: Vec<Option<Start>>,
    pub(super) tried: u64,
    /// The residual that is asked for.
    asked: f64,
    /// The residual at which the search ends.
    pub(super) target: f64,
    /// The residuals that no function meets together.
    fighting: Vec<usize>,
    pub(super) decisions: Vec<String>,
    pub(super) progress: &'a mut dyn FnMut(&Progress) -> ControlFlow<()>,
}

/// The most columns of a least-squares problem, all unknowns together, unless the user asks for more.
const COLUMNS: usize = 2400;
/// How much lower than what was asked for the search's own target may become.
const TIGHTEST: f64 = 1e-3;
/// Above this residual it is asked whether anything can be found.
const DOUBTFUL: f64 = 1e-4;
/// Solutions with residuals below `SAME` that differ by more than `DIFFERENT` of their size are different functions.
const SAME: f64 = 1e-7;
const DIFFERENT: f64 = 0.03;
/// The residual of the equations, over the noise of observations, at which a search ends.
const BELOW_NOISE: f64 = 1e-5;
/// How many attempts are looked at again at the end.
const EXAMINED: usize = 5;
/// How many attempts are remembered, and the best of every other way, family and draw beside them.
const REMEMBERED: usize = 12;

/// Solves a problem; `progress` says whether to go on. `None` if no layer gave finite numbers.
pub(crate) fn solve(
    problem: &Problem,
    options: &Options,
    progress: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
) -> Result<Option<Solution>, DomainError> {
    let mut search = Search::new(problem, options, Instant::now(), progress)?;
    search.coarse()?;
    search.look_for_contradiction(problem)?;
    if !search.fighting.is_empty() {
        return search.finish(problem);
    }
    search.causal(problem)?;
    if search.is_left_to_pieces(problem) {
        return search.finish(problem);
    }
    search.corners(problem)?;
    search.axes()?;
    search.widen()?;
    while search.flattered()? {
        search.widen()?;
    }
    search.again()?;
    search.finish(problem)
}

/// The problem in every way its boundary values can be met.
pub(super) fn ways(problem: &Problem, corners: usize, seed: u64) -> Result<Vec<Way>, DomainError> {
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

/// The residual that is asked for: nothing is gained by equations that hold far better than noisy observations are known.
fn asked(problem: &Problem, options: &Options) -> f64 {
    let relative = problem.data.iter().filter_map(|o| {
        let share = o.sigma? / rms(&o.values);
        share.is_finite().then_some(share)
    });
    let noise = relative.reduce(f64::min);
    match noise.filter(|_| !options.asks_for_target()) {
        Some(noise) => options.target.max(BELOW_NOISE * noise),
        None => options.target,
    }
}

impl<'a> Search<'a> {
    pub(super) fn new(
        problem: &Problem,
        options: &'a Options,
        started: Instant,
        progress: &'a mut dyn FnMut(&Progress) -> ControlFlow<()>,
    ) -> Result<Self, DomainError> {
        Ok(Self {
            ways: ways(problem, 0, options.seed)?,
            options,
            started,
            halt: Halt::default(),
            stopped: false,
            expired: false,
            attempts: Vec::new(),
            starts: Vec::new(),
            tried: 0,
            asked: asked(problem, options),
            target: asked(problem, options),
            fighting: Vec::new(),
            decisions: Vec::new(),
            progress,
        })
    }
}

impl Search<'_> {
    pub(super) fn best(&self) -> Option<&Attempt> {
        self.attempts.first()
    }

    pub(super) fn residual(&self) -> f64 {
        self.best().map_or(f64::INFINITY, |b| b.verdict.residual)
    }

    pub(super) fn over(&self) -> bool {
        self.stopped || self.expired || self.residual() <= self.target
    }

    /// Whether Newton's method found nothing in all of time and there is a method that goes through it slab by slab.
    fn is_left_to_pieces(&self, problem: &Problem) -> bool {
        let nothing = problem.time.is_some()
            && self.ways[0].system.nonlinear()
            && self.residual() >= LOST
            && self.best().is_some();
        nothing && self.options.method == Method::Auto && suits(problem)
    }

    /// The most functions of a layer.
    pub(super) fn most(&self) -> usize {
        let unknowns = self.ways[0].system.problem.unknowns.len();
        let asked = self
            .options
            .width
            .filter(|_| self.options.method == Method::Lsq);
        asked.unwrap_or(COLUMNS / unknowns.max(1)).max(1)
    }

    /// Tries candidates and remembers the better attempts, the best first.
    pub(super) fn round(&mut self, candidates: &[Candidate]) -> Result<(), DomainError> {
        let fits = |c: &&Candidate| self.ways[c.way].fits(c.n);
        let candidates: Vec<Candidate> = candidates.iter().filter(fits).cloned().collect();
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
            &candidates,
            &starts,
            self.options.threads(),
            &self.halt,
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
        let (mut seen, mut place) = (Vec::new(), 0);
        self.attempts.retain(|a| {
            place += 1;
            let kin = a.candidate.kin();
            let new = !seen.contains(&kin);
            seen.push(kin);
            new || place <= REMEMBERED
        });
        Ok(())
    }

    /// What the error is likely to be, and how much of that is due to the noise of observations.
    fn error_estimate(&self) -> [f64; 2] {
        let problem = &self.ways[0].system.problem;
        let unknowns = problem.n_own();
        let own = |a: &Attempt| a.values.len() / problem.unknowns.len() * unknowns;
        let mut samples = self.attempts.iter().map(|a| Sample {
            values: &a.values[..own(a)],
            residual: a.verdict.residual,
            slow: a.verdict.slow,
        });
        let Some(best) = samples.next() else {
            return [f64::INFINITY, 0.0];
        };
        let values = best.values;
        let frozen = error_estimate(best, samples, unknowns, self.ways[0].system.nonlinear());
        // what the noise of observations leaves open: as if each sought number took its share of it
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
        let size = rms(values);
        let share = (problem.sought.len().max(1) as f64 / seen.max(1) as f64).sqrt();
        let by_noise = noise * share / size.max(f64::MIN_POSITIVE);
        [frozen.hypot(by_noise), by_noise]
    }

    /// Whether what was found so far is poor because parts of the problem fight.
    fn look_for_contradiction(&mut self, problem: &Problem) -> Result<(), DomainError> {
        let over = self.stopped || self.expired;
        if let Some(best) = self
            .best()
            .filter(|b| !over && b.verdict.residual > DOUBTFUL)
        {
            let plain = problem.coordinates.len() + problem.features.len();
            let mut scales = self.data_scales(best.candidate.way);
            scales.truncate(plain);
            self.fighting = fighting(problem, best, scales, self.options.seed)?;
        }
        Ok(())
    }

    /// The unknown in which solutions differ that all meet what is given.
    fn open(&self, error_estimate: f64) -> Option<usize> {
        let best = self.attempts.first()?;
        let met = |a: &&Attempt| a.verdict.residual < SAME;
        if error_estimate < DIFFERENT || !met(&best) {
            return None;
        }
        let problem = &self.ways[0].system.problem;
        let n = best.values.len() / problem.unknowns.len();
        let apart = |u: usize| {
            let mine = &best.values[u * n..(u + 1) * n];
            let others = self.attempts[1..].iter().filter(met);
            let off = others.map(|a| {
                let pairs = mine.iter().zip(&a.values[u * n..(u + 1) * n]);
                let off: Vec<f64> = pairs.map(|(x, y)| x - y).collect();
                rms(&off) / rms(mine).max(f64::MIN_POSITIVE)
            });
            off.fold(0.0, f64::max)
        };
        let unknowns = (0..problem.n_own()).map(|u| (u, apart(u)));
        let most = unknowns.max_by(|a, b| a.1.total_cmp(&b.1))?;
        (most.1 > DIFFERENT).then_some(most.0)
    }

    pub(super) fn say(&mut self, what: &str) {
        let Some(best) = self.best() else {
            return;
        };
        let c = &best.candidate;
        let corners = self.ways[c.way].inputs.corners;
        let plain = &c.recipe.scales[..c.recipe.scales.len() - corners];
        let scales: Vec<String> = plain.iter().map(|s| format!("{s:.1}")).collect();
        let decision = format!(
            "{what}: {:.1e} with {} {}{}{}, scales {}, {}",
            best.verdict.residual,
            c.n,
            c.recipe.family.name(),
            if c.recipe.focus > 0.0 {
                ", focused"
            } else {
                ""
            },
            match (&c.recipe.frame, &c.recipe.groups) {
                (Some(_), _) => ", turned".into(),
                (_, Some(groups)) => format!(", of {} coordinates each", groups.size()),
                _ => String::new(),
            },
            scales.join(" "),
            self.ways[c.way].name
        );
        self.decisions.push(decision);
    }

    /// The best attempts at points that the search did not have, and those that came about in another way.
    fn examine(&mut self) -> Result<(), DomainError> {
        let mut all = std::mem::take(&mut self.attempts);
        let (mut seen, mut place) = (Vec::new(), 0);
        all.retain(|a| {
            place += 1;
            let kin = a.candidate.kin();
            let new = !seen.contains(&kin) && seen.len() < EXAMINED;
            seen.extend(new.then_some(kin));
            new || place <= EXAMINED
        });
        for (w, way) in self.ways.iter().enumerate() {
            let mine = all.iter().filter(|a| a.candidate.way == w);
            let mine: Vec<Attempt> = mine.cloned().collect();
            if !mine.is_empty() {
                self.attempts.extend(way.examine(mine, EXAMINING)?);
            }
        }
        self.attempts
            .sort_by(|a, b| a.verdict.residual.total_cmp(&b.verdict.residual));
        Ok(())
    }

    /// The figures of the best attempt, compared with those of the others that were examined.
    fn reports(&self, best: &Attempt, relative_error: f64) -> Result<Vec<Report>, DomainError> {
        if self.ways[0].system.problem.reports.is_empty() {
            return Ok(Vec::new());
        }
        let of_way = self.ways.iter().map(|way| Reports::new(&way.system));
        let of_way = of_way.collect::<Result<Vec<Reports>, _>>()?;
        let jets = |a: &Attempt, r: &Residual, b: &Block| {
            jets_of(&a.state.layer, &a.state.coefficients, r, b)
        };
        let sums = |a: &Attempt| {
            let sums = of_way[a.candidate.way].sums(&a.state.sought, |r, b| jets(a, r, b));
            (sums, a.verdict.residual)
        };
        let others: Vec<(Sums, f64)> = self.attempts.iter().map(sums).collect();
        let (reports, best_sums) = (&of_way[best.candidate.way], sums(best));
        let coarse = reports.coarseness(&best_sums.0, &best.state.sought, |r, b| jets(best, r, b));
        Ok(reports.judged(&best_sums, &others, &coarse, relative_error))
    }

    /// Whether the best attempt has reached the target at the search's points and misses it at those on which the answer is examined;
    /// then the search goes on, for a target that is lower by as much.
    fn flattered(&mut self) -> Result<bool, DomainError> {
        let (searched, asked) = (self.residual(), self.asked);
        let Some(best) = self.best().filter(|_| self.target >= TIGHTEST * asked) else {
            return Ok(false);
        };
        if self.stopped || self.expired || searched > self.target {
            return Ok(false);
        }
        let examined = self.ways[best.candidate.way].examine(vec![best.clone()], EXAMINING)?;
        let examined = examined.first().map_or(0.0, |a| a.verdict.residual);
        self.target *= 0.5 * (asked / examined).min(1.0);
        Ok(examined > asked)
    }

    fn finish(mut self, problem: &Problem) -> Result<Option<Solution>, DomainError> {
        self.examine()?;
        let reached = self.residual() <= self.options.target;
        let [error_estimate, by_noise] = self.error_estimate();
        let outcome = match () {
            () if self.stopped => Outcome::Stopped,
            () if reached => Outcome::TargetReached,
            () if self.expired => Outcome::BudgetSpent,
            () => Outcome::Converged,
        };
        self.decisions.push(format!("{} layers tried", self.tried));
        if self.attempts.is_empty() {
            return Ok(None);
        }
        let open = self.open(error_estimate);
        if outcome == Outcome::Converged && self.fighting.is_empty() {
            self.look_for_contradiction(problem)?;
        }
        let best = self.attempts.remove(0);
        let fighting = std::mem::take(&mut self.fighting);
        let outcome = match fighting[..] {
            [] => outcome,
            _ => Outcome::Contradictory,
        };
        let reports = self.reports(&best, error_estimate)?;
        let way = self.ways.swap_remove(best.candidate.way);
        Ok(Some(Solution {
            points: way.rows(best.candidate.n),
            reports,
            problem: way.system.problem,
            state: best.state,
            verdict: best.verdict,
            error_estimate,
            by_noise,
            outcome,
            fighting,
            open,
            decisions: self.decisions,
        }))
    }
}
