//! Time in slabs, one after the other: each begins with what the one before ended with, its length and its cut follow its flaws.
//!
//! A slab whose flaws come from time is shortened, one whose flaws come from space is cut again; when it is good enough the next one may be
//! longer, and neighbours that need not be two become one.

use super::Bounds;
use super::cut::breaks;
use super::flaws::Flaw;
use super::level::{Found, Level, Solved, at_least};
use super::longer::Longer;
use super::pieced::Pieced;
use super::rows::Beginning;
use super::runaway::Trail;
use super::slab::Slab;
use super::start::fit;
use crate::expr::{larger, largest};
use std::sync::Arc;

/// The first slab's share of the time, with up to two coordinates and with three, where slabs are dear.
const FIRST: [f64; 2] = [0.1, 0.3];
/// How much longer the next slab may be, the same two, and how much shorter one that failed is.
const LONGER: [f64; 2] = [1.6, 1.3];
const SHORTER: f64 = 0.5;
/// The shortest slab, as a share of the time.
const SHORTEST: f64 = 1e-9;
/// Tries of one slab.
const MOST_TRIES: usize = 40;
/// Flaws fall with the length of a slab to this power, at least.
const POWER: f64 = 8.0;
/// Neighbours whose flaws are both below this share of the tolerance are joined.
const NEEDLESS: f64 = 1e-3;
/// A solution whose roughness in time is below this share of that in space is smooth in time; the same two.
const SMOOTH: [f64; 2] = [0.1, 0.5];
/// Slabs, at most.
const MOST_SLABS: usize = 5_000;
/// Multiplications and additions of a level from which on it is looked whether the solution runs away.
const WATCHED: f64 = 1e10;
/// An unknown's size in a slab counts as no less than this share of its size before.
const FADED: f64 = 1e-3;

