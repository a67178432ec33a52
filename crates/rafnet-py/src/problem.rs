//! `Problem`: the text file, read and checked.

use crate::errors::Refused;
use crate::model::Model;
use crate::numbers::{given, taken};
use pyo3::prelude::*;
use pyo3::types::PyByteArray;
use rafnet::expr::{Expr, Leaf};
use rafnet::model::Expressions;
use rafnet::problem;
use std::path::PathBuf;

/// A problem file, read and checked.
#[pyclass(frozen, module = "rafnet._rafnet")]
pub(crate) struct Problem {
    pub(crate) inner: problem::Problem,
}

impl Problem {
    fn of(read: Result<problem::Problem, problem::ProblemError>) -> PyResult<Self> {
        let inner = read.map_err(Refused::from)?;
        Ok(Self { inner })
    }
}

#[pymethods]
impl Problem {
    #[staticmethod]
    fn from_file(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        Self::of(py.detach(|| problem::Problem::from_file(path)))
    }

    #[staticmethod]
    #[pyo3(signature = (text, source, folder=None))]
    fn from_text(
        py: Python<'_>,
        text: &str,
        source: &str,
        folder: Option<PathBuf>,
    ) -> PyResult<Self> {
        Self::of(py.detach(|| problem::Problem::from_text(text, source, folder.as_deref())))
    }

    #[staticmethod]
    fn builtin(name: &str) -> PyResult<Self> {
        Self::of(problem::Problem::builtin(name))
    }

    fn with_value(&self, name: &str, value: &str) -> PyResult<Self> {
        Self::of(self.inner.with(name, value))
    }

    #[getter]
    fn name(&self) -> &str {
        &self.inner.name
    }

    #[getter]
    fn about(&self) -> &str {
        &self.inner.about
    }

    #[getter]
    fn coordinates(&self) -> Vec<String> {
        self.inner.coordinates.clone()
    }

    #[getter]
    fn time(&self) -> Option<usize> {
        self.inner.time
    }

    #[getter]
    fn unknowns(&self) -> Vec<String> {
        self.inner.unknowns.clone()
    }

    #[getter]
    fn sought(&self) -> Vec<String> {
        let sought = self.inner.sought.iter();
        sought.map(|s| s.name.clone()).collect()
    }

    #[getter]
    fn text(&self) -> &str {
        self.inner.text()
    }

    /// u minus the exact solution of an unknown, at points (n × d in a buffer); none where that is not known.
    fn error<'py>(
        &self,
        py: Python<'py>,
        model: &Model,
        unknown: usize,
        points: &Bound<'py, PyAny>,
    ) -> PyResult<Option<Bound<'py, PyByteArray>>> {
        let Some(exact) = self.inner.exact.get(unknown).cloned().flatten() else {
            return Ok(None);
        };
        let points = taken(points)?;
        let error = Expr::leaf(Leaf::jet(unknown, &[])) - exact;
        let model = model.plain();
        let found = py.detach(|| {
            let program = Expressions::new(&model, &[error]);
            program.map(|mut program| program.evaluate(&model, &points))
        });
        let Ok(found) = found else { return Ok(None) };
        Ok(Some(given(py, &found.map_err(Refused::from)?)?))
    }

    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.inner.warnings()
    }
}

/// The built-in problems with a line on each.
#[pyfunction]
pub(crate) fn builtin_names() -> Vec<(&'static str, &'static str)> {
    problem::Problem::builtin_names()
}
