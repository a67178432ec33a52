//! The best of all levels, and how large its error is: solutions on one cut share the errors of its joins, so others are compared with it.

use super::pieced::Pieced;
use super::rows::Beginning;
use super::search::{Judged, Search};
use super::slab::Slab;
use super::{Solution, rows};
use crate::domain::{Domain, DomainError};
use crate::expr::{larger, largest};
use crate::halt::Crew;
use crate::posed::{Block, Distance, Purpose, ROUGHER, Residual, UNRESOLVED, Verdict, order};
use crate::run::Outcome;
use crate::solve::figures::Evidence;
use crate::solve::reports::{Measured, Reports};
use crate::solve::solved::SAME;

/// Points at which solutions are compared, all over the domain; as many again lie in pieces, however small, and each of these counts by what its
/// piece takes of the domain. Not where data clash or have a kink: pieces gather there, and hardly anything of the solution is in them.
const COMPARED: usize = 1_000;

/// Where solutions are compared: n × d points by rows, and the share of the domain that each stands for.
struct Compared {
    points: Vec<f64>,
    shares: Vec<f64>,
}

/// Linear solutions are shaken up to so many multiplications and additions.
const CHEAP: f64 = 1e8;

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
    fn compared(&self, best: &Pieced) -> Result<Compared, DomainError> {
        let system = &self.posed.system;
        let draw = system.draw(self.options.seed);
        let draw = draw.round(Purpose::Compared.round()).held_out();
        let domain = &system.problem.domain;
        let points = domain.interior(COMPARED, &draw)?;
        let n = points.len() / system.known.dimension;
        let mut compared = Compared {
            points,
            shares: vec![1.0 / n as f64; n],
        };
        if !self.broken {
            compared.add_pieces(best, domain);
        }
        Ok(compared)
    }

    /// Other functions on other cuts: what the best differs by from the next one is the error of that, and its own by its share,
    ///
    /// ```text
    /// error ≈ d₁ (2 ρ/ρ₁)^p
    /// ```
    ///
    /// ρ: residuals of the best and the next one, d₁: how far they are apart, p: how fast solutions were seen to come
    /// nearer while their residuals fell ([`order`]). What a singular source leaves in pieces too small for a residual
    /// to tell, or between pieces, is the least.
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
        let mut rougher = Vec::new();
        for other in others {
            if residual(other) >= ROUGHER * residual(next) {
                rougher.push((residual(other), self.apart(best, other)?));
            }
        }
        let order = order((residual(next), apart), rougher);
        let share = (2.0 * residual(best) / residual(next)).min(1.0);
        let error = apart.with(order, |apart, order| apart * share.powf(order));
        let least = larger(best.found.hidden, f64::EPSILON);
        Ok(error.map(|error| larger(error, least)))
    }

    /// How far two solutions are apart, over the size of the first: the most of all unknowns.
    pub(super) fn apart(&self, one: &Judged, other: &Judged) -> Result<Distance, DomainError> {
        let at = self.compared(&one.found.pieced)?;
        let [ours, theirs] = [one, other].map(|l| self.values(&l.found.pieced, &at.points));
        let off: Vec<f64> = ours.iter().zip(&theirs).map(|(x, y)| x - y).collect();
        Ok(at.distance(&off, &ours))
    }

    /// How far the best moves when it is shaken: where levels start from each other, and where that is next to no work.
    fn unheld(&self, best: &Judged) -> Result<Distance, DomainError> {
        let (posed, solution) = (self.posed, &best.found.pieced);
        let columns = solution.functions.len() * posed.unknowns();
        let work = solution.boxes.len() as f64 * (columns as f64).powi(3);
        if posed.time.is_some() || (!posed.system.nonlinear() && work > CHEAP) {
            return Ok(Distance::default());
        }
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
        let at = self.compared(solution)?;
        let ours = self.values(solution, &at.points);
        let moved = |by: &Pieced| at.distance(&self.values(by, &at.points), &ours);
        let [one, other] = draws.each_ref().map(moved);
        let moved = one.with(other, f64::hypot);
        // misfits at random are of the kind that is held least by one part in this; linearised rows do not say how far it is to another solution
        let all_of_it = (slab.rows() as f64).sqrt();
        let anywhere = posed.system.nonlinear() && all_of_it * moved.l2 > SAME;
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

impl Compared {
    /// As many points in a small piece as in a large one.
    fn add_pieces(&mut self, pieced: &Pieced, domain: &Domain) {
        let boxes = &pieced.boxes;
        let n = COMPARED.max(boxes.len());
        let of = |i: usize| i * boxes.len() / n;
        let mut each = vec![0usize; boxes.len()];
        (0..n).for_each(|i| each[of(i)] += 1);
        let size = |b: &[[f64; 2]]| b.iter().map(|[low, high]| high - low).product::<f64>();
        let whole: f64 = boxes.iter().map(|b| size(b)).sum();
        for i in 0..n {
            let bounds = &boxes[of(i)];
            let at = |(k, [low, high]): (usize, &[f64; 2])| {
                let u = (0.5
                    + 0.618_033_988_749_895f64.powi(i32::try_from(k).unwrap_or(0) + 1) * i as f64)
                    .fract();
                low + (high - low) * u
            };
            let point: Vec<f64> = bounds.iter().enumerate().map(at).collect();
            if domain.contains(&point) {
                self.points.extend(point);
                let share = size(bounds) / whole / each[of(i)] as f64;
                self.shares.push(share);
            }
        }
    }

    /// How large a difference is over the size of x, both of all unknowns one after the other: the most of all unknowns.
    fn distance(&self, off: &[f64], x: &[f64]) -> Distance {
        let n = self.shares.len();
        let by_share = |of: &[f64]| -> Vec<f64> {
            let shares = of.iter().zip(&self.shares);
            shares.map(|(v, share)| v * share.sqrt()).collect()
        };
        let one = |(off, x): (&[f64], &[f64])| Distance {
            l2: Distance::of(&by_share(off), &by_share(x)).l2,
            linf: Distance::of(off, x).linf,
        };
        let each = off.chunks(n).zip(x.chunks(n)).map(one);
        each.fold(Distance::default(), Distance::max)
    }
}

#[cfg(test)]
mod tests {
    use super::Compared;
    use crate::posed::Distance;

    /// What is off by 3 in a millionth of the domain, where the solution is 1 as everywhere, is off by 3/√10⁶ in the mean, however many of the points lie there.
    #[test]
    fn a_small_piece_counts_by_its_size() {
        let mut at = Compared {
            points: vec![0.0; 200],
            shares: vec![(1.0 - 1e-6) / 100.0; 100],
        };
        at.shares.extend([1e-6 / 100.0; 100]);
        let off: Vec<f64> = (0..200).map(|i| if i < 100 { 0.0 } else { 3.0 }).collect();
        let Distance { l2, linf } = at.distance(&off, &[1.0; 200]);
        assert!(
            (l2 - 3e-3).abs() < 1e-12 && (linf - 3.0).abs() < 1e-15,
            "{l2:e} {linf}"
        );
    }
}
