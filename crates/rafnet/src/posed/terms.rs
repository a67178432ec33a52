//! The terms of a trained problem, compiled for one engine: equations inside, conditions, observations and constraints, each on its own points.
//!
//! ```text
//! J(θ, p) = Σ_k λ_k / n_k Σ_i |R_k,i|²          R = r(x_i), or Σ_j w_j r(x_j) where a constraint sums over points
//! ```
//!
//! λ is the user's weight, or what makes a term's Jacobian at the start as large as that of the equations; observations with noise weigh so much less
//! that they do not bend the equations. Sought parameters p are the tail of the parameter vector. [`points`] draws, [`sums`] adds
//! the terms up and has their Jacobians, [`looks`] the jets of the network for those who judge it.

mod looks;
mod points;
mod sums;

pub(crate) use points::Drawing;

use super::periodic::closed_weights;
use super::{ACROSS_JUMPS, PosedError, System};
use crate::engine::{
    self, Ansatz, Cloud, Descended, Descent, Device, Engine, EngineError, ExprField, ExprResidual,
    Field, Objective, Rule,
};
use crate::expr::{Expr, Leaf};
use crate::network::Network;
use crate::problem::{Problem, Sought};
use std::sync::Arc;

/// What the host keeps of a term.
struct Term {
    /// Residuals a point.
    count: usize,
    /// Points a row.
    points: usize,
    /// λ as the user gave it.
    given: Option<f64>,
    /// λ: as given, or 1 until it is balanced.
    weight: f64,
}

/// What a term is of the problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Of {
    Equations,
    Condition(usize),
    Observation(usize),
    /// A constraint, or another sum; which of the points that stay.
    Fixed(usize),
}

/// All terms.
pub(crate) struct Terms {
    pub(crate) system: Arc<System>,
    drawing: Drawing,
    /// Every term; behind them the first unknown by itself, and the errors where a solution is known.
    engine: Box<dyn Engine<f64>>,
    /// Equations, conditions, observations, constraints, in this order.
    all: Vec<Term>,
    n_sought: usize,
    /// The places of weights that stay zero.
    closed: Vec<usize>,
}

/// A known function as the engine takes it.
type Known = Arc<dyn Field<f64>>;

/// The known functions of a problem: extra inputs, and factors with lifts.
fn fields(problem: &Problem) -> (Vec<Known>, Vec<Ansatz<f64>>) {
    let d = problem.coordinates.len();
    let field = |e: &Expr| -> Known {
        Arc::new(ExprField::new(e, d).expect("a known function names coordinates only"))
    };
    let features = problem.features.iter().map(|(_, e)| field(e)).collect();
    let ansatz = |a: &Option<(Expr, Expr)>| Ansatz {
        factor: a.as_ref().map(|(g, _)| field(g)),
        lift: a
            .as_ref()
            .filter(|(_, l)| l.constant() != Some(0.0))
            .map(|(_, l)| field(l)),
    };
    let all: Vec<Ansatz<f64>> = problem.ansatz.iter().map(ansatz).collect();
    let any = problem.ansatz.iter().any(Option::is_some);
    (features, if any { all } else { Vec::new() })
}
impl Terms {
    /// Compiles a problem for a network.
    pub(crate) fn new(
        problem: Problem,
        network: &Network,
        device: Device,
        threads: usize,
    ) -> Result<Self, PosedError> {
        Self::with_sums(problem, Vec::new(), network, device, threads)
    }

