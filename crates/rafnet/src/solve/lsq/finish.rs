//! The end of a search: the best attempts are looked at again at points that the search did not have, and what is said of them.

use super::attempt::Attempt;
use super::branches::{apart, apart_in, is_another};
use super::contradiction::fighting;
use super::search::Search;
use super::tuning::{COMPARED, DOUBTFUL, EXAMINED, ROUNDED, SAME, SHORT_WORK, TIGHTEST, UNCERTAIN};
use crate::domain::DomainError;
use crate::expr::largest;
use crate::frozen::State;
use crate::frozen::jets_of;
use crate::halt::{Crew, Halt};
use crate::posed::{
    Block, Distance, EXAMINING, NEAR, Residual, Sample, Verdict, error_estimate, order, rms,
};
use crate::problem::Problem;
use crate::run::Outcome;
use crate::solve::event::Event;
use crate::solve::figures::Evidence;
use crate::solve::pieces;
use crate::solve::reports::{Measured, Reports, Sums};
use crate::solve::solved::DIFFERENT;

/// What came out.
pub(crate) struct Solution {
    /// The problem with the factor and lift that were used.
    pub(crate) problem: Problem,
    pub(crate) state: State,
    pub(crate) verdict: Verdict,
    pub(crate) evidence: Evidence,
    pub(crate) points: usize,
    pub(crate) outcome: Outcome,
    /// The residuals, by their place in the system's list, that no function meets together.
    pub(crate) fighting: Vec<usize>,
    /// The unknown that everything given leaves open, if one is.
    pub(crate) open: Option<usize>,
    /// What pieces found, where they were asked whether anything fights.
    pub(crate) in_pieces: Option<pieces::Solution>,
    /// Other solutions, each with the problem that has its factor and lift.
    pub(crate) others: Vec<(Problem, State)>,
    /// The next best of the same solution, likewise.
    pub(crate) compared: Option<(Problem, State)>,
    pub(crate) events: Vec<Event>,
}

impl Solution {
    /// Its held-out residual and the error estimate that goes with it.
    pub(crate) fn said(&self) -> (f64, f64) {
        (self.verdict.residual, self.evidence.figures().estimate.l2)
    }
}

impl Attempt {
    /// What the error is estimated from: the unknowns of the file.
    fn sample(&self, problem: &Problem) -> Sample<'_> {
        let own = self.values.len() / problem.unknowns.len() * problem.n_own();
        Sample {
            values: &self.values[..own],
            residual: self.verdict.residual,
            slow: self.verdict.slow,
        }
    }
}

