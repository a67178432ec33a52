//! The terms of a trained problem: equations inside, conditions and observations each on their own points, one engine for each.
//!
//! ```text
//! J(θ) = Σ_k λ_k / n_k Σ_i |r_k(x_i)|²
//! ```
//!
//! λ is the user's weight, or what makes a term's Jacobian at the start as large as that of the equations.

use super::setting::Setting;
use crate::domain::{DomainError, Draw, Sampler};
use crate::engine::{
    Ansatz, Batch, Columns, Device, Engine, EngineError, ExprField, ExprResidual, Field, Gradient,
    Objective, Second, Streams,
};
use crate::expr::Expr;
use crate::network::Network;
use crate::problem::Problem;
use crate::solve::SolveError;
use crate::solve::system::{Block, JetColumns, Residual, System};
use std::sync::Arc;

/// A set of points with what the residual reads beside them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Points {
    pub(crate) points: Vec<f64>,
    pub(crate) data: Vec<f64>,
}

struct Term {
    engine: Box<dyn Engine<f64>>,
    residual: Arc<ExprResidual>,
    count: usize,
    weight: f64,
    /// Which condition or observation of the system; `None` for the equations.
    place: Option<usize>,
}

impl Term {
    /// Numbers beside each point.
    fn columns(&self) -> usize {
        use crate::engine::Residual;
        self.residual.data_columns()
    }
}

/// All terms.
pub(crate) struct Terms {
    pub(crate) system: System,
    all: Vec<Term>,
    evaluator: Box<dyn Engine<f64>>,
    n_sought: usize,
}

/// A known function as the engine takes it.
type Known = Arc<dyn Field<f64>>;

/// The known functions of a problem: extra inputs, and factors with lifts.
fn fields(problem: &Problem) -> (Vec<Known>, Vec<Ansatz<f64>>) {
    let d = problem.coordinates.len();
    let field = |e: &Expr| -> Known {
        Arc::new(ExprField::new(e, d).expect("a known function names coordinates only"))
    };
    let features = problem.features.iter().map(|(_, e)| field(e)).collect();
    let ansatz = |a: &Option<(Expr, Expr)>| Ansatz {
        factor: a.as_ref().map(|(g, _)| field(g)),
        lift: a
            .as_ref()
            .filter(|(_, l)| l.constant() != Some(0.0))
            .map(|(_, l)| field(l)),
    };
    let all: Vec<Ansatz<f64>> = problem.ansatz.iter().map(ansatz).collect();
    let any = problem.ansatz.iter().any(Option::is_some);
    (features, if any { all } else { Vec::new() })
}

impl Terms {
    /// Compiles a problem for a network.
    pub(crate) fn new(
        problem: Problem,
        network: &Network,
        device: Device,
        threads: usize,
    ) -> Result<Self, SolveError> {
        if !problem.means.is_empty() {
            return Err(SolveError::unsupported(
                &problem,
                "a mean value, which only `--method lsq` takes",
            ));
        }
        if !problem.periodic.is_empty() {
            return Err(SolveError::unsupported(
                &problem,
                "periodic axes, which only `--method lsq` takes",
            ));
        }
        let (d, outputs, n_sought) = (
            problem.coordinates.len(),
            problem.unknowns.len(),
            problem.sought.len(),
        );
        let system = System::new(problem);
        let (features, ansatz) = fields(&system.problem);
        let term = |residuals: &[Expr], place, weight| -> Result<Term, SolveError> {
            let residual = Arc::new(ExprResidual::new(residuals, d, outputs, n_sought));
            let objective = Objective {
                network: network.clone(),
                features: features.clone(),
                ansatz: ansatz.clone(),
                residual: residual.clone(),
            };
            Ok(Term {
                engine: device.engine(objective, threads)?,
                residual,
                count: residuals.len(),
                weight,
                place,
            })
        };
        let problem = &system.problem;
        let mut terms = Vec::new();
        if !problem.equations.is_empty() {
            terms.push(term(&problem.equations, None, 1.0)?);
        }
        for (c, condition) in problem.conditions.iter().enumerate() {
            if !system.held(c) && !condition.pieces.is_empty() {
                let weight = condition.weight.unwrap_or(f64::NAN);
                terms.push(term(
                    std::slice::from_ref(&condition.residual),
                    Some(c),
                    weight,
                )?);
            }
        }
        for (k, observation) in problem.data.iter().enumerate() {
            let value = Expr::leaf(crate::expr::Leaf::Column(0));
            let residual = observation.observe.clone() - value;
            terms.push(term(
                &[residual],
                Some(problem.conditions.len() + k),
                f64::NAN,
            )?);
        }
        let value = Arc::new(ExprResidual::new(
            &[Expr::leaf(crate::expr::Leaf::jet(0, &[]))],
            d,
            outputs,
            n_sought,
        ));
        let evaluator = device.engine(
            Objective {
                network: network.clone(),
                features: features.clone(),
                ansatz: ansatz.clone(),
                residual: value,
            },
            threads,
        )?;
        Ok(Self {
            system,
            all: terms,
            evaluator,
            n_sought,
        })
    }

