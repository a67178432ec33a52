//! Attempts: a layer is drawn, fitted and judged; a round makes several at once, one a thread.

use super::drawn::Drawn;
use super::hot::Hot;
use super::recipe::{Family, Inputs, Recipe};
use super::tuning::EXAMINED_NUMBERS;
use crate::domain::{DomainError, Draw};
use crate::expr::{Expr, Leaf, larger, smaller};
use crate::frozen::Start;
use crate::frozen::State;
use crate::frozen::jets_unless;
use crate::halt::{Crew, Halt, Why};
use crate::optimise::each;
use crate::posed::{Block, Judge, Kind, Purpose, Residual, SEARCHING, System, Verdict, spectra};
use crate::problem::{Problem, Strip};
use crate::solve::Options;
use crate::solve::side_by_side::side_by_side;
use crate::waves::Symbol;
use crate::waves::Walls;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// How long attempts go on after the time is over where nothing was found before: a first solution is worth more than none.
const GRACE: Duration = Duration::from_millis(700);

/// Drawing points for longer than this, one looks whether to go on.
const LONG: Duration = Duration::from_millis(200);

/// A way to meet the boundary values, with everything that does not depend on the layer.
pub(super) struct Way {
    pub(super) name: &'static str,
    pub(super) system: System,
    pub(super) inputs: Inputs,
    examiner: Examiner,
    /// u itself, for each unknown.
    values: Vec<Residual>,
    pub(super) seed: u64,
    /// How often points of interest were drawn.
    pub(super) heated: u64,
    /// Points that were drawn.
    pub(super) blocks: Vec<(Drawn, Arc<Vec<Block>>)>,
}

/// Points that no solve sees.
struct Examiner {
    judge: Judge,
    /// Points inside, where solutions are compared.
    inside: Block,
}

impl Examiner {
    fn new(system: &System, points: usize, draw: &Draw) -> Result<Self, DomainError> {
        let compared = system
            .problem
            .domain
            .interior(points, &draw.round(Purpose::Compared.round()).held_out())?;
        Ok(Self {
            judge: Judge::new(system, points, draw)?,
            inside: Block::new(0, system.known.sites(&compared)),
        })
    }
}

/// A layer to try.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Candidate {
    pub(super) way: usize,
    pub(super) n: usize,
    pub(super) recipe: Recipe,
    /// Which draw of points.
    pub(super) points: u64,
    /// Which start its solution, or the one that it goes on from, was found from: 0 is the guess.
    pub(super) start: usize,
}

impl Candidate {
    /// Candidates that share these are near copies of one another.
    pub(super) fn kin(&self) -> (usize, Family, bool, usize, u64, u64, usize) {
        let recipe = &self.recipe;
        let few = recipe.groups.as_ref().map_or(0, |g| g.size());
        let (way, family, seed) = (self.way, recipe.family, recipe.seed);
        (
            way,
            family,
            recipe.across,
            few,
            seed,
            self.points,
            self.start,
        )
    }
}

/// A layer that was tried.
#[derive(Clone)]
pub(super) struct Attempt {
    pub(super) candidate: Candidate,
    pub(super) state: State,
    pub(super) verdict: Verdict,
    /// Every unknown at the held-out points inside.
    pub(super) values: Vec<f64>,
}

/// The strips across which functions lie; none where something closes on itself, which they would not.
fn strips(problem: &Problem) -> Vec<Strip> {
    let places = problem
        .places
        .iter()
        .filter(|_| problem.periodic.is_empty());
    places.filter_map(|place| place.across.clone()).collect()
}

impl Way {
    pub(super) fn new(
        name: &'static str,
        problem: Problem,
        corners: usize,
        options: &Options,
    ) -> Result<Self, DomainError> {
        let (seed, system) = (options.seed, System::new(problem, options.device));
        let (draw, domain) = (system.draw(seed), &system.problem.domain);
        let examiner = Examiner::new(&system, SEARCHING, &draw)?;
        let through = domain.interior(16, &draw.round(Purpose::Spectrum.round()))?;
        let mut ranges = domain.bounds().to_vec();
        let value = system.known.wanted.place(&[]);
        for jets in &examiner.inside.sites.inputs {
            let fold = |start: f64, pick: fn(f64, f64) -> f64| {
                let values = jets[value].iter().copied();
                values.filter(|v| !v.is_nan()).fold(start, pick)
            };
            let (low, high) = (
                fold(f64::INFINITY, smaller),
                fold(f64::NEG_INFINITY, larger),
            );
            ranges.push(if high > low {
                [low, high]
            } else {
                [low - 1.0, low + 1.0]
            });
        }
        let unknowns = system.problem.unknowns.len();
        let value = |u| {
            Residual::new(
                Kind::Equation,
                &Expr::leaf(Leaf::jet(u, &[])),
                system.known.dimension,
                0,
            )
        };
        let symbol = Symbol::of(&system.problem).filter(|_| corners == 0);
        Ok(Self {
            name,
            inputs: Inputs {
                ranges,
                spectra: spectra(&system, &through),
                periodic: system.problem.periodic.clone(),
                corners,
                strips: strips(&system.problem),
                hot: Hot::default(),
                walls: symbol.as_ref().and_then(|s| Walls::of(&system.problem, s)),
                symbol,
            },
            examiner,
            values: (0..unknowns).map(value).collect(),
            seed,
            heated: 0,
            blocks: Vec::new(),
            system,
        })
    }

