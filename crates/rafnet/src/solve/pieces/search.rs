//! The search: level after level, each to a smaller tolerance with other functions on another cut.

use super::cut::{breaks, has_kinks};
use super::level::{Asked, Found, Level, MOST_PIECES, MOST_WORK};
use super::pieced::Pieced;
use super::{Bounds, Posed};
use crate::domain::DomainError;
use crate::expr::{larger, smaller};
use crate::halt::{Crew, Halt, Why};
use crate::posed::{Block, EXAMINING, Judge, NEAR, Purpose, Residual, UNRESOLVED, Verdict};
use crate::solve::event::{Cut, Event, NoLevel, Tried};
use crate::solve::{Options, Progress};
use std::ops::ControlFlow;
use std::time::Instant;

/// Functions of a piece and the largest flaw, level by level, in one, two and three coordinates: through time, and all at once. Every second
/// level has the same first cut, and all at once its cut is gone on with, so that the first two only look where to cut.
const IN_TIME: [&[(usize, f64)]; 3] = [
    &[(16, 1e-5), (24, 1e-8), (32, 1e-11)],
    &[(90, 1e-4), (120, 1e-6), (170, 1e-8)],
    &[(250, 1e-3), (450, 1e-4), (700, 1e-5)],
];
const AT_ONCE: [&[(usize, f64)]; 3] = [
    &[(16, 1e-5), (24, 1e-8), (32, 1e-11)],
    &[(90, 1e-4), (90, 1e-4), (130, 1e-6), (180, 1e-8)],
    &[(150, 1e-2), (300, 1e-3), (500, 1e-4)],
];
/// Solutions of two levels that are further apart than this many of their tolerances grow small errors, as fronts into an unstable state do:
/// levels to a hundredth of the tolerance follow, with more functions, down to the last that arithmetic allows.
const GROWN: f64 = 1e3;
const MORE_FUNCTIONS: f64 = 1.25;
const FINER: f64 = 1e-2;
const FINEST: f64 = 1e-12;
/// A level that misses its tolerance by so many times more than the next one is lost.
const LOST: f64 = 100.0;
/// Flaws of slabs that are short add up, and a level may miss its tolerance by that: the last one then has a smaller one, at least this share of it,
/// unless that, so many times dearer, is too much work for a level. (A front of Burgers' equation: three times as many pieces.)
const MUCH_FINER: f64 = 0.25;
const DEARER: f64 = 4.0;
/// Multiplications and additions beyond which no level is begun: about two minutes on one core.
const ENOUGH_WORK: f64 = 1.2e12;

/// A level on a line after one that did not resolve the solution begins with so many times as many pieces, and after each further one, so often at most.
const FINER_FIRST: usize = 4;
const MOST_FINER: usize = 3;
/// A level with a residual of half of its terms found nothing.
const NOTHING: f64 = 0.5;

/// A level's solution, judged.
pub(super) struct Judged {
    pub(super) found: Found,
    pub(super) verdict: Verdict,
}

pub(super) struct Search<'a> {
    pub(super) posed: &'a Posed,
    pub(super) options: &'a Options,
    pub(super) started: Instant,
    pub(super) progress: &'a mut dyn FnMut(&Progress) -> ControlFlow<()>,
    pub(super) halt: &'a Halt,
    judge: Judge,
    /// Whether boundary and initial values clash or have kinks.
    pub(super) broken: bool,
    pub(super) levels: Vec<Judged>,
    /// The boxes of every level that came to an end, and how many of its tolerances its residual is.
    cuts: Vec<(Vec<Bounds>, f64)>,
    /// Levels so far.
    begun: u64,
    pub(super) events: Vec<Event>,
    pub(super) stopped: bool,
    pub(super) expired: bool,
    /// Multiplications and additions of all levels, and what another one like the last would take.
    pub(super) work: f64,
    last_work: f64,
    /// How much more work is allowed than at first, and how much finer the first cuts are.
    patience: usize,
    /// Where Newton's method starts while no level is solved.
    near: Option<Pieced>,
}

