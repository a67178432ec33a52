//! Zero boundary values that hold exactly: the domain's factor as an expression.

use crate::domain::{FactorTerm, Side};
use crate::expr::{Expr, Leaf};
use crate::problem::{Enforce, Problem};

/// The problem with factors for every unknown whose Dirichlet values are zero on all of the boundary in space, or `None` where
/// nothing changes. Other data stay rows.
pub(super) fn with_factors(problem: &Problem) -> Option<Problem> {
    let mut changed = problem.clone();
    let mut any = false;
    for unknown in 0..problem.unknowns.len() {
        if problem.ansatz[unknown].is_some() || !problem.periodic.is_empty() {
            continue;
        }
        let mut pieces = Vec::new();
        let mine = |e: &Expr| e.jets().iter().any(|j| j.unknown() == unknown);
        let usable = problem
            .conditions
            .iter()
            .filter(|c| !c.initial && mine(&c.residual))
            .all(|c| {
                pieces.extend(&c.pieces);
                let zero = c
                    .dirichlet
                    .as_ref()
                    .is_some_and(|(u, g)| *u == unknown && g.constant() == Some(0.0));
                zero && c.filter.is_none() && c.enforce != Enforce::Penalty
            });
        if !usable || pieces.is_empty() {
            continue;
        }
        if let Ok(Some(factor)) = problem.domain.factor(&pieces) {
            let product = Expr::product(factor.terms().iter().map(term));
            changed.ansatz[unknown] = Some((product, Expr::number(0.0)));
            any = true;
        }
    }
    any.then_some(changed)
}

fn coordinate(axis: usize) -> Expr {
    Expr::leaf(Leaf::Coordinate(axis))
}

fn term(term: &FactorTerm) -> Expr {
    match term {
        FactorTerm::Above { axis, at } => coordinate(*axis) - Expr::number(*at),
        FactorTerm::Below { axis, at } => Expr::number(*at) - coordinate(*axis),
        FactorTerm::HalfPlane {
            axes,
            through,
            inward,
        } => {
            let part =
                |k: usize| (coordinate(axes[k]) - Expr::number(through[k])).scaled(inward[k]);
            part(0) + part(1)
        }
        FactorTerm::Sphere {
            axes,
            centre,
            radius,
            side,
        } => {
            let square = axes
                .iter()
                .zip(centre)
                .map(|(a, c)| (coordinate(*a) - Expr::number(*c)).powi(2));
            let inside = Expr::number(radius * radius) - Expr::sum(square);
            if *side == Side::Inside {
                inside
            } else {
                -inside
            }
        }
    }
}
