//! What a user may choose, by the names of the command line and of `[network]` and `[solver]`.

use super::paper_options::{Mode, Resnet, Sharing};
use super::preset::Preset;
use crate::activation::Set;
use crate::basis::Text;
use crate::engine::{Device, MOST_THREADS};
use crate::optimise::Schedule;
use std::fmt;
use std::str::FromStr;

/// How to solve.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// `lsq` first; where it stalls, `lm` from there.
    #[default]
    Auto,
    /// Frozen features, the output layer solved exactly.
    Lsq,
    /// Many small frozen layers on boxes and time slabs, joined by rows.
    Pieces,
    /// Levenberg–Marquardt on every weight.
    Lm,
    /// L-BFGS with a strong-Wolfe search on every weight.
    Lbfgs,
    /// Adam with fresh points each step, as in the paper.
    Adam,
    /// Two networks along random paths: the paper's way to eigenvalues.
    Bsde,
}

impl Method {
    /// Every method.
    pub const ALL: [Self; 7] = [
        Self::Auto,
        Self::Lsq,
        Self::Pieces,
        Self::Lm,
        Self::Lbfgs,
        Self::Adam,
        Self::Bsde,
    ];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Lsq => "lsq",
            Self::Pieces => "pieces",
            Self::Lm => "lm",
            Self::Lbfgs => "lbfgs",
            Self::Adam => "adam",
            Self::Bsde => "bsde",
        }
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

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
    /// Held-out residual, relative to its own terms, at which a run ends.
    pub target: f64,
    /// Seconds after which the best so far is returned.
    pub time_limit: f64,
    /// Seconds between checkpoints of a trained run.
    pub checkpoint: f64,
    /// Where networks are computed.
    pub device: Device,
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
            target: Self::USUAL_TARGET,
            time_limit: 300.0,
            checkpoint: 5.0,
            device: Device::default(),
            threads: 0,
        }
    }
}

/// An option that cannot be taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{name} = {found}` cannot be used: expected {expected}")]
pub struct OptionError {
    /// Which.
    pub name: String,
    /// What was given.
    pub found: String,
    /// What would do.
    pub expected: String,
}

impl Options {
    /// The target of those who ask for none.
    pub const USUAL_TARGET: f64 = 1e-12;

    /// Whether a target was asked for.
    pub(super) fn asks_for_target(&self) -> bool {
        self.target != Self::USUAL_TARGET
    }

