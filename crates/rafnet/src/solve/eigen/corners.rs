//! The singular parts of eigenfunctions at corners.
//!
//! ```text
//! u = Σ_k a_k J_ν(√λ r) sin(νθ),  ν = kπ/ω       J_ν(√λ r) = r^ν Σ_j b_j r^(2j)
//! ```
//!
//! so r^(ν+2j) sin(νθ) are the functions that hold for every λ; cos with Neumann conditions, half-numbered ν where two kinds meet.
//! Where π/ω is whole, reflection makes u smooth, and there are none. A potential adds powers between these, which then are left to the layer.

use super::tuning::{HIGHEST_POWER, MOST_CORNER_FUNCTIONS};
use crate::posed::{Sector, Wave, corner_function, is_whole};
use crate::problem::Problem;
use std::f64::consts::PI;

/// The problem with the functions of its corners as further inputs, and how many.
pub(super) fn with_corners(problem: &Problem) -> (Problem, usize) {
    let (mut changed, mut added) = (problem.clone(), 0);
    if problem.coordinates.len() != 2 || !problem.periodic.is_empty() {
        return (changed, 0);
    }
    let domain = &problem.domain;
    let singular = |s: &Sector| !is_whole(PI / s.angle) && s.turns_around(domain, domain.bounds());
    let wedges = domain.wedges();
    let sectors = wedges.iter().map(|w| Sector::new(problem, [0, 1], w));
    let sectors: Vec<Sector> = sectors.filter(singular).collect();
    let mut highest = HIGHEST_POWER;
    let pairs = |highest: f64| -> Vec<(usize, f64, i32, Wave)> {
        let all = sectors.iter().enumerate();
        all.flat_map(|(s, sector)| {
            let powers = powers(problem, sector.angle, highest).into_iter();
            powers.map(move |(nu, j, wave)| (s, nu, j, wave))
        })
        .collect()
    };
    while highest > 2.0 && pairs(highest).len() > MOST_CORNER_FUNCTIONS {
        highest -= 1.0;
    }
    for (s, nu, j, wave) in pairs(highest) {
        let name = format!("corner{}_{added}", s + 1);
        let function = corner_function(&sectors[s], [0, 1], (nu, j), wave);
        changed.features.push((name, function));
        added += 1;
    }
    (changed, added)
}

/// ν, j and which wave, up to a power of r.
fn powers(problem: &Problem, angle: f64, highest: f64) -> Vec<(f64, i32, Wave)> {
    let dirichlet = |value: bool| {
        let mut conditions = problem.conditions.iter();
        conditions.all(|c| c.dirichlet.is_some() == value)
    };
    let waves: &[Wave] = match (dirichlet(true), dirichlet(false)) {
        (true, _) => &[Wave::Sine],
        (_, true) => &[Wave::Cosine],
        _ => &[Wave::Sine, Wave::Cosine],
    };
    let step = if waves.len() == 2 { 0.5 } else { 1.0 } * PI / angle;
    let mut all = Vec::new();
    let mut k = 1;
    while f64::from(k) * step <= highest {
        let nu = f64::from(k) * step;
        k += 1;
        if is_whole(nu) {
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
