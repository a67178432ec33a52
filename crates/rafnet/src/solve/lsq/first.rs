//! First layers: ways, families and common scales with few functions, then scales axis by axis.

use super::attempt::Candidate;
use super::groups::Groups;
use super::recipe::{Family, Recipe};
use super::search::Search;
use super::tuning::{COMMON_SCALES, EACH_SET, FINER, MANY_INPUTS};
use crate::domain::DomainError;
use crate::posed::extent;
use std::f64::consts::PI;
use std::sync::Arc;

/// No sines from the data's spectrum, none that solve the equations.
const GENERAL: [f64; 2] = [0.0; 2];
/// Scales beside strips.
const SMOOTH: f64 = 4.0;

impl Search<'_> {
    /// Scales at which the data oscillate, for each input.
    pub(super) fn data_scales(&self, way: usize) -> Vec<f64> {
        let inputs = &self.ways[way].inputs;
        let crowd = (inputs.spectra.len() as f64 / 2.0).max(1.0).sqrt();
        (0..inputs.ranges.len())
            .map(|k| {
                inputs
                    .spectra
                    .get(k)
                    .map_or(4.0, |p| (PI * extent(p)).clamp(4.0, 400.0))
                    / crowd
            })
            .collect()
    }

    /// How many functions a first layer has.
    pub(super) fn few_functions(&self) -> usize {
        let d = self.ways[0].system.known.dimension;
        [48, 240, 360, 480][d.clamp(1, 4) - 1].min(self.most())
    }

    /// Ways, families and common scales, with few functions.
    pub(super) fn coarse(&mut self) -> Result<(), DomainError> {
        let n = self.few_functions();
        let candidates: Vec<Candidate> = (0..self.ways.len())
            .flat_map(|way| self.grid(way, n, &[]))
            .collect();
        self.round(&candidates)?;
        self.say("first layers");
        Ok(())
    }

    /// Families and common scales for one way; where there are strips also with functions across them.
    pub(super) fn grid(&self, way: usize, n: usize, finer: &[f64]) -> Vec<Candidate> {
        let mut candidates = Vec::new();
        let inputs = &self.ways[way].inputs;
        if !inputs.strips.is_empty() {
            // what is narrow has all frequencies, and functions of its own: what is left is smooth
            let smooth = vec![SMOOTH; inputs.ranges.len()];
            candidates = self.common(way, n, finer, smooth);
            candidates.retain(|c| c.recipe.spectral == 0.0 && !c.recipe.standing);
            candidates.iter_mut().for_each(|c| c.recipe.across = true);
        }
        candidates.extend(self.common(way, n, finer, self.data_scales(way)));
        candidates
    }

    /// Families and common scales around given ones.
    fn common(&self, way: usize, n: usize, finer: &[f64], base: Vec<f64>) -> Vec<Candidate> {
        let seed = self.options.seed.wrapping_mul(0x9e37_79b9).wrapping_add(1);
        let mean = (base.iter().map(|s| s.ln()).sum::<f64>() / base.len() as f64).exp();
        let start = self.best().map_or(0, |b| b.candidate.start);
        let mut candidates = Vec::new();
        let mut add = |family, scale: f64, steepness, [spectral, solving]: [f64; 2], groups| {
            let recipe = Recipe {
                family,
                scales: base.iter().map(|s| s * scale / mean).collect(),
                steepness,
                spectral,
                solving,
                standing: false,
                focus: 0.0,
                across: false,
                frame: None,
                groups,
                seed,
            };
            candidates.push(Candidate {
                way,
                n,
                recipe,
                points: 1,
                start,
            });
        };
        let coarser = COMMON_SCALES.into_iter().filter(|s| *s < 0.7 * mean);
        let usual = coarser.chain([mean, 2.0 * mean, 4.0 * mean]);
        for scale in usual.chain(finer.iter().map(|f| f * mean)) {
            add(Family::Sine, scale, 1.0, GENERAL, None);
            if let Some(symbol) = &self.ways[way].inputs.symbol {
                let share = if symbol.homogeneous { 1.0 } else { 0.5 };
                add(Family::Sine, scale, 1.0, [0.0, share], None);
            }
        }
        if self.ways[way].inputs.oscillating() {
            for spectral in [0.5, 0.95] {
                add(Family::Sine, mean, 1.0, [spectral, 0.0], None);
            }
        }
        for steepness in [10.0, 40.0, 160.0] {
            add(Family::Tanh, 0.5 * mean, steepness, GENERAL, None);
            add(Family::Gaussian, 0.5 * mean, steepness, GENERAL, None);
        }
        let inputs = &self.ways[way].inputs;
        let plain = base.len() - inputs.corners;
        for size in [1, 2, 3].into_iter().filter(|_| plain >= MANY_INPUTS) {
            let groups = Groups::new(plain, size, |_| 1.0);
            let Some(groups) = groups.filter(|g| n >= EACH_SET * g.len()) else {
                continue;
            };
            let fewer = (plain as f64 / size as f64).sqrt();
            for factor in [0.5, 1.0, 2.0] {
                let groups = Some(Arc::clone(&groups));
                add(Family::Sine, factor * fewer * mean, 1.0, GENERAL, groups);
            }
        }
        if inputs.walls.is_some() {
            let mut recipe = Recipe::sines(base, seed);
            (recipe.solving, recipe.standing) = (1.0, true);
            candidates.push(Candidate {
                way,
                n,
                recipe,
                points: 1,
                start,
            });
        }
        candidates
    }

    /// Each scale alone, up and down, while that helps.
    pub(super) fn axes(&mut self) -> Result<(), DomainError> {
        for _ in 0..6 {
            let before = self.residual();
            let Some(best) = self.best().filter(|_| !self.over()) else {
                return Ok(());
            };
            let at = best.candidate.clone();
            let mut candidates = Vec::new();
            for factor in [FINER, 1.0 / FINER] {
                let corners = self.ways[at.way].inputs.corners;
                let inputs = at.recipe.scales.len() - corners;
                for axis in 0..inputs {
                    let mut candidate = at.clone();
                    candidate.recipe.scales[axis] *= factor;
                    candidates.push(candidate);
                }
                if inputs > 1 {
                    let mut candidate = at.clone();
                    candidate
                        .recipe
                        .scales
                        .iter_mut()
                        .for_each(|s| *s *= factor);
                    candidates.push(candidate);
                }
                if at.recipe.family != Family::Sine {
                    let mut candidate = at.clone();
                    candidate.recipe.steepness *= factor;
                    candidates.push(candidate);
                }
            }
            self.round(&candidates)?;
            if self.residual() > 0.8 * before {
                break;
            }
        }
        self.say("scales by axis");
        Ok(())
    }
}