    /// How many numbers are trained: the network's, then the sought parameters.
    pub(crate) fn n_unknowns(&self) -> usize {
        self.n_parameters() + self.n_sought
    }

    pub(crate) fn n_parameters(&self) -> usize {
        self.evaluator.objective().network.n_parameters()
    }

    /// Fresh points for every term.
    pub(super) fn draw(
        &self,
        setting: &Setting,
        sampler: Sampler,
        seed: u64,
        round: u64,
    ) -> Result<Vec<Points>, DomainError> {
        let counts = [setting.points, setting.boundary_points];
        self.draw_counts(counts, Draw::new(sampler, seed).round(round))
    }

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
                    let points = problem.domain.interior(inside, &draw)?;
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

    fn set(&self, theta: &[f64]) {
        let sought = &theta[self.n_parameters()..];
        self.all.iter().for_each(|t| t.residual.set_sought(sought));
    }

    /// Makes every term's Jacobian as large as that of the first at these points, where the user gave no weight.
    pub(super) fn balance(&mut self, theta: &[f64], points: &[Points]) -> Result<(), SolveError> {
        self.set(theta);
        let p = self.n_parameters();
        let d = self.system.known.dimension;
        let mut sizes = Vec::with_capacity(self.all.len());
        for (term, points) in self.all.iter_mut().zip(points) {
            let n = (points.points.len() / d).min(200);
            let what = format_args!("the derivatives of {n} residuals by {p} parameters");
            rafnet_memory::require(what, &[n, term.count, p, 8])?;
            let (mut r, mut j) = (vec![0.0; n * term.count], vec![0.0; n * term.count * p]);
            let batch = Batch::points(&points.points[..n * d])
                .with_data(&points.data[..n * term.columns()]);
            term.engine.residuals_and_jacobian(
                &theta[..p],
                &batch,
                Columns::All,
                &mut r,
                &mut j,
            )?;
            sizes.push(j.iter().map(|v| v * v).sum::<f64>() / n.max(1) as f64);
        }
        let first = sizes.first().copied().unwrap_or(1.0);
        for (term, size) in self.all.iter_mut().zip(&sizes) {
            if term.weight.is_nan() {
                term.weight = if *size > 0.0 && size.is_finite() {
                    first / size
                } else {
                    1.0
                };
            }
        }
        Ok(())
    }

    /// The weights λ that [`balance`](Self::balance) found.
    pub(super) fn weights(&self) -> Vec<f64> {
        self.all.iter().map(|term| term.weight).collect()
    }

    /// Takes up weights that were found before; there is one for each term.
    pub(super) fn set_weights(&mut self, weights: &[f64]) {
        for (term, weight) in self.all.iter_mut().zip(weights) {
            term.weight = *weight;
        }
    }

    /// J and its gradient.
    pub(super) fn loss_and_gradient(
        &mut self,
        theta: &[f64],
        points: &[Points],
        gradient: &mut [f64],
        scratch: &mut [f64],
    ) -> Result<f64, EngineError> {
        self.set(theta);
        let p = self.n_parameters();
        let mut total = 0.0;
        gradient.fill(0.0);
        for (k, (term, points)) in self.all.iter_mut().zip(points).enumerate() {
            let batch = Batch::points(&points.points).with_data(&points.data);
            let into = if k == 0 {
                &mut gradient[..p]
            } else {
                &mut scratch[..p]
            };
            let loss = term.engine.loss_and_gradient(&theta[..p], &batch, into)?;
            total += term.weight * loss;
            if k > 0 {
                gradient
                    .iter_mut()
                    .zip(&*scratch)
                    .for_each(|(g, s)| *g += term.weight * s);
            } else if (term.weight - 1.0).abs() > 0.0 {
                gradient.iter_mut().for_each(|g| *g *= term.weight);
            }
        }
        Ok(total)
    }

    /// How many weighted residuals these points give.
    pub(crate) fn n_rows(&self, points: &[Points]) -> usize {
        let d = self.system.known.dimension;
        self.all
            .iter()
            .zip(points)
            .map(|(t, p)| t.count * p.points.len() / d)
            .sum()
    }

