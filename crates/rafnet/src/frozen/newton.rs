//! One layer's best coefficients: a solve for linear problems, Newton with backtracking for the others.
//!
//! ```text
//! r(u) ≈ r(u₀) + Σ_α ∂r/∂(D^α u) · D^α(u − u₀) + Σ_k ∂r/∂p_k (p − p₀)        row · (c, p − p₀) = J u₀ − s r(u₀)
//! ```
//!
//! s = 1 is the full step, s < 1 a shorter one from the same factorisation.

use super::balance::{scale_rows, unit_of_noise};
use super::features::jets_unless;
use super::start::{Start, State};
use super::tuning::{FORETOLD, IDLE_STEP, LEADS, MOST_HALVINGS, MOST_STEPS, SETTLED};
use crate::engine::ridges::Layer;
use crate::halt::Halt;
use crate::optimise::LeastSquares;
use crate::posed::{Block, JetColumns, System};
use crate::problem::Sought;

/// What a step is taken from.
struct Base<'a> {
    layer: &'a Layer,
    blocks: &'a [Block],
    sought: &'a [f64],
    scales: &'a [f64],
    /// The sum of squares there.
    merit: f64,
    first: bool,
    weighing: Weighing<'a>,
}

/// What rows weigh.
#[derive(Clone, Copy)]
pub(crate) enum Weighing<'a> {
    /// By the size of their rows, noisy observations by so much more: 0 as they should in the end, 1 as much as equations.
    Balanced(f64),
    /// As given, block by block.
    Given(&'a [f64]),
}

/// A step that was taken, and whether it was the last worth taking.
struct Step {
    state: State,
    merit: f64,
    jets: Vec<JetColumns>,
    done: bool,
}

impl System {
    /// Fits a layer to the rows, starting from the guess or from an earlier solution in whatever features. `None` where nothing
    /// finite comes out, or when it is ended.
    ///
    /// From nothing, noisy observations lead and the equations follow: held to equations with parameters that are far off, Newton's
    /// method would settle far from the data.
    pub(crate) fn fit(
        &self,
        layer: &Layer,
        blocks: &[Block],
        start: Option<&Start>,
        halt: &Halt,
    ) -> Option<State> {
        let noisy = self.nonlinear() && blocks.iter().any(|b| b.noise.is_some());
        let mut led: Option<Start> = None;
        for lead in LEADS.into_iter().filter(|_| noisy && start.is_none()) {
            let state =
                self.fit_weighed(layer, blocks, led.as_ref(), Weighing::Balanced(lead), halt)?;
            led = Some(Start { state, until: None });
        }
        self.fit_weighed(
            layer,
            blocks,
            led.as_ref().or(start),
            Weighing::Balanced(0.0),
            halt,
        )
    }

    /// The same with rows that weigh what they are told to.
    pub(crate) fn fit_weighed(
        &self,
        layer: &Layer,
        blocks: &[Block],
        start: Option<&Start>,
        weighing: Weighing<'_>,
        halt: &Halt,
    ) -> Option<State> {
        let unknowns = self.problem.unknowns.len();
        let nonlinear = self.nonlinear();
        let mut sought = start.map_or_else(
            || self.problem.sought.iter().map(|s| s.start).collect(),
            |s| s.state.sought.clone(),
        );
        let mut jets: Vec<JetColumns> = blocks
            .iter()
            .map(|b| match start {
                Some(start) => self.started(start, b, halt),
                None => self.guessed(b),
            })
            .collect();
        let mut scales: Vec<f64> = Vec::new();
        let mut best: Option<(State, f64)> = None;
        for step in 0..if nonlinear { MOST_STEPS } else { 1 } {
            let mut rows = self.rows(layer, blocks, &jets, &sought, halt);
            if halt.is_raised() {
                return None;
            }
            if step == 0 {
                let width = unknowns * layer.len();
                scales = match weighing {
                    Weighing::Balanced(lead) => self.balance(blocks, &rows, width, lead).ok()?,
                    Weighing::Given(scales) => scales.to_vec(),
                };
            }
            scale_rows(blocks, &mut rows, &scales);
            let before = match &best {
                Some(best) => best.1,
                // the start need not lie in this layer's span: from an earlier solution the first step is a projection
                None if start.is_some() || !nonlinear => f64::INFINITY,
                None => self.merit(blocks, &jets, &sought, &scales),
            };
            let factored = LeastSquares::new(rows, 2, halt);
            if halt.is_raised() {
                return None;
            }
            let from = Base {
                layer,
                blocks,
                sought: &sought,
                scales: &scales,
                merit: before,
                first: step == 0,
                weighing,
            };
            let Some(Step {
                state,
                merit,
                jets: next,
                done,
            }) = self.step(&factored, &from, halt)
            else {
                break; // nothing to gain any more, or ended
            };
            sought.clone_from(&state.sought);
            jets = next;
            best = Some((state, merit));
            if done {
                break;
            }
        }
        best.map(|b| b.0).filter(|_| !halt.is_raised())
    }

