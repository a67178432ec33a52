//! A problem compiled for a solver: residuals as programs, known functions, points for every residual.

use super::given::Given;
use super::sites::{Known, KnownParts, Wanted};
use super::{Axes, Block, Kind, Purpose, Residual};
use crate::domain::{DomainError, Draw, Sampler};
use crate::engine::Device;
use crate::expr::{Expr, Leaf, largest};
use crate::problem::{Condition, Place, Problem};
use std::sync::{Arc, OnceLock};

/// A narrow place gets this share of the points inside, and no fewer than so many.
const AT_A_PLACE: usize = 8;
/// Along a strip there are more: functions lie across it.
const AT_A_STRIP: usize = 2;
const FEWEST: usize = 32;

/// A problem with everything compiled.
pub(crate) struct System {
    pub(crate) problem: Problem,
    pub(crate) known: KnownParts,
    /// Equations, conditions, observations, constraints, in this order.
    pub(crate) residuals: Vec<Residual>,
    /// For each condition whether it holds through the ansatz and needs no rows.
    held: Vec<bool>,
    /// What the data imply, once it was asked for.
    given: OnceLock<Given>,
}

impl System {
    /// Compiles a problem for a device.
    pub(crate) fn new(problem: Problem, device: Device) -> Self {
        let dimension = problem.coordinates.len();
        let residuals = residuals(&problem);
        let read = residuals.iter().flat_map(|r| &r.jets);
        let figures = problem.reports.iter().flat_map(|f| f.of.jets());
        let figures: Vec<Axes> = figures.map(|j| j.axes().to_vec()).collect();
        let read = read.map(|(_, axes)| axes).chain(&figures);
        let wanted = Arc::new(Wanted::new(dimension, read));
        let known = |e: &Expr| Known::new(e, dimension, &wanted);
        Self {
            known: KnownParts {
                dimension,
                wanted: Arc::clone(&wanted),
                inputs: problem.features.iter().map(|(_, e)| known(e)).collect(),
                ansatz: problem
                    .ansatz
                    .iter()
                    .map(|a| a.as_ref().map(|(g, l)| [known(g), known(l)]))
                    .collect(),
                guess: problem
                    .guess
                    .iter()
                    .map(|g| g.as_ref().map(known))
                    .collect(),
                device,
            },
            residuals,
            held: problem
                .conditions
                .iter()
                .map(|c| holds(&problem, c))
                .collect(),
            given: OnceLock::new(),
            problem,
        }
    }

    /// How large everything is for the solution that the data imply.
    fn given(&self) -> Result<&Given, DomainError> {
        if let Some(given) = self.given.get() {
            return Ok(given);
        }
        let given = Given::new(self, &self.draw(0))?;
        Ok(self.given.get_or_init(|| given))
    }

    /// What a block's terms amount to for that solution.
    pub(crate) fn implied(&self, block: &Block) -> Result<f64, DomainError> {
        Ok(self.given()?.implied(self, block))
    }

    /// How large the data imply each unknown to be; zero where nothing but zero is given.
    pub(crate) fn sizes(&self) -> Result<&[f64], DomainError> {
        Ok(self.given()?.sizes())
    }

    /// Whether any residual is nonlinear.
    pub(crate) fn nonlinear(&self) -> bool {
        self.residuals.iter().any(|r| r.nonlinear)
    }

    /// Sobol points where there are direction numbers, random ones beyond.
    pub(crate) fn draw(&self, seed: u64) -> Draw {
        let few = self.known.dimension <= 20;
        Draw::new(if few { Sampler::Sobol } else { Sampler::Random }, seed)
    }

    /// Whether a condition holds through the ansatz and needs no rows.
    pub(crate) fn held(&self, condition: usize) -> bool {
        self.held[condition]
    }

