//! Engines for evaluating a model: one for each caller at a time, used again from call to call.

use crate::engine::{Ansatz, Device, Engine, EngineError, Field, Objective};
use crate::network::Network;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Engines that are kept while nobody uses them.
const MOST_IDLE: usize = 4;

pub(super) struct Engines {
    objective: Objective<f64>,
    device: Device,
    threads: usize,
    idle: Mutex<Vec<Box<dyn Engine<f64>>>>,
}

impl Engines {
    pub(super) fn new(
        network: Network,
        features: Vec<Arc<dyn Field<f64>>>,
        ansatz: Vec<Ansatz<f64>>,
    ) -> Self {
        Self {
            objective: Objective::values(network)
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

    /// Calls `job` with an engine.
    pub(super) fn with(
        &self,
        mut job: impl FnMut(&mut dyn Engine<f64>) -> Result<(), EngineError>,
    ) -> Result<(), EngineError> {
        let waiting = self.idle().pop();
        let fresh = || self.device.engine(self.objective.clone(), self.threads);
        let mut engine = waiting.map_or_else(fresh, Ok)?;
        let mut result = job(&mut *engine);
        if matches!(result, Err(EngineError::Memory(_))) {
            self.idle().clear(); // what nobody uses makes room
            engine = fresh()?;
            result = job(&mut *engine);
        }
        let mut idle = self.idle();
        if idle.len() < MOST_IDLE {
            idle.push(engine);
        }
        result
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Box<dyn Engine<f64>>>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