    /// The longest step, from a whole one down by halves, that lowers the sum of squares enough.
    fn step(&self, factored: &LeastSquares, from: &Base<'_>, halt: &Halt) -> Option<Step> {
        let Base {
            layer,
            blocks,
            sought,
            scales,
            merit: before,
            first,
            weighing,
        } = *from;
        let foretold = factored.misfit(&[1.0, -1.0]).powi(2);
        let noise = unit_of_noise(blocks, scales);
        let settled = noise
            .filter(|_| !matches!(weighing, Weighing::Balanced(lead) if lead > 0.0))
            .map(|unit| SETTLED * unit * unit);
        // how much of the sum of squares stays whatever is done, and how much is not worth a step
        let floor = noise.map_or(0.0, |_| foretold.min(before));
        let slack = settled.unwrap_or(f64::INFINITY);
        for halving in 0..=MOST_HALVINGS {
            let share = 0.5f64.powi(halving);
            let all = factored.solve_within(&[1.0, -share], &self.room_for(sought));
            if all.iter().any(|v| !v.is_finite()) {
                return None;
            }
            if !self.nonlinear() && sought.is_empty() {
                // the solution: nothing follows that reads jets or the sum of squares
                let state = State {
                    layer: layer.clone(),
                    coefficients: all,
                    sigma: Vec::new(),
                    sought: Vec::new(),
                };
                return Some(Step {
                    state,
                    merit: foretold,
                    jets: Vec::new(),
                    done: true,
                });
            }
            let (coefficients, change) = all.split_at(self.problem.unknowns.len() * layer.len());
            let bounds = self.problem.sought.iter().map(Sought::bounds);
            let moved = sought.iter().zip(change).zip(bounds);
            let found: Vec<f64> = moved
                .map(|((p, c), [low, high])| (p + c).clamp(low, high))
                .collect();
            let jets_at = |b: &Block| {
                let residual = &self.residuals[b.residual];
                jets_unless(halt, layer, coefficients, residual, b)
            };
            let jets: Vec<JetColumns> = blocks.iter().map(jets_at).collect();
            if halt.is_raised() {
                return None;
            }
            let merit = self.merit(blocks, &jets, &found, scales);
            // what is started from need not lie in the layer's span, and may be the solution itself
            let anyhow = first && (before.is_infinite() || before == 0.0 && merit == 0.0);
            if !anyhow && (merit.is_nan() || merit >= before - 0.1 * share * (before - floor)) {
                continue;
            }
            let near = merit - foretold <= slack.min((FORETOLD - 1.0) * foretold);
            let idle = before - merit < slack.min((1.0 - IDLE_STEP) * before);
            return Some(Step {
                state: State {
                    layer: layer.clone(),
                    coefficients: coefficients.to_vec(),
                    sigma: self.standard_errors(factored, blocks, &jets, &found, scales),
                    sought: found,
                },
                merit,
                jets,
                done: halving == 0 && (near || idle),
            });
        }
        None
    }

    /// How far each sought parameter may move.
    fn room_for(&self, sought: &[f64]) -> Vec<[f64; 2]> {
        let bounds = self.problem.sought.iter().map(Sought::bounds);
        let room = |([low, high], p): ([f64; 2], &f64)| [low - p, high - p];
        bounds.zip(sought).map(room).collect()
    }
}
