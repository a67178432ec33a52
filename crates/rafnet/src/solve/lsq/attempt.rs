//! Attempts: a layer is drawn, fitted and judged; a round makes several at once, one a thread.

use super::features::jets_unless;
use super::hot::Hot;
use super::newton::{Halt, State};
use super::recipe::{Family, Inputs, Recipe};
use super::start::Start;
use crate::activation::random;
use crate::domain::{DomainError, Draw};
use crate::expr::{Expr, Leaf};
use crate::problem::Problem;
use crate::solve::purpose::Purpose;
use crate::solve::side_by_side::side_by_side;
use crate::solve::system::{Block, Judge, Kind, Residual, SEARCHING, System, Verdict, spectra};
use rand::RngExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How far from a point of interest, as a share of the extent.
const NEAR: f64 = 0.01;

/// Coordinates of the points at which answers are examined, at most, unless the search had more.
const EXAMINED_NUMBERS: usize = 80_000;

/// How long attempts go on after the end was asked for: a first solution is worth more than none.
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
    blocks: Vec<(Drawn, Arc<Vec<Block>>)>,
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

/// Which training points: for how many functions, which draw, and of which points of interest (0: none).
type Drawn = (usize, u64, u64);

/// A layer to try.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub(super) way: usize,
    pub(super) n: usize,
    pub(super) recipe: Recipe,
    /// Which draw of points.
    pub(super) points: u64,
}

