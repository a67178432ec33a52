//! What is asked for: which part of the budget, which track, which of the paper's two voices.

use rafnet::engine::Device;
use std::path::PathBuf;

/// How much is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Budget {
    /// Seconds: whether everything runs. Its numbers mean nothing.
    Toy,
    /// Minutes: sizes and steps cut down, enough to see an order.
    Quick,
    /// The paper's own sizes and steps.
    Full,
}

/// What may be changed against the paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Track {
    /// Nothing: the paper's network, ansatz and Adam.
    Parity,
    /// The optimiser: the same network and inputs.
    Trained,
    /// Everything, but for looking at the exact solution.
    Open,
}

/// Which settings, where the paper's text and its published code differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Preset {
    /// The reading that makes sense: `PAPER.md` lists each choice.
    #[default]
    Default,
    /// The text.
    Paper,
    /// The code.
    Code,
}

macro_rules! named {
    ($type:ident, $($variant:ident = $name:literal),+) => {
        impl $type {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$variant),+];

            /// Its name.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name),+
                }
            }

            /// The one of a name.
            pub fn named(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|v| v.name() == name)
            }
        }
    };
}
named!(Budget, Toy = "toy", Quick = "quick", Full = "full");
named!(Track, Parity = "parity", Trained = "trained", Open = "open");
named!(Preset, Default = "default", Paper = "paper", Code = "code");

/// Everything asked for.
#[derive(Clone, Debug)]
pub struct Asked {
    /// How much is computed.
    pub budget: Budget,
    /// One track, or all.
    pub track: Option<Track>,
    /// Text or code.
    pub preset: Preset,
    /// Seeds of each run, from 0; one in a quick and three in a full budget where nothing is said.
    pub seeds: Option<u64>,
    /// At most so many steps of a trained run; the results then say so.
    pub steps: Option<u64>,
    /// Only runs whose name holds this text.
    pub only: Option<String>,
    /// Further options of `raf solve` for every equation that is trained, such as a weight decay.
    pub with: Vec<(String, String)>,
    /// Where networks are computed.
    pub device: Device,
    /// Threads; no number but the seconds depends on it.
    pub threads: usize,
    /// The folder with the paper's pictures, sounds and video.
    pub data: Option<PathBuf>,
    /// The folder for `RESULTS.md` and `results/`.
    pub out: PathBuf,
}

impl Asked {
    /// A quick budget on one thread, into this folder.
    pub fn quick(out: impl Into<PathBuf>) -> Self {
        Self {
            budget: Budget::Quick,
            track: None,
            preset: Preset::default(),
            seeds: None,
            steps: None,
            only: None,
            with: Vec::new(),
            device: Device::default(),
            threads: 1,
            data: None,
            out: out.into(),
        }
    }

    /// Whether the settings are the usual ones, which names of runs do not mention.
    pub(crate) fn is_plain(&self) -> bool {
        self.preset == Preset::Default && self.with.is_empty()
    }

    /// Whether a track is wanted.
    pub fn wants(&self, track: Track) -> bool {
        self.track.is_none_or(|t| t == track)
    }

    /// The seeds of a run.
    pub(crate) fn seeds(&self) -> std::ops::Range<u64> {
        let usual = if self.budget == Budget::Full { 3 } else { 1 };
        0..self.seeds.unwrap_or(usual)
    }

    /// One of three by the budget.
    pub(crate) fn by_budget<T>(&self, toy: T, quick: T, full: T) -> T {
        match self.budget {
            Budget::Toy => toy,
            Budget::Quick => quick,
            Budget::Full => full,
        }
    }
}