    /// The residuals, each times √(λ/n): their sum of squares is J.
    pub(super) fn residuals(
        &mut self,
        theta: &[f64],
        points: &[Points],
        out: &mut [f64],
    ) -> Result<(), EngineError> {
        self.set(theta);
        let (p, d) = (self.n_parameters(), self.system.known.dimension);
        let mut rest = out;
        for (term, points) in self.all.iter_mut().zip(points) {
            let n = points.points.len() / d;
            let (mine, others) = rest.split_at_mut(n * term.count);
            let batch = Batch::points(&points.points).with_data(&points.data);
            term.engine.residuals(&theta[..p], &batch, mine)?;
            let scale = (term.weight / n.max(1) as f64).sqrt();
            mine.iter_mut().for_each(|r| *r *= scale);
            rest = others;
        }
        Ok(())
    }

    /// The residuals with their Jacobian, a row of `n_unknowns` numbers each.
    pub(super) fn jacobian(
        &mut self,
        theta: &[f64],
        points: &[Points],
        out: &mut [f64],
        jacobian: &mut [f64],
    ) -> Result<(), EngineError> {
        let (d, width) = (self.system.known.dimension, self.n_unknowns());
        let (mut rest, mut rows) = (out, jacobian);
        for (k, points) in points.iter().enumerate().take(self.all.len()) {
            let n = points.points.len() / d;
            let height = n * self.all[k].count;
            let (mine, others) = rest.split_at_mut(height);
            let (my_rows, other_rows) = rows.split_at_mut(height * width);
            self.term_jacobian(k, theta, points, mine, my_rows)?;
            let scale = (self.all[k].weight / n.max(1) as f64).sqrt();
            mine.iter_mut().for_each(|r| *r *= scale);
            my_rows.iter_mut().for_each(|r| *r *= scale);
            rest = others;
            rows = other_rows;
        }
        Ok(())
    }

    /// How many residuals term `k` has at a point.
    pub(crate) fn count(&self, k: usize) -> usize {
        self.all[k].count
    }

    /// Which condition or observation term `k` is; `None` for the equations.
    pub(crate) fn place(&self, k: usize) -> Option<usize> {
        self.all[k].place
    }

    /// Numbers beside each point of term `k`.
    pub(crate) fn columns(&self, k: usize) -> usize {
        self.all[k].columns()
    }

    /// The plain residuals of term `k`, neither weighted nor averaged, with their Jacobian.
    pub(crate) fn term_jacobian(
        &mut self,
        k: usize,
        theta: &[f64],
        points: &Points,
        out: &mut [f64],
        jacobian: &mut [f64],
    ) -> Result<(), EngineError> {
        self.set(theta);
        let (p, width) = (self.n_parameters(), self.n_unknowns());
        let term = &mut self.all[k];
        let batch = Batch::points(&points.points).with_data(&points.data);
        if width == p {
            return term.engine.residuals_and_jacobian(
                &theta[..p],
                &batch,
                Columns::All,
                out,
                jacobian,
            );
        }
        let mut plain = vec![0.0; out.len() * p];
        term.engine
            .residuals_and_jacobian(&theta[..p], &batch, Columns::All, out, &mut plain)?;
        let slopes = self.slopes_by_sought(k, theta, points)?;
        for (i, row) in jacobian.chunks_exact_mut(width).enumerate() {
            row[..p].copy_from_slice(&plain[i * p..(i + 1) * p]);
            row[p..].copy_from_slice(&slopes[i * (width - p)..(i + 1) * (width - p)]);
        }
        Ok(())
    }

    /// The first unknown at points with its derivatives by every number that is trained.
    pub(crate) fn value_jacobian(
        &mut self,
        theta: &[f64],
        points: &[f64],
        out: &mut [f64],
        jacobian: &mut [f64],
    ) -> Result<(), EngineError> {
        let (p, width) = (self.n_parameters(), self.n_unknowns());
        let batch = Batch::points(points);
        let mut plain = vec![0.0; out.len() * p];
        self.evaluator.residuals_and_jacobian(
            &theta[..p],
            &batch,
            Columns::All,
            out,
            &mut plain,
        )?;
        jacobian.fill(0.0);
        let rows = jacobian.chunks_exact_mut(width).zip(plain.chunks_exact(p));
        rows.for_each(|(row, plain)| row[..p].copy_from_slice(plain));
        Ok(())
    }

