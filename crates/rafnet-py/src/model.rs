//! `Model`: the whole function, evaluated and differentiated at points.

use crate::devices;
use crate::errors::{Refused, unread};
use crate::numbers::{given, taken};
use crate::process::PerProcess;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes};
use rafnet::expr::{Scope, parse};
use rafnet::model::{self, Expressions, Outside};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Points evaluated at a time; signals are looked at in between.
const BLOCK: usize = 1 << 16;
/// Between two looks at signals.
const LOOK: Duration = Duration::from_millis(100);
/// Programs that are kept for the next call.
const MOST_KEPT: usize = 16;

/// A model; its engines belong to one process.
#[pyclass(frozen, module = "rafnet._rafnet")]
pub(crate) struct Model {
    inner: PerProcess<Kept>,
}

/// What further names in texts stand for: texts that are put in, and arrays.
#[derive(Clone, Default)]
struct Names {
    texts: Vec<(String, String)>,
    arrays: Vec<(String, Vec<f64>)>,
}

impl Names {
    /// The model's names, and these where they mean nothing yet.
    fn within(&self, mut scope: Scope) -> Scope {
        for (name, text) in &self.texts {
            if scope.symbol(name).is_none() {
                scope = scope.define(name, text);
            }
        }
        for (name, values) in &self.arrays {
            if scope.symbol(name).is_none() {
                scope = scope.array(name, values.clone());
            }
        }
        scope
    }
}

/// A model with the programs of texts that were asked for.
struct Kept {
    model: model::Model,
    names: Names,
    programs: Mutex<Vec<(Vec<String>, Expressions)>>,
}

impl Kept {
    fn new(model: model::Model, names: Names) -> Self {
        Self {
            model,
            names,
            programs: Mutex::default(),
        }
    }

    /// The program of texts: a kept one, or a new one.
    fn program(&self, texts: &[String]) -> Result<Expressions, Refused> {
        let mut programs = self.programs.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(k) = programs.iter().position(|(kept, _)| kept == texts) {
            return Ok(programs.swap_remove(k).1);
        }
        drop(programs);
        let scope = self.names.within(self.model.scope());
        let mut expressions = Vec::with_capacity(texts.len());
        for text in texts {
            let read = parse(text, &scope).map_err(|e| {
                unread(text, &e, || {
                    let parts = self.model.parts();
                    let unknowns = parts.outputs.iter().map(|o| o.name.as_str());
                    let unknowns: Vec<&str> = unknowns.collect();
                    format!(
                        "the model has the coordinates {} and the unknowns {}",
                        parts.coordinates.join(", "),
                        unknowns.join(", ")
                    )
                })
            })?;
            expressions.push(read);
        }
        Expressions::new(&self.model, &expressions).map_err(|e| {
            Refused::new("ExpressionError", e.to_string())
                .hint("use coordinates, unknowns and their derivatives up to the second")
        })
    }

    fn keep(&self, texts: Vec<String>, program: Expressions) {
        let mut programs = self.programs.lock().unwrap_or_else(PoisonError::into_inner);
        if programs.len() < MOST_KEPT {
            programs.push((texts, program));
        }
    }
}

impl Model {
    pub(crate) fn new(model: model::Model) -> Self {
        Self {
            inner: PerProcess::new(Kept::new(
                model.with_outside(Outside::Nan),
                Names::default(),
            )),
        }
    }

    /// The function itself, for those who evaluate something of their own.
    pub(crate) fn plain(&self) -> model::Model {
        self.here().model.clone()
    }

    fn here(&self) -> Arc<Kept> {
        self.inner
            .get(|kept| Kept::new(kept.model.clone(), kept.names.clone()))
    }
}

