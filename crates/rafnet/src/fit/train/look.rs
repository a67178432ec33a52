//! A look: how far the network is from the samples that were held out, and from those it is trained on.

use super::Training;
use crate::engine::{OnDevice, Streams};
use crate::expr::larger;
use crate::fit::{FitError, Supervision};
use crate::run::Look;

/// Samples that a look evaluates at once.
const BLOCK: usize = 1 << 16;
/// Above this multiple of the tolerance's square, as a mean square, the largest difference is not asked for.
const FAR: f64 = 0.5;

impl<T: OnDevice> Training<'_, T> {
    /// Looks at held-out samples, and at the largest difference where it can be within the tolerance.
    pub(super) fn look(&mut self, mean: f64) -> Result<Look, FitError> {
        let mut look = Look {
            step: self.descent.step,
            held_out: None,
            largest: None,
        };
        if self.options.supervision != Supervision::Value {
            return Ok(look);
        }
        if !self.held_out.is_empty() {
            let held_out = std::mem::take(&mut self.held_out);
            look.held_out = Some(self.differences(&held_out)?.0);
            self.held_out = held_out;
        }
        if mean < FAR * self.options.tolerance.powi(2) {
            let trained = std::mem::take(&mut self.trained);
            look.largest = Some(self.differences(&trained)?.1);
            self.trained = trained;
        }
        Ok(look)
    }

    /// Mean square and largest difference over samples.
    fn differences(&mut self, chosen: &[u32]) -> Result<(f64, f64), FitError> {
        let (d, channels) = (self.samples.dimension(), self.samples.channels());
        let (mut point, mut given) = (vec![0.0; d], vec![0.0; channels]);
        let (mut sum, mut largest) = (0.0, 0.0);
        for block in chosen.chunks(BLOCK) {
            let mut points = Vec::with_capacity(block.len() * d);
            let mut wanted = Vec::with_capacity(block.len() * channels);
            for &index in block {
                self.samples.sample(index as usize, &mut point, &mut given);
                points.extend(point.iter().map(|x| T::from_f64(*x)));
                wanted.extend_from_slice(&given);
            }
            let mut values = vec![T::ZERO; block.len() * channels];
            self.engine.evaluate(
                &self.descent.parameters,
                &points,
                &Streams::value(),
                &mut values,
            )?;
            let mut block_sum = 0.0;
            for (i, wanted) in wanted.chunks(channels).enumerate() {
                for (c, wanted) in wanted.iter().enumerate() {
                    // beyond white and black nothing is seen, but tables have no such ends
                    let difference = values[c * block.len() + i].to_f64() - wanted;
                    block_sum += difference * difference;
                    largest = larger(largest, difference.abs());
                }
            }
            sum += block_sum;
        }
        Ok((sum / (chosen.len() * channels).max(1) as f64, largest))
    }
}
