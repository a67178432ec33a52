//! In what units the rows of an eigenvalue problem are measured, and from where its spectrum is looked at.

use super::pencil::Units;
use super::tuning::UNIT_POINTS;
use crate::domain::DomainError;
use crate::expr::{larger, smaller};
use crate::posed::{Block, Purpose, Residual, System};

/// Units of all rows, and a number beyond the end of the spectrum at which eigenvalues begin.
pub(super) fn units(system: &System) -> Result<(Units, f64), DomainError> {
    let problem = &system.problem;
    let bounds = problem.domain.bounds();
    let draw = system.draw(0).round(Purpose::Units.round());
    let points = problem.domain.interior(UNIT_POINTS, &draw)?;
    let unknowns = problem.unknowns.len();
    let over_half = |axes: &[usize]| {
        let halves = axes.iter().map(|&k| 0.5 * (bounds[k][1] - bounds[k][0]));
        halves.fold(1.0, |size, half| size / half)
    };
    let partials = |residual: &Residual, block: &Block| {
        let zero = vec![vec![0.0; block.sites.n]; residual.jets.len()];
        residual.respond(block, &zero, &[0.0]).split_off(1)
    };
    let (mut operator, mut least, mut most, mut bend) =
        (0.0f64, f64::INFINITY, f64::NEG_INFINITY, 0.0);
    for k in 0..unknowns {
        let block = Block::new(k, system.known.bare_sites(&points));
        let residual = &system.residuals[k];
        let mut own = 0.0;
        for ((unknown, axes), partial) in residual.jets.iter().zip(partials(residual, &block)) {
            if !axes.is_empty() {
                own += mean(&partial, f64::abs) * over_half(axes);
            } else if *unknown == k {
                // where the coefficient has no value it bounds nothing
                let values = || partial.iter().copied().filter(|v| !v.is_nan());
                least = values().fold(least, smaller);
                most = values().fold(most, larger);
            }
            if *unknown == k && axes.len() == 2 && axes[0] == axes[1] {
                bend += mean(&partial, |v| v) * over_half(axes);
            }
        }
        operator = operator.max(own);
    }
    let mut conditions = Vec::with_capacity(problem.conditions.len());
    for (c, condition) in problem.conditions.iter().enumerate() {
        let mut unit = 0.0;
        if !condition.pieces.is_empty() {
            let (points, normals) = system.on_boundary(condition, 200, &draw)?;
            let residual = &system.residuals[unknowns + c];
            let sites = system.known.bare_sites(&points);
            let block = Block::new(unknowns + c, sites).with_normals(&normals);
            let terms = residual.jets.iter().zip(partials(residual, &block));
            unit = terms
                .map(|((_, axes), partial)| mean(&partial, f64::abs) * over_half(axes))
                .sum();
        }
        conditions.push(if unit > 0.0 { unit } else { 1.0 });
    }
    // −Δ has its eigenvalues above the least value of the potential, Δ below the largest
    let operator = if operator > 0.0 { operator } else { 1.0 };
    let (side, end) = if bend > 0.0 {
        (-1.0, most)
    } else {
        (1.0, least)
    };
    let beyond = if end.is_finite() { end } else { 0.0 } - side * 0.5 * operator;
    Ok((
        Units {
            operator,
            conditions,
            side,
        },
        beyond,
    ))
}

fn mean(values: &[f64], of: impl Fn(f64) -> f64) -> f64 {
    values.iter().map(|v| of(*v)).sum::<f64>() / values.len().max(1) as f64
}