    /// Points of a condition (n × d by rows) with outward normals.
    pub(crate) fn on_boundary(
        &self,
        condition: &Condition,
        n: usize,
        draw: &Draw,
    ) -> Result<(Vec<f64>, Vec<f64>), DomainError> {
        let drawn = self.problem.domain.boundary(&condition.pieces, n, draw)?;
        let Some(filter) = &condition.filter else {
            return Ok((drawn.points, drawn.normals));
        };
        let d = self.known.dimension;
        let mut kept = (Vec::new(), Vec::new());
        for (x, n) in drawn
            .points
            .chunks_exact(d)
            .zip(drawn.normals.chunks_exact(d))
        {
            if filter.at(x) > 0.5 {
                kept.0.extend_from_slice(x);
                kept.1.extend_from_slice(n);
            }
        }
        Ok(kept)
    }

    /// Points for every residual, [evenly](Self::evenly), and blocks of their own at the narrow places of its texts: there terms are of another
    /// size, and next to them nothing else would count.
    pub(crate) fn blocks(
        &self,
        inside: usize,
        edge: usize,
        draw: &Draw,
        more: &[f64],
    ) -> Result<Vec<Block>, DomainError> {
        let mut blocks = self.evenly(inside, edge, draw, more)?;
        let problem = &self.problem;
        for (p, place) in problem.places.iter().enumerate() {
            let share = match place.across {
                Some(_) => AT_A_STRIP,
                None => AT_A_PLACE,
            };
            let n = (inside / share).max(FEWEST);
            for near in place.inside(problem) {
                let points = near.points(problem, n, draw)?;
                let equations = (0..problem.equations.len()).filter(|_| !points.is_empty());
                blocks
                    .extend(equations.map(|r| Block::new(r, self.known.sites(&points)).around(p)));
            }
            let on_faces = self.on_faces(place, n, draw)?.into_iter();
            let open = on_faces.filter(|b| !self.held(b.residual - problem.equations.len()));
            blocks.extend(open.map(|block| block.around(p)));
        }
        Ok(blocks)
    }

    /// Points of conditions around a place: on the faces that its text is for, or where a strip meets them.
    pub(super) fn on_faces(
        &self,
        place: &Place,
        n: usize,
        draw: &Draw,
    ) -> Result<Vec<Block>, DomainError> {
        let problem = &self.problem;
        let mut blocks = Vec::new();
        if place.singular {
            return Ok(blocks);
        }
        for (c, condition) in problem.conditions.iter().enumerate() {
            for piece in &condition.pieces {
                let on = if place.pieces.contains(piece) {
                    let pieces = vec![*piece];
                    Some(Place {
                        pieces,
                        ..place.clone()
                    })
                } else {
                    place.on_face(problem, *piece)
                };
                let Some(on) = on else { continue };
                let points = on.points(problem, n, draw)?;
                let r = problem.equations.len() + c;
                blocks.extend(self.on_face(r, condition, *piece, &points, draw)?);
            }
        }
        Ok(blocks)
    }

    /// A condition at points of a face, if it holds for some of them.
    fn on_face(
        &self,
        r: usize,
        condition: &Condition,
        piece: usize,
        points: &[f64],
        draw: &Draw,
    ) -> Result<Option<Block>, DomainError> {
        let d = self.known.dimension;
        let held = |x: &&[f64]| condition.filter.as_ref().is_none_or(|f| f.at(x) > 0.5);
        let kept = points.chunks_exact(d).filter(held);
        let points: Vec<f64> = kept.flatten().copied().collect();
        if points.is_empty() {
            return Ok(None);
        }
        // the face is flat: one normal for all of its points
        let normal = self.problem.domain.boundary(&[piece], 1, draw)?.normals;
        let normals = normal.repeat(points.len() / d);
        let mut block = Block::new(r, self.known.sites(&points)).with_normals(&normals);
        block.weight = condition.weight.unwrap_or(1.0);
        Ok(Some(block))
    }

    /// Points inside at the narrow places of the texts, beside so many evenly spread ones.
    pub(crate) fn at_places(&self, inside: usize, draw: &Draw) -> Result<Vec<f64>, DomainError> {
        let n = inside / AT_A_PLACE;
        let places = self.problem.places.iter();
        let mut points = Vec::new();
        for place in places.flat_map(|place| place.inside(&self.problem)) {
            points.extend(place.points(&self.problem, n, draw)?);
        }
        Ok(points)
    }

