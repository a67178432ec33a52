//! `pieces`: many small frozen layers, each on its own box, joined by rows.
//!
//! ```text
//! u(x) = Σ_j c_pj sin(w_j·ξ + b_j)    on piece p,  ξ = (x − m_p) / h_p                  c by least squares over all rows at once
//! ```
//!
//! One layer over the whole domain is the wrong space for fronts, layers, peaks, long and stiff times; local ones are a spectral element method
//! whose functions are waves. Data flow: a [`Posed`] problem says what is continuous across a cut; [`functions`] are drawn once for all pieces;
//! a [`slab`] holds boxes with their rows and solves them by structure ([`Fronts`](crate::optimise)); [`flaws`] say where it is wrong; a
//! [`level`] cuts again until it is good enough, and [`march`] goes through time. Several levels, each to a smaller tolerance with other
//! functions on another cut, say how large the error is.
//!
//! (Local extreme learning machines: S. Dong, Z. Li, 2021; the random feature method: J. Chen, X. Chi, W. E, Z. Yang, 2022.)

mod answer;
mod cut;
mod flaws;
mod functions;
mod level;
mod march;
mod open;
mod pieced;
mod points;
mod posed;
mod region;
mod rows;
mod scale;
mod slab;
mod split;
mod surface;

pub(super) use pieced::Pieced;
pub(crate) use posed::{obstacle, suits};

use super::reports::{Report, Reports};
use super::system::{Block, EXAMINING, Judge, Residual, Verdict, rms};
use super::{Options, Outcome, Progress};
use crate::domain::{Domain, DomainError};
use crate::problem::Problem;
use crate::solve::purpose::Purpose;
use level::{Asked, Found, Level};
use posed::Posed;
use std::ops::ControlFlow;
use std::time::Instant;

/// [low, high] along each axis.
type Bounds = Vec<[f64; 2]>;

/// Functions of a piece and the largest flaw, level by level, in one, two and three coordinates: through time, and all at once. Every second
/// level has the same first cut, and all at once its cut is gone on with, so that the first two only look where to cut.
const IN_TIME: [&[(usize, f64)]; 3] = [
    &[(16, 1e-5), (24, 1e-8), (32, 1e-11)],
    &[(90, 1e-4), (120, 1e-6), (170, 1e-8)],
    &[(150, 1e-3), (300, 1e-5)],
];
const AT_ONCE: [&[(usize, f64)]; 3] = [
    &[(16, 1e-5), (24, 1e-8), (32, 1e-11)],
    &[(90, 1e-4), (90, 1e-4), (130, 1e-6), (180, 1e-8)],
    &[(120, 1e-2), (200, 1e-4), (300, 1e-5)],
];
/// Multiplications and additions beyond which no level is begun: about two minutes on one core.
const ENOUGH_WORK: f64 = 1.2e12;
/// A single solution with a larger residual may be anything: waves that are not resolved have no size of their own.
const UNRESOLVED: f64 = 1e-3;
/// Points at which solutions are compared, all over the domain; as many again lie in pieces, however small.
const COMPARED: usize = 1_000;

/// The best of all levels, with its figures.
pub(crate) struct Solution {
    pub(crate) pieced: Pieced,
    pub(crate) verdict: Verdict,
    pub(crate) error_estimate: f64,
    pub(crate) outcome: Outcome,
    pub(crate) decisions: Vec<String>,
    pub(crate) reports: Vec<Report>,
    pub(crate) points: usize,
}

/// A level's solution, judged.
struct Judged {
    found: Found,
    verdict: Verdict,
}

/// Solves a problem that has no [`obstacle`]; `None` where nothing was found.
pub(super) fn solve(
    problem: &Problem,
    options: &Options,
    progress: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
) -> Result<Option<Solution>, DomainError> {
    let (started, posed) = (Instant::now(), Posed::new(problem));
    let mut search = Search {
        posed: &posed,
        options,
        started,
        progress,
        judge: Judge::of_local(
            &posed.system,
            [EXAMINING; 2],
            &posed
                .system
                .draw(options.seed)
                .round(Purpose::Examined.round()),
        )?,
        levels: Vec::new(),
        cuts: Vec::new(),
        decisions: Vec::new(),
        stopped: false,
        expired: false,
        work: 0.0,
        last_work: 0.0,
    };
    search.run()?;
    search.finish()
}

