//! What a row weighs: equations and conditions by the size of their rows, observations by their noise.
//!
//! ```text
//! scale = weight / norm of the block's rows                                                          equations, conditions, exact observations
//! scale · σ = NOISY · min over those of (scale · terms · √rows) · min over noisy observations of (σ / terms) / √(all their rows)
//! ```
//!
//! so that a residual of the equations that is as large, of their terms, as the noise is of what was observed costs 1/NOISY times as much
//! as one standard deviation. The norms of rows alone would not say that: they are those of the steepest functions, and next to them
//! noisy data bend the solution, and standard errors come out as those of a solution that may be bent.

use super::tuning::NOISY;
use crate::domain::DomainError;
use crate::expr::smaller;
use crate::posed::{Block, System};
use faer::Mat;

impl System {
    /// The scale of each block, from its rows over their first `width` columns; `lead` is the share, on a logarithmic scale, of what would
    /// make noisy observations weigh as much as equations.
    pub(crate) fn balance(
        &self,
        blocks: &[Block],
        rows: &Mat<f64>,
        width: usize,
        lead: f64,
    ) -> Result<Vec<f64>, DomainError> {
        let mut at = 0;
        let mut scales = Vec::with_capacity(blocks.len());
        for block in blocks {
            let n = block.n_rows();
            let norm = rows.submatrix(at, 0, n, width).norm_l2();
            let scale = if norm > 0.0 && norm.is_finite() {
                1.0 / norm
            } else {
                1.0
            };
            scales.push(block.weight * scale);
            at += n;
        }
        let seen: usize = blocks
            .iter()
            .filter(|b| b.noise.is_some())
            .map(Block::n_rows)
            .sum();
        if seen == 0 {
            return Ok(scales);
        }
        let (mut held, mut noise_of) = (f64::INFINITY, f64::INFINITY);
        for (block, scale) in blocks.iter().zip(&scales) {
            let terms = self.implied(block)?;
            match block.noise {
                _ if terms <= 0.0 => {}
                Some(noise) => noise_of = noise_of.min(noise / terms),
                None => held = held.min(scale * terms * (block.n_rows() as f64).sqrt()),
            }
        }
        let noisy = blocks.iter().zip(&scales);
        let equal = noisy.filter_map(|(b, s)| b.noise.map(|noise| s * noise));
        let equal = equal.fold(f64::INFINITY, smaller);
        let common = match NOISY * held * noise_of / (seen as f64).sqrt() {
            common if common.is_finite() && common > 0.0 => common.min(equal),
            _ => NOISY * equal, // nothing but zero is given
        };
        let common = common.powf(1.0 - lead) * equal.powf(lead);
        for (block, scale) in blocks.iter().zip(&mut scales) {
            if let Some(noise) = block.noise {
                *scale = common / noise;
            }
        }
        Ok(scales)
    }
}

/// What one standard deviation of an observation is in scaled rows; `None` where no noise is known.
pub(crate) fn unit_of_noise(blocks: &[Block], scales: &[f64]) -> Option<f64> {
    let mut noisy = blocks.iter().zip(scales);
    noisy.find_map(|(block, scale)| block.noise.map(|noise| noise * scale))
}

pub(crate) fn scale_rows(blocks: &[Block], rows: &mut Mat<f64>, scales: &[f64]) {
    for j in 0..rows.ncols() {
        let Some(column) = rows.col_mut(j).try_as_col_major_mut() else {
            return;
        };
        let mut rest = column.as_slice_mut();
        for (block, scale) in blocks.iter().zip(scales) {
            let (mine, others) = rest.split_at_mut(block.n_rows());
            mine.iter_mut().for_each(|v| *v *= scale);
            rest = others;
        }
    }
}
