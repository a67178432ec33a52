//! `[trained]`: the network that a problem is trained with, and `[trained.code]`: what the paper's published code does otherwise.

use super::document::Value;
use super::fields::{Fields, wrong_type};
use super::tables::one;
use crate::problem::error::ProblemError;
use crate::problem::fault::Fault;
use crate::problem::{Trained, TrainedByCode};

/// The most neurons of a layer and steps between two falls of the rate.
const MOST: usize = 1_000_000;

pub(super) fn trained(file: &Fields<'_>) -> Result<Trained, ProblemError> {
    let mut found = Trained::default();
    let Some(table) = one(file, "trained")? else {
        return Ok(found);
    };
    let keys = ["width", "gaussian_width", "gaussians", "code"];
    let fields = Fields::new(file.source, "[trained]", table, &keys)?;
    found.width = fields.count("width", MOST)?.unwrap_or(found.width);
    found.gaussians = fields.count("gaussians", MOST)?;
    if let Some(width) = number(&fields, "gaussian_width", |s| s > 0.0, "a positive number")? {
        (found.gaussian_width, found.code.gaussian_width) = (width, width);
    }
    let Some(table) = one(&fields, "code")? else {
        return Ok(found);
    };
    let keys = ["gaussian_width", "weight_decay", "decay", "decay_every"];
    let fields = Fields::new(file.source, "[trained.code]", table, &keys)?;
    let usual = found.code;
    let width = number(&fields, "gaussian_width", |s| s > 0.0, "a positive number")?;
    let weights = number(&fields, "weight_decay", |w| w >= 0.0, "0 or more")?;
    let decay = number(
        &fields,
        "decay",
        |f| f > 0.0 && f <= 1.0,
        "a factor of at most 1",
    )?;
    found.code = TrainedByCode {
        gaussian_width: width.unwrap_or(usual.gaussian_width),
        weight_decay: weights.unwrap_or(usual.weight_decay),
        decay: decay.unwrap_or(usual.decay),
        decay_every: fields
            .count("decay_every", MOST)?
            .map_or(usual.decay_every, |n| n as u64),
    };
    Ok(found)
}

/// A number with a property.
fn number(
    fields: &Fields<'_>,
    key: &str,
    fits: impl Fn(f64) -> bool,
    expected: &'static str,
) -> Result<Option<f64>, ProblemError> {
    let Some(item) = fields.get(key) else {
        return Ok(None);
    };
    let Value::Number(found) = item.value else {
        return Err(wrong_type(fields.source, key, item, expected));
    };
    if found.is_finite() && fits(found) {
        return Ok(Some(found));
    }
    let key = key.into();
    let fault = Fault::OutOfRange {
        key,
        found,
        expected,
    };
    Err(fields.source.error(&item.span, fault))
}
