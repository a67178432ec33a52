//! Points for every term: fresh ones inside and on the boundary, observations and constraints at theirs.

use super::{Of, Terms};
use crate::domain::{DomainError, Draw};
use crate::engine::Batch;
use crate::posed::{Averaged, System};

/// A set of points with what the residual reads beside them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Points {
    pub(crate) points: Vec<f64>,
    pub(crate) data: Vec<f64>,
    /// A weight for each point, or empty for 1.
    pub(crate) weights: Vec<f64>,
}

impl Points {
    pub(super) fn of_term(&self, term: usize) -> Batch<'_, f64> {
        Batch::points(&self.points)
            .with_data(&self.data)
            .with_weights(&self.weights)
            .of_term(term)
    }
}

/// Points on the edge that the number of times is taken from.
const EDGE: usize = 48;

/// The points of a constraint, and how many are summed into a row.
pub(super) fn of_constraint(
    system: &System,
    k: usize,
) -> Result<(Points, Option<usize>), DomainError> {
    let constraint = &system.problem.constraints[k];
    let block = system.constrained(0, constraint, EDGE, &system.draw(0))?;
    let (d, n) = (system.known.dimension, block.sites.n);
    let points = (0..n * d).map(|at| block.sites.coordinates[at % d][at / d]);
    let (weights, per_row) = match block.averaged {
        Some(Averaged { weights, per_row }) => (weights, Some(per_row)),
        None => (Vec::new(), None),
    };
    let points = Points {
        points: points.collect(),
        data: Vec::new(),
        weights,
    };
    Ok((points, per_row))
}

impl Terms {
    /// Fresh points for every term but the constraints: so many inside, so many on each part of the boundary that does not say otherwise.
    pub(crate) fn draw_counts(
        &self,
        [inside, boundary]: [usize; 2],
        draw: Draw,
    ) -> Result<Vec<Points>, DomainError> {
        let problem = &self.system.problem;
        let d = problem.coordinates.len();
        let mut drawn = Vec::with_capacity(self.all.len());
        for term in &self.all {
            let (points, data) = match term.of {
                Of::Equations => {
                    let mut points = problem.domain.interior(inside, &draw)?;
                    points.extend(self.system.at_places(inside, &draw)?);
                    let data = vec![0.0; points.len() / d * term.columns];
                    (points, data)
                }
                Of::Condition(c) => {
                    let condition = &problem.conditions[c];
                    let n = condition.points.unwrap_or(boundary);
                    let (points, normals) = self.system.on_boundary(condition, n, &draw)?;
                    let beside = normals
                        .chunks(d)
                        .flat_map(|n| n.iter().copied().chain([0.0]));
                    let data = beside.take(points.len() / d * term.columns).collect();
                    (points, data)
                }
                Of::Observation(k) => {
                    let observation = &problem.data[k];
                    let beside = |v: &f64| std::iter::repeat_n(0.0, d).chain([*v]);
                    let data = observation.values.iter().flat_map(beside).collect();
                    (observation.points.clone(), data)
                }
                Of::Constraint(_) => break,
            };
            let weights = Vec::new();
            drawn.push(Points {
                points,
                data,
                weights,
            });
        }
        Ok(drawn)
    }
}