    /// The same with further rows after all others, each the weighted sum of an expression over the points of a cloud.
    pub(crate) fn with_sums(
        problem: Problem,
        sums: Vec<(Expr, Cloud<f64>)>,
        network: &Network,
        device: Device,
        threads: usize,
    ) -> Result<Self, PosedError> {
        if !problem.fluxes.is_empty() {
            return Err(PosedError::unsupported(&problem, ACROSS_JUMPS));
        }
        let (d, outputs, n_sought) = (
            problem.coordinates.len(),
            network.n_outputs(),
            problem.sought.len(),
        );
        let (features, ansatz) = fields(&problem);
        let system = Arc::new(System::new(problem, device));
        let problem = &system.problem;
        let (mut all, mut of_terms, mut compiled) = (Vec::new(), Vec::new(), Vec::new());
        let mut add = |residuals: &[Expr], of: Of, given: Option<f64>, points: Option<usize>| {
            let residual = ExprResidual::new(residuals, d, outputs, n_sought);
            of_terms.push((of, engine::Residual::data_columns(&residual)));
            all.push(Term {
                count: residuals.len(),
                points: points.unwrap_or(1),
                given,
                weight: given.unwrap_or(1.0),
            });
            let term = engine::Term::new(Arc::new(residual));
            compiled.push(match points {
                Some(points) => term.summed(points),
                None => term,
            });
        };
        if !problem.equations.is_empty() {
            add(&problem.equations, Of::Equations, Some(1.0), None);
        }
        for (c, condition) in problem.conditions.iter().enumerate() {
            if !system.held(c) && !condition.pieces.is_empty() {
                let residual = std::slice::from_ref(&condition.residual);
                add(residual, Of::Condition(c), condition.weight, None);
            }
        }
        for (k, observation) in problem.data.iter().enumerate() {
            let residual = observation.observe.clone() - Expr::leaf(Leaf::Column(0));
            add(&[residual], Of::Observation(k), None, None);
        }
        let mut fixed = Vec::new();
        for (k, constraint) in problem.constraints.iter().enumerate() {
            let (points, per_row) = points::of_constraint(&system, k)?;
            fixed.push(points);
            let residual = constraint.difference(&problem.domain);
            add(&[residual], Of::Fixed(k), None, per_row);
        }
        for (residual, cloud) in sums {
            let points = cloud.points.len() / d;
            add(&[residual], Of::Fixed(fixed.len()), None, Some(points));
            fixed.push(cloud);
        }
        let value = ExprResidual::new(&[Expr::leaf(Leaf::jet(0, &[]))], d, outputs, n_sought);
        compiled.push(engine::Term::new(Arc::new(value)));
        // behind it, for the record of a run alone: u − u* and u* of every unknown whose solution is known
        let known = problem.exact.iter().enumerate();
        let known = known.filter_map(|(u, e)| Some((Expr::leaf(Leaf::jet(u, &[])), e.clone()?)));
        let errors: Vec<Expr> = known.flat_map(|(u, e)| [u - e.clone(), e]).collect();
        if !errors.is_empty() {
            let errors = ExprResidual::new(&errors, d, outputs, n_sought);
            compiled.push(engine::Term::new(Arc::new(errors)));
        }
        let objective = Objective {
            network: network.clone(),
            features,
            ansatz,
            shared: problem.sought.iter().map(Sought::bounds).collect(),
            terms: compiled,
        };
        Ok(Self {
            engine: device.engine(objective, threads)?,
            closed: closed_weights(problem, network),
            drawing: Drawing {
                system: Arc::clone(&system),
                terms: of_terms,
                fixed,
            },
            system,
            all,
            n_sought,
        })
    }

    /// How many numbers are trained: the network's, then the sought parameters.
    pub(crate) fn n_unknowns(&self) -> usize {
        self.n_parameters() + self.n_sought
    }

    pub(crate) fn n_parameters(&self) -> usize {
        self.engine.objective().network.n_parameters()
    }

    /// The sought parameters, the nearest within their bounds.
    pub(crate) fn sought(&self, theta: &[f64]) -> Vec<f64> {
        let given = self.system.problem.sought.iter().map(Sought::bounds);
        let sought = theta[self.n_parameters()..].iter().zip(given);
        sought.map(|(p, [low, high])| p.clamp(low, high)).collect()
    }

    /// How many residuals term `k` has at a point.
    pub(crate) fn count(&self, k: usize) -> usize {
        self.all[k].count
    }

    /// Numbers beside each point of term `k`.
    pub(crate) fn columns(&self, k: usize) -> usize {
        self.drawing.terms[k].1
    }

    /// Which condition or observation term `k` is; `None` for the equations.
    pub(crate) fn place(&self, k: usize) -> Option<usize> {
        let conditions = self.system.problem.conditions.len();
        match self.drawing.terms[k].0 {
            Of::Condition(c) => Some(c),
            Of::Observation(k) => Some(conditions + k),
            Of::Equations | Of::Fixed(_) => None,
        }
    }

    /// The term of the errors, where a solution is known.
    pub(crate) fn errors(&self) -> Option<usize> {
        let k = self.all.len() + 1;
        self.engine.objective().term(k).is_ok().then_some(k)
    }

    /// Where its points come from.
    pub(crate) fn drawing(&self) -> &Drawing {
        &self.drawing
    }

    /// The places of weights that stay zero: they read a periodic axis.
    pub(crate) fn closed(&self) -> &[usize] {
        &self.closed
    }

    /// Takes steps of a descent, at most so many; its parameters are on the host after them.
    pub(crate) fn descend(
        &mut self,
        descent: &mut Descent<f64>,
        rule: &mut dyn Rule<f64>,
        most: u64,
    ) -> Result<Descended, EngineError> {
        let came = self.engine.descend(descent, rule, most)?;
        self.engine.fetch(descent)?;
        Ok(came)
    }

    /// Makes the weights zero that read a periodic axis.
    pub(crate) fn close(&self, theta: &mut [f64]) {
        self.closed.iter().for_each(|k| theta[*k] = 0.0);
    }
}
