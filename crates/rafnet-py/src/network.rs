//! `Network`: the engine itself, for optimisers of one's own.
//!
//! Texts become residuals of an engine; engines are kept by their texts, as many as there are callers at a time.

use crate::devices;
use crate::errors::{Refused, unread};
use crate::numbers::{given, taken};
use crate::process::PerProcess;
use pyo3::prelude::*;
use pyo3::types::PyByteArray;
use rafnet::activation::{Activation, Set, Signal};
use rafnet::engine::{
    Batch, Device, Engine, EngineError, ExprResidual, Objective, Regression, Residual,
};
use rafnet::expr::{Expr, Leaf, Scope, parse};
use rafnet::network::{Init, Inputs, Network as Structure, NetworkError, Weights};
use std::sync::{Arc, Mutex, PoisonError};

/// Engines that are kept for the next call.
const MOST_KEPT: usize = 8;

/// A network's structure with its engines.
#[pyclass(frozen, module = "rafnet._rafnet")]
pub(crate) struct Network {
    structure: Structure,
    scope: Scope,
    shared: Vec<String>,
    device: Device,
    threads: usize,
    weights: Weights,
    hidden_scale: f64,
    kept: PerProcess<Mutex<Vec<Kept>>>,
}

/// An engine that waits for its next call.
type Kept = (Texts, Box<dyn Engine<f64>>);

/// What an engine is for: residuals, and the names of the data beside the points; without residuals plain regression.
type Texts = (Vec<String>, Vec<String>);

impl From<NetworkError> for Refused {
    fn from(error: NetworkError) -> Self {
        Self::new("OptionError", error.to_string())
    }
}

fn wrong(message: impl Into<String>) -> Refused {
    Refused::new("OptionError", message)
}

/// What a network is made of, as Python says it.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Asked {
    coordinates: Vec<String>,
    outputs: Vec<String>,
    shared: Vec<String>,
    time: Option<String>,
    width: usize,
    /// One for each layer.
    activation: Vec<String>,
    shape: String,
    learnable: bool,
    gaussian_width: f64,
    periodic: Option<usize>,
    weights: String,
    hidden_scale: f64,
    device: String,
    threads: usize,
}

impl Asked {
    fn structure(&self) -> Result<Structure, Refused> {
        Structure::allow_depth(self.activation.len())?;
        rafnet_memory::require("a network", &[self.width, self.activation.len(), 8])
            .map_err(|e| Refused::new("NotEnoughMemory", e.to_string()))?;
        let layers = self.activation.iter().map(|name| {
            let set: Set = name
                .parse()
                .map_err(|e: rafnet::activation::UnknownSet| wrong(e.to_string()))?;
            Ok(if self.learnable {
                set.learnable(self.width, Signal::Image)
            } else {
                set.shared_out(self.width, self.gaussian_width)
            })
        });
        let layers = layers.collect::<Result<Vec<Activation>, Refused>>()?;
        let (d, outputs) = (self.coordinates.len(), self.outputs.len());
        let inputs = match self.periodic {
            Some(order) => Inputs::periodic(d, order),
            None => Inputs::coordinates(d),
        };
        let made = match self.shape.as_str() {
            "fnn" => Structure::fully_connected(inputs, layers, outputs),
            "resnet" => {
                let four: [Activation; 4] =
                    layers.try_into().map_err(|found: Vec<Activation>| {
                        let message = format!(
                            "a residual network has 4 activated layers, not {}",
                            found.len()
                        );
                        wrong(message).hint("leave `depth` out, or take shape=\"fnn\"")
                    })?;
                Structure::resnet_of(inputs, four, outputs)
            }
            other => {
                let message = format!("shape={other} cannot be used: expected resnet or fnn");
                return Err(wrong(message));
            }
        };
        Ok(made?)
    }
}

