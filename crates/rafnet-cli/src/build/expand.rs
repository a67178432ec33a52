//! `raf build expand`: a learnable network rewritten, and how far it is from the first.

use super::kinds::Made;
use super::values::refused;
use crate::output::Failure;
use rafnet::Model;
use rafnet::activation::Initial;
use rafnet::expr::largest;

use std::path::Path;

/// Points at which the two are compared.
const POINTS: usize = 1024;

pub(super) fn expand(path: &Path, seed: u64) -> Result<Made, Failure> {
    let model = Model::load(path).map_err(|e| Failure {
        message: e.to_string(),
        hint: "pass the path of a model, such as `model.safetensors` in a run folder".into(),
    })?;
    let expanded = rafnet_theory::expand(&model).map_err(refused)?;
    let max_error = difference(&model, &expanded, seed).map_err(|e| Failure {
        message: e.to_string(),
        hint: "check the model with `raf eval`".into(),
    })?;
    let model = Box::new(expanded);
    Ok(Made::Expanded { model, max_error })
}

/// The largest difference of two models at points of their region (of [-1, 1] without one).
fn difference(a: &Model, b: &Model, seed: u64) -> Result<f64, rafnet::model::ModelError> {
    let uniform = Initial::Uniform {
        low: 0.0,
        high: 1.0,
    };
    let d = a.dimension();
    let Initial::Values(mut points) = uniform.drawn(POINTS * d, seed) else {
        unreachable!("drawn numbers are values");
    };
    for (i, x) in points.iter_mut().enumerate() {
        let region = a.parts().region.as_ref();
        let [low, high] = region.map_or([-1.0, 1.0], |r| r.bounds[i % d]);
        *x = low + (high - low) * *x;
    }
    let (u, v) = (a.eval(&points)?, b.eval(&points)?);
    let differences = u.iter().zip(v).map(|(u, v)| (u - v).abs());
    Ok(largest(differences))
}
