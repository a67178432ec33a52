//! Axes turned to the directions in which a solution changes most: for fronts and waves that travel obliquely through the box.
//!
//! ```text
//! G = mean of ∇u ∇uᵀ = Σ_k λ_k e_k e_kᵀ        coordinates scaled to (0, 1);  s_k = s √(λ_k / λ_1), but at least a floor
//! ```
//!
//! A rough solution already knows these axes: along u_t + c u_x = 0 its gradient points along (1, −c) nearly everywhere, and functions
//! of one such variable are few. A better solution turns the axes better. Only `auto` does this; `lsq` keeps to layers drawn blindly.

use super::attempt::{Candidate, Way};
use super::recipe::Family;
use super::search::Search;
use super::tuning::{
    GRADIENT_POINTS, LEAST_SCALES, NEARBY, NEARBY_LEAST, STEEPEST, TURN_HELPED, TURNED_FUNCTIONS,
    TURNS,
};
use crate::domain::DomainError;
use crate::expr::largest;
use crate::frozen::State;
use crate::halt::Halt;
use crate::posed::Purpose;
use crate::solve::Method;
use faer::{Mat, Side};
use std::sync::Arc;

/// Orthonormal axes in coordinates scaled to one extent, the steepest first.
#[derive(Debug, PartialEq)]
pub(super) struct Frame {
    axes: Vec<Vec<f64>>,
    /// √(λ_k / λ_1)
    slopes: Vec<f64>,
}

impl Frame {
    pub(super) fn len(&self) -> usize {
        self.axes.len()
    }

    /// The scale of axis `k` as a share of the largest.
    pub(super) fn share(&self, k: usize, scales: &[f64]) -> f64 {
        let largest = largest(scales[..self.len()].iter().copied());
        scales[k] / largest
    }

    /// From components along the axes to components along the coordinates.
    pub(super) fn turn(&self, vector: &mut [f64]) {
        let along: Vec<f64> = vector[..self.len()].to_vec();
        for (k, value) in vector[..self.len()].iter_mut().enumerate() {
            *value = along
                .iter()
                .zip(&self.axes)
                .map(|(a, axis)| a * axis[k])
                .sum();
        }
    }
}

impl Way {
    /// The axes of a solution.
    fn frame(&self, state: &State, halt: &Halt) -> Result<Option<Frame>, DomainError> {
        let d = self.system.known.dimension;
        let draw = self.system.draw(self.seed).round(Purpose::Turned.round());
        let points = self
            .system
            .problem
            .domain
            .interior(GRADIENT_POINTS, &draw)?;
        let slopes = self.slopes(state, &points, halt);
        let products = Mat::from_fn(d, d, |i, j| {
            let pairs = slopes.chunks(d).flat_map(|u| u[i].iter().zip(&u[j]));
            pairs.map(|(a, b)| a * b).sum::<f64>()
        });
        let Ok(eigen) = products.self_adjoint_eigen(Side::Lower) else {
            return Ok(None);
        };
        let (values, vectors) = (eigen.S(), eigen.U());
        let largest = values[d - 1];
        if largest <= 0.0 || !largest.is_finite() {
            return Ok(None);
        }
        let descending = || (0..d).rev();
        Ok(Some(Frame {
            axes: descending()
                .map(|k| (0..d).map(|i| vectors[(i, k)]).collect())
                .collect(),
            slopes: descending()
                .map(|k| (values[k].max(0.0) / largest).sqrt())
                .collect(),
        }))
    }
}

impl Search<'_> {
    /// Turns the layer while that helps.
    pub(super) fn turn(&mut self) -> Result<(), DomainError> {
        for _ in 0..TURNS {
            let before = self.residual();
            let candidates = self.turned()?;
            if candidates.is_empty() || self.over() {
                break;
            }
            self.round(&candidates)?;
            if self.residual() >= TURN_HELPED * before {
                break;
            }
            self.say("turned");
        }
        Ok(())
    }

    /// Layers along the axes of the best solution.
    fn turned(&self) -> Result<Vec<Candidate>, DomainError> {
        let Some(best) = self.best().filter(|_| self.options.method == Method::Auto) else {
            return Ok(Vec::new());
        };
        let way = &self.ways[best.candidate.way];
        if way.system.known.dimension < 2 || !way.inputs.periodic.is_empty() {
            return Ok(Vec::new());
        }
        let Some(frame) = way.frame(&best.state, self.halt)?.map(Arc::new) else {
            return Ok(Vec::new());
        };
        let now = &best.candidate.recipe;
        let (families, steepest, floors) = if now.frame.is_some() {
            let near = NEARBY.map(|f| f * now.scales[0]);
            (vec![now.family], near, NEARBY_LEAST)
        } else {
            let all = vec![Family::Sine, Family::Tanh, Family::Gaussian];
            (all, STEEPEST, LEAST_SCALES)
        };
        let mut candidates = Vec::new();
        for family in families {
            for (steepest, floor) in steepest.iter().flat_map(|s| floors.map(|f| (*s, f))) {
                let mut candidate = best.candidate.clone();
                candidate.n = candidate.n.min(TURNED_FUNCTIONS);
                let recipe = &mut candidate.recipe;
                for (scale, slope) in recipe.scales.iter_mut().zip(&frame.slopes) {
                    *scale = (steepest * slope).max(floor);
                }
                (recipe.family, recipe.steepness) = (family, steepest);
                (recipe.spectral, recipe.solving, recipe.focus) = (0.0, 0.0, 0.0);
                recipe.standing = false;
                recipe.frame = Some(Arc::clone(&frame));
                recipe.groups = None;
                candidates.push(candidate);
            }
        }
        Ok(candidates)
    }
}