impl Level<'_> {
    /// All of time.
    pub(super) fn march(&mut self, time: usize, sizes: &[f64]) -> Option<Found> {
        let domain = self.posed.system.problem.domain.bounds().to_vec();
        let [first, last] = domain[time];
        let whole = last - first;
        let fixed = self.asked.slabs.map(|n| whole / n as f64);
        let mut length = fixed.unwrap_or(
            self.posed.flat_or_solid(FIRST) * whole / (1.0 + 0.3 * self.asked.first as f64),
        );
        let (mut now, mut flaw, mut slabs) = (first, 0.0f64, 0);
        let mut cut = self.first_cut(&domain);
        let breaks: Vec<Vec<f64>> = (0..domain.len())
            .map(|k| breaks(&self.posed.system.problem, k, Some(time)))
            .collect();
        let mut sizes = sizes.to_vec();
        let mut trail = Trail::new(&sizes, last);
        let (mut all, mut before): (Option<Pieced>, Option<Pieced>) = (None, None);
        while now < last && slabs < MOST_SLABS && self.work < self.asked.most_work {
            // no sliver at the end, and none before a break
            let next = breaks[time].iter().find(|at| **at > now);
            let stop = next.copied().filter(|_| fixed.is_none()).unwrap_or(last);
            let left = stop - now;
            let end = match length {
                l if l > 0.999 * left => stop,
                l if l > 0.5 * left && fixed.is_none() => now + 0.5 * left,
                l => now + l,
            };
            let (solved, end) = self.slab(time, [now, end], cut, before.as_ref(), &sizes)?;
            let reached = solved.flaw();
            flaw = larger(flaw, reached);
            slabs += 1;
            let longer = self.posed.flat_or_solid(LONGER);
            let next = if smooth_in_time(&solved.flaws, time, self.posed.flat_or_solid(SMOOTH)) {
                longer
            } else {
                let tolerance = self.asked.tolerance.max(self.floor);
                0.9 * (tolerance / reached.max(1e-300)).powf(1.0 / POWER)
            };
            length = fixed.unwrap_or((end - now) * next.clamp(SHORTER, longer));
            cut = self.joined_again(&solved.pieced.cells, &solved.flaws, time, &breaks);
            sizes = at_least(&solved.sizes, &sizes, FADED);
            trail.push([now, end], &solved.sizes);
            if self.work > WATCHED && trail.runs_away() {
                return None;
            }
            now = end;
            before = Some(solved.pieced.clone());
            match &mut all {
                Some(all) => all.extend(solved.pieced),
                None => all = Some(solved.pieced),
            }
        }
        self.ahead = self.work;
        (now >= last).then_some(())?;
        Some(Found {
            pieced: all?,
            flaw,
            hidden: 0.0, // looked for in space alone
            slabs,
        })
    }

    /// One slab, until it is good enough: the solution and where it ends.
    fn slab(
        &mut self,
        time: usize,
        [begin, mut end]: [f64; 2],
        mut cut: Vec<Bounds>,
        before: Option<&Pieced>,
        sizes: &[f64],
    ) -> Option<(Solved, f64)> {
        let [first, last] = self.posed.system.problem.domain.bounds()[time];
        let mut sizes = sizes.to_vec();
        let mut kept: Option<(Solved, f64)> = None;
        let mut start: Option<Pieced> = None;
        let fixed = self.asked.slabs.is_some();
        let mut coarse = before.is_none() && !self.posed.is_solid();
        let materials = !self.posed.system.problem.fluxes.is_empty();
        let mut longer = Longer::default();
        for _ in 0..MOST_TRIES {
            cut.iter_mut().for_each(|b| b[time] = [begin, end]);
            let tried = self.once_in_time(time, &cut, before, &mut start, (&sizes, coarse));
            if !(self.go_on)(
                kept.as_ref().map_or(f64::INFINITY, |k| k.0.flaw()),
                cut.len(),
            ) {
                return None;
            }
            let shortest = end - begin <= SHORTEST * (last - first) || fixed;
            let Some(solved) = tried else {
                if shortest {
                    return kept;
                }
                end = begin + 0.3 * (end - begin);
                start = start.filter(|_| before.is_none());
                continue;
            };
            let (flaw, was) = (
                solved.flaw(),
                kept.as_ref().map_or(f64::INFINITY, |k| k.0.flaw()),
            );
            let sizes_off = solved
                .sizes
                .iter()
                .zip(&sizes)
                .any(|(f, s)| *f > 10.0 * s || 10.0 * f < *s && before.is_none());
            if sizes_off && was.is_infinite() {
                sizes = at_least(&solved.sizes, &sizes, FADED);
            }
            let split = self.split(&solved);
            coarse = self.is_coarse(flaw);
            let in_time = in_time(&solved.flaws, time, self.asked.tolerance);
            let helped = flaw < 0.5 * was;
            let (tolerance, pieces_fixed) = (self.asked.tolerance, self.asked.pieces.is_some());
            start = Some(solved.pieced.clone());
            if flaw < was || helped {
                kept = Some((solved, end));
            }
            let hopeless = flaw < 1e-8 && !helped && was.is_finite();
            if flaw <= tolerance.max(self.floor) || hopeless {
                return kept;
            }
            if materials && let Some((slab, floor)) = longer.or(flaw, [begin, end], tolerance) {
                self.floor = floor;
                return Some(slab);
            }
            let may_split = split.len() > cut.len() && !pieces_fixed && split.len() <= 200;
            let may_shorten = !shortest;
            if may_shorten && (in_time || !may_split) {
                let shorter = (0.8 * (tolerance / flaw).powf(1.0 / POWER)).clamp(0.2, 0.7);
                end = begin + shorter * (end - begin);
                longer.keep(kept.take());
            } else if may_split {
                cut = split;
            } else {
                return kept;
            }
        }
        kept
    }

    /// A slab on a given cut, by Newton's method from a start, which in the first slab are the initial values unless there is one.
    fn once_in_time(
        &mut self,
        time: usize,
        cut: &[Bounds],
        before: Option<&Pieced>,
        start: &mut Option<Pieced>,
        (sizes, coarse): (&[f64], bool),
    ) -> Option<Solved> {
        let beginning = before.map_or(Beginning::Given, Beginning::After);
        let functions = Arc::clone(&self.functions);
        let slab = Slab::new(
            self.posed,
            &functions,
            cut.to_vec(),
            &beginning,
            sizes.to_vec(),
            self.crew,
        );
        let slab = if coarse { slab } else { slab.condensed() };
        if start.is_none() && before.is_none() {
            *start = self.still(&slab, time);
        }
        let (pieced, work) = fit(&slab, time, before, start.as_ref())?;
        self.work += work;
        let flaws = slab.flaws(&pieced);
        self.crew.halt.unless(Solved {
            pieced,
            flaws: flaws.each,
            hidden: flaws.hidden,
            sizes: flaws.sizes,
        })
    }

    /// The boxes with neighbours joined that need not be two.
    fn joined_again(
        &self,
        boxes: &[Bounds],
        flaws: &[Flaw],
        time: usize,
        breaks: &[Vec<f64>],
    ) -> Vec<Bounds> {
        let space: Vec<usize> = (0..boxes[0].len()).filter(|k| *k != time).collect();
        let &[axis] = &space[..] else {
            return boxes.to_vec();
        };
        if self.asked.pieces.is_some() {
            return boxes.to_vec();
        }
        let mut pairs: Vec<(Bounds, f64)> = boxes
            .iter()
            .cloned()
            .zip(flaws.iter().map(|f| f.size))
            .collect();
        pairs.sort_by(|a, b| a.0[axis][0].total_cmp(&b.0[axis][0]));
        let mut joined: Vec<(Bounds, f64)> = Vec::new();
        let small = NEEDLESS * self.asked.tolerance;
        for (bounds, flaw) in pairs {
            match joined.last_mut() {
                Some((last, other))
                    if flaw.max(*other) < small
                        && pieces_left(boxes.len())
                        && !breaks[axis].contains(&last[axis][1]) =>
                {
                    last[axis][1] = bounds[axis][1];
                    *other = f64::INFINITY; // one at a time
                }
                _ => joined.push((bounds, flaw)),
            }
        }
        joined.into_iter().map(|j| j.0).collect()
    }
}

/// A cut of one piece has nothing to join.
fn pieces_left(n: usize) -> bool {
    n > 2
}

/// Whether the solution is so much smoother in time than in space that flaws cannot come from time.
fn smooth_in_time(flaws: &[Flaw], time: usize, share: f64) -> bool {
    let most = |time_too: bool| {
        let tails = flaws.iter().flat_map(|f| f.tails.iter().enumerate());
        let wanted = tails.filter(move |(k, _)| (*k == time) == time_too);
        largest(wanted.map(|t| *t.1))
    };
    most(true) < share * most(false)
}

/// Whether the flaws that are too large come from time rather than from space.
fn in_time(flaws: &[Flaw], time: usize, tolerance: f64) -> bool {
    let too_large = flaws.iter().filter(|f| f.size > tolerance);
    let rougher = |f: &Flaw| {
        let space = f.tails.iter().enumerate().filter(|(k, _)| *k != time);
        f.tails[time] > largest(space.map(|s| *s.1))
    };
    let (mut yes, mut all) = (0, 0);
    for flaw in too_large {
        all += 1;
        yes += usize::from(rougher(flaw));
    }
    2 * yes >= all
}
