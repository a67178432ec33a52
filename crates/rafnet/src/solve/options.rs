//! What a user may choose, by the names of the command line and of `[network]` and `[solver]`.

mod asked;
mod text;

use super::method::Method;
use super::paper_options::{Mode, Resnet, Sharing};
use crate::activation::Set;
use crate::engine::{Device, Devices};
use crate::run::Preset;

/// What a user may choose; `None` leaves it to the method or its preset.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// How to solve.
    pub method: Method,
    /// Which settings a trained method starts from.
    pub preset: Preset,
    /// The activation of every layer, or of each.
    pub activation: Vec<Set>,
    /// Functions of `lsq`'s layer at most; functions of a piece; neurons of a trained layer.
    pub width: Option<usize>,
    /// Pieces along the axes in space, all equal; by default they follow the solution.
    pub pieces: Option<usize>,
    /// Slabs of time, all equal; by default they follow the solution.
    pub slabs: Option<usize>,
    /// Activated layers of a trained network.
    pub depth: Option<usize>,
    /// Steps of a trained method.
    pub steps: Option<u64>,
    /// Points inside at each step.
    pub points: Option<usize>,
    /// Points on the boundary at each step.
    pub boundary_points: Option<usize>,
    /// The learning rate.
    pub lr: Option<f64>,
    /// How the learning rate falls, by its name; a cosine over all steps.
    pub schedule: Option<String>,
    /// A factor on the hidden weights at the start.
    pub init_scale: Option<f64>,
    /// The width s of Gaussians exp(−x²/2s²) in a trained network.
    pub gaussian_width: Option<f64>,
    /// Adam's weight decay w, coupled: the gradient is ∇J + wθ.
    pub weight_decay: Option<f64>,
    /// Which residual network.
    pub resnet: Resnet,
    /// How a PSG layer of an oscillation problem shares out its neurons.
    pub sharing: Sharing,
    /// Where `bsde` takes √2 ∇u from.
    pub mode: Mode,
    /// The same seed, the same bits.
    pub seed: u64,
    /// Held-out residual, relative to its own terms, at which a run ends, and above which it has failed; without one a run ends at
    /// [`DEFAULT_TARGET`](Self::DEFAULT_TARGET) and is judged by its error estimate.
    pub target: Option<f64>,
    /// Seconds after which the best so far is returned.
    pub time_limit: f64,
    /// Seconds between checkpoints of a trained run.
    pub checkpoint: f64,
    /// Where networks are computed.
    pub device: Device,
    /// The devices that can be named.
    pub devices: Devices,
    /// Whether these options hold as they are; otherwise what the problem's file asks for holds wherever one is left out.
    pub file_is_read: bool,
    /// Threads; 0 takes one for each core. The answer does not depend on it.
    pub threads: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            method: Method::Auto,
            preset: Preset::Default,
            activation: Vec::new(),
            width: None,
            pieces: None,
            slabs: None,
            depth: None,
            steps: None,
            points: None,
            boundary_points: None,
            lr: None,
            schedule: None,
            init_scale: None,
            gaussian_width: None,
            weight_decay: None,
            resnet: Resnet::default(),
            sharing: Sharing::default(),
            mode: Mode::default(),
            seed: 0,
            target: None,
            time_limit: 300.0,
            checkpoint: 5.0,
            device: Device::default(),
            devices: Devices::default(),
            file_is_read: false,
            threads: 0,
        }
    }
}

/// An option that cannot be taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OptionError {
    /// A text that it does not take.
    #[error("`{name} = {found}` cannot be used: expected {expected}")]
    Unusable {
        /// Which.
        name: String,
        /// What was given.
        found: String,
        /// What would do.
        expected: String,
    },
    /// One that the method does not look at.
    #[error("`{name} = {found}` does nothing with the method `{method}`")]
    Useless {
        /// Which.
        name: String,
        /// What was given.
        found: String,
        /// The method.
        method: &'static str,
        /// Those that look at it.
        methods: &'static [&'static str],
    },
    /// Either of them in the problem's file.
    #[error("in the problem file: {0}")]
    InFile(Box<OptionError>),
}

impl OptionError {
    fn in_file(self) -> Self {
        Self::InFile(Box::new(self))
    }
}

impl Options {
    /// The target of those who ask for none.
    pub const DEFAULT_TARGET: f64 = 1e-12;

    /// The held-out residual at which a run ends.
    pub(super) fn goal(&self) -> f64 {
        self.target.unwrap_or(Self::DEFAULT_TARGET)
    }

    /// How many threads that is here.
    pub fn threads(&self) -> usize {
        match self.threads {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            n => n,
        }
    }
}
