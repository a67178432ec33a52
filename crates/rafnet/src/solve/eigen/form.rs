//! A nonlinear eigenvalue problem as equations for what the layer stands for: u itself, or its logarithm.
//!
//! ```text
//! u = w      r = τ L(u) + (1 − τ) L₀(u) − λ u
//! u = e^w    r = that over u:    u_i / u = w_i,   u_ij / u = w_ij + w_i w_j
//! ```
//!
//! L₀ is the linear part of L (for logarithms its second derivatives alone, whose ground state is a constant): τ leads from what is easily
//! found to L. λ and τ are the two parameters of the equations.

use crate::expr::{Expr, Leaf, Unary};
use crate::problem::{Eigen, Problem, Sought};

/// What a layer stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unknown {
    /// u
    Itself,
    /// ln u
    Logarithm,
}

/// λ and τ among the parameters of the equations.
pub(super) const LAMBDA: usize = 0;
const TAU: usize = 1;

impl Unknown {
    /// The logarithm where u is to be positive and nothing holds it at zero.
    pub(super) fn of(problem: &Problem, eigen: &Eigen) -> Self {
        let held = problem.conditions.iter().any(|c| c.dirichlet.is_some());
        if eigen.positive && !held {
            Self::Logarithm
        } else {
            Self::Itself
        }
    }

    /// u from w.
    pub(super) fn value(self, w: f64) -> f64 {
        match self {
            Self::Itself => w,
            Self::Logarithm => w.exp(),
        }
    }

    /// u² as an expression of w.
    pub(super) fn square(self) -> Expr {
        let w = Expr::leaf(Leaf::jet(0, &[]));
        match self {
            Self::Itself => w.clone() * w,
            Self::Logarithm => w.scaled(2.0).apply(Unary::Exp),
        }
    }

    /// The problem with equations in w, λ and τ.
    pub(super) fn posed(self, problem: &Problem, eigen: &Eigen) -> Problem {
        let [lambda, tau] = [LAMBDA, TAU].map(|k| Expr::leaf(Leaf::Parameter(k)));
        let equation = |(k, operator): (usize, &Expr)| {
            let easy = self.easy(operator);
            let led = easy.clone() + tau.clone() * (operator.clone() - easy);
            led - lambda.clone() * Expr::leaf(Leaf::jet(k, &[]))
        };
        let mut posed = problem.clone();
        posed.equations = eigen
            .operators
            .iter()
            .enumerate()
            .map(equation)
            .map(|e| self.written(&e))
            .collect();
        for condition in &mut posed.conditions {
            condition.residual = self.written(&condition.residual);
        }
        let parameter = |name: &str, start| Sought {
            name: name.into(),
            start,
            min: None,
            max: None,
        };
        posed.sought = vec![
            parameter("lambda", eigen.start.unwrap_or(0.0)),
            parameter("tau", 1.0),
        ];
        posed
    }

    /// The eigenvalue problem of L₀.
    pub(super) fn linear_part(self, problem: &Problem, eigen: &Eigen) -> Problem {
        let mut linear = problem.clone();
        let lambda = Expr::leaf(Leaf::Parameter(LAMBDA));
        let operators: Vec<Expr> = eigen.operators.iter().map(|o| self.easy(o)).collect();
        let equation = |(k, operator): (usize, &Expr)| {
            operator.clone() - lambda.clone() * Expr::leaf(Leaf::jet(k, &[]))
        };
        linear.equations = operators.iter().enumerate().map(equation).collect();
        linear
    }

    /// L₀ of an operator.
    fn easy(self, operator: &Expr) -> Expr {
        let nothing = |leaf: &Leaf| matches!(leaf, Leaf::Jet(_)).then(|| Expr::number(0.0));
        let terms = operator.jets().into_iter().filter_map(|jet| {
            if self == Self::Logarithm && jet.order() < 2 {
                return None;
            }
            let leaf = Leaf::jet(jet.unknown(), jet.axes());
            let partial = operator.partial(&leaf).replace(&mut |l| nothing(l));
            Some(partial * Expr::leaf(leaf))
        });
        Expr::sum(terms)
    }

    /// An expression in u as one in w, over u.
    fn written(self, of_u: &Expr) -> Expr {
        if self == Self::Itself {
            return of_u.clone();
        }
        let w = |axes: &[usize]| Expr::leaf(Leaf::jet(0, axes));
        let u = w(&[]).apply(Unary::Exp);
        let replaced = of_u.replace(&mut |leaf| {
            let Leaf::Jet(jet) = leaf else {
                return None;
            };
            let over_u = match *jet.axes() {
                [] => Expr::number(1.0),
                [i] => w(&[i]),
                [i, j] => w(&[i, j]) + w(&[i]) * w(&[j]),
                _ => return None,
            };
            Some(u.clone() * over_u)
        });
        replaced * (-w(&[])).apply(Unary::Exp)
    }
}
