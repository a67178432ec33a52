//! The search for a layer that holds the eigenfunctions: which way to meet the conditions, how short waves, how many functions.
//!
//! 1. a coarse round over ways and wave numbers with few functions;
//! 2. wave numbers axis by axis;
//! 3. more functions while they help;
//! 4. fresh draws of the best, from which the errors are estimated.

mod round;

use super::attempt::{Attempt, Way};
use super::corners::with_corners;
use super::layer::{Recipe, is_closed, waves, whole_lengths};
use super::tuning::{
    ALONG_A_LINE, COLUMNS, FIRST_LAYERS, GROWTH, HELD_OUT_PAIRS, HELPED, LOST, SHARES, STRETCH,
};
use crate::domain::DomainError;
use crate::halt::Halt;
use crate::posed::held_exactly;
use crate::problem::{Eigen, Problem};
use crate::run::Outcome;
use crate::solve::event::Event;
use crate::solve::{Options, Progress};
use std::ops::ControlFlow;
use std::time::Instant;

/// What was found.
pub(super) struct Spectrum {
    pub(super) ways: Vec<Way>,
    /// The best first.
    pub(super) attempts: Vec<Attempt>,
    pub(super) outcome: Outcome,
    pub(super) events: Vec<Event>,
}

struct Search<'a> {
    ways: Vec<Way>,
    eigen: &'a Eigen,
    options: &'a Options,
    started: Instant,
    attempts: Vec<Attempt>,
    tried: u64,
    stopped: bool,
    expired: bool,
    events: Vec<Event>,
    progress: &'a mut dyn FnMut(&Progress) -> ControlFlow<()>,
    halt: &'a Halt,
}

/// A layer to try: which way, and how to draw it.
type Candidate = (usize, Recipe);

/// Finds the eigenpairs of a linear problem.
pub(super) fn spectrum(
    problem: &Problem,
    eigen: &Eigen,
    options: &Options,
    progress: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
    halt: &Halt,
) -> Result<Spectrum, DomainError> {
    let (cornered, corners) = with_corners(problem);
    let held = held_exactly(&cornered);
    let way = |name, problem| Way::new(name, problem, corners, HELD_OUT_PAIRS, options);
    let mut ways = vec![way("conditions by rows", cornered)?];
    if let Some(held) = held {
        ways.push(way("conditions by a factor", held)?);
    }
    let mut search = Search {
        ways,
        eigen,
        options,
        started: Instant::now(),
        attempts: Vec::new(),
        tried: 0,
        stopped: false,
        expired: false,
        events: Vec::new(),
        progress,
        halt,
    };
    search.coarse()?;
    search.axes()?;
    search.widen()?;
    search.again()?;
    let outcome = match search.attempts.first() {
        _ if search.stopped => Outcome::Stopped,
        _ if search.expired => Outcome::BudgetSpent,
        Some(best) if best.residual <= options.goal() => Outcome::TargetReached,
        _ => Outcome::Converged,
    };
    Ok(Spectrum {
        ways: search.ways,
        attempts: search.attempts,
        outcome,
        events: search.events,
    })
}

