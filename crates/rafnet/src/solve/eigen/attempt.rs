//! One attempt: a layer is drawn, its pencil factored, the eigenvalues nearest to the shift found and judged at points no solve has seen.

use super::krylov::{Ritz, largest};
use super::layer::{Recipe, draw};
use super::pencil::{Pencil, Units};
use super::tuning::{BEYOND, CREDIBLE, MOVES, NEARER, REAL};
use super::units::units;
use crate::domain::DomainError;
use crate::engine::ridges::Layer;
use crate::expr::{Expr, Leaf, larger, smaller};
use crate::frozen::jets_of;
use crate::halt::Halt;
use crate::posed::{Block, Kind, Purpose, Residual, System, Worst, rms};
use crate::problem::Problem;
use crate::solve::Options;

/// A problem compiled, with its units and the points at which answers are judged.
pub(super) struct Way {
    pub(super) name: &'static str,
    pub(super) system: System,
    pub(super) units: Units,
    /// How many of the last features are corners' functions.
    pub(super) corners: usize,
    beyond: f64,
    held_out: Vec<Block>,
    /// u itself, for each unknown, and points inside at which attempts are compared.
    values: Vec<Residual>,
    inside: Block,
}

/// An eigenpair of an attempt.
#[derive(Clone, Debug)]
pub(super) struct Pair {
    pub(super) lambda: f64,
    /// N numbers for each unknown.
    pub(super) coefficients: Vec<f64>,
    /// The worst held-out residual, in units of its rows.
    pub(super) residual: f64,
    /// Held-out residuals for u of mean square one: equations, conditions.
    pub(super) rms: [Option<f64>; 2],
    pub(super) worst: Option<Worst>,
    /// Every unknown at the points inside, of mean square one.
    pub(super) values: Vec<f64>,
}

/// What came of a layer.
#[derive(Clone)]
pub(super) struct Attempt {
    pub(super) way: usize,
    pub(super) recipe: Recipe,
    pub(super) layer: Layer,
    /// From the end of the spectrum on, with a start in ascending order; more than asked for, where there are more.
    pub(super) pairs: Vec<Pair>,
    /// The worst held-out residual of those asked for.
    pub(super) residual: f64,
    /// Whether complex eigenvalues lie among them.
    pub(super) complex: bool,
    pub(super) points: usize,
}

impl Way {
    pub(super) fn new(
        name: &'static str,
        problem: Problem,
        corners: usize,
        points: usize,
        options: &Options,
    ) -> Result<Self, DomainError> {
        let system = System::new(problem, options.device);
        let (units, beyond) = units(&system)?;
        let draw = system
            .draw(options.seed)
            .round(Purpose::Examined.round())
            .held_out();
        let held_out = system.blocks(points, points / 2, &draw, &[])?;
        let inside = system
            .problem
            .domain
            .interior(points, &draw.round(Purpose::Compared.round()))?;
        let d = system.known.dimension;
        let value = |u| Residual::new(Kind::Equation, &Expr::leaf(Leaf::jet(u, &[])), d, 0);
        Ok(Self {
            name,
            units,
            corners,
            beyond,
            held_out,
            values: (0..system.problem.unknowns.len()).map(value).collect(),
            inside: Block::new(0, system.known.sites(&inside)),
            system,
        })
    }

    /// The eigenvalues of a layer, `count` of them near `start`; `None` without as many, or when it is ended. Functions that are `known` are where the search
    /// for vectors begins.
    pub(super) fn attempt(
        &self,
        way: usize,
        recipe: &Recipe,
        (count, start): (usize, Option<f64>),
        known: Option<(&Self, &Attempt)>,
        halt: &Halt,
    ) -> Result<Option<Attempt>, DomainError> {
        let problem = &self.system.problem;
        let layer = draw(problem, recipe);
        let edge = if problem.coordinates.len() == 1 {
            2
        } else {
            (recipe.n / 2).max(40)
        };
        let drawn = self.system.draw(recipe.seed).round(Purpose::Solved.round());
        let inside = 5 * recipe.n.max(20) / 2;
        let more = self.system.at_places(inside, &drawn)?;
        let blocks = self.system.evenly(inside, edge, &drawn, &more)?;
        let points = blocks.iter().map(|b| b.sites.n).sum();
        let near = known.and_then(|(_, attempt)| self.nearer(&attempt.pairs[..count]));
        let mut shift = start.or(near).unwrap_or(self.beyond);
        // one that is an eigenvalue itself would make the rows singular
        shift += 1e-7 * start.map_or(0.0, |s| s.abs() + self.units.operator);
        let known = known.map(|(way, attempt)| way.functions(attempt, &blocks[0]));
        for _ in 0..MOVES {
            let pencil = Pencil::new(&self.system, &self.units, &layer, &blocks, shift, halt);
            let Some(pencil) = pencil else {
                return Ok(None);
            };
            let found = largest(
                pencil.n_values(),
                count + BEYOND,
                (recipe.seed, known.as_deref().unwrap_or(&[])),
                |f| pencil.solve(f),
                |y| pencil.values(y),
                halt,
            );
            if halt.is_raised() {
                return Ok(None);
            }
            let (real, complex) = told_apart(found);
            let past = self.past(&real, shift).filter(|_| start.is_none());
            if let Some(further) = past {
                shift = further;
                continue;
            }
            let nearest = real.iter().take(count + BEYOND);
            let pairs = nearest.map(|ritz| {
                let lambda = shift + 1.0 / ritz.value[0];
                self.judged(&layer, lambda, &pencil.coefficients(&ritz.answer))
            });
            let mut pairs: Vec<Pair> = pairs.collect();
            pairs.retain(|p| p.residual.is_finite() && p.lambda.is_finite());
            if pairs.len() < count {
                return Ok(None);
            }
            // the nearest to the shift were asked for: the others only say whether the last of them is alone
            let residual = pairs[..count].iter().map(|p| p.residual).fold(0.0, larger);
            let side = start.map_or(self.side(), |_| 1.0);
            pairs[..count].sort_by(|a, b| (side * a.lambda).total_cmp(&(side * b.lambda)));
            return Ok(Some(Attempt {
                way,
                recipe: recipe.clone(),
                layer,
                pairs,
                residual,
                complex,
                points,
            }));
        }
        Ok(None)
    }

