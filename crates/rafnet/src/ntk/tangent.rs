//! A network at its start, with the points: the Jacobian of all residuals, in slabs of rows.
//!
//! Rows come term by term (equations, then conditions, then observations), point by point, residual by residual, neither weighted
//! nor averaged. A slab holds what fits in 256 MiB, so that memory is that of the result and two slabs.

use super::settings::MOST_POINTS;
use super::{NtkError, Settings};
use crate::domain::{Draw, Sampler};
use crate::engine::Cloud;
use crate::network::Network;
use crate::posed::{PosedError, Terms, with_factors};
use crate::problem::Problem;
use faer::MatRef;

/// Numbers of a slab (256 MiB; few in unit tests, so that there are several).
pub(super) const ROOM: usize = if cfg!(test) { 1 << 9 } else { 1 << 25 };

/// A linearised problem: network, parameters and points.
///
/// ```
/// use rafnet::{Problem, ntk::{Mode, Settings, Tangent}};
/// let settings = Settings { width: Some(8), points: 10, ..Settings::default() };
/// let mut tangent = Tangent::new(&Problem::builtin("regression-jump")?, &settings)?;
/// let spectrum = tangent.spectrum(Mode::F64Svd)?;
/// assert_eq!((tangent.n_rows(), spectrum.eigenvalues.len()), (10, 10));
/// assert!(spectrum.effective_rank() >= 1.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Tangent {
    pub(super) terms: Terms,
    pub(super) points: Vec<Cloud<f64>>,
    pub(super) threads: usize,
    theta: Vec<f64>,
    n_rows: usize,
}

/// Neighbouring rows of one term.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slab {
    pub(super) term: usize,
    /// Which of the term's points.
    pub(super) points: [usize; 2],
    /// Which rows of all.
    pub(super) first: usize,
    pub(super) rows: usize,
}

/// Rows of the Jacobian with their residuals.
pub(super) struct Rows {
    pub(super) residual: Vec<f64>,
    pub(super) jacobian: Vec<f64>, // (rows, columns)
}

impl Rows {
    pub(super) fn matrix(&self) -> MatRef<'_, f64> {
        let rows = self.residual.len();
        MatRef::from_row_major_slice(&self.jacobian, rows, self.jacobian.len() / rows.max(1))
    }
}

impl Tangent {
    /// A fresh network on random points, uniform in the domain.
    ///
    /// # Errors
    /// [`NtkError`] says which setting makes no sense or what the problem needs.
    pub fn new(problem: &Problem, settings: &Settings) -> Result<Self, NtkError> {
        let held = with_factors(problem);
        let network = settings.network(&held)?;
        let theta = settings.start(&held, &network)?;
        Self::held(held, settings, &network, theta)
    }

    /// A given network with its parameters (the sought ones last), on points as for a fresh one.
    ///
    /// # Errors
    /// [`NtkError`] where lengths do not fit.
    pub fn of_network(
        problem: &Problem,
        settings: &Settings,
        network: &Network,
        theta: Vec<f64>,
    ) -> Result<Self, NtkError> {
        Self::held(with_factors(problem), settings, network, theta)
    }

    /// The same of a problem whose factors and lifts are decided.
    pub(super) fn held(
        problem: Problem,
        settings: &Settings,
        network: &Network,
        theta: Vec<f64>,
    ) -> Result<Self, NtkError> {
        let refused = |what| Err(PosedError::unsupported(&problem, what).into());
        if !problem.constraints.is_empty() {
            return refused(
                "a mean, an integral or a value at a point, whose rows have no tangent kernel here",
            );
        }
        if !problem.periodic.is_empty() {
            return refused("periodic axes, which networks of tangent kernels do not have");
        }
        let threads = settings.threads.max(1);
        let terms = Terms::new(problem, network, settings.device, threads)?;
        let draw = Draw::new(Sampler::Random, settings.seed);
        let points = terms.drawing().draw(settings.counts()?, draw)?;
        Self::join(terms, theta, points, threads)
    }

    /// The same with the equations at these points (n × d, row by row); conditions keep theirs.
    ///
    /// # Errors
    /// [`NtkError`] where the numbers do not make points.
    pub fn at(mut self, points: &[f64]) -> Result<Self, NtkError> {
        let dimension = self.terms.system.known.dimension;
        if points.is_empty()
            || points.len() / dimension > MOST_POINTS
            || !points.len().is_multiple_of(dimension)
        {
            return Err(NtkError::Points {
                found: points.len(),
                dimension,
            });
        }
        let term = self.equations()?;
        self.points[term] = Cloud {
            weights: Vec::new(),
            points: points.to_vec(),
            data: vec![0.0; points.len() / dimension * self.terms.columns(term)],
        };
        self.n_rows = self.terms.n_rows(&self.points);
        Ok(self)
    }