/// What Newton's method starts from where several functions may solve an equation, so that all levels have the same: the best there is, if
/// it resolves anything. In time the initial values say which.
fn branch<'a>(posed: &Posed, levels: &'a [Judged]) -> Option<&'a Pieced> {
    let several = posed.system.nonlinear() && posed.time.is_none();
    let residual = |l: &Judged| l.verdict.residual;
    let best = levels
        .iter()
        .min_by(|a, b| residual(a).total_cmp(&residual(b)));
    let best = best.filter(|l| several && residual(l) < UNRESOLVED);
    best.map(|l| &l.found.pieced)
}

impl<'a> Search<'a> {
    pub(super) fn new(
        posed: &'a Posed,
        options: &'a Options,
        patience: usize,
        progress: &'a mut dyn FnMut(&Progress) -> ControlFlow<()>,
        halt: &'a Halt,
    ) -> Result<Self, DomainError> {
        let draw = posed.system.draw(options.seed);
        let examined = draw.round(Purpose::Examined.round());
        Ok(Self {
            posed,
            options,
            started: Instant::now(),
            progress,
            halt,
            judge: Judge::of_local(&posed.system, [EXAMINING; 2], &examined)?,
            broken: !posed.system.problem.clashes().is_empty() || has_kinks(&posed.system.problem),
            levels: Vec::new(),
            cuts: Vec::new(),
            begun: 0,
            events: Vec::new(),
            stopped: false,
            expired: false,
            work: 0.0,
            last_work: 0.0,
            patience,
            near: None,
        })
    }

    /// Level after level, while they are affordable and the residual is above the target.
    pub(super) fn run(&mut self) -> Result<(), DomainError> {
        let d = self.posed.system.known.dimension;
        let levels = match self.posed.time {
            Some(_) => IN_TIME[d.clamp(1, 3) - 1],
            None => AT_ONCE[d.clamp(1, 3) - 1],
        };
        let sizes = self.sizes()?;
        let mut last = (0, 0.0);
        let mut more = true;
        for (k, &level) in levels.iter().enumerate() {
            more = more && self.attempt(&mut last, level, &sizes)?;
            if k == 0 && more && self.is_lost() {
                self.near = self.approached(&sizes);
                more = !self.stopped && !self.expired;
            }
        }
        while more && let Some(finer) = self.finer(last)? {
            more = self.attempt(&mut last, finer, &sizes)?;
        }
        // the last one once more, with other functions on another cut
        if !self.levels.is_empty() && !self.stopped && !self.expired {
            let cheap = self.posed.time.is_some()
                && DEARER * self.last_work < self.patience as f64 * MOST_WORK;
            let missed = self.cuts.last().map(|c| c.1).filter(|m| m.is_finite());
            let finer = missed.filter(|_| cheap).map_or(1.0, |m| 1.0 / m);
            self.level(last.0, finer.clamp(MUCH_FINER, 1.0) * last.1, &sizes, None)?;
        }
        if let Some(cut) = self
            .cut_between()
            .filter(|_| !self.stopped && !self.expired)
        {
            self.level(last.0, last.1, &sizes, Some(cut))?;
        }
        Ok(())
    }

    /// How large the data imply each unknown to be.
    pub(super) fn sizes(&self) -> Result<Vec<f64>, DomainError> {
        let given = self.posed.system.sizes()?.iter();
        Ok(given.map(|s| if *s > 0.0 { *s } else { 1.0 }).collect())
    }

    /// Whether Newton's method found nothing on a line, where other ways to a solution are cheap.
    fn is_lost(&self) -> bool {
        self.are_above(UNRESOLVED) && self.posed.system.nonlinear()
    }

    /// Whether on a line every level has a larger residual.
    fn are_above(&self, residual: f64) -> bool {
        let on_a_line = self.posed.system.known.dimension == 1 && self.posed.time.is_none();
        on_a_line && self.levels.iter().all(|l| l.verdict.residual >= residual)
    }

