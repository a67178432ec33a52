//! More functions while they help, and fresh draws at the end.

use super::attempt::{Attempt, Candidate};
use super::recipe::Family;
use super::search::Search;
use super::tuning::{
    ENOUGH, ENOUGH_IF_POOR, ENOUGH_IF_ROUGH, ENOUGH_ON_A_LINE, FINE, GROWTH, HELPED, LARGE,
    MUCH_IF_POOR, MUCH_IF_ROUGH, NARROW, PART_FUNCTIONS, POOR, ROUGH, STALLED,
};
use crate::domain::DomainError;
use crate::posed::LOST;
use crate::problem::Problem;
use crate::solve::Method;
use crate::solve::pieces::{obstacle, suits};

impl Search<'_> {
    /// More functions while they help.
    pub(super) fn widen(&mut self) -> Result<(), DomainError> {
        self.widen_until(self.most(), self.target)
    }

    /// More functions, at most so many, while they help and the residual is above a target; the scales grow with them or not.
    pub(super) fn widen_until(&mut self, most: usize, target: f64) -> Result<(), DomainError> {
        let mut idle = 0;
        let noisy = self.ways[0]
            .system
            .problem
            .data
            .iter()
            .any(|o| o.sigma.is_some());
        let Some(mut n) = self.best().map(|b| b.candidate.n) else {
            return Ok(());
        };
        let others = Others::of(self, most);
        let mut gain = f64::INFINITY;
        while !self.over()
            && self.residual() > target
            && n < most
            && idle < 2
            && !others.are_better(self.residual(), n, gain)
        {
            if self.residual() > ROUGH {
                self.turn()?;
            }
            if self.residual() > target {
                self.regroup()?;
            }
            let before = self.residual();
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a small positive number"
            )]
            let wider = ((n as f64 * GROWTH) as usize).min(most);
            if let Some(best) = self.attempts.first().filter(|_| before > ROUGH) {
                self.ways[best.candidate.way].heat(&best.state, self.halt)?;
            }
            let candidates = self.wider(n, wider);
            self.round(&candidates)?;
            self.say("wider");
            n = wider;
            gain = before / self.residual();
            idle = match self.residual() {
                r if r < HELPED * before => 0,
                r if r < FINE => idle + 2,
                _ if n < ENOUGH.min(most) && !noisy => 0,
                _ => idle + 1,
            };
        }
        Ok(())
    }

    /// Layers of `wider` functions after those of `n`: the best with its scales and with finer ones, the other way while it is near, waves
    /// of the equation, and ridges where the residual is largest.
    fn wider(&self, n: usize, wider: usize) -> Vec<Candidate> {
        let (d, before) = (self.ways[0].system.known.dimension as f64, self.residual());
        let mut candidates = Vec::new();
        let mut leaders: Vec<&Attempt> = self.best().into_iter().collect();
        let other = self
            .attempts
            .iter()
            .find(|a| a.candidate.way != leaders[0].candidate.way);
        leaders.extend(other.filter(|a| n < NARROW && a.verdict.residual < 10.0 * before));
        let waves = |a: &&Attempt| a.candidate.recipe.solving > 0.0;
        let other = self.attempts.iter().find(waves);
        leaders.extend(other.filter(|_| n < ENOUGH && !waves(&leaders[0])));
        if before > LOST {
            let ways: Vec<usize> = leaders.iter().map(|l| l.candidate.way).collect();
            candidates.extend(ways.iter().flat_map(|w| self.grid(*w, wider, &[8.0, 16.0])));
        }
        if before > ROUGH {
            let hottest = leaders[0].candidate.clone();
            let steepest = hottest.recipe.steepness.max(10.0);
            for (family, factor) in [
                (Family::Tanh, 1.0),
                (Family::Tanh, 3.0),
                (Family::Gaussian, 2.0),
            ] {
                let mut candidate = hottest.clone();
                candidate.n = wider;
                candidate.recipe.family = family;
                candidate.recipe.focus = 0.8;
                candidate.recipe.steepness = steepest * factor;
                candidates.push(candidate);
            }
        }
        for leader in leaders {
            for factor in [1.0, GROWTH.powf(1.0 / d)] {
                let mut candidate = leader.candidate.clone();
                candidate.n = wider;
                candidate
                    .recipe
                    .scales
                    .iter_mut()
                    .for_each(|s| *s *= factor);
                candidate.recipe.steepness *= factor;
                candidates.push(candidate);
            }
        }
        candidates
    }

    /// Fresh draws of weights and points: perhaps better, and a measure of how much the answer depends on them.
    pub(super) fn again(&mut self) -> Result<(), DomainError> {
        let Some(best) = self.best() else {
            return Ok(());
        };
        let fresh = |k: u64| {
            let mut candidate = best.candidate.clone();
            candidate.recipe.seed = candidate.recipe.seed.wrapping_add(77 * k);
            candidate.points = 10 + k;
            candidate
        };
        let mut narrower = fresh(3);
        narrower.n = (narrower.n * 5 / 8).max(1);
        let candidates = vec![fresh(1), fresh(2), narrower];
        self.round(&candidates)
    }
}

