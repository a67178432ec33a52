//! The functions of corners as further inputs of the layer: their lowest powers, both waves, and with other conditions than Dirichlet's also
//! the powers between.

use super::attempt::Candidate;
use super::recipe::Family;
use super::search::{Search, ways};
use super::tuning::{CONVEX, MOST_CORNERS, RE_ENTRANT, WITHOUT_CORNERS};
use crate::domain::DomainError;
use crate::posed::{Sector, Wave, corner_function};
use crate::problem::Problem;
use std::f64::consts::PI;

impl Search<'_> {
    /// The functions of the domain's corners, where a first layer without them is not good.
    pub(super) fn corners(&mut self, problem: &Problem) -> Result<(), DomainError> {
        if self.residual() < WITHOUT_CORNERS || self.ended() {
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
    let domain = &problem.domain;
    let space: Vec<usize> = (0..problem.coordinates.len())
        .filter(|k| Some(*k) != problem.time)
        .collect();
    let axes: [usize; 2] = space.try_into().ok()?;
    let wedges = domain.wedges();
    let sectors = wedges.iter().map(|w| Sector::new(problem, axes, w));
    let sectors: Vec<Sector> = sectors
        .filter(|s| s.turns_around(domain, domain.bounds()))
        .collect();
    if !second || sectors.is_empty() || sectors.len() > MOST_CORNERS || !problem.periodic.is_empty()
    {
        return None;
    }
    let mut changed = problem.clone();
    let fluxes = problem
        .conditions
        .iter()
        .any(|c| !c.initial && c.dirichlet.is_none());
    for (number, sector) in sectors.iter().enumerate() {
        let powers = if sector.angle > PI {
            RE_ENTRANT
        } else {
            CONVEX
        };
        for k in 1..=powers {
            let mut exponents = vec![k as f64 * PI / sector.angle];
            if fluxes {
                exponents.push((k as f64 - 0.5) * PI / sector.angle);
            }
            for exponent in exponents {
                for (wave, letter) in [(Wave::Sine, "s"), (Wave::Cosine, "c")] {
                    let function = corner_function(sector, axes, (exponent, 0), wave);
                    let name = format!("corner{}_{}{letter}", number + 1, changed.features.len());
                    changed.features.push((name, function));
                }
            }
        }
    }
    let added = changed.features.len() - problem.features.len();
    Some((changed, added))
}

#[cfg(test)]
mod tests {
    use super::with_corners;
    use crate::problem::Problem;

    /// Behind each corner of a square in a square lies the opposite one, and the domain again: its functions would jump there, which no
    /// equation at points notices.
    #[test]
    fn functions_that_jump_in_the_domain_are_not_taken() {
        let equation = "[equation]\nresidual = \"laplacian(u) + 1\"\n[[boundary]]\non = \"all\"\ndirichlet = 0\n";
        let with = |domain: &str| {
            let text = format!("[domain]\n{domain}\n{equation}");
            let problem = Problem::from_text(&text, "plate.toml", None).expect("a problem");
            with_corners(&problem).map(|(_, added)| added)
        };
        let square = "kind = \"box\"\nx = [-1, 1]\ny = [-1, 1]";
        let hole = "kind = \"difference\"\ncoordinates = [\"x\", \"y\"]\nparts = [{ kind = \"box\", x = [-1, 1], y = [-1, 1] }, \
                    { kind = \"box\", x = [-0.3, 0.3], y = [-0.3, 0.3] }]";
        // those of the outer corners alone
        assert!(with(square).is_some_and(|added| added > 0));
        assert_eq!(with(hole), with(square));
    }
}
