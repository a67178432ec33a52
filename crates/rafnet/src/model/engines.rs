//! Engines for evaluating a model: one for each caller at a time, used again from call to call.

use crate::engine::{
    Ansatz, Device, Engine, EngineError, Field, Objective, Residual, Response, Site, Streams,
};
use crate::network::Network;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Engines that are kept while nobody uses them.
const MOST_IDLE: usize = 4;

/// No residual at all, only the streams that an evaluation carries, so that an engine is built for them once.
struct Carries {
    streams: Streams,
    outputs: usize,
}

impl Residual<f64> for Carries {
    fn streams(&self) -> Streams {
        self.streams.clone()
    }
    fn count(&self) -> usize {
        0
    }
    fn outputs(&self) -> usize {
        self.outputs
    }
    fn evaluate(&self, _: &Site<'_, f64>, _: &mut Response<'_, f64>) {}
}

/// An engine that waits, and the streams it carries.
type Idle = (Streams, Box<dyn Engine<f64>>);

pub(super) struct Engines {
    objective: Objective<f64>,
    device: Device,
    threads: usize,
    idle: Mutex<Vec<Idle>>,
}

impl Engines {
    pub(super) fn new(
        network: Network,
        features: Vec<Arc<dyn Field<f64>>>,
        ansatz: Vec<Ansatz<f64>>,
    ) -> Self {
        let carries = Carries {
            streams: Streams::value(),
            outputs: network.n_outputs(),
        };
        Self {
            objective: Objective::new(network, Arc::new(carries))
                .with_features(features)
                .with_ansatz(ansatz),
            device: Device::default(),
            threads: std::thread::available_parallelism().map_or(1, Into::into),
            idle: Mutex::default(),
        }
    }

    /// The same objective without engines.
    pub(super) fn fresh(&self) -> Self {
        Self {
            objective: self.objective.clone(),
            device: self.device,
            threads: self.threads,
            idle: Mutex::default(),
        }
    }

    pub(super) fn set_threads(&mut self, threads: usize) {
        self.threads = threads;
        self.idle().clear();
    }

    pub(super) fn set_device(&mut self, device: Device) {
        self.device = device;
        self.idle().clear();
    }

    /// Keeps no engine that nobody uses: there may be many of these.
    pub(super) fn rest(&self) {
        self.idle().clear();
    }

    /// Calls `job` with an engine for these streams.
    pub(super) fn with(
        &self,
        streams: &Streams,
        job: impl FnOnce(&mut dyn Engine<f64>) -> Result<(), EngineError>,
    ) -> Result<(), EngineError> {
        let mut engine = match self.take(streams) {
            Some(engine) => engine,
            None => match self.start(streams) {
                Err(EngineError::Memory(_)) => {
                    self.idle().clear(); // what nobody uses makes room
                    self.start(streams)?
                }
                started => started?,
            },
        };
        let result = job(&mut *engine);
        let mut idle = self.idle();
        if idle.len() == MOST_IDLE {
            idle.remove(0);
        }
        idle.push((streams.clone(), engine));
        result
    }

    fn take(&self, streams: &Streams) -> Option<Box<dyn Engine<f64>>> {
        let mut idle = self.idle();
        let at = idle.iter().position(|(s, _)| s == streams)?;
        Some(idle.remove(at).1)
    }

    fn start(&self, streams: &Streams) -> Result<Box<dyn Engine<f64>>, EngineError> {
        let carries = Carries {
            streams: streams.clone(),
            outputs: self.objective.network.n_outputs(),
        };
        let objective = Objective {
            residual: Arc::new(carries),
            ..self.objective.clone()
        };
        self.device.engine(objective, self.threads)
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Idle>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