/// The other methods that `auto` has for a problem, and what of it says when to leave it to them.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a fact of the problem"
)]
struct Others {
    /// Training or pieces.
    any: bool,
    pieces: bool,
    /// Pieces, and they are fast.
    fast: bool,
    on_a_line: bool,
    nonlinear_in_time: bool,
    /// Waves from one end of time to the other take many functions, and then all of a sudden none more.
    in_waves: bool,
    cornered: bool,
}

impl Others {
    fn of(search: &Search<'_>, most: usize) -> Self {
        let ways = || search.ways.iter();
        let problems = || ways().map(|way| &way.system.problem);
        let auto = search.options.method == Method::Auto && most > PART_FUNCTIONS;
        let pieces = auto && problems().any(|p| obstacle(p).is_none());
        let fast = auto && problems().any(suits);
        let first = &search.ways[0].system;
        let in_time = first.problem.time.is_some();
        Self {
            any: pieces || auto && problems().any(Problem::is_trainable),
            pieces,
            fast,
            on_a_line: fast && first.known.dimension == 1,
            nonlinear_in_time: fast && in_time && first.nonlinear(),
            in_waves: in_time && ways().any(|way| way.inputs.symbol.is_some()),
            cornered: fast && ways().any(|way| way.inputs.corners > 0),
        }
    }

    /// Whether more functions are not worth their price, after `n` of them the last of which lowered the residual by a factor.
    fn are_better(&self, residual: f64, n: usize, gain: f64) -> bool {
        let [poor, rough] = [POOR, ROUGH].map(|limit| residual > limit);
        residual < FINE && n >= LARGE
            || self.on_a_line && (n >= ENOUGH_ON_A_LINE || residual > LOST)
            || self.any && poor && n >= ENOUGH
            || n >= ENOUGH_IF_POOR
                && !self.in_waves
                && (self.fast && poor && gain < MUCH_IF_POOR
                    // gaining the square of what the last one did is more than rounds do
                    || self.pieces && foreseen(residual, n, gain * gain) > POOR)
            || self.nonlinear_in_time && rough && n >= ENOUGH_IF_ROUGH && gain < MUCH_IF_ROUGH
            || self.cornered
                && rough
                && n >= ENOUGH_IF_POOR
                && gain < MUCH_IF_ROUGH
                && foreseen(residual, n, gain) > STALLED
    }
}

/// The residual to expect at [`ENOUGH`] functions, when every further round gains this much.
fn foreseen(residual: f64, n: usize, gain: f64) -> f64 {
    let rounds = (ENOUGH as f64 / n as f64).ln() / GROWTH.ln();
    residual / gain.max(1.0).powf(rounds.ceil().max(0.0))
}

#[cfg(test)]
mod tests {
    use super::Others;

    /// At a corner a layer that gains little is left to pieces, one that would be done before it is large is not.
    #[test]
    fn corners_are_left_where_functions_do_not_help() {
        let others = Others {
            any: true,
            pieces: true,
            fast: true,
            on_a_line: false,
            nonlinear_in_time: false,
            in_waves: false,
            cornered: true,
        };
        assert!(others.are_better(1e-4, 384, 4.0));
        assert!(others.are_better(2e-5, 384, 8.0));
        assert!(!others.are_better(2e-5, 384, 29.0));
        assert!(!others.are_better(1e-4, 300, 4.0), "too few to say");
    }
}