impl Candidate {
    /// Candidates that share these are near copies of one another.
    pub(super) fn kin(&self) -> (usize, Family, usize, u64, u64) {
        let recipe = &self.recipe;
        let few = recipe.groups.as_ref().map_or(0, |g| g.size());
        (self.way, recipe.family, few, recipe.seed, self.points)
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

impl Way {
    pub(super) fn new(
        name: &'static str,
        problem: Problem,
        corners: usize,
        seed: u64,
    ) -> Result<Self, DomainError> {
        let system = System::new(problem);
        let (draw, domain) = (system.draw(seed), &system.problem.domain);
        let examiner = Examiner::new(&system, SEARCHING, &draw)?;
        let through = domain.interior(16, &draw.round(Purpose::Spectrum.round()))?;
        let mut ranges = domain.bounds().to_vec();
        let value = system.known.wanted.place(&[]);
        for jets in &examiner.inside.sites.inputs {
            let fold = |start: f64, pick: fn(f64, f64) -> f64| {
                jets[value].iter().copied().fold(start, pick)
            };
            let (low, high) = (
                fold(f64::INFINITY, f64::min),
                fold(f64::NEG_INFINITY, f64::max),
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
        Ok(Self {
            name,
            inputs: Inputs {
                ranges,
                spectra: spectra(&system, &through),
                periodic: system.problem.periodic.clone(),
                corners,
                hot: Hot::default(),
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

    /// The training points for a candidate, drawn once.
    fn blocks(&mut self, candidate: &Candidate) -> Result<Arc<Vec<Block>>, DomainError> {
        let focused = candidate.recipe.focus > 0.0;
        let (n, round) = (candidate.n, candidate.points);
        let key = (n, round, if focused { self.heated } else { 0 });
        if let Some((_, known)) = self.blocks.iter().find(|b| b.0 == key) {
            return Ok(Arc::clone(known));
        }
        let problem = &self.system.problem;
        let (unknowns, equations) = (problem.unknowns.len(), problem.equations.len().max(1));
        let inside = (2 * n * unknowns / equations).max(40);
        let edge = if self.system.known.dimension == 1 {
            2
        } else {
            (n * unknowns).max(40)
        };
        let draw = self.system.draw(self.seed).round(round);
        let more = if focused {
            self.nearby(inside)
        } else {
            Vec::new()
        };
        let drawn = Arc::new(self.system.blocks(inside, edge, &draw, &more)?);
        if self.blocks.len() > 3 {
            self.blocks.remove(0);
        }
        self.blocks.push((key, Arc::clone(&drawn)));
        Ok(drawn)
    }

    /// `n` points near the points of interest.
    fn nearby(&self, n: usize) -> Vec<f64> {
        let (d, hot) = (self.system.known.dimension, &self.inputs.hot.points);
        let mut random = random(self.seed ^ self.heated);
        let mut points = Vec::with_capacity(n * d);
        let count = hot.len() / d.max(1);
        for i in 0..if count > 0 { n } else { 0 } {
            let centre = &hot[(i * count / n) * d..][..d];
            let near = |k: usize, u: f64| {
                let [low, high] = self.inputs.ranges[k];
                (centre[k] + NEAR * (high - low) * (2.0 * u - 1.0)).clamp(low, high)
            };
            let x: Vec<f64> = (0..d).map(|k| near(k, random.random::<f64>())).collect();
            let inside = self.system.problem.domain.contains(&x);
            points.extend(if inside { &x[..] } else { centre });
        }
        points
    }

    /// How many points a layer of `n` functions was fitted to.
    pub(super) fn rows(&self, n: usize) -> usize {
        let drawn = self.blocks.iter().rev().find(|b| b.0.0 == n);
        drawn.map_or(0, |(_, blocks)| blocks.iter().map(|b| b.sites.n).sum())
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
        let judged = self.judged(candidate, state, &self.examiner, &halt.abandon);
        (!halt.abandon.load(Ordering::Relaxed)).then_some(judged)
    }

    fn judged(
        &self,
        candidate: Candidate,
        state: State,
        examiner: &Examiner,
        abandoned: &AtomicBool,
    ) -> Attempt {
        let jets = |residual: &Residual, block: &Block| {
            jets_unless(
                abandoned,
                &state.layer,
                &state.coefficients,
                residual,
                block,
            )
        };
        let verdict = examiner.judge.verdict(&self.system, &state.sought, jets);
        let values = self
            .values
            .iter()
            .flat_map(|value| jets(value, &examiner.inside).swap_remove(0));
        Attempt {
            values: values.collect(),
            candidate,
            verdict,
            state,
        }
    }

    /// Judges attempts anew, at more points than the search had, each by a thread.
    pub(super) fn examine(
        &self,
        attempts: Vec<Attempt>,
        points: usize,
    ) -> Result<Vec<Attempt>, DomainError> {
        // as much work in a hundred dimensions as in ten
        let points = (EXAMINED_NUMBERS / self.system.known.dimension).clamp(SEARCHING, points);
        let examiner = &Examiner::new(
            &self.system,
            points,
            &self.system.draw(self.seed).round(Purpose::Examined.round()),
        )?;
        let never = &AtomicBool::new(false);
        Ok(std::thread::scope(|scope| {
            let judged =
                |a: Attempt| scope.spawn(|| self.judged(a.candidate, a.state, examiner, never));
            let running: Vec<_> = attempts.into_iter().map(judged).collect();
            running.into_iter().filter_map(|r| r.join().ok()).collect()
        }))
    }
}

/// Tries all candidates, `threads` at a time, each from its way's start; `watch` is called after each of them and at least every
/// tenth of a second, and says whether to go on. The answers come in the candidates' order and do not depend on `threads`.
pub(super) fn round(
    ways: &mut [Way],
    candidates: &[Candidate],
    starts: &[Option<&Start>],
    threads: usize,
    halt: &Halt,
    mut watch: impl FnMut(Option<&Attempt>) -> bool,
) -> Result<Vec<Option<Attempt>>, DomainError> {
    let mut points = Vec::with_capacity(candidates.len());
    let begun = Instant::now();
    for c in candidates {
        points.push(ways[c.way].blocks(c)?);
        if begun.elapsed() > LONG && !watch(None) {
            return Ok(Vec::new());
        }
    }
    let (ways, points) = (&*ways, &points);
    let mut done: Vec<Option<Attempt>> = vec![None; candidates.len()];
    let attempt = |i: usize| {
        let candidate: &Candidate = &candidates[i];
        let start = starts[candidate.way];
        ways[candidate.way].attempt(candidate.clone(), &points[i], start, halt)
    };
    let mut ending: Option<Instant> = None;
    let mut hear = |news: Option<(usize, Option<Attempt>)>| {
        let go_on = watch(news.as_ref().and_then(|(_, attempt)| attempt.as_ref()));
        if let Some((i, attempt)) = news {
            done[i] = attempt;
        }
        if !go_on {
            let since = ending.get_or_insert_with(Instant::now).elapsed();
            halt.abandon.store(since > GRACE, Ordering::Relaxed);
        }
        go_on
    };
    side_by_side(candidates.len(), threads, &halt.stop, &attempt, &mut hear);
    Ok(done)
}