#[pymethods]
impl Model {
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let model = py.detach(|| model::Model::load(path));
        Ok(Self::new(model.map_err(Refused::from)?))
    }

    #[staticmethod]
    fn from_bytes(py: Python<'_>, bytes: &[u8]) -> PyResult<Self> {
        let model = py.detach(|| model::Model::from_bytes(bytes));
        Ok(Self::new(model.map_err(Refused::from)?))
    }

    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let kept = self.here();
        let bytes = py.detach(|| kept.model.to_bytes());
        Ok(PyBytes::new(py, &bytes.map_err(Refused::from)?))
    }

    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let kept = self.here();
        let saved = py.detach(|| kept.model.save(path));
        Ok(saved.map_err(Refused::from)?)
    }

    /// The same function evaluated on a device, by so many threads, outside its region continued or NaN.
    fn placed(&self, device: &str, threads: usize, continued: bool) -> PyResult<Self> {
        let (device, threads) = (devices::named(device)?, devices::threads(threads)?);
        let kept = self.here();
        let model = kept.model.clone().with_device(device).with_threads(threads);
        let outside = if continued {
            Outside::Continued
        } else {
            Outside::Nan
        };
        Ok(Self {
            inner: PerProcess::new(Kept::new(model.with_outside(outside), kept.names.clone())),
        })
    }

    /// The same function with further names for texts.
    fn named(&self, texts: Vec<(String, String)>, arrays: Vec<(String, Vec<f64>)>) -> Self {
        let names = Names { texts, arrays };
        Self {
            inner: PerProcess::new(Kept::new(self.here().model.clone(), names)),
        }
    }

    #[getter]
    fn coordinates(&self) -> Vec<String> {
        self.here().model.parts().coordinates.clone()
    }

    #[getter]
    fn outputs(&self) -> Vec<String> {
        let kept = self.here();
        let outputs = kept.model.parts().outputs.iter();
        outputs.map(|o| o.name.clone()).collect()
    }

    /// Which coordinate is time.
    #[getter]
    fn time(&self) -> Option<usize> {
        self.here().model.parts().time
    }

    /// [low, high] for each coordinate, where the model knows its region.
    #[getter]
    fn bounds(&self) -> Option<Vec<(f64, f64)>> {
        let kept = self.here();
        let region = kept.model.parts().region.as_ref()?;
        Some(region.bounds.iter().map(|[l, h]| (*l, *h)).collect())
    }

    /// What the region is, as JSON.
    #[getter]
    fn region(&self) -> Option<String> {
        let kept = self.here();
        let region = kept.model.parts().region.as_ref();
        region.map(|r| r.description.clone())
    }

    #[getter]
    fn n_parameters(&self) -> usize {
        self.here().model.parts().parameters.len()
    }

    #[getter]
    fn precision(&self) -> &'static str {
        self.here().model.parts().precision.name()
    }

    /// Texts at points (n × d in a buffer), one column of n numbers after the other.
    fn evaluate<'py>(
        &self,
        py: Python<'py>,
        texts: Vec<String>,
        points: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyByteArray>> {
        let points = taken(points)?;
        let kept = self.here();
        let mut program = kept.program(&texts)?;
        let d = kept.model.dimension();
        let n = points.len() / d;
        let what = format_args!("{} columns at {n} points", texts.len());
        rafnet_memory::require(what, &[n, texts.len(), 8])
            .map_err(|e| Refused::new("NotEnoughMemory", e.to_string()))?;
        let mut columns = vec![0.0; n * texts.len()];
        let (mut at, mut looked) = (0, Instant::now());
        while at < n {
            let until = n.min(at + BLOCK);
            let block = &points[at * d..until * d];
            let found = py.detach(|| program.evaluate(&kept.model, block));
            let found = found.map_err(Refused::from)?;
            for (k, column) in found.chunks_exact(until - at).enumerate() {
                columns[k * n + at..k * n + until].copy_from_slice(column);
            }
            at = until;
            if looked.elapsed() > LOOK {
                py.check_signals()?;
                looked = Instant::now();
            }
        }
        kept.keep(texts, program);
        given(py, &columns)
    }
}