    /// Points for every residual: `inside` and the points `more` for each equation, `edge` shared by the conditions.
    pub(crate) fn evenly(
        &self,
        inside: usize,
        edge: usize,
        draw: &Draw,
        more: &[f64],
    ) -> Result<Vec<Block>, DomainError> {
        let problem = &self.problem;
        let mut interior = problem.domain.interior(inside, draw)?;
        interior.extend_from_slice(more);
        let mut blocks: Vec<Block> = (0..problem.equations.len())
            .map(|r| Block::new(r, self.known.sites(&interior)))
            .collect();
        let mut r = problem.equations.len();
        for (c, condition) in problem.conditions.iter().enumerate() {
            if !self.held(c) && !condition.pieces.is_empty() {
                let share = (edge / problem.conditions.len().max(1)).max(8);
                let n = condition.points.unwrap_or(share);
                let (points, normals) = self.on_boundary(condition, n, draw)?;
                let mut block = Block::new(r, self.known.sites(&points)).with_normals(&normals);
                block.weight = condition.weight.unwrap_or(1.0);
                blocks.push(block);
            }
            r += 1;
        }
        for observation in &problem.data {
            let sites = self.known.sites(&observation.points);
            let mut block = Block::new(r, sites).with_observed(&observation.values);
            block.noise = observation.sigma;
            blocks.push(block);
            r += 1;
        }
        for constraint in &problem.constraints {
            blocks.push(self.constrained(r, constraint, edge, draw)?);
            r += 1;
        }
        Ok(blocks)
    }
}

/// Every equation, condition, observation and constraint, compiled.
fn residuals(problem: &Problem) -> Vec<Residual> {
    let d = problem.coordinates.len();
    let compiled = |kind, e: &Expr| Residual::new(kind, e, d, problem.sought.len());
    let equations = problem.equations.iter();
    let mut residuals: Vec<Residual> = equations.map(|e| compiled(Kind::Equation, e)).collect();
    for condition in &problem.conditions {
        let kind = if condition.initial {
            Kind::Initial
        } else {
            Kind::Boundary
        };
        residuals.push(compiled(kind, &condition.residual));
    }
    for observation in &problem.data {
        let value = Expr::leaf(Leaf::Column(0));
        residuals.push(compiled(Kind::Data, &(observation.observe.clone() - value)));
    }
    for constraint in &problem.constraints {
        let difference = constraint.difference(&problem.domain);
        residuals.push(compiled(Kind::Constraint, &difference));
    }
    residuals
}

/// Whether factor and lift make a Dirichlet condition hold: g = 0 and l = the data at points of its set, to rounding.
fn holds(problem: &Problem, condition: &Condition) -> bool {
    let Some((unknown, data)) = condition.dirichlet.as_ref().filter(|_| !condition.initial) else {
        return false;
    };
    let Some((factor, lift)) = &problem.ansatz[*unknown] else {
        return false;
    };
    let draw = Draw::new(Sampler::Random, 0).round(Purpose::Examined.round());
    let Ok(drawn) = problem.domain.boundary(&condition.pieces, 48, &draw) else {
        return false;
    };
    let d = problem.coordinates.len();
    let inside = problem.domain.interior(48, &draw).unwrap_or_default();
    let sizes = inside.chunks_exact(d).map(|x| factor.at(x).abs());
    let size = largest(sizes);
    let values: Vec<f64> = drawn.points.chunks_exact(d).map(|x| data.at(x)).collect();
    let most = largest(values.iter().map(|v| v.abs()));
    let mut points = drawn.points.chunks_exact(d).zip(&values);
    points.all(|(x, value)| {
        factor.at(x).abs() <= 1e-9 * size && (lift.at(x) - value).abs() <= 1e-9 * most
    })
}