    /// By how much more pieces the next level begins: waves that no piece resolves show no flaw where they are, and on a line pieces are cheap.
    fn finer_first(&self) -> usize {
        let times = if self.are_above(NOTHING) {
            self.levels.len().min(MOST_FINER)
        } else {
            0
        };
        FINER_FIRST.pow(u32::try_from(times).unwrap_or(0))
    }

    /// One more level after the last one, if that is affordable; whether others may follow.
    fn attempt(
        &mut self,
        last: &mut (usize, f64),
        (functions, tolerance): (usize, f64),
        sizes: &[f64],
    ) -> Result<bool, DomainError> {
        let functions = self.options.width.unwrap_or(functions);
        // as much as another one for each piece, and as much again to compare with
        let dearer = (functions as f64 / last.0.max(1) as f64).powi(3);
        if self.levels.len() > 1
            && self.work + 2.0 * dearer * self.last_work > self.patience as f64 * ENOUGH_WORK
        {
            self.note(format!(
                "{functions} functions a piece would take too much work"
            ));
            return Ok(false);
        }
        if !self.level(functions, tolerance, sizes, None)? {
            return Ok(false);
        }
        *last = (functions, tolerance);
        let best = self.levels.last();
        Ok(best.is_none_or(|l| l.verdict.residual > self.options.goal()))
    }

