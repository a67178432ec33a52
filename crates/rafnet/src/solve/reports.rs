//! Figures of a solution: integrals over the domain or its boundary, values at points, each with what its error is likely to be.
//!
//! ```text
//! J = Σ_i w_i f(x_i, u, ∂u, …)        error ≈ largest |J_a − J| · residual / √(residual_a² + residual²)  over other solutions a
//!                                           + |J − J with fewer points|
//! ```
//!
//! and never below what rounding makes of the sum. The second part is the sum's own error, which all solutions share. Where there is no other solution, the solution's own relative error is taken for that of
//! every term.

use crate::domain::{DomainError, Fineness};
use crate::engine::Second;
use crate::expr::{larger, largest};
use crate::model::Model;
use crate::posed::{Block, JetColumns, Kind, NEAR, Residual, System, streams_of};
use crate::problem::{Figure, Over};

/// A figure that was wanted.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// Its name in the file.
    pub name: String,
    /// What it is.
    pub value: f64,
    /// What its error is likely to be, in the same units.
    pub error_estimate: f64,
}

/// A figure as a weighted sum over points.
struct Sum {
    name: String,
    of: Residual,
    fine: Points,
    /// Fewer points; none for a value at a point.
    coarse: Option<Points>,
}

/// Points with weights.
struct Points {
    block: Block,
    weights: Vec<f64>,
}

impl Sum {
    /// The sum, and the sum of its terms' sizes.
    fn over(
        &self,
        points: &Points,
        sought: &[f64],
        jets: &impl Fn(&Residual, &Block) -> JetColumns,
    ) -> [f64; 2] {
        let columns = jets(&self.of, &points.block);
        let values = self
            .of
            .respond(&points.block, &columns, sought)
            .swap_remove(0);
        let terms = values.iter().zip(&points.weights).map(|(v, w)| v * w);
        terms.fold([0.0, 0.0], |[sum, size], t| [sum + t, size + t.abs()])
    }
}

/// All figures of a problem.
pub(crate) struct Reports(Vec<Sum>);

/// One solution's figures: the sums, and the sums of their terms' sizes.
pub(crate) type Sums = Vec<[f64; 2]>;

impl Reports {
    pub(crate) fn new(system: &System) -> Result<Self, DomainError> {
        let figures = system.problem.reports.iter();
        Ok(Self(
            figures.map(|f| sum(system, f)).collect::<Result<_, _>>()?,
        ))
    }

    /// The figures of a solution by its jets.
    pub(crate) fn sums(
        &self,
        sought: &[f64],
        jets: impl Fn(&Residual, &Block) -> JetColumns,
    ) -> Sums {
        self.0
            .iter()
            .map(|sum| sum.over(&sum.fine, sought, &jets))
            .collect()
    }

    /// How much each sum changes when it has fewer points.
    pub(crate) fn coarseness(
        &self,
        sums: &Sums,
        sought: &[f64],
        jets: impl Fn(&Residual, &Block) -> JetColumns,
    ) -> Vec<f64> {
        let one = |(sum, [value, _]): (&Sum, &[f64; 2])| match &sum.coarse {
            Some(points) => (sum.over(points, sought, &jets)[0] - value).abs(),
            None => 0.0,
        };
        self.0.iter().zip(sums).map(one).collect()
    }

    /// With error estimates, from the sums and residuals of other solutions, or from the relative error of this one.
    pub(crate) fn judged(
        &self,
        best: &(Sums, f64),
        others: &[(Sums, f64)],
        coarseness: &[f64],
        relative_error: f64,
    ) -> Vec<Report> {
        let (sums, residual) = best;
        let near: Vec<&(Sums, f64)> = others.iter().filter(|o| o.1 < NEAR * residual).collect();
        let report = |(k, sum): (usize, &Sum)| {
            let [value, size] = sums[k];
            let apart = |other: &&(Sums, f64)| {
                let share = residual / residual.hypot(other.1).max(f64::MIN_POSITIVE);
                (other.0[k][0] - value).abs() * share
            };
            let spread = largest(near.iter().map(apart));
            let error = if near.is_empty() {
                relative_error * size
            } else {
                spread
            };
            Report {
                name: sum.name.clone(),
                value,
                error_estimate: larger(error + coarseness[k], 4.0 * f64::EPSILON * size),
            }
        };
        self.0.iter().enumerate().map(report).collect()
    }
}

fn sum(system: &System, figure: &Figure) -> Result<Sum, DomainError> {
    let d = system.problem.coordinates.len();
    let coarse = match figure.over {
        Over::Point(_) => None,
        _ => Some(points(system, &figure.over, Fineness::Coarse)?),
    };
    Ok(Sum {
        name: figure.name.clone(),
        of: Residual::new(Kind::Constraint, &figure.of, d, system.problem.sought.len()),
        fine: points(system, &figure.over, Fineness::Fine)?,
        coarse,
    })
}

fn points(system: &System, over: &Over, fineness: Fineness) -> Result<Points, DomainError> {
    let domain = &system.problem.domain;
    let d = domain.dimension();
    let (block, weights) = match over {
        Over::Domain => {
            let q = domain.quadrature_as(fineness)?;
            let weights = q.weights.iter().map(|w| w * domain.measure()).collect();
            (Block::new(0, system.known.sites(&q.points)), weights)
        }
        Over::Boundary { pieces, filter } => {
            let q = domain.boundary_quadrature(pieces, fineness)?;
            let kept = |x: &[f64]| filter.as_ref().is_none_or(|f| f.at(x) > 0.5);
            let weights = q.points.chunks_exact(d).zip(&q.weights);
            let weights = weights.map(|(x, w)| if kept(x) { *w } else { 0.0 });
            let block = Block::new(0, system.known.sites(&q.points)).with_normals(&q.normals);
            (block, weights.collect())
        }
        Over::Point(x) => (Block::new(0, system.known.sites(x)), vec![1.0]),
    };
    Ok(Points { block, weights })
}

/// The jets that a residual reads, of a model.
pub(crate) fn jets_of_model(model: &Model, residual: &Residual, block: &Block) -> JetColumns {
    let d = block.sites.coordinates.len();
    let n = block.sites.n;
    let points: Vec<f64> = (0..n * d)
        .map(|at| block.sites.coordinates[at % d][at / d])
        .collect();
    let streams = streams_of(&residual.jets);
    let second = streams.second.clone();
    let nothing = || vec![f64::NAN; n];
    let Ok(jets) = model.jet(&points, streams) else {
        return residual.jets.iter().map(|_| nothing()).collect();
    };
    let column = |(u, axes): &(usize, Vec<usize>)| {
        let found = match axes[..] {
            [k] => jets.gradient(*u, k),
            [i, j] => {
                let place = second.iter().position(|s| *s == Second::Mixed(i, j));
                place.and_then(|s| jets.second(*u, s))
            }
            _ => Some(jets.value(*u)),
        };
        found.map_or_else(nothing, <[f64]>::to_vec)
    };
    residual.jets.iter().map(column).collect()
}