    /// ∂r/∂(sought) of a term, a row for each residual.
    fn slopes_by_sought(
        &mut self,
        k: usize,
        theta: &[f64],
        points: &Points,
    ) -> Result<Vec<f64>, EngineError> {
        let (p, d, s) = (
            self.n_parameters(),
            self.system.known.dimension,
            self.n_sought,
        );
        let n = points.points.len() / d;
        let equations = self.system.problem.equations.len();
        let which: Vec<usize> = match self.all[k].place {
            None => (0..equations).collect(),
            Some(c) => vec![equations + c],
        };
        let count = which.len();
        let mut slopes = vec![0.0; n * count * s];
        for (m, r) in which.into_iter().enumerate() {
            let data = match points.data.len() {
                0 => vec![0.0; n * (d + 1)],
                _ => points.data.clone(),
            };
            let normals: Vec<f64> = data
                .chunks(d + 1)
                .flat_map(|row| row[..d].to_vec())
                .collect();
            let observed: Vec<f64> = data.chunks(d + 1).map(|row| row[d]).collect();
            let block = Block::new(r, self.system.known.sites(&points.points))
                .with_normals(&normals)
                .with_observed(&observed);
            let jets = self.jets(theta, r, &points.points)?;
            let response = self.system.residuals[r].respond(&block, &jets, &theta[p..]);
            let first = 1 + self.system.residuals[r].jets.len();
            for i in 0..n {
                for q in 0..s {
                    slopes[(i * count + m) * s + q] = response[first + q][i];
                }
            }
        }
        Ok(slopes)
    }

    /// The jets that residual `r` reads, at points.
    pub(super) fn jets(
        &mut self,
        theta: &[f64],
        r: usize,
        points: &[f64],
    ) -> Result<JetColumns, EngineError> {
        let p = self.n_parameters();
        let wanted = self.system.residuals[r].jets.clone();
        evaluate(
            &mut *self.evaluator,
            &theta[..p],
            &wanted,
            points,
            self.system.known.dimension,
        )
    }

    /// u at points: n × outputs, by output.
    pub(super) fn values(
        &mut self,
        theta: &[f64],
        points: &[f64],
        out: &mut [f64],
    ) -> Result<(), EngineError> {
        let p = self.n_parameters();
        self.evaluator
            .evaluate(&theta[..p], points, &Streams::value(), out)
    }

    /// What the judge says of θ.
    pub(super) fn judged(
        &mut self,
        judge: &crate::solve::system::Judge,
        theta: &[f64],
    ) -> crate::solve::system::Verdict {
        let p = self.n_parameters();
        let d = self.system.known.dimension;
        let evaluator = std::cell::RefCell::new(&mut self.evaluator);
        judge.verdict(
            &self.system,
            &theta[p..],
            |residual: &Residual, block: &Block| {
                let points: Vec<f64> = (0..block.sites.n * d)
                    .map(|at| block.sites.coordinates[at % d][at / d])
                    .collect();
                let nothing = || vec![vec![f64::NAN; block.sites.n]; residual.jets.len()];
                evaluate(
                    &mut ***evaluator.borrow_mut(),
                    &theta[..p],
                    &residual.jets,
                    &points,
                    d,
                )
                .unwrap_or_else(|_| nothing())
            },
        )
    }
}

/// Derivatives of the unknowns at points, a column each.
fn evaluate(
    engine: &mut dyn Engine<f64>,
    parameters: &[f64],
    wanted: &[(usize, Vec<usize>)],
    points: &[f64],
    d: usize,
) -> Result<JetColumns, EngineError> {
    let mut streams = Streams {
        gradient: Gradient::None,
        second: Vec::new(),
    };
    let mut along: Vec<usize> = Vec::new();
    for (_, axes) in wanted {
        match axes[..] {
            [k] => along.push(k),
            [i, j] if !streams.second.contains(&Second::Mixed(i, j)) => {
                streams.second.push(Second::Mixed(i, j))
            }
            _ => {}
        }
    }
    along.sort_unstable();
    along.dedup();
    streams.gradient = Gradient::Along(along);
    let carried = streams.carried(d).expect("axes of a problem exist");
    let n = points.len() / d;
    let outputs = engine.objective().network.n_outputs();
    let mut out = vec![0.0; outputs * carried.len() * n];
    engine.evaluate(parameters, points, &streams, &mut out)?;
    let column = |(u, axes): &(usize, Vec<usize>)| {
        let s = match axes[..] {
            [] => 0,
            [k] => carried.direction(k).unwrap_or(0),
            [i, j] => {
                let place = streams
                    .second
                    .iter()
                    .position(|s| *s == Second::Mixed(i, j));
                carried.second_stream(place.unwrap_or(0))
            }
            _ => unreachable!("second order is the most that problems have"),
        };
        out[(u * carried.len() + s) * n..][..n].to_vec()
    };
    Ok(wanted.iter().map(column).collect())
}
