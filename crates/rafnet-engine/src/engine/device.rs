//! Where sweeps are computed: a device makes engines, and nobody outside this room names one.
//!
//! A [`Device`] is a value that any crate can make ([`Device::new`] of a [`Computes`]); which ones a program knows is a list of its own
//! ([`Devices`]).

use super::cpu::CpuEngine;
use super::reference::ReferenceEngine;
use super::ridges::{self, Axes, Layer, Places, Take};
use super::{Engine, EngineError, Objective, check};
use crate::simd::{Level, Real, level};
use std::fmt;
use std::hash::{Hash, Hasher};

/// What a device can do. Lengths and derivatives have been checked when it is asked for [`ridges`](Self::ridges).
pub trait Computes: Send + Sync {
    /// Its name in files and on the command line, `cuda:0` say.
    fn name(&self) -> &str;

    /// An engine for an objective, with that many threads where the device has threads.
    ///
    /// # Errors
    /// [`EngineError`] if the parts of the objective do not fit each other, the device cannot compute one of them, or the engine does not fit into memory.
    fn engine32(
        &self,
        objective: Objective<f32>,
        threads: usize,
    ) -> Result<Box<dyn Engine<f32>>, EngineError>;

    /// The same in double precision.
    ///
    /// # Errors
    /// As [`engine32`](Self::engine32).
    fn engine64(
        &self,
        objective: Objective<f64>,
        threads: usize,
    ) -> Result<Box<dyn Engine<f64>>, EngineError>;

    /// Whether it computes functions of frozen layers.
    ///
    /// # Errors
    /// [`EngineError::Device`] with the reason, where it does not.
    fn frozen(&self) -> Result<(), EngineError> {
        Ok(())
    }

    /// The functions of a frozen layer, as [`Device::ridges`] says.
    ///
    /// # Errors
    /// [`EngineError`] if the device cannot compute one of them.
    fn ridges(
        &self,
        layer: &Layer,
        places: &Places<'_>,
        wanted: &[Axes],
        take: &mut Take<'_>,
    ) -> Result<(), EngineError>;
}

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
/// for (device, jet) in [Device::CPU, Device::REFERENCE].into_iter().zip(&mut jets) {
///     let mut engine = device.engine(objective.clone(), 2)?;
///     engine.evaluate(&parameters, &[0.3, 0.6], &Streams::laplacian(), jet)?;
/// }
/// assert!(jets[0].iter().zip(&jets[1]).all(|(a, b)| (a - b).abs() < 1e-12 * (1.0 + a.abs())));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy)]
pub struct Device(&'static dyn Computes);

impl Device {
    /// `cpu`: the processor's cores, many points at a time.
    pub const CPU: Self = Self(&Cpu);
    /// `reference`: one point at a time in the order of the formulas, on one thread; slow, and the one to read.
    pub const REFERENCE: Self = Self(&Reference);

    /// A device of one's own; it lives as long as the program, so that it can be handed around like a number.
    pub const fn new(computes: &'static dyn Computes) -> Self {
        Self(computes)
    }

    /// Its name in files and on the command line.
    pub fn name(self) -> &'static str {
        self.0.name()
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
        T::engine(self, objective, threads)
    }

    /// Whether it computes functions of frozen layers: without, it is of no use to the methods that fit their coefficients.
    ///
    /// # Errors
    /// [`EngineError::Device`] with the reason, where it does not.
    pub fn frozen(self) -> Result<(), EngineError> {
        self.0.frozen()
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
    /// Device::CPU.ridges(&layer, &places, &[vec![], vec![0]], &mut |_, columns| {
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
        self.0.ridges(layer, places, wanted, take)
    }
}

impl Default for Device {
    fn default() -> Self {
        Self::CPU
    }
}

impl PartialEq for Device {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl Eq for Device {}

impl Hash for Device {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name().hash(state);
    }
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Device").field(&self.name()).finish()
    }
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The devices that a program knows, the default one first.
///
/// ```
/// use rafnet::engine::{Device, Devices};
/// assert_eq!(Devices::default().named("reference")?, Device::REFERENCE);
/// assert!(Devices::default().named("abacus").is_err_and(|e| e.to_string().contains("cpu or reference")));
/// # Ok::<(), rafnet::engine::UnknownDevice>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Devices(Vec<Device>);

impl Default for Devices {
    fn default() -> Self {
        Self(vec![Device::CPU, Device::REFERENCE])
    }
}