#[pymethods]
impl Network {
    #[new]
    fn new(asked: Asked) -> PyResult<Self> {
        let structure = asked.structure()?;
        let mut scope = Scope::new(asked.coordinates.clone())
            .unknowns(asked.outputs.clone())
            .parameters(asked.shared.clone());
        if let Some(time) = &asked.time {
            scope = scope.time(time);
        }
        let weights = match asked.weights.as_str() {
            "fan-in" => Weights::FanIn,
            "siren" => Weights::Siren,
            "glorot" => Weights::Glorot,
            other => {
                let message =
                    format!("weights={other} cannot be used: expected fan-in, siren or glorot");
                return Err(wrong(message).into());
            }
        };
        Ok(Self {
            structure,
            scope,
            shared: asked.shared,
            device: devices::named(&asked.device)?,
            threads: devices::threads(asked.threads)?,
            weights,
            hidden_scale: asked.hidden_scale,
            kept: PerProcess::new(Mutex::default()),
        })
    }

    #[getter]
    fn n_parameters(&self) -> usize {
        self.structure.n_parameters() + self.shared.len()
    }

    /// Name, shape and place of every block of the network's parameters.
    #[getter]
    fn layout(&self) -> Vec<(String, Vec<usize>, usize, usize)> {
        let named = self.structure.layout().named().iter();
        let place = |block: &rafnet::network::Named| {
            (
                block.name.clone(),
                block.shape.clone(),
                block.range.start,
                block.range.end,
            )
        };
        named.map(place).collect()
    }

    /// Drawn parameters; shared numbers are the caller's.
    fn init<'py>(&self, py: Python<'py>, seed: u64) -> PyResult<Bound<'py, PyByteArray>> {
        let init = Init {
            weights: self.weights,
            hidden_scale: self.hidden_scale,
            seed,
        };
        let drawn: Vec<f64> = self.structure.init(init);
        given(py, &drawn)
    }

    /// The loss and its gradient.
    fn loss_and_gradient<'py>(
        &self,
        py: Python<'py>,
        batch: Numbers<'py>,
    ) -> PyResult<(f64, Bound<'py, PyByteArray>)> {
        let batch = batch.taken()?;
        let mut gradient = vec![0.0; self.n_parameters()];
        let loss = self.with(py, &batch, |engine| {
            engine.loss_and_gradient(&batch.theta, &batch.batch(), &mut gradient)
        })?;
        Ok((loss, given(py, &gradient)?))
    }

    /// Every residual at every point.
    fn residuals<'py>(
        &self,
        py: Python<'py>,
        batch: Numbers<'py>,
    ) -> PyResult<Bound<'py, PyByteArray>> {
        let batch = batch.taken()?;
        let mut rows = vec![0.0; self.rows(&batch, 1)?];
        self.with(py, &batch, |engine| {
            engine.residuals(&batch.theta, &batch.batch(), &mut rows)
        })?;
        given(py, &rows)
    }

    /// The same and their derivatives by the parameters.
    fn jacobian<'py>(
        &self,
        py: Python<'py>,
        batch: Numbers<'py>,
    ) -> PyResult<(Bound<'py, PyByteArray>, Bound<'py, PyByteArray>)> {
        let batch = batch.taken()?;
        let n = self.n_parameters();
        self.rows(&batch, 2 * n)?;
        let rows = self.rows(&batch, 1)?;
        let (mut residual, mut jacobian) = (vec![0.0; rows], vec![0.0; rows * n]);
        self.with(py, &batch, |engine| {
            let batch_ = batch.batch();
            engine.residuals_and_jacobian(&batch.theta, &batch_, &mut residual, &mut jacobian)
        })?;
        Ok((given(py, &residual)?, given(py, &jacobian)?))
    }
}

/// Arrays of a call.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Numbers<'py> {
    theta: Bound<'py, PyAny>,
    points: Bound<'py, PyAny>,
    texts: Vec<String>,
    names: Vec<String>,
    data: Option<Bound<'py, PyAny>>,
    weights: Option<Bound<'py, PyAny>>,
}

/// The same, copied.
struct Taken {
    theta: Vec<f64>,
    points: Vec<f64>,
    data: Vec<f64>,
    weights: Vec<f64>,
    texts: Texts,
}

