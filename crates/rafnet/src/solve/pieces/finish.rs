//! The best of all levels, and how large its error is: solutions on one cut share the errors of its joins, so others are compared with it.

use super::pieced::Pieced;
use super::rows::Beginning;
use super::search::{Judged, Search};
use super::slab::Slab;
use super::{Solution, rows};
use crate::domain::{Domain, DomainError};
use crate::expr::{larger, largest};
use crate::halt::Crew;
use crate::posed::{Block, Distance, Purpose, Residual, UNRESOLVED, Verdict};
use crate::run::Outcome;
use crate::solve::figures::Evidence;
use crate::solve::reports::{Measured, Reports};
use crate::solve::solved::SAME;

/// Points at which solutions are compared, all over the domain; as many again lie in pieces, however small. Not where data clash or
/// have a kink: pieces gather there, and hardly anything of the solution is in them.
const COMPARED: usize = 1_000;

/// Residuals that differ by less say nothing of how fast solutions come nearer.
const ROUGHER: f64 = 10.0;

/// How fast distances fell from one solution to a nearer one whose residual is so many times smaller: not at all, up to as fast.
fn order_of(rougher: f64) -> impl Fn(f64, f64) -> f64 {
    move |far, near| {
        let order = (far / near).ln() / rougher.ln();
        order.max(0.0) // NaN: not at all
    }
}

