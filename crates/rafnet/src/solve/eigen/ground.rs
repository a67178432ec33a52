//! One eigenpair of a nonlinear operator, or one without zeros: Gauss–Newton over layers that grow while that helps.
//!
//! u itself starts from the linear part's eigenfunction, e^w from a constant; where that does not lead to a solution, the operator is
//! led from its easy part to itself.

mod chosen;
mod judged;
mod solved;
mod start;

use super::attempt::Way;
use super::form::Unknown;
use super::layer::{Recipe, is_closed, waves, whole_lengths};
use super::newton::State;
use super::norm::Norm;
use super::pencil::Units;
use super::tuning::{
    FIRST_GROUND, GROWTH_GROUND, HELD_OUT, HELPED, IDLE_LAYERS, MOST_GROUND, SHARES_GROUND,
};
use super::units::units;
use crate::domain::DomainError;
use crate::engine::ridges::Layer;
use crate::halt::{Halt, Why};
use crate::posed::{Block, Purpose, System, Worst};
use crate::problem::{Eigen, Problem};
use crate::run::Outcome;
use crate::solve::event::Event;
use crate::solve::{Options, Progress};
use std::ops::ControlFlow;
use std::time::Instant;

/// A solution over one layer.
#[derive(Clone)]
pub(super) struct Ground {
    pub(super) layer: Layer,
    pub(super) recipe: Recipe,
    pub(super) state: State,
    /// The worst held-out residual, in units of its rows.
    pub(super) residual: f64,
    /// Held-out residuals: equations, conditions.
    pub(super) rms: [Option<f64>; 2],
    pub(super) worst: Option<Worst>,
    /// Every unknown at held-out points inside.
    pub(super) values: Vec<f64>,
    /// How far off the mean square may be, relative to it.
    pub(super) mean_off: f64,
    pub(super) points: usize,
}

/// The search for one.
pub(super) struct Search<'a> {
    pub(super) system: System,
    pub(super) unknown: Unknown,
    eigen: &'a Eigen,
    options: &'a Options,
    units: Units,
    norm: Norm,
    /// The linear part, whose eigenfunction u starts from.
    linear: Option<Way>,
    held_out: Vec<Block>,
    inside: Block,
    pub(super) found: Vec<Ground>,
    pub(super) events: Vec<Event>,
    started: Instant,
    tried: u64,
    stopped: bool,
    expired: bool,
}

impl<'a> Search<'a> {
    pub(super) fn new(
        problem: &Problem,
        eigen: &'a Eigen,
        options: &'a Options,
    ) -> Result<Self, DomainError> {
        let unknown = Unknown::of(problem, eigen);
        let system = System::new(unknown.posed(problem, eigen), options.device);
        let plain = Unknown::Itself.linear_part(problem, eigen);
        let linear = Way::new("", plain, 0, HELD_OUT / 4, options)?;
        let draw = system
            .draw(options.seed)
            .round(Purpose::Examined.round())
            .held_out();
        let inside = problem
            .domain
            .interior(HELD_OUT, &draw.round(Purpose::Compared.round()))?;
        Ok(Self {
            units: units(&linear.system)?.0,
            linear: (unknown == Unknown::Itself).then_some(linear),
            norm: Norm::coarse(&system, options.seed)?,
            held_out: system.blocks(HELD_OUT, HELD_OUT / 2, &draw, &[])?,
            inside: Block::new(0, system.known.sites(&inside)),
            unknown,
            eigen,
            options,
            system,
            found: Vec::new(),
            events: Vec::new(),
            started: Instant::now(),
            tried: 0,
            stopped: false,
            expired: false,
        })
    }

    /// Layers one after the other; the best first.
    pub(super) fn run(
        &mut self,
        progress: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
        halt: &Halt,
    ) -> Result<Outcome, DomainError> {
        let closed = is_closed(&self.system.problem);
        let d = self.system.problem.coordinates.len();
        let most = self.options.width.unwrap_or(MOST_GROUND).max(8);
        let first = if closed {
            2 * d + 1
        } else {
            FIRST_GROUND[d.min(FIRST_GROUND.len()) - 1]
        };
        let mut n = first.min(most);
        let shares: &[f64] = if closed {
            &SHARES_GROUND[..1]
        } else {
            &SHARES_GROUND
        };
        for share in shares {
            let waves = waves(&self.system.problem, n, *share);
            self.attempt(n, waves, 0, progress, halt)?;
        }
        let mut idle = 0;
        while !self.over() && n < most && idle < IDLE_LAYERS {
            let Some(best) = self.found.first() else {
                break;
            };
            let reached = best.residual <= self.options.goal();
            let (before, old) = (best.residual, best.recipe.clone());
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a number of functions"
            )]
            let wider = ((GROWTH_GROUND * n as f64) as usize).max(n + 2);
            let wider = if closed {
                whole_lengths(&self.system.problem, wider, most)
            } else {
                wider.min(most)
            };
            let stretch = (wider as f64 / old.n as f64).powf(0.5 / d as f64);
            let waves = old.waves.iter().map(|w| w * stretch).collect();
            self.attempt(wider, waves, 0, progress, halt)?;
            n = wider;
            if reached {
                break; // one more to compare with
            }
            let helped = self.found[0].residual < HELPED * before;
            idle = if helped { 0 } else { idle + 1 };
            if closed && idle > 0 {
                self.choose(progress, halt)?;
                break;
            }
        }
        if let Some(best) = self.found.first().filter(|_| !self.over() && !closed) {
            let recipe = best.recipe.clone();
            for seed in [1, 2] {
                self.attempt(recipe.n, recipe.waves.clone(), seed, progress, halt)?;
            }
        }
        Ok(match self.found.first() {
            _ if self.stopped => Outcome::Stopped,
            _ if self.expired => Outcome::BudgetSpent,
            Some(best) if best.residual <= self.options.goal() => Outcome::TargetReached,
            _ => Outcome::Converged,
        })
    }

    fn over(&self) -> bool {
        self.stopped || self.expired
    }

    /// One layer.
    fn attempt(
        &mut self,
        n: usize,
        waves: Vec<f64>,
        seed: u64,
        progress: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
        halt: &Halt,
    ) -> Result<(), DomainError> {
        if self.over() {
            return Ok(());
        }
        let recipe = Recipe {
            n,
            waves,
            corners: 0,
            chosen: Vec::new(),
            seed: self.options.seed.wrapping_mul(1000).wrapping_add(seed),
        };
        self.attempt_with(recipe, progress, halt)
    }

    /// One layer, as described.
    fn attempt_with(
        &mut self,
        recipe: Recipe,
        progress: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
        halt: &Halt,
    ) -> Result<(), DomainError> {
        let n = recipe.n;
        let ground = self.solved(recipe, halt)?;
        self.tried += 1;
        let residual = ground.as_ref().map_or(f64::INFINITY, |g| g.residual);
        if let Some(ground) = ground {
            let lambda = ground.state.lambda;
            let said = format!("{n} functions: residual {residual:.1e}, {lambda:.10}");
            self.events.push(Event::note("lsq", said));
            self.found.push(ground);
            self.found.sort_by(|a, b| a.residual.total_cmp(&b.residual));
        }
        let seconds = self.started.elapsed().as_secs_f64();
        let told = Progress {
            seconds,
            step: self.tried,
            width: n,
            residual,
            best: self.found.first().map_or(f64::INFINITY, |g| g.residual),
            ..Progress::START
        };
        self.stopped |= progress(&told).is_break();
        self.expired |= halt.why() == Some(Why::Expired);
        Ok(())
    }
}
