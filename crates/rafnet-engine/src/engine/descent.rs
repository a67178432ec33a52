//! Steps of an optimiser as one thing that an engine repeats: points, loss and gradient, update.
//!
//! ```text
//! x_k ← points of term k at this step        g ← Σ_k λ_k ∇J_k(θ; x_k)        θ ← update(θ, g)
//! ```
//!
//! Who trains by gradients states a [`Rule`] and asks [`Engine::descend`](super::Engine::descend) for so many steps of a [`Descent`]. On the
//! host a step is taken at a time, so that its caller is heard between two of them; a device may take all of them at once and keep the
//! parameters until [`Engine::fetch`](super::Engine::fetch) asks for them.

use super::{Batch, EngineError};
use crate::simd::Real;
use std::any::Any;
use std::fmt;
use std::ops::Range;

/// Points with what belongs to them, owned: a [`Batch`] is a view of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cloud<T> {
    /// n × d, row by row.
    pub points: Vec<T>,
    /// n × c, row by row; may be empty.
    pub data: Vec<T>,
    /// A weight for each point, or empty for 1 everywhere.
    pub weights: Vec<T>,
}

impl<T> Cloud<T> {
    /// These points for a term.
    pub fn of_term(&self, term: usize) -> Batch<'_, T> {
        Batch::points(&self.points)
            .with_data(&self.data)
            .with_weights(&self.weights)
            .of_term(term)
    }
}

/// A region that numbers u between 0 and 1 are carried to, uniformly.
#[derive(Clone, Debug, PartialEq)]
pub enum Region {
    /// Coordinate k is `low + u_k (high − low)`: the same bits on every device.
    Box(Vec<[f64; 2]>),
    /// `c + r n`, `r = R (q + u₀ (1 − q))^(1/d)`, n the direction that belongs to u₁, …, in two or three coordinates d: n is (cos, sin) of 2πu₁, or has
    /// z = 1 − 2u₁ and the longitude 2πu₂. The same up to rounding.
    Shell {
        /// c
        centre: Vec<f64>,
        /// R
        outer: f64,
        /// What the hole has of the whole.
        q: f64,
    },
}

/// Where the points of a term come from at every step.
#[derive(Clone, Debug, PartialEq)]
pub enum Source<'a, T> {
    /// The same points every time.
    Same(&'a Cloud<T>),
    /// Other points at every step: a cloud for each, all of one size and without weights.
    Each(&'a [Cloud<T>]),
    /// Uniform points of a region, fresh at every step: number k of point i is u from Philox with the
    /// key of (seed, round + step, [`labels`](Self::Uniform::labels)) and the counter (i, k/2), kept off the held-out points as training points are.
    Uniform {
        /// What the numbers are carried to.
        region: Region,
        /// How many points.
        points: usize,
        /// The seed.
        seed: u64,
        /// The round of the first of these steps.
        round: u64,
        /// What tells this use of the seed apart.
        labels: [u32; 2],
        /// Numbers beside each point, all zero.
        columns: usize,
    },
}

/// The moments of Adam and its numbers, as [`Steps`] names them.
#[derive(Debug)]
pub struct AdamState<'a, T> {
    /// First moments.
    pub m: &'a mut [T],
    /// Second moments.
    pub v: &'a mut [T],
    /// β₁ and β₂.
    pub betas: [f64; 2],
    /// ε
    pub epsilon: f64,
    /// For each of the steps what m and v are multiplied by: θ ← θ − a m / (√(b v) + ε).
    pub factors: Vec<[f64; 2]>,
}

/// What is watched while steps are taken: the sums of squares of a term's residuals, each by itself, at its points after every step. Nothing
/// that a step does depends on them.
#[derive(Clone, Debug, PartialEq)]
pub struct Watched<'a, T> {
    /// Which term.
    pub term: usize,
    /// Its points; fresh ones are of the round of the steps that were taken.
    pub source: Source<'a, T>,
}

/// What the host does while the device takes the steps: their rule may get the next ones' points ready.
#[derive(Default)]
pub struct Meanwhile<'a>(pub Option<Box<dyn FnOnce() + 'a>>);

impl Meanwhile<'_> {
    /// Does it, once.
    pub fn happens(&mut self) {
        if let Some(work) = self.0.take() {
            work();
        }
    }
}

impl fmt::Debug for Meanwhile<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = if self.0.is_some() { "work" } else { "nothing" };
        f.write_str(word)
    }
}