impl Search<'_> {
    fn problem(&self) -> &Problem {
        &self.ways[0].system.problem
    }

    fn dimension(&self) -> usize {
        self.problem().coordinates.len()
    }

    fn closed(&self) -> bool {
        is_closed(self.problem())
    }

    fn most(&self) -> usize {
        let columns = COLUMNS / self.problem().unknowns.len();
        let usual = if self.dimension() == 1 {
            ALONG_A_LINE.min(columns)
        } else {
            columns
        };
        self.options.width.unwrap_or(usual).max(8)
    }

    fn recipe(&self, way: usize, n: usize, waves: Vec<f64>, seed: u64) -> Recipe {
        Recipe {
            n: n + self.ways[way].corners,
            waves,
            corners: self.ways[way].corners,
            chosen: Vec::new(),
            seed: self.options.seed.wrapping_mul(1000).wrapping_add(seed),
        }
    }

    fn coarse(&mut self) -> Result<(), DomainError> {
        let first = FIRST_LAYERS[self.dimension().min(FIRST_LAYERS.len()) - 1];
        let n = first.min(self.most());
        let mut candidates: Vec<Candidate> = Vec::new();
        for way in 0..self.ways.len() {
            let shares: &[f64] = if self.closed() { &SHARES[..1] } else { &SHARES };
            for share in shares {
                candidates.push((
                    way,
                    self.recipe(way, n, waves(self.problem(), n, *share), 0),
                ));
            }
        }
        self.round(&candidates)?;
        self.say("first round");
        Ok(())
    }

    /// Longer and shorter waves along each axis.
    fn axes(&mut self) -> Result<(), DomainError> {
        for axis in 0..self.dimension().min(3) {
            if self.reached() || self.closed() || self.dimension() == 1 {
                return Ok(());
            }
            let Some(best) = self.attempts.first() else {
                return Ok(());
            };
            let (way, recipe) = (best.way, best.recipe.clone());
            let stretched = [STRETCH, 1.0 / STRETCH].map(|factor| {
                let mut other = recipe.clone();
                other.waves[axis] *= factor;
                (way, other)
            });
            self.round(&stretched)?;
        }
        self.say("axes");
        Ok(())
    }

    /// More functions while they help.
    fn widen(&mut self) -> Result<(), DomainError> {
        let mut failures = 0;
        let mut n = match self.attempts.first() {
            Some(best) => best.recipe.n - self.ways[best.way].corners,
            None => return Ok(()),
        };
        while !self.reached() && n < self.most() && (failures < 2 || self.lost()) {
            let best = &self.attempts[0];
            let (way, before, recipe) = (best.way, best.residual, best.recipe.clone());
            let old = recipe.n - self.ways[way].corners;
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a number of functions"
            )]
            let wider = (n as f64 * GROWTH) as usize;
            let wider = if self.closed() {
                whole_lengths(self.problem(), wider, self.most())
            } else {
                wider.min(self.most())
            };
            let stretched = self.stretches(wider as f64 / old as f64);
            let candidates = stretched.into_iter().map(|factor| {
                let waves = recipe.waves.iter().map(|w| w * factor).collect();
                (way, self.recipe(way, wider, waves, 0))
            });
            let candidates: Vec<Candidate> = candidates.collect();
            self.round(&candidates)?;
            self.say(&format!("{wider} functions"));
            if self.attempts[0].residual > HELPED * before {
                failures += 1;
            } else {
                failures = 0;
            }
            n = wider;
        }
        Ok(())
    }

    /// Factors on the wave numbers of so many times as many functions: up to those of which they tell the same share apart.
    fn stretches(&self, growth: f64) -> Vec<f64> {
        let same = growth.powf(1.0 / self.dimension() as f64);
        match self.dimension() {
            _ if self.closed() => vec![1.0],
            1 => [-1.0, -0.5, 0.0, 0.5, 1.0].map(|p| same.powf(p)).to_vec(),
            _ => [0.3, 0.8].map(|p| same.powf(p)).to_vec(),
        }
    }

    /// Fresh draws of the best.
    fn again(&mut self) -> Result<(), DomainError> {
        let Some(best) = self.attempts.first().filter(|_| !self.over()) else {
            return Ok(());
        };
        let (way, recipe) = (best.way, best.recipe.clone());
        let own = recipe.n - self.ways[way].corners;
        let fresh = [(1, 0.97), (2, 0.93)].map(|(seed, share)| {
            let n = if self.closed() {
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "a number of functions"
                )]
                let fewer = (share * own as f64) as usize;
                fewer
            } else {
                own
            };
            (way, self.recipe(way, n, recipe.waves.clone(), seed))
        });
        self.round(&fresh)?;
        self.say("again");
        Ok(())
    }

    fn over(&self) -> bool {
        self.stopped || self.expired
    }

    /// Whether nothing was found yet that deserves the name: then even layers that do not help are followed by longer ones.
    fn lost(&self) -> bool {
        let best = self.attempts.first();
        best.is_some_and(|best| best.residual > LOST)
    }

    /// Whether there is nothing left to improve.
    fn reached(&self) -> bool {
        let best = self.attempts.first();
        self.over() || best.is_some_and(|best| best.residual <= self.options.goal())
    }

    fn say(&mut self, stage: &str) {
        if let Some(best) = self.attempts.first() {
            let waves: Vec<String> = best
                .recipe
                .waves
                .iter()
                .map(|w| format!("{w:.1}"))
                .collect();
            let said = format!(
                "{stage}: residual {:.1e} with {} functions, {}, waves up to {}",
                best.residual,
                best.recipe.n,
                self.ways[best.way].name,
                waves.join(" ")
            );
            self.events.push(Event::note("lsq", said));
        }
    }
}
