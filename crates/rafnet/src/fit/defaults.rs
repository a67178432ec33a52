//! What a fit starts from where nothing is chosen.
//! The table in `docs/reference/fit.md` is made of it.

use super::{Holdout, Kind, Optimiser, Options, Recipe, Supervision};
use crate::activation::Set;
use crate::engine::Device;
use crate::model::Precision;
use crate::optimise::Schedule;
use crate::run::Preset;

/// Pictures up to this many trained pixels are seen whole at every step, and may be met bit for bit.
const WHOLE: usize = 65_536;

impl Kind {
    /// The activation that is taken where none is named.
    pub fn usual_activation(self) -> Set {
        match self {
            Self::Image => Set::Psg,
            Self::Audio | Self::Video => Set::SineGaussian,
            Self::Table => Set::Tanh,
        }
    }
}

impl Options {
    /// The usual options for a signal of so many samples, on one thread.
    ///
    /// ```
    /// use rafnet::fit::{Kind, Options};
    /// use rafnet::run::Preset;
    /// let ours = Options::usual(Kind::Image, Preset::Default, 256 * 256);
    /// let paper = Options::usual(Kind::Image, Preset::Paper, 256 * 256);
    /// assert_eq!((ours.steps, paper.steps), (750, 2_000));
    /// ```
    pub fn usual(kind: Kind, preset: Preset, samples: usize) -> Self {
        let paper = preset != Preset::Default;
        let (width, depth) = match kind {
            Kind::Video if paper => (400, 4),
            Kind::Table => (64, 3),
            _ => (256, 4),
        };
        let (steps, batch, lr) = match kind {
            Kind::Video if paper => (100_000, 165_376, 1e-4),
            _ if paper => (2_000, usize::MAX, 1e-4),
            Kind::Image if samples > WHOLE => (1_200, WHOLE, 3e-4),
            Kind::Image => (750, WHOLE, 3e-4),
            Kind::Audio | Kind::Video => (2_000, 32_768, 3e-4),
            Kind::Table => (5_000, 1_024, 5e-3),
        };
        let image = kind == Kind::Image && !paper;
        let descents = image && samples <= WHOLE;
        let schedule = Schedule::named(if descents { "descents" } else { "cosine" }, steps);
        Self {
            kind,
            activation: kind.usual_activation(),
            fourier: None,
            frequency: 30.0,
            spread: (preset == Preset::Code && kind == Kind::Audio).then_some(10.0),
            width,
            depth,
            init_scale: 1.0,
            first_scale: 1.0,
            supervision: Supervision::Value,
            batch,
            holdout: Holdout::None,
            displaced: if image { 0.3 } else { 0.0 },
            optimiser: if image {
                Optimiser::Muon
            } else {
                Optimiser::Adam
            },
            steps,
            lr,
            schedule: schedule.unwrap_or(Schedule::Constant),
            precision: match kind {
                Kind::Table => Precision::F64,
                _ => Precision::F32,
            },
            seed: 0,
            target: 0.0,
            tolerance: 0.0,
            look: 50,
            time_limit: f64::INFINITY,
            checkpoint: 5.0,
            device: Device::default(),
            threads: 1,
        }
    }

    /// The same for a network by its name.
    #[must_use]
    pub fn with_recipe(self, recipe: Recipe) -> Self {
        Self {
            activation: recipe.activation,
            init_scale: recipe.init_scale,
            fourier: recipe.fourier,
            frequency: recipe.frequency,
            ..self
        }
    }
}