/// The next steps of a descent as data, for a device that repeats them by itself.
#[derive(Debug)]
pub struct Steps<'a, T> {
    /// Where the points of each of the first terms come from.
    pub sources: Vec<Source<'a, T>>,
    /// λ of these terms.
    pub weights: Vec<f64>,
    /// The gradient is g + decay·θ.
    pub decay: f64,
    /// Parameters that do not move.
    pub still: Vec<Range<usize>>,
    /// The update; as many steps as it has factors.
    pub adam: AdamState<'a, T>,
    /// What is watched, if anything.
    pub watched: Option<Watched<'a, T>>,
    /// What is done beside them.
    pub meanwhile: Meanwhile<'a>,
}

/// What every step of a descent does.
pub trait Rule<T> {
    /// The points of a step, from 0: a cloud for each of the first terms, and λ of these terms.
    ///
    /// # Errors
    /// [`EngineError::Points`] where none can be drawn.
    fn draw(&mut self, step: u64) -> Result<(&[Cloud<T>], &[f64]), EngineError>;
    /// The same for the next steps, at most so many, as data; none where the host must be asked at every step.
    ///
    /// # Errors
    /// As [`draw`](Self::draw).
    fn steps(&mut self, _step: u64, _most: u64) -> Result<Option<Steps<'_, T>>, EngineError> {
        Ok(None)
    }
    /// So many steps were taken from what [`steps`](Self::steps) answered.
    fn taken(&mut self, _steps: u64) {}
    /// What was watched after each of these steps: sums of squares, as many a step as the term has residuals.
    fn watched(&mut self, _sums: &[f64]) {}
    /// Moves the parameters along a gradient, which may be changed.
    fn update(&mut self, step: u64, parameters: &mut [T], gradient: &mut [T]);
}

/// A descent between two steps.
#[derive(Debug, Default)]
pub struct Descent<T> {
    /// As they are on the host: [`Engine::fetch`](super::Engine::fetch) brings them up to date.
    pub parameters: Vec<T>,
    /// Steps taken.
    pub step: u64,
    /// What a device keeps of it from call to call; nobody else reads it.
    pub resident: Option<Box<dyn Any + Send>>,
    gradient: Vec<T>,
    scratch: Vec<T>,
}

/// What came of some steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Descended {
    /// The loss before the last one.
    pub loss: f64,
    /// The smallest loss of them.
    pub least: f64,
    /// Whether loss and gradient were finite; where they are not the step is not taken.
    pub is_finite: bool,
}

impl<T: Real> Descent<T> {
    /// From these parameters, so many steps behind them.
    pub fn new(parameters: Vec<T>, step: u64) -> Self {
        let zeros = vec![T::ZERO; parameters.len()];
        Self {
            gradient: zeros.clone(),
            scratch: zeros,
            parameters,
            step,
            resident: None,
        }
    }

    /// One step on the host; `sweep` is an engine's loss and gradient.
    ///
    /// # Errors
    /// As the rule's and the sweep's.
    pub fn advance(
        &mut self,
        rule: &mut dyn Rule<T>,
        sweep: &mut Sweep<'_, T>,
    ) -> Result<Descended, EngineError> {
        let (clouds, weights) = rule.draw(self.step)?;
        let (gradient, scratch) = (&mut self.gradient, &mut self.scratch);
        let loss = weighted(clouds, weights, &self.parameters, gradient, scratch, sweep)?;
        let is_finite = loss.is_finite() && self.gradient.iter().all(|g| g.is_finite());
        if is_finite {
            rule.update(self.step, &mut self.parameters, &mut self.gradient);
            self.step += 1;
        }
        Ok(Descended {
            loss,
            least: loss,
            is_finite,
        })
    }
}

/// Loss and gradient of one batch at these parameters.
pub type Sweep<'a, T> = dyn FnMut(&[T], &Batch<'_, T>, &mut [T]) -> Result<f64, EngineError> + 'a;

/// Σ_k λ_k J_k and its gradient, in the order of the terms.
pub(super) fn weighted<T: Real>(
    clouds: &[Cloud<T>],
    weights: &[f64],
    parameters: &[T],
    gradient: &mut [T],
    scratch: &mut [T],
    sweep: &mut Sweep<'_, T>,
) -> Result<f64, EngineError> {
    let mut total = 0.0;
    gradient.fill(T::ZERO); // of no term at all
    for (k, (cloud, &weight)) in clouds.iter().zip(weights).enumerate() {
        let batch = cloud.of_term(k);
        let into = if k == 0 {
            &mut *gradient
        } else {
            &mut *scratch
        };
        total += weight * sweep(parameters, &batch, into)?;
        let factor = T::from_f64(weight);
        if k > 0 {
            let pairs = gradient.iter_mut().zip(&*scratch);
            pairs.for_each(|(g, &s)| *g += factor * s);
        } else if (weight - 1.0).abs() > 0.0 {
            gradient.iter_mut().for_each(|g| *g *= factor);
        }
    }
    Ok(total)
}
