//! The search: which way, which recipe, how many functions.
//!
//! 1. a coarse round over ways, families and common scales with few functions;
//! 2. scales axis by axis while the held-out residual falls;
//! 3. more functions while they help;
//! 4. fresh draws of the best, from which the error is estimated.

use super::attempt::{Attempt, Candidate, Way, round};
use super::finish::Solution;
use super::tuning::{BEFORE_PIECES, BELOW_NOISE, COLUMNS, POOR, REMEMBERED, ROWS_WORK};
use crate::domain::DomainError;
use crate::expr::smaller;
use crate::frozen::Start;
use crate::halt::{Crew, Halt, Why};
use crate::posed::{LOST, held_exactly, rms};
use crate::problem::{Enforce, Problem};
use crate::solve::event::{Event, Layer, Tried};
use crate::solve::pieces::{self, suits};
use crate::solve::{Method, Options, Progress};
use std::ops::ControlFlow;
use std::time::Instant;

pub(super) struct Search<'a> {
    pub(super) ways: Vec<Way>,
    pub(super) options: &'a Options,
    pub(super) started: Instant,
    /// Raised when the search is to end.
    pub(super) halt: &'a Halt,
    /// Whether the user stopped it.
    pub(super) stopped: bool,
    /// Whether time ran out.
    pub(super) expired: bool,
    /// Whether a poor residual is left to pieces after some work.
    pub(super) yields: bool,
    /// Multiplications and additions so far, about.
    pub(super) work: f64,
    pub(super) attempts: Vec<Attempt>,
    /// Solutions that differ from the best attempt.
    pub(super) others: Vec<Attempt>,
    /// For each way what Newton starts from while it has no attempt.
    pub(super) starts: Vec<Option<Start>>,
    pub(super) tried: u64,
    /// The residual that is asked for.
    pub(super) asked: f64,
    /// The residual at which the search ends.
    pub(super) target: f64,
    /// The residuals that no function meets together.
    pub(super) fighting: Vec<usize>,
    /// What pieces found where this was asked.
    pub(super) in_pieces: Option<pieces::Solution>,
    pub(super) events: Vec<Event>,
    pub(super) progress: &'a mut dyn FnMut(&Progress) -> ControlFlow<()>,
}

/// Solves a problem; `progress` says whether to go on. `None` if no layer gave finite numbers.
pub(crate) fn solve(
    problem: &Problem,
    options: &Options,
    progress: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
    halt: &Halt,
) -> Result<Option<Solution>, DomainError> {
    let mut search = Search::new(problem, options, Instant::now(), progress, halt)?;
    search.coarse()?;
    search.look_for_contradiction(problem)?;
    if !search.fighting.is_empty() {
        return search.finish(problem);
    }
    search.causal(problem)?;
    if search.is_left_to_pieces(problem) {
        return search.finish(problem);
    }
    search.other_starts()?;
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
pub(super) fn ways(
    problem: &Problem,
    corners: usize,
    options: &Options,
) -> Result<Vec<Way>, DomainError> {
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
            options,
        )?);
    }
    if !demanded || ways.is_empty() {
        ways.push(Way::new(
            "boundary values as rows",
            problem.clone(),
            corners,
            options,
        )?);
    }
    Ok(ways)
}

/// About how many multiplications and additions it takes to try candidates once.
fn work(candidates: &[Candidate], unknowns: usize) -> f64 {
    let one = |c: &Candidate| ROWS_WORK * ((c.n * unknowns) as f64).powi(3);
    candidates.iter().map(one).sum()
}

/// The residual that is asked for: nothing is gained by equations that hold far better than noisy observations are known.
fn asked(problem: &Problem, options: &Options) -> f64 {
    let relative = problem.data.iter().filter_map(|o| {
        let share = o.sigma? / rms(&o.values);
        share.is_finite().then_some(share)
    });
    let noise = relative.reduce(smaller);
    match noise.filter(|_| options.target.is_none()) {
        Some(noise) => options.goal().max(BELOW_NOISE * noise),
        None => options.goal(),
    }
}

