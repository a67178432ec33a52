//! Numbers from Python and back: copied in from a buffer, handed out as bytes.

use crate::errors::Refused;
use pyo3::buffer::PyBuffer;
use pyo3::prelude::*;
use pyo3::types::PyByteArray;

/// Every number of a contiguous buffer of 64-bit numbers. What is not is a mistake of `python/rafnet`, which converts arrays first.
pub(crate) fn taken(numbers: &Bound<'_, PyAny>) -> PyResult<Vec<f64>> {
    let buffer = PyBuffer::<f64>::get(numbers)?;
    buffer.to_vec(numbers.py())
}

/// Numbers as bytes that NumPy reads in place.
pub(crate) fn given<'py>(py: Python<'py>, numbers: &[f64]) -> PyResult<Bound<'py, PyByteArray>> {
    let bytes: &[u8] = bytemuck::cast_slice(numbers);
    let what = format_args!("an answer of {} numbers", numbers.len());
    let room = rafnet_memory::require(what, &[bytes.len()]);
    room.map_err(|e| Refused::new("NotEnoughMemory", e.to_string()))?;
    Ok(PyByteArray::new(py, bytes))
}
