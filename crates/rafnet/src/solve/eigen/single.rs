//! What is said of the eigenpair of a nonlinear operator, and its model.
//!
//! ```text
//! u = Σ_j c_j φ_j      or      u = 2^(Σ_j c_j φ_j / ln 2), one neuron over the layer
//! ```

use super::form::Unknown;
use super::ground::{Ground, Search};
use super::tuning::{CAUTION, ROUNDING};
use crate::activation::{Activation, Group, Term};
use crate::basis::Basis;
use crate::expr::larger;
use crate::model::Model;
use crate::network::{Bias, Layer, Network};
use crate::posed::Distance;
use crate::problem::{Eigen, Problem};
use crate::run::Watch;
use crate::solve::as_model::{model, network};
use crate::solve::figures::Evidence;
use crate::solve::solved::{Eigenpair, Solved};
use crate::solve::{Options, SolveError};
use std::f64::consts::LN_2;

impl Problem {
    /// The eigenpair of a nonlinear operator, or the positive one.
    pub(super) fn ground(
        &self,
        eigen: &Eigen,
        options: &Options,
        watch: &mut dyn Watch,
    ) -> Result<Solved, SolveError> {
        let mut search = Search::new(self, eigen, options)?;
        let nothing = self.no_eigenvalues(eigen);
        let outcome = self.searched(options, watch, nothing, |progress, halt| {
            let outcome = search.run(progress, halt)?;
            Ok((!search.found.is_empty()).then_some(outcome))
        })?;
        let (best, others) = (&search.found[0], &search.found[1..]);
        let share = |other: &Ground| (best.residual / other.residual).min(1.0);
        let lambda = best.state.lambda;
        let off = |of: &dyn Fn(&Ground) -> f64| {
            let all = others.iter().map(|other| of(other) * share(other));
            all.filter(|v| v.is_finite())
                .reduce(larger)
                .map_or(best.residual, |off| CAUTION * off)
        };
        let of_value = off(&|g| (g.state.lambda - lambda).abs());
        let from_best = |g: &Ground| Distance::between(&best.values, &g.values);
        let of_function = Distance {
            l2: off(&|g| from_best(g).l2),
            linf: off(&|g| from_best(g).linf),
        }
        .map(|off| off + best.mean_off + ROUNDING);
        let scale = lambda.abs().max(1.0);
        let model = function(&search, best, options)?;
        let pair = Eigenpair {
            value: lambda,
            error_estimate: of_value + (best.mean_off + ROUNDING) * scale,
            multiplicity: 1,
            function_estimate: of_function.l2,
            residual: best.residual,
            model: model.clone(),
        };
        let evidence = Evidence::of_residual(best.residual, of_function);
        Ok(Solved {
            method: "lsq",
            outcome,
            rms: [best.rms[0], best.rms[1], None, None],
            points: best.points,
            worst: best.worst.as_ref().map(|w| self.place(w)),
            events: search.events.clone(),
            ..Solved::measured_up_to_sign(model, evidence, self, options)?
        }
        .with_eigenvalues(vec![pair]))
    }
}

/// u as a model.
fn function(search: &Search<'_>, ground: &Ground, options: &Options) -> Result<Model, SolveError> {
    let problem = &search.system.problem;
    let layer = &ground.layer;
    let plain = network(problem, layer, problem.unknowns.len())?;
    let hidden = [&layer.weights[..], &layer.biases].concat();
    let coefficients = &ground.state.coefficients;
    if search.unknown == Unknown::Itself {
        let parameters = [&hidden[..], coefficients].concat();
        return model(problem, plain, parameters, options);
    }
    let layers = vec![
        plain.layers()[0].clone(),
        Layer::dense(exponential()?),
        Layer::linear(1, Bias::No),
    ];
    let network = Network::new(*plain.inputs(), layers)?;
    let exponents: Vec<f64> = coefficients.iter().map(|c| c / LN_2).collect();
    let parameters = [&hidden[..], &exponents, &[0.0, 1.0]].concat();
    model(problem, network, parameters, options)
}

/// One neuron 2^z.
pub(super) fn exponential() -> Result<Activation, SolveError> {
    let neuron = Group {
        neurons: 1,
        terms: vec![Term::plain(Basis::Exp2)],
    };
    Ok(Activation::new(vec![neuron])?)
}
