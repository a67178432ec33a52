//! Points for every term: fresh ones inside and on the boundary, observations and constraints at theirs.

use super::Of;
use crate::domain::{Domain, DomainError, Draw, Uniform};
use crate::engine::{Cloud, Region, Source};
use crate::posed::{Averaged, System};
use std::sync::Arc;

/// Where the points of every term come from.
#[derive(Clone)]
pub(crate) struct Drawing {
    pub(super) system: Arc<System>,
    /// What each term is, and the numbers beside each of its points.
    pub(super) terms: Vec<(Of, usize)>,
    /// The points of constraints and other sums, which stay.
    pub(super) fixed: Vec<Cloud<f64>>,
}

/// Points on the edge that the number of times is taken from.
const EDGE: usize = 48;

/// The points of a constraint, and how many are summed into a row.
pub(super) fn of_constraint(
    system: &System,
    k: usize,
) -> Result<(Cloud<f64>, Option<usize>), DomainError> {
    let constraint = &system.problem.constraints[k];
    let block = system.constrained(0, constraint, EDGE, &system.draw(0))?;
    let (d, n) = (system.known.dimension, block.sites.n);
    let points = (0..n * d).map(|at| block.sites.coordinates[at % d][at / d]);
    let (weights, per_row) = match block.averaged {
        Some(Averaged { weights, per_row }) => (weights, Some(per_row)),
        None => (Vec::new(), None),
    };
    let points = Cloud {
        points: points.collect(),
        data: Vec::new(),
        weights,
    };
    Ok((points, per_row))
}

/// Uniform points inside as a device draws them, so many zeros beside each.
fn fresh(
    domain: &Domain,
    points: usize,
    columns: usize,
    draw: &Draw,
) -> Option<Source<'static, f64>> {
    let (map, labels) = domain.uniform(draw)?;
    let region = match map {
        Uniform::Box(bounds) => Region::Box(bounds),
        Uniform::Shell { centre, outer, q } => Region::Shell { centre, outer, q },
    };
    Some(Source::Uniform {
        region,
        points,
        seed: draw.seed,
        round: draw.round,
        labels,
        columns,
    })
}

impl Drawing {
    /// Where a device can draw the points of every term by itself: uniform points inside a box or a ball, and points that stay. None where any term has others.
    pub(crate) fn sources(
        &self,
        [inside, _]: [usize; 2],
        draw: Draw,
    ) -> Option<Vec<Source<'_, f64>>> {
        let problem = &self.system.problem;
        let mut all = Vec::with_capacity(self.terms.len());
        for &(of, columns) in &self.terms {
            all.push(match of {
                Of::Equations if problem.places.is_empty() => {
                    fresh(&problem.domain, inside, columns, &draw)?
                }
                Of::Fixed(k) => Source::Same(&self.fixed[k]),
                _ => return None,
            });
        }
        Some(all)
    }

    /// Where a device can draw points inside by itself.
    pub(crate) fn held_out(&self, points: usize, draw: Draw) -> Option<Source<'static, f64>> {
        fresh(&self.system.problem.domain, points, 0, &draw)
    }

    /// How many unknowns have a known solution.
    pub(crate) fn n_known(&self) -> usize {
        self.system.problem.exact.iter().flatten().count()
    }

    /// Points for every term, those of observations and constraints the same each time: so many inside, so many on each part of the boundary that does not say otherwise.
    pub(crate) fn draw(
        &self,
        [inside, boundary]: [usize; 2],
        draw: Draw,
    ) -> Result<Vec<Cloud<f64>>, DomainError> {
        let problem = &self.system.problem;
        let d = problem.coordinates.len();
        let mut drawn = Vec::with_capacity(self.terms.len());
        for &(of, columns) in &self.terms {
            let (points, data) = match of {
                Of::Equations => {
                    let mut points = problem.domain.interior(inside, &draw)?;
                    points.extend(self.system.at_places(inside, &draw)?);
                    let data = vec![0.0; points.len() / d * columns];
                    (points, data)
                }
                Of::Condition(c) => {
                    let condition = &problem.conditions[c];
                    let n = condition.points.unwrap_or(boundary);
                    let (points, normals) = self.system.on_boundary(condition, n, &draw)?;
                    let beside = normals
                        .chunks(d)
                        .flat_map(|n| n.iter().copied().chain([0.0]));
                    let data = beside.take(points.len() / d * columns).collect();
                    (points, data)
                }
                Of::Observation(k) => {
                    let observation = &problem.data[k];
                    let beside = |v: &f64| std::iter::repeat_n(0.0, d).chain([*v]);
                    let data = observation.values.iter().flat_map(beside).collect();
                    (observation.points.clone(), data)
                }
                Of::Fixed(k) => {
                    drawn.push(self.fixed[k].clone());
                    continue;
                }
            };
            let weights = Vec::new();
            drawn.push(Cloud {
                points,
                data,
                weights,
            });
        }
        Ok(drawn)
    }
}