    /// Whether there is memory for the rows of so many functions, and for their triangle.
    pub(super) fn fits(&self, n: usize) -> bool {
        let columns = n.saturating_mul(self.system.problem.unknowns.len());
        rafnet_memory::require("rows", &[columns, columns, 4, 8]).is_ok()
    }

    fn attempt(
        &self,
        candidate: Candidate,
        blocks: &[Block],
        start: Option<&Start>,
        halt: &Halt,
    ) -> Option<Attempt> {
        let layer = self.inputs.draw(candidate.n, &candidate.recipe);
        let state = self.system.fit(&layer, blocks, start, halt)?;
        let judged = self.judged(candidate, state, &self.examiner, halt);
        halt.unless(judged)
    }

    fn judged(
        &self,
        candidate: Candidate,
        state: State,
        examiner: &Examiner,
        halt: &Halt,
    ) -> Attempt {
        let jets = |residual: &Residual, block: &Block| {
            jets_unless(halt, &state.layer, &state.coefficients, residual, block)
        };
        let verdict = examiner.judge.verdict(&self.system, &state.sought, jets);
        Attempt {
            values: self.values_at(&state, examiner, halt),
            candidate,
            verdict,
            state,
        }
    }

    /// Judges a state at the points that the search has.
    pub(super) fn judged_searching(
        &self,
        candidate: Candidate,
        state: State,
        halt: &Halt,
    ) -> Attempt {
        self.judged(candidate, state, &self.examiner, halt)
    }

    /// Every unknown of a state at the points where the search compares solutions. Of no use once it is ended.
    pub(super) fn values(&self, state: &State, halt: &Halt) -> Vec<f64> {
        self.values_at(state, &self.examiner, halt)
    }

    fn values_at(&self, state: &State, examiner: &Examiner, halt: &Halt) -> Vec<f64> {
        let of = |value: &Residual| {
            let (layer, coefficients) = (&state.layer, &state.coefficients);
            jets_unless(halt, layer, coefficients, value, &examiner.inside).swap_remove(0)
        };
        self.values.iter().flat_map(of).collect()
    }

    /// As much work in a hundred dimensions as in ten.
    fn few(&self, points: usize) -> usize {
        (EXAMINED_NUMBERS / self.system.known.dimension).clamp(SEARCHING, points)
    }

    /// About how many points [`examine`](Self::examine) looks at: as many for every equation, half as many for every condition.
    pub(super) fn examined(&self, points: usize) -> usize {
        let problem = &self.system.problem;
        let halves = 2 * problem.equations.len() + problem.conditions.len();
        self.few(points) * (halves + 1) / 2
    }

    /// Judges attempts anew, at more points than the search had. Of no use once it is ended.
    pub(super) fn examine(
        &self,
        attempts: &[Attempt],
        points: usize,
        crew: Crew<'_>,
    ) -> Result<Vec<Attempt>, DomainError> {
        let points = self.few(points);
        let examiner = &Examiner::new(
            &self.system,
            points,
            &self.system.draw(self.seed).round(Purpose::Examined.round()),
        )?;
        let judged = |k: usize| {
            let Attempt {
                candidate, state, ..
            } = &attempts[k];
            self.judged(candidate.clone(), state.clone(), examiner, crew.halt)
        };
        Ok(each(attempts.len(), crew, &judged))
    }
}

/// Tries all candidates, `threads` at a time, each from its way's start; `watch` is called after each of them and at least every
/// tenth of a second, and says why to end, if so. Attempts that are under way are then dropped, but where nothing is known yet and the time
/// was over: these have a little more. The answers come in the candidates' order and do not depend on `threads`.
pub(super) fn round(
    ways: &mut [Way],
    candidates: &[Candidate],
    starts: &[Option<&Start>],
    threads: usize,
    known: bool,
    mut watch: impl FnMut(Option<&Attempt>) -> Option<Why>,
) -> Result<Vec<Option<Attempt>>, DomainError> {
    let mut points = Vec::with_capacity(candidates.len());
    let begun = Instant::now();
    for c in candidates {
        points.push(ways[c.way].blocks(c)?);
        if begun.elapsed() > LONG && watch(None).is_some() {
            return Ok(Vec::new());
        }
    }
    let (ways, points) = (&*ways, &points);
    let mut done: Vec<Option<Attempt>> = vec![None; candidates.len()];
    let (halt, stop) = (Halt::default(), AtomicBool::new(false));
    let attempt = |i: usize| {
        let candidate: &Candidate = &candidates[i];
        let start = starts[candidate.way];
        ways[candidate.way].attempt(candidate.clone(), &points[i], start, &halt)
    };
    let mut ending: Option<Instant> = None;
    let mut hear = |news: Option<(usize, Option<Attempt>)>| {
        let end = watch(news.as_ref().and_then(|(_, attempt)| attempt.as_ref()));
        if let Some((i, attempt)) = news {
            done[i] = attempt;
        }
        if let Some(why) = end {
            let since = ending.get_or_insert_with(Instant::now).elapsed();
            let nothing = !known && done.iter().all(Option::is_none);
            if !nothing || why == Why::Stopped || since > GRACE {
                halt.raise(why);
            }
        }
        end.is_none()
    };
    side_by_side(candidates.len(), threads, &stop, &attempt, &mut hear);
    Ok(done)
}
