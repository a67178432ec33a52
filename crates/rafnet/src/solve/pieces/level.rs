//! One solution to a given tolerance: the cut is refined until no piece has a larger flaw; in time, slab after slab.

use super::cut::{around_places, between, breaks, places, shared_faces};
use super::flaws::Flaw;
use super::functions::Functions;
use super::open::Open;
use super::pieced::Pieced;
use super::rows::Beginning;
use super::slab::{Slab, fronts};
use super::{Bounds, Posed};
use crate::expr::{larger, largest};
use crate::halt::Crew;
use crate::optimise::n_kept;
use crate::posed::{Block, Residual};
use std::sync::Arc;

/// The most pieces of one slab, at first.
pub(super) const MOST_PIECES: usize = 600;
/// Multiplications and additions after which a level ends, at first: about 40 s on one core.
pub(super) const MOST_WORK: f64 = 4e11;
/// From so many pieces on it is looked whether a coarse solution is better with what pieces decide alone decided first: waves are, layers not.
const PROBED: usize = 24;
/// Rounds of refinement that a level takes from the cut of another one.
const ROUNDS_AHEAD: f64 = 3.0;
/// The most rounds of refinement of one slab.
const MOST_ROUNDS: usize = 40;
/// Below this flaw two rounds that do not help are the end.
const FINE: f64 = 1e-6;
/// Above this flaw functions do not resolve the solution yet, and everything stays open, with up to two coordinates; with three, where that costs
/// five times as much, above the other, and not at first.
const COARSE: [f64; 2] = [1e-3, 1e-2];
/// A layer that no piece resolves yet can be met by bending the solution everywhere, and nothing says where the layer is. Where, of this many
/// pieces, half have large flaws while everything is coarse, conditions weigh so much less than equations: then they are missed at the layer.
const MANY: usize = 6;
const WEAK: f64 = 1e-3;

/// What a solution is asked for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asked {
    pub(super) functions: usize,
    pub(super) tolerance: f64,
    pub(super) seed: u64,
    /// Pieces along each axis in space to begin with.
    pub(super) first: usize,
    /// Pieces and slabs that are not to be changed.
    pub(super) pieces: Option<usize>,
    pub(super) slabs: Option<usize>,
    /// Multiplications and additions after which the level ends, and the most pieces of a slab.
    pub(super) most_work: f64,
    pub(super) most_pieces: usize,
}

/// A solution and what is wrong with it.
#[derive(Clone)]
pub(super) struct Found {
    pub(super) pieced: Pieced,
    /// The largest flaw of any piece.
    pub(super) flaw: f64,
    /// What sources make that hide in small pieces.
    pub(super) hidden: f64,
    /// How many slabs.
    pub(super) slabs: usize,
}

/// One level of the search.
pub(super) struct Level<'a> {
    pub(super) posed: &'a Posed,
    pub(super) asked: Asked,
    pub(super) functions: Arc<Functions>,
    pub(super) crew: Crew<'a>,
    /// Hears of the largest flaw and the number of pieces, says whether to go on.
    pub(super) go_on: &'a mut dyn FnMut(f64, usize) -> bool,
    /// Flaws that shorter slabs do not lower.
    pub(super) floor: f64,
    /// Multiplications and additions so far.
    pub(super) work: f64,
    /// What another level like this one would take: all of time again, or a few rounds from here on.
    pub(super) ahead: f64,
}

/// A slab that was solved.
pub(super) struct Solved {
    pub(super) pieced: Pieced,
    pub(super) flaws: Vec<Flaw>,
    pub(super) hidden: f64,
    pub(super) sizes: Vec<f64>,
}

impl Solved {
    pub(super) fn flaw(&self) -> f64 {
        largest(self.flaws.iter().map(|f| f.size))
    }
}

impl<'a> Level<'a> {
    pub(super) fn new(
        posed: &'a Posed,
        asked: Asked,
        crew: Crew<'a>,
        go_on: &'a mut dyn FnMut(f64, usize) -> bool,
    ) -> Self {
        let d = posed.system.known.dimension;
        let functions = Functions::draw(asked.functions, d, asked.seed);
        let functions = Arc::new(functions.solving(posed.symbol.as_ref(), asked.seed));
        Self {
            posed,
            asked,
            functions,
            crew,
            go_on,
            floor: 0.0,
            work: 0.0,
            ahead: 0.0,
        }
    }

    /// Solves, refines, and goes through time.
    pub(super) fn solve(
        &mut self,
        sizes: &[f64],
        cut: Option<Vec<Bounds>>,
        start: Option<&Pieced>,
    ) -> Option<Found> {
        if let Some(time) = self.posed.time {
            return self.march(time, sizes);
        }
        let domain = self.posed.system.problem.domain.bounds();
        let is_first = cut.is_none();
        let boxes = cut.unwrap_or_else(|| self.first_cut(domain));
        let solved = self.refine(boxes, is_first, sizes, start)?;
        let kink = largest(solved.flaws.iter().map(|f| f.kink));
        Some(Found {
            // no equation of second order has a solution with a kink
            flaw: larger(solved.flaw(), kink),
            hidden: solved.hidden,
            pieced: solved.pieced,
            slabs: 1,
        })
    }

    /// Refuses a cut that was asked for and does not fit into memory.
    pub(super) fn require_memory(&self) -> Result<(), rafnet_memory::NotEnough> {
        let Some(asked) = self.asked.pieces else {
            return Ok(());
        };
        // each piece's own rows, before anything is made of so many
        let width = self.functions.len() * self.posed.unknowns();
        let open = Open::everything(self.posed, &self.functions).little();
        rafnet_memory::require(fronts(asked), &[asked, width, open.columns(), 2, 8])?;
        let cells = self.first_cut(self.posed.system.problem.domain.bounds());
        let faces = shared_faces(&self.posed.system.problem, &cells);
        let joins = faces.iter().map(|f| &f.pieces[..]);
        let kept = n_kept(cells.len(), open.columns(), joins);
        rafnet_memory::require(fronts(cells.len()), &[kept, 2, 8])
    }

