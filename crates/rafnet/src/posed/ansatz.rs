//! The ways to meet boundary values: by weighted rows, or exactly by a factor that vanishes there and a lift that equals them.
//!
//! ```text
//! u = l + g Σ c_j φ_j        g = 0 and l = the data on the boundary
//! ```
//!
//! On a box the lift is transfinite interpolation of the data on its faces: the text of a condition is only ever evaluated on its
//! own set. Elsewhere only zero data hold exactly.

use super::Purpose;
use crate::domain::{Blend, Draw, End, FactorTerm, Lift, Sampler, Side};
use crate::expr::{Expr, Leaf};
use crate::problem::{Condition, Enforce, Problem};

/// The most pieces that one factor may vanish on. A product of more is next to nothing almost everywhere, and its derivatives, of n²
/// parts, take longer than everything else.
const MOST_FACTORS: usize = 128;

/// Points of the domain between which a lift is looked through for kinks.
const LOOKED_AT: usize = 128;

/// The problem with factors and lifts wherever the domain has them, or `None` where nothing changes.
pub(crate) fn held_exactly(problem: &Problem) -> Option<Problem> {
    let mut changed = problem.clone();
    let mut any = false;
    for unknown in 0..problem.unknowns.len() {
        if problem.ansatz[unknown].is_some() || !problem.periodic.is_empty() {
            continue;
        }
        let mine: Vec<&Condition> = problem
            .conditions
            .iter()
            .filter(|c| !c.initial && c.dirichlet.as_ref().is_some_and(|d| d.0 == unknown))
            .collect();
        let usable = mine
            .iter()
            .all(|c| c.filter.is_none() && c.enforce != Enforce::Penalty);
        if mine.is_empty() || !usable {
            continue;
        }
        let pieces: Vec<usize> = mine.iter().flat_map(|c| c.pieces.clone()).collect();
        if pieces.len() > MOST_FACTORS {
            continue;
        }
        if let (Ok(Some(factor)), Some(lift)) =
            (problem.domain.factor(&pieces), lift(problem, &mine))
            && lift.check_second_derivatives().is_ok()
            && is_smooth(problem, &lift)
        {
            let product = Expr::product(factor.terms().iter().map(term));
            changed.ansatz[unknown] = Some((product, lift));
            any = true;
        }
    }
    any.then_some(changed)
}

/// The problem of second order with a factor and a lift for every condition that they can meet, unless rows are asked for.
pub(crate) fn with_factors(problem: &Problem) -> Problem {
    let split = problem.second_order();
    let problem = split.as_ref().unwrap_or(problem);
    let by_rows = problem
        .conditions
        .iter()
        .any(|c| c.enforce == Enforce::Penalty);
    held_exactly(problem)
        .filter(|_| !by_rows)
        .unwrap_or_else(|| problem.clone())
}

/// Whether second derivatives of a lift lose nothing: one from data with a kink would put sources along a line through the domain that
/// no point sees.
fn is_smooth(problem: &Problem, lift: &Expr) -> bool {
    let d = problem.coordinates.len();
    let draw = Draw::new(Sampler::Random, 0).round(Purpose::Suited.round());
    let Ok(points) = problem.domain.interior(LOOKED_AT, &draw) else {
        return false;
    };
    let points: Vec<Vec<f64>> = points.chunks_exact(d).map(<[f64]>::to_vec).collect();
    let axes = lift.coordinates();
    let mut twice = axes
        .iter()
        .flat_map(|i| axes.iter().filter(move |j| *j >= i).map(move |j| [*i, *j]));
    twice.all(|axes| lift.lost_under(&axes, &points).is_none())
}

/// Zero for zero data; on a box the transfinite interpolation of the data on its faces.
fn lift(problem: &Problem, conditions: &[&Condition]) -> Option<Expr> {
    let data = |c: &Condition| c.dirichlet.as_ref().map(|d| d.1.clone());
    if conditions
        .iter()
        .all(|c| data(c).and_then(|g| g.constant()) == Some(0.0))
    {
        return Some(Expr::number(0.0));
    }
    let cuboid = problem.domain.as_cuboid()?;
    let mut faces: Vec<((usize, End), Expr)> = Vec::new();
    for condition in conditions {
        for &piece in &condition.pieces {
            let (axis, at) = problem.domain.pieces().get(piece)?.face.fixed()?;
            let [start, end] = problem.domain.bounds()[axis];
            let low = (at - start).abs() < (at - end).abs();
            let face = (axis, if low { End::Low } else { End::High });
            faces.retain(|(f, _)| *f != face); // the later one wins
            faces.push((face, data(condition)?));
        }
    }
    let chosen: Vec<(usize, End)> = faces.iter().map(|f| f.0).collect();
    let lift = Lift::new(&cuboid, &chosen).ok()?;
    let mut terms = Vec::new();
    for term in lift.terms() {
        let clamp = term.clamps.first()?;
        let (_, g) = faces.iter().find(|f| f.0 == (clamp.axis, clamp.end))?;
        let on_face = g.replace(&mut |leaf| match leaf {
            Leaf::Coordinate(k) => {
                let clamp = term.clamps.iter().find(|c| c.axis == *k);
                clamp.map(|c| Expr::number(c.at))
            }
            _ => None,
        });
        let blends = term.clamps.iter().map(|c| blend(&c.blend, c.axis));
        terms.push((Expr::product(blends) * on_face).scaled(term.sign));
    }
    Some(Expr::sum(terms))
}

fn blend(blend: &Blend, axis: usize) -> Expr {
    match blend {
        Blend::One => Expr::number(1.0),
        Blend::Falling { low, high } => {
            (Expr::number(*high) - coordinate(axis)).scaled(1.0 / (high - low))
        }
        Blend::Rising { low, high } => {
            (coordinate(axis) - Expr::number(*low)).scaled(1.0 / (high - low))
        }
    }
}

fn coordinate(axis: usize) -> Expr {
    Expr::leaf(Leaf::Coordinate(axis))
}

fn term(term: &FactorTerm) -> Expr {
    match term {
        FactorTerm::Above { axis, at } => coordinate(*axis) - Expr::number(*at),
        FactorTerm::Below { axis, at } => Expr::number(*at) - coordinate(*axis),
        FactorTerm::HalfPlane {
            axes,
            through,
            inward,
        } => {
            let part =
                |k: usize| (coordinate(axes[k]) - Expr::number(through[k])).scaled(inward[k]);
            part(0) + part(1)
        }
        FactorTerm::Sphere {
            axes,
            centre,
            radius,
            side,
        } => {
            let square = axes
                .iter()
                .zip(centre)
                .map(|(a, c)| (coordinate(*a) - Expr::number(*c)).powi(2));
            let inside = Expr::number(radius * radius) - Expr::sum(square);
            if *side == Side::Inside {
                inside
            } else {
                -inside
            }
        }
    }
}
