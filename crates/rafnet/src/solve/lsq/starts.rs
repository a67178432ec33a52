//! Other starts where Newton's method finds nothing from the guess: smooth functions with random coefficients, of several sizes.

use super::attempt::Candidate;
use super::recipe::{Family, Recipe};
use super::search::Search;
use super::tuning::{DOUBTFUL, START_FUNCTIONS, START_SCALE, START_SIZES};
use crate::activation::random;
use crate::domain::DomainError;
use crate::frozen::Start;
use crate::frozen::State;
use rand::RngExt;

impl Search<'_> {
    /// Newton's method from other starts, until one is near a solution. What is found joins the attempts that are there.
    pub(super) fn other_starts(&mut self) -> Result<(), DomainError> {
        let system = &self.ways[0].system;
        let in_time = system.problem.time.is_some();
        let Some(n) = self.best().map(|b| b.candidate.n) else {
            return Ok(());
        };
        if !system.nonlinear() || in_time {
            return Ok(());
        }
        let mut candidates = self.sines_at_three_scales(n);
        let mut tried = 0;
        while tried < START_SIZES.len() && self.residual() > DOUBTFUL {
            if self.ended() {
                break;
            }
            let ways = 0..self.ways.len();
            let size = START_SIZES[tried];
            let starts = ways.map(|way| self.elsewhere(way, tried, size).map(Some));
            self.starts = starts.collect::<Result<_, _>>()?;
            candidates.iter_mut().for_each(|c| c.start = tried + 1);
            // without attempts a round begins at the starts
            let known = std::mem::take(&mut self.attempts);
            let done = self.round(&candidates);
            self.remember(known);
            done?;
            tried += 1;
        }
        self.starts.clear();
        if tried > 0 {
            self.say(&format!("from {tried} other starts"));
            if self.residual() <= DOUBTFUL {
                let several =
                    "there may be other solutions: `[guess]` says near which one is sought";
                self.note(several);
            }
        }
        Ok(())
    }

    /// Layers for every start: sines of each way.
    fn sines_at_three_scales(&self, n: usize) -> Vec<Candidate> {
        let of_way = |way: usize| {
            let mut sines = self.grid(way, n, &[]);
            sines.retain(|c| {
                c.recipe.family == Family::Sine
                    && c.recipe.groups.is_none()
                    && c.recipe.spectral == 0.0
            });
            sines.truncate(3);
            sines
        };
        (0..self.ways.len()).flat_map(of_way).collect()
    }

    /// The start of this number: its coefficients are so many times as large as the data imply.
    pub(super) fn elsewhere(
        &self,
        way: usize,
        number: usize,
        factor: f64,
    ) -> Result<Start, DomainError> {
        let way = &self.ways[way];
        let seed = self.options.seed.wrapping_add(1_000 + number as u64);
        let scales = vec![START_SCALE; way.inputs.ranges.len()];
        let recipe = Recipe::sines(scales, seed);
        let layer = way.inputs.draw(START_FUNCTIONS, &recipe);
        let mut rng = random(seed);
        let implied = way.system.sizes()?;
        let mut coefficients = Vec::with_capacity(implied.len() * layer.len());
        for size in implied {
            let size = if *size > 0.0 { *size } else { 1.0 };
            let most = factor * size / (layer.len() as f64 / 6.0).sqrt();
            coefficients.extend((0..layer.len()).map(|_| rng.random_range(-most..most)));
        }
        let problem = &way.system.problem;
        Ok(Start {
            state: State {
                layer,
                coefficients,
                sought: problem.sought.iter().map(|s| s.start).collect(),
                sigma: Vec::new(),
            },
            until: None,
        })
    }
}
