//! Fresh points for every term.

use super::Terms;
use crate::domain::{DomainError, Draw};

/// A set of points with what the residual reads beside them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Points {
    pub(crate) points: Vec<f64>,
    pub(crate) data: Vec<f64>,
}

impl Terms {
    /// Fresh points for every term: so many inside, so many on each part of the boundary that does not say otherwise.
    pub(crate) fn draw_counts(
        &self,
        [inside, boundary]: [usize; 2],
        draw: Draw,
    ) -> Result<Vec<Points>, DomainError> {
        let problem = &self.system.problem;
        let d = problem.coordinates.len();
        let mut drawn = Vec::with_capacity(self.all.len());
        for term in &self.all {
            drawn.push(match term.place {
                None => {
                    let mut points = problem.domain.interior(inside, &draw)?;
                    points.extend(self.system.at_places(inside, &draw)?);
                    let data = vec![0.0; points.len() / d * term.columns()];
                    Points { points, data }
                }
                Some(c) if c < problem.conditions.len() => {
                    let condition = &problem.conditions[c];
                    let n = condition.points.unwrap_or(boundary);
                    let (points, normals) = self.system.on_boundary(condition, n, &draw)?;
                    let beside = normals
                        .chunks(d)
                        .flat_map(|n| n.iter().copied().chain([0.0]));
                    let data = beside.take(points.len() / d * term.columns());
                    Points {
                        data: data.collect(),
                        points,
                    }
                }
                Some(k) => {
                    let observation = &problem.data[k - problem.conditions.len()];
                    let beside = |v: &f64| std::iter::repeat_n(0.0, d).chain([*v]);
                    Points {
                        points: observation.points.clone(),
                        data: observation.values.iter().flat_map(beside).collect(),
                    }
                }
            });
        }
        Ok(drawn)
    }
}