impl Search<'_> {
    /// How fast attempts came nearer to the best one while their residuals fell.
    fn order(&self) -> Distance {
        let sizes = self.sizes();
        let Some((best, rest)) = self.attempts.split_first() else {
            return Distance::both(1.0);
        };
        let near = |a: &&Attempt| {
            a.verdict.residual < NEAR * best.verdict.residual && !is_another(a, best, &sizes)
        };
        let seen = |a: &Attempt| (a.verdict.residual, apart(best, a, &sizes));
        let mut rest = rest.iter().filter(near).map(seen);
        let nearest = rest.next();
        nearest.map_or(Distance::both(1.0), |nearest| order(nearest, rest))
    }

    /// What the error is likely to be, and how much of that is due to the noise of observations.
    fn error_estimate(&self, order: Distance) -> (Distance, f64) {
        let problem = &self.ways[0].system.problem;
        let unknowns = problem.n_own();
        let Some((best, rest)) = self.attempts.split_first() else {
            return (Distance::UNKNOWN, 0.0);
        };
        let others = self.are_others();
        let same = rest.iter().zip(&others).filter(|(_, other)| !**other);
        let best = best.sample(problem);
        let samples = same.map(|(a, _)| a.sample(problem));
        let values = best.values;
        let system = &self.ways[0].system;
        let frozen = error_estimate(
            best,
            samples,
            order,
            unknowns,
            &self.sizes(),
            system.nonlinear(),
        );
        // what the noise of observations leaves open: as if each sought number took its share of it
        let seen: usize = problem
            .data
            .iter()
            .filter(|o| o.sigma.is_some())
            .map(|o| o.values.len())
            .sum();
        let noise = largest(problem.data.iter().filter_map(|o| o.sigma));
        let size = rms(values);
        let share = (problem.sought.len().max(1) as f64 / seen.max(1) as f64).sqrt();
        let by_noise = noise * share / size.max(f64::MIN_POSITIVE);
        (frozen.map(|error| error.hypot(by_noise)), by_noise)
    }

    /// Whether what was found so far is poor because parts of the problem fight.
    pub(super) fn look_for_contradiction(&mut self, problem: &Problem) -> Result<(), DomainError> {
        self.heed();
        let over = self.stopped || self.expired || self.in_pieces.is_some();
        if let Some(best) = self
            .best()
            .filter(|b| !over && b.verdict.residual > DOUBTFUL)
        {
            let plain = problem.coordinates.len() + problem.features.len();
            let mut scales = self.data_scales(best.candidate.way);
            scales.truncate(plain);
            let fighting = fighting(problem, best, scales, self.options, self.halt)?;
            self.heed();
            if !fighting.is_empty() && !self.is_met_in_pieces(problem)? {
                self.fighting = fighting;
            }
        }
        Ok(())
    }

    /// The unknown in which solutions differ that all meet what is given: by a part of their size, or, where they meet it to rounding, by more
    /// than a solution may be uncertain.
    fn open(&self, error_estimate: f64) -> Option<usize> {
        let (best, rest) = self.attempts.split_first()?;
        let sizes = self.sizes();
        let differ = |met: f64, by: f64| {
            let is_met = |a: &&Attempt| a.verdict.residual < met;
            if error_estimate < by || !is_met(&best) {
                return None;
            }
            let farthest = |u: usize| {
                let others = rest.iter().filter(is_met);
                largest(others.map(|a| apart_in(u, best, a, &sizes).l2))
            };
            let unknowns = (0..self.ways[0].system.problem.n_own()).map(|u| (u, farthest(u)));
            let most = unknowns.max_by(|a, b| a.1.total_cmp(&b.1))?;
            (most.1 > by).then_some(most.0)
        };
        differ(SAME, DIFFERENT).or_else(|| differ(ROUNDED, UNCERTAIN))
    }

    /// The best attempts at points that the search did not have, and those that came about in another way; where the search is ended, before that
    /// or meanwhile, as many of them as take little work.
    fn examine(&mut self) -> Result<(), DomainError> {
        let mut all = std::mem::take(&mut self.attempts);
        let (mut seen, mut starts, mut place) = (Vec::new(), Vec::new(), 0);
        all.retain(|a| {
            place += 1;
            let (kin, start) = (a.candidate.kin(), a.candidate.start);
            let new = !seen.contains(&kin) && seen.len() < EXAMINED;
            seen.extend(new.then_some(kin));
            let elsewhere = !starts.contains(&start);
            starts.push(start);
            new || elsewhere || place <= EXAMINED
        });
        let ended = |s: &Self| s.stopped || s.expired || s.halt.is_raised();
        let mut examined = Vec::new();
        if !ended(self) {
            examined = self.examined(&all, self.crew())?;
        }
        if ended(self) {
            let mut work = 0;
            let mut place = 0;
            all.retain(|a| {
                place += 1;
                work += a.state.layer.len() * self.ways[a.candidate.way].examined(EXAMINING);
                place <= COMPARED || work <= SHORT_WORK
            });
            // what is said in the end is owed all the same
            let halt = Halt::default();
            examined = self.examined(&all, Crew::new(self.options.threads(), &halt))?;
        }
        self.attempts = examined;
        self.heed();
        Ok(())
    }

    /// Attempts at points that the search did not have, the best first.
    fn examined(&self, all: &[Attempt], crew: Crew<'_>) -> Result<Vec<Attempt>, DomainError> {
        let mut examined = Vec::new();
        for (w, way) in self.ways.iter().enumerate() {
            let mine = all.iter().filter(|a| a.candidate.way == w);
            let mine: Vec<Attempt> = mine.cloned().collect();
            if !mine.is_empty() {
                examined.extend(way.examine(&mine, EXAMINING, crew)?);
            }
        }
        examined.sort_by(|a, b| a.verdict.residual.total_cmp(&b.verdict.residual));
        Ok(examined)
    }

    /// The figures of the best attempt, compared with those of the others that were examined.
    fn reports(&self, best: &Attempt) -> Result<Vec<Measured>, DomainError> {
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
        Ok(reports.judged(&best_sums, &others, &coarse))
    }

    /// Whether the best attempt has reached the target at the search's points and misses it at those on which the answer is examined;
    /// then the search goes on, for a target that is lower by as much.
    pub(super) fn flattered(&mut self) -> Result<bool, DomainError> {
        let (searched, asked) = (self.residual(), self.asked);
        let Some(best) = self.best().filter(|_| self.target >= TIGHTEST * asked) else {
            return Ok(false);
        };
        if self.stopped || self.expired || searched > self.target {
            return Ok(false);
        }
        let best = std::slice::from_ref(best);
        let examined = self.ways[best[0].candidate.way].examine(best, EXAMINING, self.crew())?;
        self.heed();
        if self.stopped || self.expired {
            return Ok(false);
        }
        let examined = examined.first().map_or(0.0, |a| a.verdict.residual);
        self.target *= 0.5 * (asked / examined).min(1.0);
        Ok(examined > asked)
    }

    fn outcome(&self) -> Outcome {
        match () {
            () if self.stopped => Outcome::Stopped,
            () if self.residual() <= self.options.goal() => Outcome::TargetReached,
            () if self.expired => Outcome::BudgetSpent,
            () => Outcome::Converged,
        }
    }

    pub(super) fn finish(mut self, problem: &Problem) -> Result<Option<Solution>, DomainError> {
        self.heed();
        let order = self.order();
        // all that the search has, at its own points: what is examined may be a few near copies
        let (searched, _) = self.error_estimate(order);
        self.examine()?;
        self.set_others_apart();
        let (likely, by_noise) = self.error_estimate(order);
        let likely = likely.max(searched);
        self.note(format!("{} layers tried", self.tried));
        if self.attempts.is_empty() {
            return Ok(None);
        }
        let free = problem.free_along().map(|(unknown, _)| unknown);
        let open = free.or_else(|| self.open(likely.l2));
        if self.outcome() == Outcome::Converged && self.fighting.is_empty() {
            self.look_for_contradiction(problem)?;
        }
        let outcome = self.outcome();
        if open.is_none() && self.fighting.is_empty() {
            self.other_solutions(problem)?;
        }
        let of_way = |a: &Attempt| self.ways[a.candidate.way].system.problem.clone();
        let others = self.others.iter().map(|a| (of_way(a), a.state.clone()));
        let others: Vec<(Problem, State)> = others.collect();
        if !others.is_empty() {
            let several = format!(
                "{} different solutions were seen: `[guess]` says near which one is sought",
                1 + others.len()
            );
            self.note(several);
        }
        let best = self.attempts.remove(0);
        let near = |a: &&Attempt| a.verdict.residual < NEAR * best.verdict.residual;
        let next = self.attempts.first().filter(near);
        let compared = next.map(|a| {
            let way = &self.ways[a.candidate.way];
            (way.system.problem.clone(), a.state.clone())
        });
        let fighting = std::mem::take(&mut self.fighting);
        let outcome = match fighting[..] {
            [] => outcome,
            _ => Outcome::Contradictory,
        };
        // of several functions that all meet what is given, or of none, nothing is known
        let nothing = open.is_some() || !fighting.is_empty();
        let likely = if nothing { Distance::UNKNOWN } else { likely };
        let evidence = Evidence {
            by_noise,
            reports: self.reports(&best)?,
            ..Evidence::new(&best.verdict, likely)
        };
        let way = self.ways.swap_remove(best.candidate.way);
        Ok(Some(Solution {
            points: way.rows(best.candidate.n),
            problem: way.system.problem,
            state: best.state,
            verdict: best.verdict,
            evidence,
            outcome,
            fighting,
            open,
            others,
            compared,
            in_pieces: self.in_pieces,
            events: self.events,
        }))
    }
}