impl Search<'_> {
    /// Values of all unknowns, one after the other, where solutions are compared.
    fn values(&self, of: &Pieced, points: &[f64]) -> Vec<f64> {
        let value = |u: usize| {
            let r = self.posed.known(u, &[]);
            let block = Block::new(r, self.posed.system.known.bare_sites(points));
            of.jets(self.posed, &self.posed.system.residuals[r], &block)
                .swap_remove(0)
        };
        (0..self.posed.unknowns()).flat_map(value).collect()
    }

    /// Where solutions are compared with the best.
    fn points(&self, best: &Pieced) -> Result<Vec<f64>, DomainError> {
        let system = &self.posed.system;
        let draw = system.draw(self.options.seed);
        let draw = draw.round(Purpose::Compared.round()).held_out();
        let domain = &system.problem.domain;
        let mut points = domain.interior(COMPARED, &draw)?;
        if !self.broken {
            points.extend(in_pieces(best, domain));
        }
        Ok(points)
    }

    /// Other functions on other cuts: what the best differs by from the next one is the error of that, and its own by its share,
    ///
    /// ```text
    /// error ≈ d₁ (2 ρ/ρ₁)^p,      p = min over others j of ln(d_j/d₁) / ln(ρ_j/ρ₁), at most 1
    /// ```
    ///
    /// ρ: residuals of the best, the next one and the others, d: how far they are from the best. p is how fast solutions were seen to come
    /// nearer while their residuals fell. What a singular source leaves in pieces too small for a residual to tell is the least.
    fn error_estimate(&self, best: &Judged) -> Result<Distance, DomainError> {
        let Some((next, others)) = self.levels[1..].split_first() else {
            let Verdict { slow, residual, .. } = best.verdict;
            let anything = if residual > UNRESOLVED { 1.0 } else { 0.0 };
            return Ok(Distance::both(largest([slow, residual, anything])));
        };
        let residual = |l: &Judged| l.verdict.residual;
        let apart = self.apart(best, next)?;
        if self.posed.system.nonlinear() && apart.l2 > SAME {
            // another solution altogether, for all that is known
            return Ok(apart);
        }
        let mut order = Distance::both(1.0);
        for other in others {
            let rougher = residual(other) / residual(next);
            if rougher >= ROUGHER {
                let farther = self.apart(best, other)?;
                // without NaN: solutions that agree in every bit have no order
                order = order.with(farther.with(apart, order_of(rougher)), f64::min);
            }
        }
        let share = (2.0 * residual(best) / residual(next)).min(1.0);
        let error = apart.with(order, |apart, order| apart * share.powf(order));
        let least = larger(best.found.hidden, f64::EPSILON);
        Ok(error.map(|error| larger(error, least)))
    }

    /// How far two solutions are apart, over the size of the first: the most of all unknowns.
    pub(super) fn apart(&self, one: &Judged, other: &Judged) -> Result<Distance, DomainError> {
        let points = self.points(&one.found.pieced)?;
        let n = points.len() / self.posed.system.known.dimension;
        let [ours, theirs] = [one, other].map(|l| self.values(&l.found.pieced, &points));
        let each = ours.chunks(n).zip(theirs.chunks(n));
        let each = each.map(|(x, y)| Distance::between(x, y));
        Ok(each.fold(Distance::default(), Distance::max))
    }

    /// How far the best moves when it is shaken. Only where levels start from each other.
    fn unheld(&self, best: &Judged) -> Result<Distance, DomainError> {
        let posed = self.posed;
        if posed.time.is_some() || !posed.system.nonlinear() {
            return Ok(Distance::default());
        }
        let solution = &best.found.pieced;
        let slab = Slab::new(
            posed,
            &solution.functions,
            solution.cells.clone(),
            &Beginning::Given,
            self.sizes()?,
            Crew::new(self.options.threads(), self.halt),
        );
        let slab = slab.condensed();
        if slab.require_memory().is_err() {
            return Ok(Distance::default());
        }
        let Some(draws) = slab.shaken(solution, self.options.seed) else {
            return Ok(Distance::default());
        };
        let points = self.points(solution)?;
        let n = points.len() / posed.system.known.dimension;
        let ours = self.values(solution, &points);
        let moved = |by: &Pieced| {
            let by = self.values(by, &points);
            let each = ours.chunks(n).zip(by.chunks(n));
            let each = each.map(|(x, off)| Distance::of(off, x));
            each.fold(Distance::default(), Distance::max)
        };
        let [one, other] = draws.each_ref().map(moved);
        let moved = one.with(other, f64::hypot);
        // misfits at random are of the kind that is held least by one part in this; linearised rows do not say how far it is to another solution
        let all_of_it = (slab.rows() as f64).sqrt();
        let anywhere = all_of_it * moved.l2 > SAME;
        Ok(moved.map(|moved| if anywhere { larger(moved, 1.0) } else { moved }))
    }

    /// The figures of the best level, which is the first, compared with those of the others.
    fn reports(&self) -> Result<Vec<Measured>, DomainError> {
        let system = &self.posed.system;
        if system.problem.reports.is_empty() {
            return Ok(Vec::new());
        }
        let reports = Reports::new(system)?;
        let jets = |of: &Judged, r: &Residual, b: &Block| of.found.pieced.jets(self.posed, r, b);
        let sums = |of: &Judged| {
            let sums = reports.sums(&[], |r, b| jets(of, r, b));
            (sums, of.verdict.residual)
        };
        let all: Vec<_> = self.levels.iter().map(sums).collect();
        let coarse = reports.coarseness(&all[0].0, &[], |r, b| jets(&self.levels[0], r, b));
        Ok(reports.judged(&all[0], &all[1..], &coarse))
    }

    /// The best level with its figures.
    pub(super) fn finish(mut self) -> Result<Option<Solution>, DomainError> {
        self.levels
            .sort_by(|a, b| a.verdict.residual.total_cmp(&b.verdict.residual));
        let Some(best) = self.levels.first() else {
            return Ok(None);
        };
        let likely = self.error_estimate(best)?.max(self.unheld(best)?);
        let evidence = Evidence {
            reports: self.reports()?,
            ..Evidence::new(&best.verdict, likely)
        };
        let reached = best.verdict.residual <= self.options.goal();
        self.heed();
        let outcome = match () {
            () if self.stopped => Outcome::Stopped,
            () if reached => Outcome::TargetReached,
            () if self.expired => Outcome::BudgetSpent,
            () => Outcome::Converged,
        };
        let best = self.levels.remove(0);
        let next = self.levels.into_iter().next();
        let compared = next.map(|level| level.found.pieced.whole(self.posed));
        let dimension = self.posed.system.known.dimension;
        let [inside, _] = rows::points_an_axis(&best.found.pieced.functions, dimension);
        let each = inside.pow(u32::try_from(dimension).unwrap_or(1));
        Ok(Some(Solution {
            points: each * best.found.pieced.boxes.len(),
            whole: best.found.pieced.whole(self.posed),
            compared,
            verdict: best.verdict,
            evidence,
            outcome,
            events: self.events,
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