    /// The functions of an attempt, every unknown at a block's points.
    fn functions(&self, attempt: &Attempt, block: &Block) -> Vec<Vec<f64>> {
        let d = self.system.known.dimension;
        let points: Vec<f64> = (0..block.sites.n * d)
            .map(|at| block.sites.coordinates[at % d][at / d])
            .collect();
        let block = Block::new(0, self.system.known.sites(&points));
        let function = |pair: &Pair| {
            let of = |r: &Residual| jets_of(&attempt.layer, &pair.coefficients, r, &block);
            let values = self.values.iter().map(|r| of(r).swap_remove(0));
            values.flatten().collect()
        };
        attempt.pairs.iter().map(function).collect()
    }

    /// A number beyond eigenvalues that are known already, nearer to them than where the search began: the nearer, the fewer steps.
    fn nearer(&self, pairs: &[Pair]) -> Option<f64> {
        let side = self.side();
        let along = |pair: &Pair| side * pair.lambda;
        let first = pairs.iter().map(along).reduce(smaller)?;
        let last = pairs.iter().map(along).reduce(larger)?;
        let begun = first - side * self.beyond;
        let apart = (last - first).max(NEARER * begun);
        (begun > 0.0 && apart < begun).then_some(side * (first - apart))
    }

    /// Where to look from instead, if eigenvalues lie on the other side of the shift.
    fn past(&self, real: &[Ritz], shift: f64) -> Option<f64> {
        let side = self.side();
        let beyond = real
            .iter()
            .map(|r| side / r.value[0])
            .filter(|distance| *distance < 0.0);
        let furthest = beyond.fold(0.0, smaller);
        (furthest < 0.0).then_some(shift + side * (furthest - 0.5 * self.units.operator))
    }

    /// +1 where the eigenvalues lie above the shift, −1 below.
    fn side(&self) -> f64 {
        self.units.side
    }

    /// A pair at held-out points.
    fn judged(&self, layer: &Layer, lambda: f64, coefficients: &[f64]) -> Pair {
        let value = |r: &Residual| jets_of(layer, coefficients, r, &self.inside).swap_remove(0);
        let mut values: Vec<f64> = self.values.iter().flat_map(value).collect();
        let size = rms(&values) * (self.values.len() as f64).sqrt();
        values.iter_mut().for_each(|v| *v /= size);
        let mut pair = Pair {
            lambda,
            residual: 0.0,
            rms: [None; 2],
            worst: None,
            values,
            coefficients: coefficients.iter().map(|c| c / size).collect(),
        };
        let unknowns = self.values.len();
        for block in &self.held_out {
            let residual = &self.system.residuals[block.residual];
            let jets = jets_of(layer, &pair.coefficients, residual, block);
            let off = residual.respond(block, &jets, &[lambda]).swap_remove(0);
            let (unit, place) = match residual.kind {
                Kind::Equation => (self.units.operator + lambda.abs(), 0),
                _ => (self.units.conditions[block.residual - unknowns], 1),
            };
            let off_by = rms(&off);
            let relative = off_by / unit;
            if relative > pair.residual || relative.is_nan() {
                pair.residual = if relative.is_nan() {
                    f64::INFINITY
                } else {
                    relative
                };
                let largest = (0..off.len()).max_by(|i, j| off[*i].abs().total_cmp(&off[*j].abs()));
                pair.worst = largest.map(|i| Worst {
                    residual: block.residual,
                    point: block.sites.coordinates.iter().map(|x| x[i]).collect(),
                });
            }
            pair.rms[place] = Some(larger(pair.rms[place].unwrap_or(0.0), off_by));
        }
        pair
    }
}

/// The real values that were found, and whether complex ones were among them. Behind one whose vector is not found none is counted: it
/// would have the wrong number.
fn told_apart(found: Vec<Ritz>) -> (Vec<Ritz>, bool) {
    let credible = found.into_iter().take_while(|r| r.residual < CREDIBLE);
    let (real, complex): (Vec<Ritz>, Vec<Ritz>) =
        credible.partition(|r| r.value[1].abs() <= REAL * r.value[0].abs());
    (real, !complex.is_empty())
}