impl Devices {
    /// The same with one more.
    #[must_use]
    pub fn with(mut self, device: Device) -> Self {
        self.0.push(device);
        self
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = Device> {
        self.0.iter().copied()
    }

    /// The one with a name.
    ///
    /// # Errors
    /// [`UnknownDevice`] names those that there are.
    pub fn named(&self, name: &str) -> Result<Device, UnknownDevice> {
        let known = self.iter().find(|d| d.name() == name);
        known.ok_or_else(|| UnknownDevice {
            name: name.to_owned(),
            known: self.names(),
        })
    }

    /// Their names, for people: `cpu, reference, cuda or cuda:K`, those with a number together.
    pub fn names(&self) -> String {
        let mut names: Vec<String> = Vec::new();
        for device in self.iter() {
            let name = match device.name().split_once(':') {
                Some((kind, _)) => format!("{kind}:K"),
                None => device.name().to_owned(),
            };
            if !names.contains(&name) {
                names.push(name);
            }
        }
        match names.as_slice() {
            [] => String::new(),
            [one] => one.clone(),
            [most @ .., last] => format!("{} or {last}", most.join(", ")),
        }
    }
}

/// A name that is no device's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown device `{name}`; known: {known}")]
pub struct UnknownDevice {
    /// What was asked for.
    pub name: String,
    /// What there is.
    pub known: String,
}

/// The processor's cores.
struct Cpu;

impl Computes for Cpu {
    fn name(&self) -> &'static str {
        "cpu"
    }

    fn engine32(
        &self,
        objective: Objective<f32>,
        threads: usize,
    ) -> Result<Box<dyn Engine<f32>>, EngineError> {
        f32::at_level(level(), objective, threads)
    }

    fn engine64(
        &self,
        objective: Objective<f64>,
        threads: usize,
    ) -> Result<Box<dyn Engine<f64>>, EngineError> {
        f64::at_level(level(), objective, threads)
    }

    fn ridges(
        &self,
        layer: &Layer,
        places: &Places<'_>,
        wanted: &[Axes],
        take: &mut Take<'_>,
    ) -> Result<(), EngineError> {
        let _stopped = ridges::cpu::sweep(layer, places, wanted, take);
        Ok(())
    }
}

/// One point at a time.
struct Reference;

impl Computes for Reference {
    fn name(&self) -> &'static str {
        "reference"
    }

    fn engine32(
        &self,
        objective: Objective<f32>,
        _threads: usize,
    ) -> Result<Box<dyn Engine<f32>>, EngineError> {
        Ok(Box::new(ReferenceEngine::new(objective)?))
    }

    fn engine64(
        &self,
        objective: Objective<f64>,
        _threads: usize,
    ) -> Result<Box<dyn Engine<f64>>, EngineError> {
        Ok(Box::new(ReferenceEngine::new(objective)?))
    }

    fn ridges(
        &self,
        layer: &Layer,
        places: &Places<'_>,
        wanted: &[Axes],
        take: &mut Take<'_>,
    ) -> Result<(), EngineError> {
        let _stopped = ridges::reference::sweep(layer, places, wanted, take);
        Ok(())
    }
}

/// Numbers that devices compute with: engines are compiled here once for f32 and once for f64, not in every crate that uses them.
pub trait OnDevice: Real {
    /// An engine of a device.
    ///
    /// # Errors
    /// As [`Device::engine`].
    fn engine(
        device: Device,
        objective: Objective<Self>,
        threads: usize,
    ) -> Result<Box<dyn Engine<Self>>, EngineError>;

    /// An engine of the processor with a given instruction set ([`Device::CPU`] takes the best).
    ///
    /// # Errors
    /// As [`Device::engine`].
    ///
    /// # Panics
    /// The engine at its first sweep, if this processor lacks the level: see [`Level::available`].
    fn at_level(
        level: Level,
        objective: Objective<Self>,
        threads: usize,
    ) -> Result<Box<dyn Engine<Self>>, EngineError>;
}

macro_rules! on_device {
    ($type:ident, $engine:ident) => {
        impl OnDevice for $type {
            fn engine(
                device: Device,
                objective: Objective<Self>,
                threads: usize,
            ) -> Result<Box<dyn Engine<Self>>, EngineError> {
                device.0.$engine(objective, threads)
            }

            fn at_level(
                level: Level,
                objective: Objective<Self>,
                threads: usize,
            ) -> Result<Box<dyn Engine<Self>>, EngineError> {
                Ok(Box::new(CpuEngine::new(level, objective, threads)?))
            }
        }
    };
}

on_device!(f32, engine32);
on_device!(f64, engine64);
