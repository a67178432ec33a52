//! The terms of a trained problem: equations inside, conditions and observations each on their own points, one engine for each.
//!
//! ```text
//! J(θ) = Σ_k λ_k / n_k Σ_i |r_k(x_i)|²
//! ```
//!
//! λ is the user's weight, or what makes a term's Jacobian at the start as large as that of the equations; observations with noise weigh so much less
//! that they do not bend the equations. Constraints are [`coupled`] rows. [`points`] draws, [`sums`] adds
//! the terms up, [`rows`] has their Jacobians, [`looks`] the jets of the network for those who judge it.

mod coupled;
mod looks;
mod points;
mod rows;
mod sums;

pub(crate) use points::Points;

use super::periodic::closed_weights;
use super::{ACROSS_JUMPS, PosedError, System};
use crate::engine::{Ansatz, Device, Engine, ExprField, ExprResidual, Field, Objective};
use crate::expr::Expr;
use crate::network::Network;
use crate::problem::{Problem, Sought};
use coupled::Coupled;
use std::sync::Arc;

struct Term {
    engine: Box<dyn Engine<f64>>,
    residual: Arc<ExprResidual>,
    count: usize,
    /// λ as the user gave it.
    given: Option<f64>,
    /// λ: as given, or 1 until it is balanced.
    weight: f64,
    /// Which condition or observation of the system; `None` for the equations.
    place: Option<usize>,
}

impl Term {
    /// Numbers beside each point.
    fn columns(&self) -> usize {
        use crate::engine::Residual;
        self.residual.data_columns()
    }
}

/// All terms.
pub(crate) struct Terms {
    pub(crate) system: System,
    all: Vec<Term>,
    /// Constraints, whose rows sum over points.
    coupled: Vec<Coupled>,
    evaluator: Box<dyn Engine<f64>>,
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
        if !problem.fluxes.is_empty() {
            return Err(PosedError::unsupported(&problem, ACROSS_JUMPS));
        }
        let (d, outputs, n_sought) = (
            problem.coordinates.len(),
            problem.unknowns.len(),
            problem.sought.len(),
        );
        let system = System::new(problem, device);
        let (features, ansatz) = fields(&system.problem);
        let term = |residuals: &[Expr], place, given: Option<f64>| -> Result<Term, PosedError> {
            let residual = Arc::new(ExprResidual::new(residuals, d, outputs, n_sought));
            let objective = Objective {
                network: network.clone(),
                features: features.clone(),
                ansatz: ansatz.clone(),
                residual: residual.clone(),
            };
            Ok(Term {
                engine: device.engine(objective, threads)?,
                residual,
                count: residuals.len(),
                given,
                weight: given.unwrap_or(1.0),
                place,
            })
        };
        let problem = &system.problem;
        let mut terms = Vec::new();
        if !problem.equations.is_empty() {
            terms.push(term(&problem.equations, None, Some(1.0))?);
        }
        for (c, condition) in problem.conditions.iter().enumerate() {
            if !system.held(c) && !condition.pieces.is_empty() {
                let residual = std::slice::from_ref(&condition.residual);
                terms.push(term(residual, Some(c), condition.weight)?);
            }
        }
        for (k, observation) in problem.data.iter().enumerate() {
            let value = Expr::leaf(crate::expr::Leaf::Column(0));
            let residual = observation.observe.clone() - value;
            terms.push(term(&[residual], Some(problem.conditions.len() + k), None)?);
        }
        let value = Arc::new(ExprResidual::new(
            &[Expr::leaf(crate::expr::Leaf::jet(0, &[]))],
            d,
            outputs,
            n_sought,
        ));
        let evaluator = device.engine(
            Objective {
                network: network.clone(),
                features: features.clone(),
                ansatz: ansatz.clone(),
                residual: value,
            },
            threads,
        )?;
        Ok(Self {
            coupled: coupled::all(&system, 0)?,
            closed: closed_weights(&system.problem, network),
            system,
            all: terms,
            evaluator,
            n_sought,
        })
    }

    /// The known functions around the network: extra inputs, and factors with lifts.
    pub(crate) fn known_fields(&self) -> (Vec<Known>, Vec<Ansatz<f64>>) {
        fields(&self.system.problem)
    }

    /// How many numbers are trained: the network's, then the sought parameters.
    pub(crate) fn n_unknowns(&self) -> usize {
        self.n_parameters() + self.n_sought
    }

    pub(crate) fn n_parameters(&self) -> usize {
        self.evaluator.objective().network.n_parameters()
    }

    /// The sought parameters, the nearest within their bounds.
    pub(crate) fn sought(&self, theta: &[f64]) -> Vec<f64> {
        let given = self.system.problem.sought.iter().map(Sought::bounds);
        let sought = theta[self.n_parameters()..].iter().zip(given);
        sought.map(|(p, [low, high])| p.clamp(low, high)).collect()
    }

    /// Makes the weights zero that read a periodic axis.
    pub(crate) fn close(&self, theta: &mut [f64]) {
        self.closed.iter().for_each(|k| theta[*k] = 0.0);
    }

    fn set(&self, theta: &[f64]) {
        let sought = self.sought(theta);
        self.all.iter().for_each(|t| t.residual.set_sought(&sought));
    }
}
