//! Corners: functions of polar coordinates that solutions of elliptic equations contain there, as further inputs of the layer.
//!
//! ```text
//! r^λ sin(λθ), r^λ cos(λθ)                          λ = kπ/ω, with other conditions than Dirichlet's also (k − ½)π/ω
//! r^λ (ln r sin(λθ) + θ cos(λθ)), and with cos      where λ is a whole number and the powers themselves are polynomials
//! ```
//!
//! ω is the interior angle, θ runs from one edge to the other (P. Grisvard, "Elliptic problems in nonsmooth domains", 1985).
//! θ is measured from the bisector, so that its jump lies behind the corner.

use super::attempt::Candidate;
use super::recipe::Family;
use super::search::{Search, ways};
use super::tuning::{CONVEX, MOST_CORNERS, RE_ENTRANT, WITHOUT_CORNERS};
use crate::domain::{DomainError, Wedge};
use crate::expr::{Binary, Expr, Leaf, Unary};
use crate::problem::Problem;
use std::f64::consts::PI;

impl Search<'_> {
    /// The functions of the domain's corners, where a first layer without them is not good.
    pub(super) fn corners(&mut self, problem: &Problem) -> Result<(), DomainError> {
        if self.residual() < WITHOUT_CORNERS || self.stopped || self.expired {
            return Ok(());
        }
        let Some((problem, corners)) = with_corners(problem) else {
            return Ok(());
        };
        let Some(n) = self.best().map(|b| b.candidate.n) else {
            return Ok(());
        };
        let first = self.ways.len();
        self.ways.extend(ways(&problem, corners, self.options)?);
        let candidates: Vec<Candidate> = (first..self.ways.len())
            .flat_map(|way| self.grid(way, (n + corners).min(self.most()), &[]))
            .filter(|c| c.recipe.family == Family::Sine)
            .collect();
        self.round(&candidates)?;
        self.say("with the corners' functions");
        Ok(())
    }
}

/// The problem with its corners' functions as further inputs, and how many; `None` without corners or for equations whose solutions
/// have no such parts.
fn with_corners(problem: &Problem) -> Option<(Problem, usize)> {
    let second = problem.equations.iter().any(|e| e.order() == Some(2));
    let wedges = problem.domain.wedges();
    if !second || wedges.is_empty() || wedges.len() > MOST_CORNERS || !problem.periodic.is_empty() {
        return None;
    }
    let mut changed = problem.clone();
    let axes: Vec<usize> = (0..problem.coordinates.len())
        .filter(|k| Some(*k) != problem.time)
        .collect();
    let fluxes = problem
        .conditions
        .iter()
        .any(|c| !c.initial && c.dirichlet.is_none());
    for (number, wedge) in wedges.iter().enumerate() {
        let powers = if wedge.angle > PI { RE_ENTRANT } else { CONVEX };
        for k in 1..=powers {
            let mut exponents = vec![k as f64 * PI / wedge.angle];
            if fluxes {
                exponents.push((k as f64 - 0.5) * PI / wedge.angle);
            }
            for exponent in exponents {
                for (wave, function) in
                    ["s", "c"]
                        .iter()
                        .zip(functions(wedge, [axes[0], axes[1]], exponent))
                {
                    let name = format!("corner{}_{}{wave}", number + 1, changed.features.len());
                    changed.features.push((name, function));
                }
            }
        }
    }
    let added = changed.features.len() - problem.features.len();
    Some((changed, added))
}

/// The sine and the cosine function of an exponent.
fn functions(wedge: &Wedge, axes: [usize; 2], exponent: f64) -> [Expr; 2] {
    let offset = |k: usize| Expr::leaf(Leaf::Coordinate(axes[k])) - Expr::number(wedge.position[k]);
    let [c, s] = wedge.bisector;
    let along = offset(0).scaled(c) + offset(1).scaled(s);
    let across = offset(1).scaled(c) - offset(0).scaled(s);
    let square = offset(0).powi(2) + offset(1).powi(2);
    let theta = across.apply_with(Binary::Atan2, along) + Expr::number(0.5 * wedge.angle);
    let power = square.pow(&Expr::number(0.5 * exponent));
    let sine = theta.scaled(exponent).apply(Unary::Sin);
    let cosine = theta.scaled(exponent).apply(Unary::Cos);
    if (exponent - exponent.round()).abs() > 1e-9 {
        return [power.clone() * sine, power * cosine];
    }
    // at the corner itself the power is zero and its logarithm need only be finite
    let square = square.apply_with(Binary::Max, Expr::number(f64::MIN_POSITIVE));
    let logarithm = square.apply(Unary::Log).scaled(0.5);
    [
        power.clone() * (logarithm.clone() * sine.clone() + theta.clone() * cosine.clone()),
        power * (logarithm * cosine - theta * sine),
    ]
}
