//! `Problem::solve`: from a problem to a model with its figures.

use super::carried::with_start;
use super::{Feature, SolveError, Solved, trained};
use super::{Method, Options, Progress};
use crate::domain::{Draw, Sampler};
use crate::expr::{Expr, Leaf};
use crate::posed::{ACROSS_JUMPS, Distance, Narrow, held_exactly};
use crate::problem::{Condition, Enforce, Place, Problem};
use crate::run::{Callback, Checkpoint, CheckpointError, Stamped, Watch};
use crate::waves::strips;
use std::ops::ControlFlow;
use std::time::Instant;

/// What a search through the texts found, for people and for programs.
fn features(problem: &Problem, narrow: &Narrow) -> Vec<Feature> {
    let feature = |place: &Place| Feature {
        text: place.text.clone(),
        at: place.at.clone(),
        width: place.width.clone(),
        sentence: place.sentence(problem),
    };
    narrow.places.iter().map(feature).collect()
}

impl Problem {
    /// Where its texts change within a small part of the domain, and whether there is nothing else of this kind: what a run finds before it
    /// solves.
    ///
    /// ```
    /// let (features, complete) = rafnet::Problem::builtin("heat")?.narrow_features(0)?;
    /// assert!(features.is_empty() && complete);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// When the domain cannot draw points.
    pub fn narrow_features(&self, seed: u64) -> Result<(Vec<Feature>, bool), SolveError> {
        let split = self.second_order();
        let problem = split.as_ref().unwrap_or(self);
        let narrow = Narrow::of(problem, &Draw::new(Sampler::Sobol, seed))?;
        Ok((features(problem, &narrow), narrow.excluded))
    }

    /// Solves the problem; `progress` says whether to go on. What its file asks for in `[solver]` and `[network]` holds wherever an option is left
    /// out.
    ///
    /// ```
    /// use rafnet::Problem;
    /// let solved = Problem::builtin("logistic")?.solve(&Default::default(), |progress| progress.go_on())?;
    /// assert!(solved.relative_l2_by[0].is_some_and(|error| error < 1e-9));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`SolveError`] says what is missing.
    pub fn solve(
        &self,
        options: &Options,
        progress: impl FnMut(&Progress) -> ControlFlow<()>,
    ) -> Result<Solved, SolveError> {
        self.solve_from(options, None, &mut Callback(progress))
    }

    /// Solves the problem with a watcher, from the start or from a checkpoint of the same problem and options: then it goes on
    /// exactly where it stopped.
    ///
    /// # Errors
    /// [`SolveError`] says what is missing, or why the checkpoint does not fit.
    pub fn solve_from(
        &self,
        options: &Options,
        checkpoint: Option<&Checkpoint>,
        watch: &mut dyn Watch,
    ) -> Result<Solved, SolveError> {
        let started = Instant::now();
        let options = &options.over_file(self)?;
        self.check(options)?;
        if let Some(checkpoint) = checkpoint {
            self.accepts(options, checkpoint)?;
        }
        let run = self.run_fingerprint(options);
        let device = options.device;
        let watch = &mut Stamped { watch, run, device };
        let split = self.second_order();
        let problem = split.as_ref().unwrap_or(self);
        let mut problem = with_start(problem).unwrap_or_else(|| problem.clone());
        let narrow = Narrow::of(&problem, &Draw::new(Sampler::Sobol, options.seed))?;
        let features = features(&problem, &narrow);
        let strips = strips(&problem, &narrow);
        let boxes = narrow.places.iter().filter(|p| p.across.is_none());
        problem.places = boxes.cloned().chain(strips).collect();
        let problem = &problem;
        let solved =
            match options.method {
                _ if let Some(eigen) = &problem.eigen => {
                    problem.by_eigen(eigen, options, checkpoint, watch)
                }
                Method::Bsde => {
                    let what = "an `[eigenvalue]` for `--method bsde`";
                    Err(SolveError::unsupported(self, what))
                }
                Method::Lsq => problem.by_lsq(options, watch)?.solved(problem, options),
                Method::Auto | Method::Pieces
                    if options.method == Method::Pieces || !problem.fluxes.is_empty() =>
                {
                    problem
                        .by_pieces(options, 1, watch)?
                        .solved(problem, options, "pieces")
                }
                Method::Auto => problem.by_itself(options, checkpoint, started, watch),
                method => {
                    let fresh = trained::Start::Fresh;
                    trained::solve(problem, options, method, fresh, checkpoint, started, watch)?
                        .solved(problem, options, method.name())
                }
            }?;
        let solved = match self.free_along() {
            // whatever solutions agree on, any other one is as good
            Some(_) => solved.apart_by(Distance::UNKNOWN),
            None => solved,
        };
        let mut solved = Solved {
            features,
            excluded: narrow.excluded,
            ..solved.settled(self, options, started)
        };
        solved.name_parameters(&self.numbers);
        Ok(solved)
    }

    /// Whether a checkpoint is of this problem with these options: what a run that goes on may change (time limit, target, threads, more
    /// steps where no rate depends on their number) does not matter.
    ///
    /// # Errors
    /// [`CheckpointError::OtherRun`] says what differs.
    pub fn accepts(
        &self,
        options: &Options,
        checkpoint: &Checkpoint,
    ) -> Result<(), CheckpointError> {
        let all = options.over_file(self);
        let options = all.as_ref().unwrap_or(options);
        self.run_fingerprint(options).expect(&checkpoint.run)
    }

    /// Refuses what no method can do.
    fn check(&self, options: &Options) -> Result<(), SolveError> {
        let inputs = self.coordinates.len() + self.features.len();
        let frozen = matches!(options.method, Method::Lsq | Method::Pieces);
        if frozen
            || options.method == Method::Auto
            || self.eigen.is_some() && options.method != Method::Bsde
        {
            options.device.frozen()?;
        }
        let skips = !frozen && options.depth != Some(1);
        let narrow = skips && options.width.is_some_and(|w| w < inputs);
        if narrow {
            let what = "a `width` of at least one neuron for each coordinate and feature";
            return Err(SolveError::unsupported(self, what));
        }
        if !self.fluxes.is_empty() {
            let cut = matches!(options.method, Method::Auto | Method::Pieces);
            if !cut || self.eigen.is_some() || self.second_order().is_some() {
                return Err(SolveError::unsupported(self, ACROSS_JUMPS));
            }
        }
        let exactly = |c: &&Condition| c.enforce == Enforce::Exact && !c.initial;
        let held = held_exactly(self);
        let ansatz = held.as_ref().map_or(&self.ansatz, |p| &p.ansatz);
        for condition in self.conditions.iter().filter(exactly) {
            let unknown = condition.dirichlet.as_ref().map(|d| d.0);
            if unknown.is_none_or(|u| ansatz[u].is_none()) {
                let what = "values held exactly where there is no factor for them; leave `enforce` out or make it \"penalty\"";
                return Err(SolveError::unsupported(self, what));
            }
        }
        let texts = self
            .equations
            .iter()
            .chain(self.conditions.iter().map(|c| &c.residual));
        let texts: Vec<&Expr> = texts.chain(self.data.iter().map(|o| &o.observe)).collect();
        let used = |k: usize| {
            texts
                .iter()
                .any(|e| e.leaves().contains(&Leaf::Parameter(k)))
        };
        if (0..self.sought.len()).any(|k| !used(k)) {
            let what =
                "every parameter that is to be found in an equation, a condition or an observation";
            return Err(SolveError::unsupported(self, what));
        }
        Ok(())
    }
}
