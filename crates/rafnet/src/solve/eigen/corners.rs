//! The singular parts of eigenfunctions at corners.
//!
//! ```text
//! u = Σ_k a_k J_ν(√λ r) sin(νθ),  ν = kπ/ω       J_ν(√λ r) = r^ν Σ_j b_j r^(2j)
//! ```
//!
//! so r^(ν+2j) sin(νθ) are the functions that hold for every λ (L. Fox, P. Henrici, C. Moler, "Approximations and bounds for eigenvalues
//! of elliptic operators", 1967); cos with Neumann conditions, half-numbered ν where two kinds meet. Where π/ω is whole, reflection makes
//! u smooth, and there are none. A potential adds powers between these, which then are left to the layer.

use super::tuning::{HIGHEST_POWER, MOST_CORNER_FUNCTIONS};
use crate::domain::Wedge;
use crate::expr::{Binary, Expr, Leaf, Unary};
use crate::problem::Problem;
use std::f64::consts::PI;

/// The problem with the functions of its corners as further inputs, and how many.
pub(super) fn with_corners(problem: &Problem) -> (Problem, usize) {
    let (mut changed, mut added) = (problem.clone(), 0);
    if problem.coordinates.len() != 2 || !problem.periodic.is_empty() {
        return (changed, 0);
    }
    let singular = |w: &Wedge| {
        let first = PI / w.angle;
        (first - first.round()).abs() > 1e-9
    };
    let wedges: Vec<Wedge> = problem.domain.wedges();
    let wedges: Vec<&Wedge> = wedges.iter().filter(|w| singular(w)).collect();
    let mut highest = HIGHEST_POWER;
    let pairs = |highest: f64| -> Vec<(usize, f64, i32, usize)> {
        let all = wedges.iter().enumerate();
        all.flat_map(|(w, wedge)| {
            let powers = powers(problem, wedge, highest).into_iter();
            powers.map(move |(nu, j, wave)| (w, nu, j, wave))
        })
        .collect()
    };
    while highest > 2.0 && pairs(highest).len() > MOST_CORNER_FUNCTIONS {
        highest -= 1.0;
    }
    for (w, nu, j, wave) in pairs(highest) {
        let name = format!("corner{}_{added}", w + 1);
        changed
            .features
            .push((name, function(wedges[w], nu, j, wave)));
        added += 1;
    }
    (changed, added)
}

/// ν, j and which wave (0 sine, 1 cosine), up to a power of r.
fn powers(problem: &Problem, wedge: &Wedge, highest: f64) -> Vec<(f64, i32, usize)> {
    let dirichlet = |value: bool| {
        let mut conditions = problem.conditions.iter();
        conditions.all(|c| c.dirichlet.is_some() == value)
    };
    let waves: &[usize] = match (dirichlet(true), dirichlet(false)) {
        (true, _) => &[0],
        (_, true) => &[1],
        _ => &[0, 1],
    };
    let step = if waves.len() == 2 { 0.5 } else { 1.0 } * PI / wedge.angle;
    let mut all = Vec::new();
    let mut k = 1;
    while f64::from(k) * step <= highest {
        let nu = f64::from(k) * step;
        k += 1;
        if (nu - nu.round()).abs() < 1e-9 {
            continue; // r^ν sin(νθ) is a polynomial
        }
        let mut j = 0;
        while nu + f64::from(2 * j) <= highest {
            all.extend(waves.iter().map(|wave| (nu, j, *wave)));
            j += 1;
        }
    }
    all
}

/// r^(ν+2j) times the sine or cosine of νθ, θ from one edge to the other.
fn function(wedge: &Wedge, nu: f64, j: i32, wave: usize) -> Expr {
    let offset = |k: usize| Expr::leaf(Leaf::Coordinate(k)) - Expr::number(wedge.position[k]);
    let [c, s] = wedge.bisector;
    let along = offset(0).scaled(c) + offset(1).scaled(s);
    let across = offset(1).scaled(c) - offset(0).scaled(s);
    let square = offset(0).powi(2) + offset(1).powi(2);
    // measured from the bisector, so that the jump of the angle lies behind the corner
    let theta = across.apply_with(Binary::Atan2, along) + Expr::number(0.5 * wedge.angle);
    let power = square.pow(&Expr::number(0.5 * nu + f64::from(j)));
    let wave = if wave == 0 { Unary::Sin } else { Unary::Cos };
    power * theta.scaled(nu).apply(wave)
}