impl Numbers<'_> {
    fn taken(&self) -> PyResult<Taken> {
        let optional =
            |numbers: &Option<Bound<'_, PyAny>>| numbers.as_ref().map_or(Ok(Vec::new()), taken);
        Ok(Taken {
            theta: taken(&self.theta)?,
            points: taken(&self.points)?,
            data: optional(&self.data)?,
            weights: optional(&self.weights)?,
            texts: (self.texts.clone(), self.names.clone()),
        })
    }
}

impl Taken {
    fn batch(&self) -> Batch<'_, f64> {
        Batch::points(&self.points)
            .with_data(&self.data)
            .with_weights(&self.weights)
    }
}

impl Network {
    fn dimension(&self) -> usize {
        self.structure.inputs().dimension
    }

    /// How many rows a batch has, if so many numbers for each fit into memory.
    fn rows(&self, batch: &Taken, numbers: usize) -> Result<usize, Refused> {
        let each = match batch.texts.0.len() {
            0 => self.structure.n_outputs(),
            n => n,
        };
        let n = batch.points.len() / self.dimension();
        let what = format_args!(
            "{numbers} numbers for each of {} residuals",
            n.saturating_mul(each)
        );
        rafnet_memory::require(what, &[n, each, numbers, 8]).map_err(|e| {
            Refused::new("NotEnoughMemory", e.to_string()).hint("take fewer points at a time")
        })?;
        Ok(n * each)
    }

    fn residual(&self, (texts, names): &Texts) -> Result<Arc<dyn Residual<f64>>, Refused> {
        if texts.is_empty() {
            let outputs = self.structure.n_outputs();
            return Ok(Arc::new(Regression { outputs }));
        }
        let scope = self.scope.clone().columns(names.clone());
        let mut residuals = Vec::with_capacity(texts.len());
        for text in texts {
            let read = parse(text, &scope);
            let read = read.map_err(|e| {
                unread(text, &e, || {
                    "see docs/reference/problem-file.md for what texts may hold".to_owned()
                })
            })?;
            // an engine's data columns: the first is the value beside the point, the others stand where normals would
            residuals.push(read.replace(&mut |leaf: &Leaf| match leaf {
                Leaf::Column(k) if *k > 0 => Some(Expr::leaf(Leaf::Normal(k - 1))),
                _ => None,
            }));
        }
        let (d, outputs) = (self.dimension(), self.structure.n_outputs());
        Ok(Arc::new(ExprResidual::new(
            &residuals,
            d,
            outputs,
            self.shared.len(),
        )))
    }

    fn with<R: Send>(
        &self,
        py: Python<'_>,
        batch: &Taken,
        job: impl FnOnce(&mut dyn Engine<f64>) -> Result<R, EngineError> + Send,
    ) -> PyResult<R> {
        devices::usable(self.device)?;
        let kept = self.kept.get(|_| Mutex::default());
        let lock = || kept.lock().unwrap_or_else(PoisonError::into_inner);
        let waiting = {
            let mut engines = lock();
            let at = engines.iter().position(|(texts, _)| *texts == batch.texts);
            at.map(|k| engines.swap_remove(k).1)
        };
        let mut engine = if let Some(engine) = waiting {
            engine
        } else {
            let residual = self.residual(&batch.texts)?;
            let bounds = vec![[f64::NEG_INFINITY, f64::INFINITY]; self.shared.len()];
            let objective = Objective::new(self.structure.clone(), residual).with_shared(bounds);
            py.detach(|| self.device.engine(objective, self.threads))
                .map_err(Refused::from)?
        };
        let (answer, engine) = py.detach(move || (job(&mut *engine), engine));
        let mut engines = lock();
        if engines.len() == MOST_KEPT {
            engines.remove(0);
        }
        engines.push((batch.texts.clone(), engine));
        drop(engines);
        Ok(answer.map_err(Refused::from)?)
    }
}
