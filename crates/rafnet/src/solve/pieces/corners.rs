//! Corners: pieces that touch one have its functions beside the waves.
//!
//! ```text
//! u = Σ_j c_j sin(w_j·ξ + b_j) + Σ_k s_k r^(ν_k + 2j_k) sin(ν_k θ)            in place of the last waves, so that every piece has as many
//! ```
//!
//! Without them a corner takes ever smaller pieces and is never resolved; with them the pieces around it are as large as any. Lower-order
//! terms with first derivatives or changing coefficients have further functions, which are left to the waves.

use super::Bounds;
use super::surface::Surface;
use crate::domain::{Domain, Wedge};
use crate::expr::{Expr, largest};
use crate::posed::{Known, KnownJets, Sector, System, Wave, corner_function, is_whole};
use crate::problem::Problem;
use std::f64::consts::PI;

/// The highest power of the radius, and how many of a piece's functions are a corner's, at most.
const HIGHEST: f64 = 12.0;
const MOST: f64 = 0.35;
/// With more corners than this only the worse ones have functions, those whose angle is no half, third, … of a straight one, and so many of them.
const MOST_CORNERS: usize = 16;
/// How far from a corner it is looked what its edges ask for, over the extent of the domain.
const BESIDE: f64 = 1e-3;
/// How near to a box a corner is, over the extent of the box, for its functions to be taken there.
const NEAR: f64 = 0.25;

/// A corner with its functions, the lowest powers first.
pub(super) struct Corner {
    sector: Sector,
    functions: Vec<Function>,
}

struct Function {
    /// Of the radius.
    power: f64,
    of: Expr,
    known: Known,
}

/// What an edge of a corner asks for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Edge {
    Value,
    Slope,
    Both,
}

impl Corner {
    /// The corners of a plane problem of second order, on a domain that is no box, where solutions are singular.
    pub(super) fn all(system: &System, surfaces: &[Surface], second: bool) -> Vec<Self> {
        let problem = &system.problem;
        let plane = problem.coordinates.len() == 2 && problem.time.is_none();
        if !second || !plane || surfaces.is_empty() {
            return Vec::new();
        }
        let wedges = problem.domain.wedges();
        let sectors = wedges.iter().map(|w| Sector::new(problem, [0, 1], w));
        let mut sectors: Vec<Sector> = sectors.collect();
        if sectors.len() > MOST_CORNERS {
            sectors.retain(|s| !is_whole(PI / s.angle));
            sectors.truncate(MOST_CORNERS);
        }
        let corner = |sector: Sector| {
            let function = |(power, of): (f64, Expr)| Function {
                power,
                known: Known::new(&of, 2, &system.known.wanted),
                of,
            };
            let functions = functions(problem, &sector, surfaces);
            Self {
                functions: functions.into_iter().map(function).collect(),
                sector,
            }
        };
        // of two corners in one box the worse one counts
        sectors.sort_by(|a, b| b.angle.total_cmp(&a.angle));
        sectors.into_iter().map(corner).collect()
    }

    /// Whether a piece has its functions: it is near to the corner, and the jump of the angle lies outside.
    pub(super) fn is_near(&self, domain: &Domain, bounds: &Bounds) -> bool {
        let near = |k: usize| {
            let [low, high] = bounds[k];
            let beside = NEAR * (high - low);
            let x = self.sector.wedge.position[k];
            low - beside <= x && x <= high + beside
        };
        near(0) && near(1) && self.sector.turns_around(domain, bounds)
    }

    /// How many of `n` functions of a piece are its own.
    pub(super) fn of(&self, n: usize) -> usize {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a small count"
        )]
        let most = (MOST * n as f64) as usize;
        self.functions.len().min(most)
    }

    /// So many of its functions as expressions.
    pub(super) fn expressions(&self, count: usize) -> impl Iterator<Item = &Expr> {
        self.functions[..count].iter().map(|f| &f.of)
    }

    /// What each of so many functions is multiplied by to be about one at the farthest place of a box.
    pub(super) fn units(&self, count: usize, bounds: &Bounds) -> Vec<f64> {
        let away = |k: usize| {
            let [low, high] = bounds[k].map(|x| (x - self.sector.wedge.position[k]).abs());
            low.max(high)
        };
        let farthest = away(0).hypot(away(1));
        let functions = self.functions[..count].iter();
        functions.map(|f| farthest.powf(-f.power)).collect()
    }

    /// So many of its functions at points, with their derivatives.
    pub(super) fn jets(&self, count: usize, coordinates: &[Vec<f64>]) -> Vec<KnownJets> {
        let functions = self.functions[..count].iter();
        functions.map(|f| f.known.jets(coordinates)).collect()
    }
}

/// The functions that the conditions on both edges allow, with their powers, the lowest first.
fn functions(problem: &Problem, sector: &Sector, surfaces: &[Surface]) -> Vec<(f64, Expr)> {
    let wedge = &sector.wedge;
    let edges = wedge
        .edges()
        .map(|edge| asked(problem, wedge, edge, surfaces));
    let step = PI / sector.angle;
    let (waves, shifts): (&[Wave], &[f64]) = match edges {
        [Edge::Value, Edge::Value] => (&[Wave::Sine], &[0.0]),
        [Edge::Slope, Edge::Slope] => (&[Wave::Cosine], &[0.0]),
        [Edge::Value, Edge::Slope] => (&[Wave::Sine], &[0.5]),
        [Edge::Slope, Edge::Value] => (&[Wave::Cosine], &[0.5]),
        _ => (&[Wave::Sine, Wave::Cosine], &[0.0, 0.5]),
    };
    let mut powers: Vec<(f64, i32, Wave)> = Vec::new();
    for shift in shifts {
        for k in 1..=64 {
            let nu = (f64::from(k) - shift) * step;
            for j in 0..=6 {
                if nu + f64::from(2 * j) <= HIGHEST {
                    powers.extend(waves.iter().map(|wave| (nu, j, *wave)));
                }
            }
        }
    }
    let power = |(nu, j, _): &(f64, i32, Wave)| nu + f64::from(2 * j);
    powers.sort_by(|a, b| power(a).total_cmp(&power(b)));
    powers
        .into_iter()
        .map(|p| (power(&p), corner_function(sector, [0, 1], (p.0, p.1), p.2)))
        .collect()
}

/// What the conditions on an edge ask for: those on the piece of the boundary that is nearest to a point of it.
fn asked(problem: &Problem, wedge: &Wedge, edge: [f64; 2], surfaces: &[Surface]) -> Edge {
    let bounds = problem.domain.bounds();
    let extent = largest(bounds.iter().map(|[low, high]| high - low));
    let at = [0, 1].map(|k| wedge.position[k] + BESIDE * extent * edge[k]);
    let nearest = surfaces
        .iter()
        .min_by(|a, b| a.distance(&at).total_cmp(&b.distance(&at)));
    let on = problem.conditions.iter().filter(|c| {
        let there = nearest.is_some_and(|s| c.pieces.contains(&s.piece()));
        there && c.filter.as_ref().is_none_or(|f| f.at(&at) > 0.5)
    });
    let values: Vec<bool> = on.map(|c| c.dirichlet.is_some()).collect();
    match (values.contains(&true), values.contains(&false)) {
        (true, false) => Edge::Value,
        (false, true) => Edge::Slope,
        _ => Edge::Both,
    }
}
