//! Sweeps on NVIDIA GPUs, behind the same trait as on the processor.
//!
//! Kernels are text, generated for the network, the streams and the equations at hand, and compiled when they are needed: nothing of CUDA is
//! needed to build this crate, or to run a program that holds it on a machine without a card.

mod card;
mod engine;
mod error;
pub mod machine;
mod text;
mod wide;

pub use card::{Card, Compiled, FunctionUse, Listed, compile_only, compile_report, compiler_found};
pub use error::CudaError;

use machine::Machine;
use rafnet_engine::engine::ridges::{Axes, Layer, Places, Take};
use rafnet_engine::engine::{Computes, Device, Engine, EngineError, Objective};
use std::sync::{Arc, OnceLock};

/// A device whose engines run on a [`Machine`].
pub struct OnMachine {
    name: String,
    ordinal: usize,
    /// The machine, or why there is none: a card is opened when the first engine is asked for.
    machine: OnceLock<Result<Arc<dyn Machine>, CudaError>>,
}

/// Most cards that have a name.
const MOST_CARDS: usize = 16;

/// `cuda`, the first card, and `cuda:0`, `cuda:1` …, each by its number. Nothing is opened before an engine is asked for.
pub fn devices() -> &'static [Device] {
    static ALL: OnceLock<Vec<Device>> = OnceLock::new();
    ALL.get_or_init(|| {
        let card = |name: String, ordinal| -> Device {
            Device::new(Box::leak(Box::new(OnMachine {
                name,
                ordinal,
                machine: OnceLock::new(),
            })))
        };
        let numbered = (0..MOST_CARDS).map(|k| card(format!("cuda:{k}"), k));
        std::iter::once(card("cuda".to_owned(), 0))
            .chain(numbered)
            .collect()
    })
}

impl OnMachine {
    /// A machine under this name on the command line and in files.
    pub fn new(name: &str, machine: Arc<dyn Machine>) -> Self {
        Self {
            name: name.to_owned(),
            ordinal: 0,
            machine: OnceLock::from(Ok(machine)),
        }
    }

    fn machine(&self) -> Result<Arc<dyn Machine>, EngineError> {
        let open = || Card::open(self.ordinal).map(|card| card as Arc<dyn Machine>);
        let machine = self.machine.get_or_init(open).clone();
        machine.map_err(|error| self.named(error.into()))
    }

    /// The same error under this device's name.
    fn named(&self, error: EngineError) -> EngineError {
        match error {
            EngineError::Device { why, .. } => EngineError::Device {
                device: self.name.clone(),
                why,
            },
            other => other,
        }
    }
}

impl Computes for OnMachine {
    fn name(&self) -> &str {
        &self.name
    }

    fn engine32(
        &self,
        objective: Objective<f32>,
        threads: usize,
    ) -> Result<Box<dyn Engine<f32>>, EngineError> {
        let made = engine::CudaEngine::new(self.machine()?, objective, threads);
        Ok(Box::new(made.map_err(|e| self.named(e))?))
    }

    fn engine64(
        &self,
        objective: Objective<f64>,
        threads: usize,
    ) -> Result<Box<dyn Engine<f64>>, EngineError> {
        let made = engine::CudaEngine::new(self.machine()?, objective, threads);
        Ok(Box::new(made.map_err(|e| self.named(e))?))
    }

    fn frozen(&self) -> Result<(), EngineError> {
        Err(EngineError::Device {
            device: self.name.clone(),
            why: "the functions of frozen layers (methods auto, lsq and pieces, and eigenvalues by all but bsde) are computed on the processor; leave \
                  `--device` out, or train a network with `--method adam`, `lm` or `lbfgs`"
                .to_owned(),
        })
    }

    fn ridges(
        &self,
        _: &Layer,
        _: &Places<'_>,
        _: &[Axes],
        _: &mut Take<'_>,
    ) -> Result<(), EngineError> {
        self.frozen()
    }
}
