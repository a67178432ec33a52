//! From eigenpairs to models with their figures.

use super::attempt::{Attempt, Way};
use super::estimate::likely;
use super::form::Unknown;
use super::search::{Spectrum, spectrum};
use super::tuning::{FEW_DIMENSIONS, SIGNED};
use crate::domain::DomainError;
use crate::engine::ridges::Layer;
use crate::expr::{Expr, Leaf, larger, largest};
use crate::frozen::jets_of;
use crate::model::Model;
use crate::posed::{Block, Distance, Kind, Residual};
use crate::problem::{Eigen, Problem};
use crate::run::{Checkpoint, Watch};
use crate::solve::as_model::{model, network};
use crate::solve::event::Event;
use crate::solve::figures::Evidence;
use crate::solve::solved::{Eigenpair, Solved};
use crate::solve::{Method, Options, SolveError};

impl Problem {
    /// The eigenpairs, by the method that is asked for, or by whatever suits the operator.
    pub(in crate::solve) fn by_eigen(
        &self,
        eigen: &Eigen,
        options: &Options,
        checkpoint: Option<&Checkpoint>,
        watch: &mut dyn Watch,
    ) -> Result<Solved, SolveError> {
        match options.method {
            Method::Bsde => return self.by_bsde(eigen, options, checkpoint, watch),
            Method::Lm => return self.eigen_by_lm(eigen, options, watch),
            Method::Auto | Method::Lsq => {}
            _ => {
                let what = "`--method auto`, `lsq`, `lm` or `bsde`: others do not find eigenvalues";
                return Err(SolveError::unsupported(self, what));
            }
        }
        // in many dimensions the logarithm of a positive function takes fewer functions than itself
        let many = self.coordinates.len() > FEW_DIMENSIONS;
        if eigen.nonlinear || many && Unknown::of(self, eigen) == Unknown::Logarithm {
            self.ground(eigen, options, watch)
        } else {
            self.eigenpairs(eigen, options, watch)
        }
    }

    /// The eigenpairs of a linear operator over frozen functions.
    pub(in crate::solve) fn eigenpairs(
        &self,
        eigen: &Eigen,
        options: &Options,
        watch: &mut dyn Watch,
    ) -> Result<Solved, SolveError> {
        if let Some(n) = options.width {
            let columns = n.saturating_mul(self.unknowns.len());
            rafnet_memory::require("rows", &[columns, columns, 11, 8])?;
        }
        let nothing = self.no_eigenvalues(eigen);
        let found = self.searched(options, watch, nothing, |progress, halt| {
            let found = spectrum(self, eigen, options, progress, halt)?;
            Ok((!found.attempts.is_empty()).then_some(found))
        })?;
        self.told(eigen, options, found)
    }

    pub(super) fn no_eigenvalues(&self, eigen: &Eigen) -> SolveError {
        let (problem, count) = (self.name.clone(), eigen.count);
        SolveError::NoEigenvalues { problem, count }
    }

    /// Everything that is said of them.
    fn told(
        &self,
        eigen: &Eigen,
        options: &Options,
        found: Spectrum,
    ) -> Result<Solved, SolveError> {
        let likely = likely(&found.attempts, eigen.count);
        let best = &found.attempts[0];
        let way = &found.ways[best.way];
        let mut eigenvalues = Vec::with_capacity(eigen.count);
        for (k, likely) in likely.iter().enumerate() {
            eigenvalues.push(Eigenpair {
                value: best.pairs[k].lambda,
                error_estimate: likely.of_value,
                multiplicity: likely.multiplicity,
                function_estimate: likely.of_function.l2,
                residual: best.pairs[k].residual,
                model: way.model(best, k, eigen, options)?,
            });
        }
        let Some(first) = eigenvalues.first() else {
            return Err(self.no_eigenvalues(eigen));
        };
        let off = likely.iter().map(|l| l.of_function);
        let off = off.fold(Distance::default(), Distance::max);
        let worst_of = |of: fn(&Eigenpair) -> f64| largest(eigenvalues.iter().map(of));
        let evidence = Evidence::of_residual(worst_of(|p| p.residual), off);
        let pairs = &best.pairs[..eigenvalues.len()];
        let largest = |k: usize| pairs.iter().filter_map(|p| p.rms[k]).reduce(larger);
        let size = eigen.mean_square.sqrt();
        let worst = pairs
            .iter()
            .max_by(|a, b| a.residual.total_cmp(&b.residual));
        let mut events = found.events;
        if best.complex {
            let passed = "complex eigenvalues were passed over: only real ones are told";
            events.push(Event::note("lsq", passed));
        }
        Ok(Solved {
            method: "lsq",
            outcome: found.outcome,
            rms: [
                largest(0).map(|r| r * size),
                largest(1).map(|r| r * size),
                None,
                None,
            ],
            points: best.points,
            worst: worst.and_then(|p| p.worst.as_ref()).map(|w| self.place(w)),
            events,
            ..Solved::measured_up_to_sign(first.model.clone(), evidence, self, options)?
        }
        .with_eigenvalues(eigenvalues))
    }
}

impl Way {
    /// The function of a pair, of the mean square asked for, its mean positive (or else its largest value).
    fn model(
        &self,
        attempt: &Attempt,
        k: usize,
        eigen: &Eigen,
        options: &Options,
    ) -> Result<Model, SolveError> {
        let problem = &self.system.problem;
        let mut coefficients = attempt.pairs[k].coefficients.clone();
        let factor = self.factor(&attempt.layer, &coefficients, eigen.mean_square)?;
        coefficients.iter_mut().for_each(|c| *c *= factor);
        let network = network(problem, &attempt.layer, problem.unknowns.len())?;
        let layer = &attempt.layer;
        let parameters = [&layer.weights[..], &layer.biases, &coefficients].concat();
        model(problem, network, parameters, options)
    }

    /// What a function is multiplied by.
    fn factor(
        &self,
        layer: &Layer,
        coefficients: &[f64],
        mean_square: f64,
    ) -> Result<f64, DomainError> {
        let problem = &self.system.problem;
        let quadrature = problem.domain.quadrature()?;
        let block = Block::new(0, self.system.known.sites(&quadrature.points));
        let d = problem.coordinates.len();
        let (mut square, mut mean, mut peak) = (0.0, 0.0, 0.0f64);
        for u in 0..problem.unknowns.len() {
            let value = Residual::new(Kind::Equation, &Expr::leaf(Leaf::jet(u, &[])), d, 0);
            let values = jets_of(layer, coefficients, &value, &block).swap_remove(0);
            for (v, w) in values.iter().zip(&quadrature.weights) {
                square += w * v * v;
                if u == 0 {
                    mean += w * v;
                    // the first of equally large ones
                    if v.abs() > peak.abs() * (1.0 + 1e-6) {
                        peak = *v;
                    }
                }
            }
        }
        let size = square.sqrt();
        let sign = if mean.abs() > SIGNED * size {
            mean
        } else {
            peak
        };
        Ok(mean_square.sqrt() / size * if sign < 0.0 { -1.0 } else { 1.0 })
    }
}