    /// Boxes between the places where the equation breaks, and equal ones between these; as many equal ones as are asked for.
    pub(super) fn first_cut(&self, bounds: &[[f64; 2]]) -> Vec<Bounds> {
        let space = (0..bounds.len())
            .filter(|k| Some(*k) != self.posed.time)
            .count();
        let each = match self.asked.pieces {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a count"
            )]
            Some(n) => (n as f64).powf(1.0 / space.max(1) as f64).round().max(1.0) as usize,
            None => self.asked.first,
        };
        let problem = &self.posed.system.problem;
        let along = |(k, ends): (usize, &[f64; 2])| {
            if Some(k) == self.posed.time {
                ends.to_vec()
            } else if self.asked.pieces.is_some() && problem.fluxes.is_empty() {
                places(*ends, &[], each)
            } else {
                places(*ends, &breaks(problem, k, self.posed.time), each)
            }
        };
        let cells = between(&bounds.iter().enumerate().map(along).collect::<Vec<_>>());
        let cells = match self.asked.pieces {
            Some(_) => cells,
            None => around_places(cells, problem, self.posed.time),
        };
        self.posed.region.kept(cells)
    }

    /// Boundary values and everything between, from a solution of another level: the cut is refined until it is good enough.
    fn refine(
        &mut self,
        mut boxes: Vec<Bounds>,
        is_first: bool,
        sizes: &[f64],
        start: Option<&Pieced>,
    ) -> Option<Solved> {
        let mut sizes = sizes.to_vec();
        let fixed = self.asked.pieces.is_some();
        let (mut best, mut last): (Option<Solved>, _) = (None, start.cloned());
        let (mut idle, mut coarse, mut spread, first) = (
            0,
            is_first && !fixed && !self.posed.is_solid(),
            false,
            boxes.clone(),
        );
        let mut decided = false;
        for _ in 0..MOST_ROUNDS {
            let before = best.as_ref().map_or(f64::INFINITY, Solved::flaw);
            let crude = coarse && !decided;
            let weight = if crude && spread { WEAK } else { 1.0 };
            let Some(mut solved) =
                self.once(&boxes, (crude, weight), &sizes, last.as_ref(), before)
            else {
                break;
            };
            if crude && boxes.len() >= PROBED && self.is_coarse(solved.flaw()) {
                let start = Some(&solved.pieced);
                let other = self.once(&boxes, (false, 1.0), &sizes, start, before);
                if let Some(other) = other.filter(|o| o.flaw() < solved.flaw()) {
                    (solved, decided) = (other, true);
                }
            }
            sizes.clone_from(&solved.sizes);
            let now = solved.flaw();
            coarse = self.is_coarse(now) && !fixed;
            idle = if now < 0.7 * before { 0 } else { idle + 1 };
            let split = self.split(&solved);
            last = Some(solved.pieced.clone());
            if now <= before || before > FINE {
                best = Some(solved);
            }
            let dear = self.work > self.asked.most_work;
            let over =
                dear || now <= self.asked.tolerance || fixed || now.min(before) < FINE && idle >= 2;
            if over || split.len() == boxes.len() || split.len() > self.asked.most_pieces {
                break;
            }
            // most pieces at once: the solution is bent everywhere
            if coarse && !spread && boxes.len() >= MANY && 2 * split.len() >= 3 * boxes.len() {
                (spread, boxes, last) = (true, first.clone(), start.cloned());
            } else {
                boxes = split;
            }
        }
        best
    }

    /// Whether the functions do not resolve the solution yet.
    pub(super) fn is_coarse(&self, flaw: f64) -> bool {
        flaw > self.posed.flat_or_solid(COARSE)
    }

    /// The solution on a cut, with conditions that weigh so much.
    fn once(
        &mut self,
        boxes: &[Bounds],
        (crude, weight): (bool, f64),
        sizes: &[f64],
        last: Option<&Pieced>,
        flaw: f64,
    ) -> Option<Solved> {
        let (posed, functions) = (self.posed, Arc::clone(&self.functions));
        let start = |_: usize, r: &Residual, b: &Block| match last {
            Some(pieced) => pieced.jets(posed, r, b),
            None => posed.system.guessed(b),
        };
        let slab = Slab::new(
            posed,
            &functions,
            boxes.to_vec(),
            &Beginning::Given,
            sizes.to_vec(),
            self.crew,
        );
        let slab = slab.with_conditions_weighing(weight);
        let slab = if crude { slab } else { slab.condensed() };
        slab.require_memory().ok()?;
        let go_on = &mut *self.go_on;
        let (pieced, work) = slab.fit(&start, &mut || go_on(flaw, boxes.len()))?;
        self.work += work;
        self.ahead = ROUNDS_AHEAD * work * slab.open.cheaper();
        let flaws = slab.flaws(&pieced);
        if self.crew.halt.is_raised() {
            return None;
        }
        Some(Solved {
            pieced,
            sizes: at_least(&flaws.sizes, sizes, 1e-6),
            hidden: flaws.hidden,
            flaws: flaws.each,
        })
    }
}

/// Sizes as they were found, but not below a share of those before.
pub(super) fn at_least(found: &[f64], before: &[f64], share: f64) -> Vec<f64> {
    let pairs = found.iter().zip(before);
    let pick = |(f, b): (&f64, &f64)| match f.max(share * b) {
        size if size > 0.0 && size.is_finite() => size,
        _ => *b,
    };
    pairs.map(pick).collect()
}