impl<'a> Search<'a> {
    pub(super) fn new(
        problem: &Problem,
        options: &'a Options,
        started: Instant,
        progress: &'a mut dyn FnMut(&Progress) -> ControlFlow<()>,
        halt: &'a Halt,
    ) -> Result<Self, DomainError> {
        Ok(Self {
            ways: ways(problem, 0, options)?,
            options,
            started,
            halt,
            stopped: false,
            expired: false,
            yields: options.method == Method::Auto && suits(problem),
            work: 0.0,
            attempts: Vec::new(),
            others: Vec::new(),
            starts: Vec::new(),
            tried: 0,
            asked: asked(problem, options),
            target: asked(problem, options),
            fighting: Vec::new(),
            in_pieces: None,
            events: Vec::new(),
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

    /// The threads that are asked for, until the search is to end.
    pub(super) fn crew(&self) -> Crew<'_> {
        Crew::new(self.options.threads(), self.halt)
    }

    pub(super) fn over(&self) -> bool {
        self.ended() || self.residual() <= self.target
    }

    /// Whether nothing more is to be tried: someone or the clock stopped it, or what is poor after much work is left to pieces.
    pub(super) fn ended(&self) -> bool {
        let left = self.yields && self.residual() > POOR && self.work > BEFORE_PIECES;
        self.stopped || self.expired || left
    }

    /// Looks whether the search is to end. Where nothing is known yet the round that looks for it has a little more time.
    pub(super) fn heed(&mut self) {
        match self.halt.why() {
            Some(Why::Stopped) => self.stopped = true,
            Some(Why::Expired) => self.expired |= self.best().is_some(),
            None => {}
        }
    }

    /// Whether Newton's method found nothing in all of time and there is a method that goes through it slab by slab.
    fn is_left_to_pieces(&self, problem: &Problem) -> bool {
        let nothing = problem.time.is_some()
            && self.ways[0].system.nonlinear()
            && self.residual() >= LOST
            && self.best().is_some();
        nothing && self.yields
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

    /// Tries candidates, each of them once, and remembers the better attempts, the best first.
    pub(super) fn round(&mut self, candidates: &[Candidate]) -> Result<(), DomainError> {
        self.heed();
        let mut once: Vec<Candidate> = Vec::new();
        for candidate in candidates {
            let new = !once.contains(candidate) && !self.is_known(candidate);
            if new && self.ways[candidate.way].fits(candidate.n) {
                once.push(candidate.clone());
            }
        }
        let candidates = once;
        if candidates.is_empty() || self.ended() {
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
        let known = best.is_finite();
        let (started, progress) = (self.started, &mut *self.progress);
        let halt = self.halt;
        let (mut stopped, mut expired) = (false, false);
        let mut last = Progress {
            width: candidates[0].n,
            residual: best,
            best,
            ..Progress::START
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
            stopped |= progress(&last).is_break();
            let over = expired.then_some(Why::Expired).or(halt.why());
            expired |= over == Some(Why::Expired);
            stopped.then_some(Why::Stopped).or(over)
        };
        self.tried += candidates.len() as u64;
        self.work += work(&candidates, self.ways[0].system.problem.unknowns.len());
        let done = round(
            &mut self.ways,
            &candidates,
            &starts,
            self.options.threads(),
            known,
            watch,
        )?;
        (self.stopped, self.expired) = (stopped, expired);
        let finite = done
            .into_iter()
            .flatten()
            .filter(|a| a.verdict.residual.is_finite());
        self.remember(finite.collect());
        Ok(())
    }

    /// Whether a layer would give an attempt that is there already: not where Newton's method has another start by now, or functions and points
    /// gather elsewhere.
    fn is_known(&self, candidate: &Candidate) -> bool {
        let fixed = candidate.recipe.focus == 0.0 && !self.ways[candidate.way].system.nonlinear();
        fixed && self.attempts.iter().any(|a| a.candidate == *candidate)
    }

    /// Keeps the better ones of these attempts and those that are there, the best first.
    pub(super) fn remember(&mut self, attempts: Vec<Attempt>) {
        self.attempts.extend(attempts);
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
    }

    /// Records the best attempt so far, after a stage.
    pub(super) fn say(&mut self, stage: &str) {
        let Some(best) = self.best() else {
            return;
        };
        let c = &best.candidate;
        let corners = self.ways[c.way].inputs.corners;
        let plain = &c.recipe.scales[..c.recipe.scales.len() - corners];
        let focused = (c.recipe.focus > 0.0).then(|| "focused".into());
        let drawn = match (&c.recipe.frame, &c.recipe.groups) {
            _ if c.recipe.standing => Some("waves of the equation between walls".into()),
            _ if c.recipe.solving > 0.0 => Some("waves of the equation".into()),
            (Some(_), _) => Some("turned".into()),
            (_, Some(groups)) => Some(match groups.size() {
                1 => "of one coordinate each".into(),
                size => format!("of {size} coordinates each"),
            }),
            _ => None,
        };
        let layer = Layer {
            stage: stage.into(),
            residual: best.verdict.residual,
            functions: c.n,
            family: c.recipe.family.name(),
            properties: focused.into_iter().chain(drawn).collect(),
            scales: plain.to_vec(),
            boundary: self.ways[c.way].name,
        };
        self.events.push(Event::new("lsq", Tried::Layer(layer)));
    }

    pub(super) fn note(&mut self, sentence: impl Into<String>) {
        self.events.push(Event::note("lsq", sentence));
    }
}
