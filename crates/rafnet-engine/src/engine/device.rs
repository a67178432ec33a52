//! Where sweeps are computed: a device makes engines, and nobody outside this room names one.

use super::cpu::CpuEngine;
use super::reference::ReferenceEngine;
use super::ridges::{self, Axes, Layer, Places, Take};
use super::{Engine, EngineError, Objective, check};
use crate::simd::{Level, Real, level};
use std::fmt;
use std::str::FromStr;

/// A place that computes sweeps.
///
/// ```
/// use rafnet::activation::Set;
/// use rafnet::engine::{Device, Objective, Regression, Streams};
/// use rafnet::network::{Init, Inputs, Network, Weights};
/// use std::sync::Arc;
/// let network = Network::resnet(Inputs::coordinates(2), &Set::Psg.shared_out(20, 0.1), 1)?;
/// let parameters: Vec<f64> = network.init(Init::new(Weights::FanIn, 0));
/// let objective = Objective::new(network, Arc::new(Regression { outputs: 1 }));
/// let mut jets = [[0.0; 4]; 2]; // value, two first derivatives, the Laplacian
/// for (device, jet) in Device::ALL.into_iter().zip(&mut jets) {
///     let mut engine = device.engine(objective.clone(), 2)?;
///     engine.evaluate(&parameters, &[0.3, 0.6], &Streams::laplacian(), jet)?;
/// }
/// assert!(jets[0].iter().zip(&jets[1]).all(|(a, b)| (a - b).abs() < 1e-12 * (1.0 + a.abs())));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Device {
    /// `cpu`: the processor's cores, many points at a time.
    #[default]
    Cpu,
    /// `reference`: one point at a time in the order of the formulas, on one thread; slow, and the one to read.
    Reference,
}

impl Device {
    /// Every device.
    pub const ALL: [Self; 2] = [Self::Cpu, Self::Reference];

    /// Its name in files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::Reference => "reference",
        }
    }

    /// An engine for an objective, with that many threads where the device has threads.
    ///
    /// # Errors
    /// [`EngineError`] if the parts of the objective do not fit each other, or the engine does not fit into memory.
    pub fn engine<T: OnDevice>(
        self,
        objective: Objective<T>,
        threads: usize,
    ) -> Result<Box<dyn Engine<T>>, EngineError> {
        T::engine(self, level(), objective, threads)
    }

    /// Hands the functions of a frozen layer to `take` one after the other, each with the derivatives `wanted` at all places, until it
    /// says stop.
    ///
    /// ```
    /// use rafnet::basis::Basis;
    /// use rafnet::engine::Device;
    /// use rafnet::engine::ridges::{Layer, Places};
    /// use std::ops::ControlFlow;
    /// let mut layer = Layer::default();
    /// layer.push(Basis::Square, &[3.0], 1.0); // (3x + 1)²
    /// let x = [vec![0.0, 1.0]];
    /// let places = Places { coordinates: &x, inputs: &[], derivatives: &[] };
    /// Device::Cpu.ridges(&layer, &places, &[vec![], vec![0]], &mut |_, columns| {
    ///     assert_eq!(columns, [[1.0, 16.0], [6.0, 24.0]]);
    ///     ControlFlow::Continue(())
    /// })?;
    /// # Ok::<(), rafnet::engine::EngineError>(())
    /// ```
    ///
    /// # Errors
    /// [`EngineError`] if a length does not fit, or a derivative is asked for that is not there.
    pub fn ridges(
        self,
        layer: &Layer,
        places: &Places<'_>,
        wanted: &[Axes],
        take: &mut Take<'_>,
    ) -> Result<(), EngineError> {
        check::ridges(layer, places, wanted)?;
        let _stopped = match self {
            Self::Cpu => ridges::cpu::sweep(layer, places, wanted, take),
            Self::Reference => ridges::reference::sweep(layer, places, wanted, take),
        };
        Ok(())
    }
}

/// A name that is no device's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown device `{name}`; known: cpu, reference")]
pub struct UnknownDevice {
    /// What was asked for.
    pub name: String,
}

impl FromStr for Device {
    type Err = UnknownDevice;
    fn from_str(name: &str) -> Result<Self, UnknownDevice> {
        let known = Self::ALL.into_iter().find(|d| d.name() == name);
        known.ok_or_else(|| UnknownDevice {
            name: name.to_owned(),
        })
    }
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Numbers that devices compute with: engines are compiled here once for f32 and once for f64, not in every crate that uses them.
pub trait OnDevice: Real {
    /// An engine that computes with a given instruction set, where the device has several ([`Device::engine`] takes the best).
    ///
    /// # Errors
    /// As [`Device::engine`].
    ///
    /// # Panics
    /// The engine at its first sweep, if this processor lacks the level: see [`Level::available`].
    fn engine(
        device: Device,
        level: Level,
        objective: Objective<Self>,
        threads: usize,
    ) -> Result<Box<dyn Engine<Self>>, EngineError>;
}

macro_rules! on_device {
    ($type:ident) => {
        impl OnDevice for $type {
            fn engine(
                device: Device,
                level: Level,
                objective: Objective<Self>,
                threads: usize,
            ) -> Result<Box<dyn Engine<Self>>, EngineError> {
                Ok(match device {
                    Device::Cpu => Box::new(CpuEngine::new(level, objective, threads)?),
                    Device::Reference => Box::new(ReferenceEngine::new(objective)?),
                })
            }
        }
    };
}

on_device!(f32);
on_device!(f64);