struct Search<'a> {
    posed: &'a Posed,
    options: &'a Options,
    started: Instant,
    progress: &'a mut dyn FnMut(&Progress) -> ControlFlow<()>,
    judge: Judge,
    levels: Vec<Judged>,
    /// The boxes of every level.
    cuts: Vec<Vec<Bounds>>,
    decisions: Vec<String>,
    stopped: bool,
    expired: bool,
    /// Multiplications and additions of all levels, and what another one like the last would take.
    work: f64,
    last_work: f64,
}

impl Search<'_> {
    fn run(&mut self) -> Result<(), DomainError> {
        let d = self.posed.system.known.dimension;
        let levels = match self.posed.time {
            Some(_) => IN_TIME[d.clamp(1, 3) - 1],
            None => AT_ONCE[d.clamp(1, 3) - 1],
        };
        let given = self.posed.system.sizes()?.iter();
        let sizes: Vec<f64> = given.map(|s| if *s > 0.0 { *s } else { 1.0 }).collect();
        let mut last = (0.0, 0.0);
        for (k, &(functions, tolerance)) in levels.iter().enumerate() {
            let functions = self.options.width.unwrap_or(functions);
            // as much as another one for each piece, and as much again to compare with
            let dearer = (functions as f64 / f64::max(last.0, 1.0)).powi(3);
            if self.levels.len() > 1 && self.work + 2.0 * dearer * self.last_work > ENOUGH_WORK {
                self.decisions.push(format!(
                    "{functions} functions a piece would take too much work"
                ));
                break;
            }
            if !self.level(k as u64, functions, tolerance, &sizes)? {
                break;
            }
            last = (functions as f64, tolerance);
            if self
                .levels
                .last()
                .is_some_and(|l| l.verdict.residual <= self.options.target)
            {
                break;
            }
        }
        // the last one once more, with other functions on another cut
        if self.levels.len() > 1 && !self.stopped && !self.expired {
            let number = self.cuts.len() as u64;
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a count"
            )]
            self.level(number, last.0 as usize, last.1, &sizes)?;
        }
        Ok(())
    }

    /// One level; whether it came to an end.
    fn level(
        &mut self,
        number: u64,
        functions: usize,
        tolerance: f64,
        sizes: &[f64],
    ) -> Result<bool, DomainError> {
        let asked = Asked {
            functions,
            tolerance,
            seed: self.options.seed.wrapping_mul(101).wrapping_add(number),
            first: [2, 3][usize::try_from(number % 2).unwrap_or(0)],
            pieces: self.options.pieces,
            slabs: self.options.slabs,
        };
        let (started, limit) = (self.started, self.options.time_limit);
        let (mut stopped, mut expired, mut step) = (false, false, 0);
        let best = self
            .levels
            .iter()
            .map(|l| l.verdict.residual)
            .fold(f64::INFINITY, f64::min);
        let progress = &mut *self.progress;
        let mut go_on = |flaw: f64, _: usize| {
            step += 1;
            let seconds = started.elapsed().as_secs_f64();
            expired |= seconds > limit;
            let news = Progress {
                seconds,
                step,
                steps: None,
                width: functions,
                loss: None,
                error: None,
                residual: flaw,
                best: best.min(flaw),
            };
            stopped |= progress(&news).is_break();
            !stopped && !expired
        };
        let mut level = Level::new(self.posed, asked, self.options.threads(), &mut go_on);
        if let Err(error) = level.require_memory() {
            self.decisions.push(error.to_string());
            return if self.levels.is_empty() {
                Err(error.into())
            } else {
                Ok(false)
            };
        }
        // every second level goes on with the cut of the one before the last: neighbours have no cut in common
        let cut = self
            .cuts
            .iter()
            .rev()
            .nth(1)
            .cloned()
            .filter(|_| self.posed.time.is_none());
        let found = level.solve(sizes, cut);
        self.work += level.work;
        self.last_work = level.ahead;
        (self.stopped, self.expired) = (stopped, expired);
        let Some(found) = found else {
            return Ok(false);
        };
        self.cuts.push(found.pieced.cells.clone());
        let jets = |r: &Residual, b: &Block| found.pieced.jets(self.posed, r, b);
        let mut verdict = self.judge.verdict(&self.posed.system, &[], jets);
        verdict.residual = verdict.residual.max(found.flaw);
        self.decisions.push(format!(
            "{functions} functions a piece, flaws up to {tolerance:.0e}: {:.1e} with {} pieces{}",
            verdict.residual,
            found.pieced.boxes.len(),
            if found.slabs > 1 {
                format!(" in {} slabs", found.slabs)
            } else {
                String::new()
            },
        ));
        if verdict.residual.is_finite() {
            self.levels.push(Judged { found, verdict });
        }
        Ok(true)
    }

    /// Values of all unknowns, one after the other, where solutions are compared.
    fn values(&self, of: &Found, points: &[f64]) -> Vec<f64> {
        let value = |u: usize| {
            let r = self.posed.known(u, &[]);
            let block = Block::new(r, self.posed.system.known.bare_sites(points));
            of.pieced
                .jets(self.posed, &self.posed.system.residuals[r], &block)
                .swap_remove(0)
        };
        (0..self.posed.unknowns()).flat_map(value).collect()
    }

    fn finish(mut self) -> Result<Option<Solution>, DomainError> {
        self.levels
            .sort_by(|a, b| a.verdict.residual.total_cmp(&b.verdict.residual));
        let Some(best) = self.levels.first() else {
            return Ok(None);
        };
        let system = &self.posed.system;
        let mut points = system.problem.domain.interior(
            COMPARED,
            &system
                .draw(self.options.seed)
                .round(Purpose::Compared.round())
                .held_out(),
        )?;
        points.extend(in_pieces(&best.found.pieced, &system.problem.domain));
        let values = self.values(&best.found, &points);
        let unknowns = self.posed.unknowns();
        let n = points.len() / system.known.dimension;
        // other functions on other cuts: what they differ by is the error of the worse, and by its share that of the better
        let mut error_estimate = f64::EPSILON;
        for other in &self.levels[1..] {
            let theirs = self.values(&other.found, &points);
            let apart = (0..unknowns).map(|u| {
                let (x, y) = (&values[u * n..(u + 1) * n], &theirs[u * n..(u + 1) * n]);
                let off: Vec<f64> = x.iter().zip(y).map(|(x, y)| x - y).collect();
                rms(&off) / rms(x).max(f64::MIN_POSITIVE)
            });
            let share = (2.0 * best.verdict.residual / other.verdict.residual).min(1.0);
            error_estimate = error_estimate.max(share * apart.fold(0.0, f64::max));
        }
        if self.levels.len() == 1 {
            error_estimate = best.verdict.slow.max(best.verdict.residual);
            if best.verdict.residual > UNRESOLVED {
                error_estimate = error_estimate.max(1.0);
            }
        }
        let reports = if system.problem.reports.is_empty() {
            Vec::new()
        } else {
            let reports = Reports::new(system)?;
            let all = self.levels.iter().map(|l| {
                let jets = |r: &Residual, b: &Block| l.found.pieced.jets(self.posed, r, b);
                (reports.sums(&[], jets), l.verdict.residual)
            });
            let all: Vec<_> = all.collect();
            let jets = |r: &Residual, b: &Block| best.found.pieced.jets(self.posed, r, b);
            let coarse = reports.coarseness(&all[0].0, &[], jets);
            reports.judged(&all[0], &all[1..], &coarse, error_estimate)
        };
        let outcome = match () {
            () if self.stopped => Outcome::Stopped,
            () if best.verdict.residual <= self.options.target => Outcome::TargetReached,
            () if self.expired => Outcome::BudgetSpent,
            () => Outcome::Converged,
        };
        let best = self.levels.swap_remove(0);
        let [inside, _] =
            rows::points_an_axis(&best.found.pieced.functions, system.known.dimension);
        let each = inside.pow(u32::try_from(system.known.dimension).unwrap_or(1));
        Ok(Some(Solution {
            points: each * best.found.pieced.boxes.len(),
            pieced: best.found.pieced,
            verdict: best.verdict,
            error_estimate,
            outcome,
            decisions: self.decisions,
            reports,
        }))
    }
}

/// Points in pieces, as many in a small as in a large one.
fn in_pieces(pieced: &Pieced, domain: &Domain) -> Vec<f64> {
    let boxes = &pieced.boxes;
    let place = |i: usize| {
        let bounds = &boxes[i * boxes.len() / COMPARED.max(boxes.len())];
        let at = |(k, [low, high]): (usize, &[f64; 2])| {
            let u = (0.5
                + 0.618_033_988_749_895f64.powi(i32::try_from(k).unwrap_or(0) + 1) * i as f64)
                .fract();
            low + (high - low) * u
        };
        bounds.iter().enumerate().map(at).collect::<Vec<f64>>()
    };
    let places = (0..COMPARED.max(boxes.len())).map(place);
    places.filter(|x| domain.contains(x)).flatten().collect()
}
