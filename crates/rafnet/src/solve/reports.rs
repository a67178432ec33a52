//! Figures of a solution: integrals over the domain or its boundary, values at points, each with what its error is likely to be.
//!
//! ```text
//! J = Σ_i w_i f(x_i, u, ∂u, …)        error ≈ largest |J_a − J| · residual / √(residual_a² + residual²)  over other solutions a
//!                                           + |J − J with fewer points|
//! change = Σ_i |w_i| Σ_α |∂f/∂(D^α u)| max(|D^α u|, U / h^α)         U: the size that the data imply, h: half the domain's extent
//! ```
//!
//! and never below what rounding makes of the sum. The second part is the sum's own error, which all solutions share. `change` is what J changes
//! by when the unknowns change by their own size: times the error estimate of the solution it is the least error bar of J, which
//! [`figures`](super::figures) sees to.

use crate::domain::{DomainError, Fineness};
use crate::engine::Second;
use crate::expr::{larger, largest};
use crate::model::Model;
use crate::posed::{Block, JetColumns, Kind, NEAR, Residual, System, streams_of};
use crate::problem::{Figure, Over, Problem};

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

/// A figure as it was measured, before its error bar is held against the error estimate of the solution.
#[derive(Clone, Debug)]
pub(crate) struct Measured {
    pub(crate) name: String,
    pub(crate) value: f64,
    /// What it changes by when the unknowns change by their own size.
    pub(crate) change: f64,
    /// Its error by other solutions and by the sum's own.
    pub(crate) error: f64,
}

/// A figure as a weighted sum over points.
struct Sum {
    name: String,
    of: Residual,
    /// For each jet that it reads how large that is for a function of the size that the data imply.
    sizes: Vec<f64>,
    fine: Points,
    /// Fewer points; none for a value at a point.
    coarse: Option<Points>,
}

/// Points with weights.
struct Points {
    block: Block,
    weights: Vec<f64>,
}

/// A sum for one solution.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Summed {
    value: f64,
    /// The sum of the terms' sizes.
    terms: f64,
    /// What it changes by when the unknowns change by their own size.
    change: f64,
}

impl Sum {
    /// The sum, the sum of its terms' sizes, and by how much it changes with the unknowns.
    fn over(
        &self,
        points: &Points,
        sought: &[f64],
        jets: &impl Fn(&Residual, &Block) -> JetColumns,
    ) -> Summed {
        let columns = jets(&self.of, &points.block);
        let response = self.of.respond(&points.block, &columns, sought);
        let mut summed = Summed {
            value: 0.0,
            terms: 0.0,
            change: 0.0,
        };
        for (v, w) in response[0].iter().zip(&points.weights) {
            let term = v * w;
            summed.value += term;
            summed.terms += term.abs();
        }
        for ((jet, partial), size) in columns.iter().zip(&response[1..]).zip(&self.sizes) {
            for ((u, p), w) in jet.iter().zip(partial).zip(&points.weights) {
                summed.change += w.abs() * p.abs() * u.abs().max(*size);
            }
        }
        summed
    }
}

/// All figures of a problem.
pub(crate) struct Reports(Vec<Sum>);

/// One solution's figures.
pub(crate) type Sums = Vec<Summed>;

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
        let one = |(sum, fine): (&Sum, &Summed)| match &sum.coarse {
            Some(points) => (sum.over(points, sought, &jets).value - fine.value).abs(),
            None => 0.0,
        };
        self.0.iter().zip(sums).map(one).collect()
    }

    /// With errors from the sums and residuals of other solutions, as far as there are any.
    pub(crate) fn judged(
        &self,
        best: &(Sums, f64),
        others: &[(Sums, f64)],
        coarseness: &[f64],
    ) -> Vec<Measured> {
        let (sums, residual) = best;
        let near: Vec<&(Sums, f64)> = others.iter().filter(|o| o.1 < NEAR * residual).collect();
        let report = |(k, sum): (usize, &Sum)| {
            let Summed {
                value,
                terms,
                change,
            } = sums[k];
            let apart = |other: &&(Sums, f64)| {
                let share = residual / residual.hypot(other.1).max(f64::MIN_POSITIVE);
                (other.0[k].value - value).abs() * share
            };
            let spread = largest(near.iter().map(apart));
            Measured {
                name: sum.name.clone(),
                value,
                change,
                error: larger(spread + coarseness[k], 4.0 * f64::EPSILON * terms),
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
    let of = Residual::new(Kind::Constraint, &figure.of, d, system.problem.sought.len());
    let (implied, bounds) = (system.sizes()?, system.problem.domain.bounds());
    let size = |(u, axes): &(usize, Vec<usize>)| {
        let halves = axes.iter().map(|k| 0.5 * (bounds[*k][1] - bounds[*k][0]));
        halves.fold(implied[*u], |size, half| size / half)
    };
    Ok(Sum {
        name: figure.name.clone(),
        sizes: of.jets.iter().map(size).collect(),
        of,
        fine: points(system, &figure.over, Fineness::Fine)?,
        coarse,
    })
}

/// Where along each axis narrow places of the texts lie, and where they begin and end: the solution bends there.
fn kinks(problem: &Problem) -> Vec<Vec<f64>> {
    let along = |axis: usize| {
        let places = problem.places.iter().flat_map(|p| p.inside(problem));
        let ends = places.filter_map(|p| {
            let [low, high] = p.breaks(problem, axis)?;
            Some([low, p.at[axis]?, high])
        });
        ends.flatten().collect()
    };
    (0..problem.coordinates.len()).map(along).collect()
}

fn points(system: &System, over: &Over, fineness: Fineness) -> Result<Points, DomainError> {
    let domain = &system.problem.domain;
    let d = domain.dimension();
    let (block, weights) = match over {
        Over::Domain => {
            let q = domain.quadrature_between(fineness, &kinks(&system.problem))?;
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