    /// Which term the equations are.
    pub(super) fn equations(&self) -> Result<usize, NtkError> {
        let mut terms = 0..self.points.len();
        let found = terms.find(|&k| self.terms.place(k).is_none());
        found.ok_or_else(|| NtkError::Empty {
            problem: self.terms.system.problem.name.clone(),
        })
    }

    fn join(
        terms: Terms,
        theta: Vec<f64>,
        points: Vec<Cloud<f64>>,
        threads: usize,
    ) -> Result<Self, NtkError> {
        if theta.len() != terms.n_unknowns() {
            return Err(NtkError::Parameters {
                found: theta.len(),
                expected: terms.n_unknowns(),
            });
        }
        let n_rows = terms.n_rows(&points);
        if n_rows == 0 {
            return Err(NtkError::Empty {
                problem: terms.system.problem.name.clone(),
            });
        }
        Ok(Self {
            terms,
            points,
            threads,
            theta,
            n_rows,
        })
    }

    /// How many residuals.
    pub fn n_rows(&self) -> usize {
        self.n_rows
    }
    /// How many points the equations are at.
    pub fn n_points(&self) -> usize {
        let dimension = self.terms.system.known.dimension;
        self.equations()
            .map_or(0, |k| self.points[k].points.len() / dimension)
    }
    /// How many numbers are trained.
    pub fn n_columns(&self) -> usize {
        self.theta.len()
    }
    /// The parameters, the sought ones last.
    pub fn theta(&self) -> &[f64] {
        &self.theta
    }
    pub(super) fn theta_mut(&mut self) -> &mut [f64] {
        &mut self.theta
    }

    /// All rows, cut into slabs that fit (one point at least).
    pub(super) fn slabs(&self) -> Vec<Slab> {
        self.slabs_of(ROOM / self.n_columns())
    }

    /// All rows, cut into slabs of about so many.
    pub(super) fn slabs_of(&self, rows: usize) -> Vec<Slab> {
        let d = self.terms.system.known.dimension;
        let (mut slabs, mut first) = (Vec::new(), 0);
        for (term, points) in self.points.iter().enumerate() {
            let (n, count) = (points.points.len() / d, self.terms.count(term));
            let most = (rows / count).max(1);
            for from in (0..n).step_by(most) {
                let to = n.min(from + most);
                let rows = (to - from) * count;
                slabs.push(Slab {
                    term,
                    points: [from, to],
                    first,
                    rows,
                });
                first += rows;
            }
        }
        slabs
    }

    /// The rows of a slab.
    pub(super) fn rows(&mut self, slab: &Slab) -> Result<Rows, NtkError> {
        let d = self.terms.system.known.dimension;
        let ([from, to], beside) = (slab.points, self.terms.columns(slab.term));
        let all = &self.points[slab.term];
        let points = Cloud {
            weights: Vec::new(),
            points: all.points[from * d..to * d].to_vec(),
            data: all.data[from * beside..to * beside].to_vec(),
        };
        self.rows_at(slab.term, &points, slab.rows)
    }

    /// The rows of a term at any points.
    pub(super) fn rows_at(
        &mut self,
        term: usize,
        points: &Cloud<f64>,
        rows: usize,
    ) -> Result<Rows, NtkError> {
        let mut made = Rows {
            residual: vec![0.0; rows],
            jacobian: vec![0.0; rows * self.theta.len()],
        };
        self.terms.term_jacobian(
            term,
            &self.theta,
            points,
            &mut made.residual,
            &mut made.jacobian,
        )?;
        self.finite(made)
    }

    /// ∂u/∂θ of the first unknown at points.
    pub(super) fn value_rows(&mut self, points: &[f64], rows: usize) -> Result<Rows, NtkError> {
        let mut made = Rows {
            residual: vec![0.0; rows],
            jacobian: vec![0.0; rows * self.theta.len()],
        };
        self.terms
            .value_jacobian(&self.theta, points, &mut made.residual, &mut made.jacobian)?;
        self.finite(made)
    }

    fn finite(&self, made: Rows) -> Result<Rows, NtkError> {
        if made.jacobian.iter().all(|v| v.is_finite()) {
            return Ok(made);
        }
        Err(NtkError::NotFinite {
            problem: self.terms.system.problem.name.clone(),
        })
    }

    /// Every residual, neither weighted nor averaged.
    ///
    /// # Errors
    /// [`NtkError`] where numbers overflow.
    pub fn residuals(&mut self) -> Result<Vec<f64>, NtkError> {
        let mut all = Vec::with_capacity(self.n_rows);
        for slab in self.slabs() {
            all.extend(self.rows(&slab)?.residual);
        }
        Ok(all)
    }
}