    /// Sets an option by its name and text, as files and the command line write it.
    ///
    /// ```
    /// use rafnet::solve::{Method, Options};
    /// let mut options = Options::default();
    /// options.set("method", "lm")?;
    /// options.set("init-scale", "1.5")?;
    /// assert_eq!((options.method, options.init_scale), (Method::Lm, Some(1.5)));
    /// assert!(options.set("width", "many").is_err());
    /// # Ok::<(), rafnet::solve::OptionError>(())
    /// ```
    ///
    /// # Errors
    /// [`OptionError`] says what would do.
    pub fn set(&mut self, name: &str, text: &str) -> Result<(), OptionError> {
        let name = name.replace('-', "_");
        let refused = |expected: &str| OptionError {
            name: name.clone(),
            found: text.into(),
            expected: expected.into(),
        };
        let count = || number::<f64>(text).filter(|n| n.fract() == 0.0 && *n >= 1.0 && *n < 1e15);
        let count = || count().ok_or_else(|| refused("a whole number from 1"));
        let positive = || {
            let value = number::<f64>(text).filter(|v| v.is_finite() && *v > 0.0);
            value.ok_or_else(|| refused("a positive number"))
        };
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "whole numbers below 1e15"
        )]
        match name.as_str() {
            "method" => {
                let known = Method::ALL.iter().find(|m| m.name() == text);
                self.method =
                    *known.ok_or_else(|| refused("auto, lsq, pieces, lm, lbfgs, adam or bsde"))?;
            }
            "preset" => {
                self.preset =
                    Preset::named(text).ok_or_else(|| refused("default, paper or code"))?;
            }
            "activation" => {
                // names separated by commas, one for each layer, or one text in x, which may have commas of its own
                let parts: Vec<&str> = match text.split(',').map(str::trim) {
                    parts if parts.clone().any(Text::is_meant) => vec![text],
                    parts => parts.collect(),
                };
                let sets = parts.into_iter().map(str::parse::<Set>);
                let sets = sets.collect::<Result<Vec<Set>, _>>();
                self.activation =
                    sets.map_err(|e| refused(&format!("an activation or a text in x: {e}")))?;
            }
            "width" => self.width = Some(count()? as usize),
            "pieces" => self.pieces = Some(count()? as usize),
            "slabs" => self.slabs = Some(count()? as usize),
            "depth" => self.depth = Some(count()? as usize),
            "steps" => self.steps = Some(count()? as u64),
            "points" => self.points = Some(count()? as usize),
            "boundary_points" => self.boundary_points = Some(count()? as usize),
            "lr" => self.lr = Some(positive()?),
            "schedule" => {
                let known = Schedule::named(text, 1).map(|s| s.name().to_owned());
                self.schedule = Some(known.ok_or_else(|| refused("step, cosine or constant"))?);
            }
            "init_scale" => self.init_scale = Some(positive()?),
            "gaussian_width" => self.gaussian_width = Some(positive()?),
            "weight_decay" => {
                let decay = number::<f64>(text).filter(|v| v.is_finite() && *v >= 0.0);
                self.weight_decay = Some(decay.ok_or_else(|| refused("a number from 0"))?);
            }
            "resnet" => {
                self.resnet = Resnet::named(text).ok_or_else(|| refused("code or printed"))?;
            }
            "sharing" => {
                self.sharing = Sharing::named(text).ok_or_else(|| refused("code or even"))?;
            }
            "mode" => {
                self.mode = Mode::named(text).ok_or_else(|| refused("consistent or gradient"))?;
            }
            "target" => self.target = positive()?,
            "time_limit" => self.time_limit = positive()?,
            "checkpoint" => self.checkpoint = positive()?,
            "seed" => {
                let seed = number::<u64>(text);
                self.seed = seed.ok_or_else(|| refused("a whole number from 0"))?;
            }
            "threads" => {
                let threads = number::<usize>(text).filter(|n| *n <= MOST_THREADS);
                let expected = format!("a whole number from 0 to {MOST_THREADS}");
                self.threads = threads.ok_or_else(|| refused(&expected))?;
            }
            "precision" if text == "f64" => {}
            "precision" => return Err(refused("f64: equations are solved in double precision")),
            "device" => {
                let known = text.parse::<Device>();
                self.device = known.map_err(|_| refused("cpu or reference"))?;
            }
            _ => return Err(refused("an option that `raf solve --help` names")),
        }
        Ok(())
    }

    /// Every option that differs from leaving it out, and the seed, as names and texts that [`set`](Self::set) takes.
    pub fn listed(&self) -> Vec<(&'static str, String)> {
        let text = |value: &dyn fmt::Display| value.to_string();
        let mut listed = vec![
            ("method", text(&self.method)),
            ("preset", text(&self.preset.name())),
            ("seed", text(&self.seed)),
            ("target", format!("{:?}", self.target)),
            ("time_limit", format!("{:?}", self.time_limit)),
        ];
        if !self.activation.is_empty() {
            let names: Vec<String> = self.activation.iter().map(|set| set.to_string()).collect();
            listed.push(("activation", names.join(",")));
        }
        let sizes = [
            ("width", self.width),
            ("pieces", self.pieces),
            ("slabs", self.slabs),
            ("depth", self.depth),
            ("points", self.points),
            ("boundary_points", self.boundary_points),
        ];
        listed.extend(
            sizes
                .iter()
                .filter_map(|(name, v)| v.map(|v| (*name, text(&v)))),
        );
        listed.extend(self.steps.map(|v| ("steps", text(&v))));
        listed.extend(self.lr.map(|v| ("lr", format!("{v:?}"))));
        listed.extend(self.schedule.clone().map(|name| ("schedule", name)));
        listed.extend(self.init_scale.map(|v| ("init_scale", format!("{v:?}"))));
        let numbers = [
            ("gaussian_width", self.gaussian_width),
            ("weight_decay", self.weight_decay),
        ];
        listed.extend(
            numbers
                .iter()
                .filter_map(|(name, v)| v.map(|v| (*name, format!("{v:?}")))),
        );
        if self.resnet != Resnet::default() {
            listed.push(("resnet", self.resnet.name().into()));
        }
        if self.sharing != Sharing::default() {
            listed.push(("sharing", self.sharing.name().into()));
        }
        if self.mode != Mode::default() {
            listed.push(("mode", self.mode.name().into()));
        }
        if self.device != Device::default() {
            listed.push(("device", text(&self.device)));
        }
        listed
    }

    /// How many threads that is here.
    pub fn threads(&self) -> usize {
        match self.threads {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            n => n,
        }
    }
}

fn number<T: FromStr>(text: &str) -> Option<T> {
    text.trim().parse().ok()
}
