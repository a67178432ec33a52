//! Constraints as rows: a mean is one, or one for each of several times.
//!
//! ```text
//! mean      Σ_i w_i (e(x_i) − c) = 0          integral      Σ_i w_i (|Ω| e(x_i) − c) = 0          Σ_i w_i = 1
//! ```

use super::{Averaged, Block, System};
use crate::domain::{Cuboid, Domain, DomainError, Draw, Fineness, Quadrature, gauss_legendre};
use crate::expr::Expr;
use crate::problem::{Constraint, Extent};
use std::sync::Arc;

/// Times at which a mean over space is asked for, at most: each takes as many points as a mean does.
const TIMES: usize = 24;
/// Gauss points along each axis of a section through a box, by its dimension.
const ALONG: [usize; 3] = [32, 20, 10];

impl Constraint {
    /// What is averaged to zero.
    pub(super) fn difference(&self, domain: &Domain) -> Expr {
        let size = match (&self.over, self.each) {
            (Extent::Integral, None) => domain.measure(),
            (Extent::Integral, Some(axis)) => {
                let [first, last] = domain.bounds()[axis];
                domain.measure() / (last - first)
            }
            _ => 1.0,
        };
        self.of.scaled(size) - self.equals.clone()
    }
}

impl System {
    /// The points of a constraint; `edge` are those that conditions share.
    pub(crate) fn constrained(
        &self,
        residual: usize,
        constraint: &Constraint,
        edge: usize,
        draw: &Draw,
    ) -> Result<Block, DomainError> {
        let domain = &self.problem.domain;
        let times = match constraint.each {
            Some(axis) => {
                let most = match constraint.over {
                    Extent::Point(_) => usize::MAX,
                    _ => TIMES,
                };
                Some((axis, times(domain, axis, (edge / 2).clamp(12, most), draw)?))
            }
            None => None,
        };
        let (points, averaged) = match (&constraint.over, times) {
            (Extent::Point(at), None) => (at.clone(), None),
            (Extent::Point(at), Some((axis, times))) => (at_times(at, axis, &times), None),
            (_, None) => {
                let Quadrature { points, weights } = domain.quadrature()?;
                let per_row = weights.len();
                (points, Some(Averaged { weights, per_row }))
            }
            (_, Some((axis, times))) => {
                let section = section(domain, axis)?;
                let per_row = section.weights.len();
                let d = domain.dimension();
                let of_time = |t: &f64| {
                    let mut points = section.points.clone();
                    points
                        .iter_mut()
                        .skip(axis)
                        .step_by(d)
                        .for_each(|x| *x = *t);
                    points
                };
                let points = times.iter().flat_map(of_time).collect();
                let weights = section.weights.repeat(times.len());
                (points, Some(Averaged { weights, per_row }))
            }
        };
        let mut block = Block::new(residual, self.known.sites(&points));
        block.averaged = averaged;
        Ok(block)
    }
}

/// Both ends of time and so many times between them.
fn times(domain: &Domain, axis: usize, n: usize, draw: &Draw) -> Result<Vec<f64>, DomainError> {
    let [first, last] = domain.bounds()[axis];
    let interval = Domain::new(Arc::new(Cuboid::new(vec![[first, last]])?));
    let mut times = interval.interior(n, draw)?;
    times.extend([first, last]);
    Ok(times)
}

/// A point at each of these times.
fn at_times(at: &[f64], axis: usize, times: &[f64]) -> Vec<f64> {
    let of_time = |t: &f64| {
        let mut point = at.to_vec();
        point[axis] = *t;
        point
    };
    times.iter().flat_map(of_time).collect()
}

/// Points of space with weights that sum to one: a product of Gauss points in a box, else the domain's own, whose times are all alike in
/// their weights.
fn section(domain: &Domain, axis: usize) -> Result<Quadrature, DomainError> {
    let d = domain.dimension();
    let bounds = domain.bounds();
    let along = ALONG
        .get(d.wrapping_sub(2))
        .filter(|_| domain.as_cuboid().is_some());
    let Some(&n) = along else {
        return domain.quadrature_as(Fineness::Coarse);
    };
    let rule = gauss_legendre(n);
    let mut section = Quadrature {
        points: bounds.iter().map(|b| b[0]).collect(),
        weights: vec![1.0],
    };
    for k in (0..d).filter(|k| *k != axis) {
        let [low, high] = bounds[k];
        let mut next = Quadrature {
            points: Vec::new(),
            weights: Vec::new(),
        };
        for [node, weight] in &rule {
            for (x, w) in section.points.chunks_exact(d).zip(&section.weights) {
                let mut x = x.to_vec();
                x[k] = low + node * (high - low);
                next.points.extend(x);
                next.weights.push(w * weight);
            }
        }
        section = next;
    }
    Ok(section)
}
