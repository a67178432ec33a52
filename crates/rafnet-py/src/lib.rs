//! `rafnet._rafnet`: what the Python package `rafnet` calls.
//!
//! One file a class, each a thin face of something public in `rafnet`. Numbers come in through Python's buffers and are copied before
//! the interpreter is released; they go out as bytes, which NumPy reads in place. Shapes, names of arguments, pictures and all that is
//! pleasant stand in `python/rafnet/`.

#![expect(
    clippy::needless_pass_by_value,
    reason = "arguments from Python are converted into values of their own"
)]

mod devices;
mod errors;
mod fit;
mod model;
mod network;
mod ntk;
mod numbers;
mod options;
mod problem;
mod process;
mod solve;
mod watch;

use pyo3::prelude::*;

/// The module.
#[pymodule(gil_used = true)]
mod _rafnet {
    #[pymodule_export]
    use super::devices::devices;
    #[pymodule_export]
    use super::fit::fit;
    #[pymodule_export]
    use super::model::Model;
    #[pymodule_export]
    use super::network::Network;
    #[pymodule_export]
    use super::ntk::ntk;
    #[pymodule_export]
    use super::options::{fit_options, solver_options};
    #[pymodule_export]
    use super::problem::Problem;
    #[pymodule_export]
    use super::problem::builtin_names;
    #[pymodule_export]
    use super::solve::solve;

    use super::{Bound, PyModule, PyModuleMethods, PyResult};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
