//! What an engine asks of its callers; engines of other crates ask the same.

use super::ridges::{Axes, Layer, Places};
use super::{Batch, Carried, EngineError, Objective, Row, Streams, Term};
use crate::simd::Real;

/// The parts of an objective fit each other.
///
/// # Errors
/// [`EngineError`] says which do not.
pub fn objective<T: Real>(objective: &Objective<T>) -> Result<(), EngineError> {
    let network = &objective.network;
    let (expected, found) = (network.inputs().features, objective.features.len());
    if expected != found {
        return Err(EngineError::Features { expected, found });
    }
    let (expected, found) = (network.n_outputs(), objective.ansatz.len());
    if found != 0 && found != expected {
        return Err(EngineError::Ansatz { expected, found });
    }
    for term in &objective.terms {
        let found = term.residual.outputs();
        if found != expected {
            return Err(EngineError::Outputs { expected, found });
        }
        let (expected, found) = (objective.shared.len(), term.residual.shared());
        if found > expected {
            return Err(EngineError::Shared { expected, found });
        }
    }
    Ok(())
}

/// A slice has the length that it must have.
///
/// # Errors
/// [`EngineError::Length`] if not.
pub fn length(what: &'static str, found: usize, expected: usize) -> Result<(), EngineError> {
    if found == expected {
        return Ok(());
    }
    Err(EngineError::Length {
        what,
        found,
        expected: expected.to_string(),
    })
}

fn finite<T: Real>(what: &'static str, numbers: &[T]) -> Result<(), EngineError> {
    match numbers.iter().position(|v| !v.is_finite()) {
        None => Ok(()),
        Some(index) => Err(EngineError::NotFinite {
            what,
            index,
            value: numbers[index].to_string(),
        }),
    }
}

/// The number of points, everything else being as it should.
///
/// # Errors
/// [`EngineError`] if a length does not fit or a number is not finite.
pub fn points<T: Real>(
    objective: &Objective<T>,
    parameters: &[T],
    points: &[T],
) -> Result<usize, EngineError> {
    length(
        "the parameter vector",
        parameters.len(),
        objective.n_parameters(),
    )?;
    let dimension = objective.network.inputs().dimension;
    if !points.len().is_multiple_of(dimension) {
        let expected = format!("a multiple of the dimension {dimension}");
        return Err(EngineError::Length {
            what: "the list of points",
            found: points.len(),
            expected,
        });
    }
    finite("parameter", parameters)?;
    finite("coordinate", points)?;
    Ok(points.len() / dimension)
}

/// The number of points, which are groups of `group`.
///
/// # Errors
/// As [`points`].
pub fn groups<T: Real>(
    objective: &Objective<T>,
    parameters: &[T],
    at: &[T],
    group: usize,
) -> Result<usize, EngineError> {
    let n = points(objective, parameters, at)?;
    whole_groups(n, group)?;
    Ok(n)
}

fn whole_groups(n: usize, group: usize) -> Result<(), EngineError> {
    if group == 0 || !n.is_multiple_of(group) {
        return Err(EngineError::Length {
            what: "the list of points",
            found: n,
            expected: format!("groups of {group} points"),
        });
    }
    Ok(())
}

/// The same for a batch.
///
/// # Errors
/// As [`points`], and if its term is not there, its data or weights do not fit.
pub fn batch<T: Real>(
    objective: &Objective<T>,
    parameters: &[T],
    batch: &Batch<'_, T>,
) -> Result<usize, EngineError> {
    let n = points(objective, parameters, batch.points)?;
    let Term { residual, row } = objective.term(batch.term)?;
    length("the data", batch.data.len(), n * residual.data_columns())?;
    finite("data", batch.data)?;
    whole_groups(n, row.points())?;
    if !batch.weights.is_empty() {
        length("the list of weights", batch.weights.len(), n)?;
        finite("weight", batch.weights)?;
        let negative = batch.weights.iter().position(|w| *w < T::ZERO);
        if let (Some(index), Row::Point) = (negative, row) {
            return Err(EngineError::NegativeWeight {
                index,
                value: batch.weights[index].to_string(),
            });
        }
    }
    Ok(n)
}

/// The number of points, and what the streams carry, of an evaluation whose answer has `values` numbers.
///
/// # Errors
/// As [`points`], and if a derivative cannot be carried.
pub fn evaluation<T: Real>(
    objective: &Objective<T>,
    parameters: &[T],
    at: &[T],
    streams: &Streams,
    what: &'static str,
    values: usize,
) -> Result<(usize, Carried), EngineError> {
    let network = &objective.network;
    let n = points(objective, parameters, at)?;
    let carried = streams.carried(network.inputs().dimension)?;
    length(what, values, n * network.n_outputs() * carried.len())?;
    Ok((n, carried))
}

/// A frozen layer, places that fit it, and derivatives that are there.
pub(super) fn ridges(
    layer: &Layer,
    places: &Places<'_>,
    wanted: &[Axes],
) -> Result<(), EngineError> {
    let (dimension, n) = (places.coordinates.len(), places.n());
    let width = dimension + places.inputs.len();
    length("the list of bases", layer.bases.len(), layer.len())?;
    length(
        "the list of weights",
        layer.weights.len(),
        layer.len() * width,
    )?;
    if let Some(own) = &layer.local {
        length("the layer's box", own.middle.len(), dimension)?;
        length("the layer's box", own.half.len(), dimension)?;
    }
    for input in places.inputs {
        length("an extra input", input.len(), places.derivatives.len())?;
    }
    let columns = places
        .coordinates
        .iter()
        .chain(places.inputs.iter().flatten());
    for column in columns {
        length("a column of points", column.len(), n)?;
    }
    let is_known = |axes: &[usize]| places.inputs.is_empty() || places.place(axes).is_some();
    let is_there = |axes: &Axes| {
        let low = axes.len() <= 2 && axes.iter().all(|i| *i < dimension);
        low && is_known(axes) && axes.iter().all(|i| is_known(&[*i])) && is_known(&[])
    };
    match wanted.iter().find(|axes| !is_there(axes)) {
        Some(axes) => Err(EngineError::Derivative {
            axes: axes.clone(),
            dimension,
        }),
        None => Ok(()),
    }
}
