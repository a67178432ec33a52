//! What `adam` and the warm-up of `lm` repeat: fresh points, loss and gradient, Adam.

use super::run::Run;
use super::setting::Setting;
use crate::domain::{Draw, Sampler};
use crate::engine::{Cloud, EngineError, Meanwhile, Rule, Steps, Watched};
use crate::optimise::{Adam, Schedule};
use crate::posed::{Drawing, errors_of_sums};

/// Adam on fresh points at every step, as in the paper.
pub(super) struct FreshPoints {
    drawing: Drawing,
    counts: [usize; 2],
    seed: u64,
    /// The round of the draw of step 0.
    first_round: u64,
    clouds: Vec<Cloud<f64>>,
    weights: Vec<f64>,
    pub(super) adam: Adam<f64>,
    lr: f64,
    schedule: Schedule,
    /// Weight decay.
    decay: f64,
    /// Parameters that do not move.
    closed: Vec<usize>,
    /// How often the error is recorded, where a solution is known, at how many points, by which term.
    errors: Option<(u64, usize, usize)>,
    /// Errors of all unknowns after each of the last steps, where a device has recorded them.
    pub(super) recorded: Vec<Vec<f64>>,
}

impl FreshPoints {
    /// For a run whose terms are balanced; `setting` says how many points and which rates.
    pub(super) fn new(run: &Run<'_>, setting: &Setting, first_round: u64, adam: Adam<f64>) -> Self {
        Self {
            drawing: run.terms.drawing().clone(),
            counts: [setting.points, setting.boundary_points],
            seed: run.options.seed,
            first_round,
            clouds: Vec::new(),
            weights: run.terms.weights(),
            adam,
            lr: setting.lr,
            schedule: setting.schedule,
            decay: 0.0,
            closed: run.terms.closed().to_vec(),
            errors: run
                .terms
                .errors()
                .map(|k| (run.setting.test_every, run.setting.test_points, k)),
            recorded: Vec::new(),
        }
    }

    /// The same with weight decay.
    pub(super) fn with_decay(self, decay: f64) -> Self {
        Self { decay, ..self }
    }
}

impl Rule<f64> for FreshPoints {
    fn draw(&mut self, step: u64) -> Result<(&[Cloud<f64>], &[f64]), EngineError> {
        let draw = Draw::new(Sampler::Random, self.seed).round(self.first_round + step);
        let why = |error: crate::domain::DomainError| error.to_string();
        let drawn = self.drawing.draw(self.counts, draw);
        self.clouds = drawn.map_err(|error| EngineError::Points { why: why(error) })?;
        Ok((&self.clouds, &self.weights))
    }

    fn steps(&mut self, step: u64, most: u64) -> Result<Option<Steps<'_, f64>>, EngineError> {
        let draw = Draw::new(Sampler::Random, self.seed).round(self.first_round + step);
        let Some(sources) = self.drawing.sources(self.counts, draw) else {
            return Ok(None);
        };
        // a device that draws held-out points records the error at every step; else the host does when it is due
        let (mut most, mut watched) = (most, None);
        if let Some((every, points, _)) = self.errors {
            let held_out = Draw::new(Sampler::Random, self.seed).held_out().round(step);
            watched = self
                .drawing
                .held_out(points, held_out)
                .filter(|_| every == 1);
            if watched.is_none() {
                most = most.min(every - step % every);
            }
            self.recorded.clear();
        }
        let watched = watched
            .zip(self.errors)
            .map(|(source, (_, _, term))| Watched { term, source });
        let (lr, schedule) = (self.lr, self.schedule);
        let rates = (step..step + most).map(|step| schedule.rate(lr, step));
        Ok(Some(Steps {
            sources,
            weights: self.weights.clone(),
            decay: self.decay,
            still: self.closed.iter().map(|&k| k..k + 1).collect(),
            adam: self.adam.as_data(rates).into(),
            watched,
            meanwhile: Meanwhile::default(),
        }))
    }

    fn watched(&mut self, sums: &[f64]) {
        let Some((_, points, _)) = self.errors else {
            return;
        };
        let each = 2 * self.drawing.n_known();
        let errors = sums
            .chunks_exact(each)
            .map(|s| errors_of_sums(s, points).collect());
        self.recorded = errors.collect();
    }

    fn taken(&mut self, steps: u64) {
        self.adam.taken(steps);
    }

    fn update(&mut self, step: u64, parameters: &mut [f64], gradient: &mut [f64]) {
        self.closed.iter().for_each(|k| gradient[*k] = 0.0);
        if self.decay > 0.0 {
            let pairs = gradient.iter_mut().zip(&*parameters);
            pairs.for_each(|(g, t)| *g += self.decay * t);
        }
        let rate = self.schedule.rate(self.lr, step);
        self.adam.step(rate, parameters, gradient);
    }
}