    /// What follows the last level of a problem in time whose small errors grow.
    fn finer(
        &self,
        (functions, tolerance): (usize, f64),
    ) -> Result<Option<(usize, f64)>, DomainError> {
        let over = self.stopped || self.expired || self.posed.time.is_none();
        if over || self.levels.is_empty() || tolerance * FINER < FINEST {
            return Ok(None);
        }
        let grown = match &self.levels[..] {
            [.., before, last] => self.apart(last, before)?.l2 > GROWN * tolerance / FINER,
            _ => true, // coarser ones came to no end
        };
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a count"
        )]
        let more = (MORE_FUNCTIONS * functions as f64) as usize;
        Ok(grown.then_some((more, tolerance * FINER)))
    }

    /// Looks whether the search is to end.
    pub(super) fn heed(&mut self) {
        match self.halt.why() {
            Some(Why::Stopped) => self.stopped = true,
            Some(Why::Expired) => self.expired = true,
            None => {}
        }
    }

    /// One level, on a cut of its own or a given one; whether others may follow.
    fn level(
        &mut self,
        functions: usize,
        tolerance: f64,
        sizes: &[f64],
        cut: Option<Vec<Bounds>>,
    ) -> Result<bool, DomainError> {
        self.heed();
        if self.stopped || self.expired {
            return Ok(false);
        }
        let number = self.begun;
        self.begun += 1;
        let near = self.near.as_ref().filter(|_| self.is_lost());
        let near = near.map(|near| near.cells.clone());
        let finer_first = self.finer_first();
        let before = self.cut_before_last().filter(|_| finer_first == 1);
        let cut = cut.or(before).or(near);
        let anew = self.posed.time.is_none() && cut.is_none() && self.cuts.len() > 1;
        let asked = Asked {
            functions,
            tolerance,
            seed: self.options.seed.wrapping_mul(101).wrapping_add(number),
            first: finer_first
                * self.patience
                * ([2, 3][usize::try_from(number % 2).unwrap_or(0)] + if anew { 2 } else { 0 }),
            most_work: self.patience as f64 * MOST_WORK,
            most_pieces: self.patience * MOST_PIECES,
            pieces: self.options.pieces,
            slabs: self.options.slabs,
        };
        let (started, halt) = (self.started, self.halt);
        let mut step = 0;
        let best = self
            .levels
            .iter()
            .map(|l| l.verdict.residual) // levels that are kept have one
            .fold(f64::INFINITY, smaller);
        let progress = &mut *self.progress;
        let mut go_on = |flaw: f64, _: usize| {
            step += 1;
            let news = Progress {
                seconds: started.elapsed().as_secs_f64(),
                step,
                width: functions,
                residual: flaw,
                best: best.min(flaw),
                ..Progress::START
            };
            progress(&news).is_continue() && !halt.is_raised()
        };
        let mut level = Level::new(
            self.posed,
            asked,
            Crew::new(self.options.threads(), halt),
            &mut go_on,
        );
        if let Err(error) = level.require_memory() {
            self.note(error.to_string());
            return if self.levels.is_empty() {
                Err(error.into())
            } else {
                Ok(false)
            };
        }
        let start = branch(self.posed, &self.levels).or(self.near.as_ref());
        let found = level.solve(sizes, cut, start);
        self.work += level.work;
        self.last_work = level.ahead;
        let spent = level.work > asked.most_work;
        self.heed();
        let over = self.stopped || self.expired;
        let may_follow = found.is_some() || !over && !spent;
        if let Some(found) = found {
            self.record(&asked, found);
        } else {
            let why = match () {
                () if over => NoLevel::NotFinished,
                () if spent => NoLevel::TooMuchWork,
                () => NoLevel::NoSolution,
            };
            self.tried(&asked, Err(why));
        }
        Ok(may_follow)
    }

    /// Where a level on a line is solved and no other is near to it there is nothing to compare it with: a cut as fine as its own, at other
    /// places.
    fn cut_between(&self) -> Option<Vec<Bounds>> {
        let residual = |l: &Judged| l.verdict.residual;
        let best = (self.levels.iter()).min_by(|a, b| residual(a).total_cmp(&residual(b)));
        let best = best.filter(|b| residual(b) < UNRESOLVED)?;
        let near = |l: &&Judged| residual(l) < NEAR * residual(best);
        let mut solved = self.levels.iter().filter(near);
        let free = self.posed.time.is_none() && self.options.pieces.is_none();
        let on_a_line = self.posed.system.known.dimension == 1 && free;
        let (only, None) = (solved.next().filter(|_| on_a_line)?, solved.next()) else {
            return None;
        };
        let middles = only.found.pieced.cells.iter();
        let mut places: Vec<f64> = middles.map(|c| 0.5 * (c[0][0] + c[0][1])).collect();
        places.extend(self.posed.system.problem.domain.bounds()[0]);
        places.extend(breaks(&self.posed.system.problem, 0, None));
        places.sort_by(f64::total_cmp);
        places.dedup();
        Some(
            places
                .windows(2)
                .map(|ends| vec![[ends[0], ends[1]]])
                .collect(),
        )
    }

    /// All at once, every second level goes on with the cut of the one before the last, so that neighbours have no cut in common; but not with one that was
    /// lost where the last one was not.
    fn cut_before_last(&self) -> Option<Vec<Bounds>> {
        match &self.cuts[..] {
            _ if self.posed.time.is_some() => None,
            [.., (cut, missed), (_, last)] if *missed < LOST * *last => Some(cut.clone()),
            _ => None,
        }
    }

    /// A level's solution, judged.
    fn record(&mut self, asked: &Asked, found: Found) {
        let jets = |r: &Residual, b: &Block| found.pieced.jets(self.posed, r, b);
        let mut verdict = self.judge.verdict(&self.posed.system, &[], jets);
        verdict.residual = larger(verdict.residual, found.flaw);
        let cut = found.pieced.cells.clone();
        self.cuts.push((cut, verdict.residual / asked.tolerance));
        let (pieces, slabs) = (found.pieced.boxes.len(), found.slabs);
        let made = Cut {
            residual: verdict.residual,
            pieces,
            slabs,
        };
        self.tried(asked, Ok(made));
        if verdict.residual.is_finite() {
            self.levels.push(Judged { found, verdict });
        }
    }

    /// Records a level.
    fn tried(&mut self, asked: &Asked, found: Result<Cut, NoLevel>) {
        let tried = Tried::Level {
            functions: asked.functions,
            tolerance: asked.tolerance,
            found,
        };
        self.events.push(Event::new("pieces", tried));
    }

    pub(super) fn note(&mut self, sentence: String) {
        self.events.push(Event::note("pieces", sentence));
    }
}
