//! Options of a fit, by their names, resolved with a preset.
//!
//! | option | image | audio | video | table | `paper`, `code` |
//! |---|---|---|---|---|---|
//! | `activation` | psg | sine-gaussian | sine-gaussian | tanh | the same |
//! | `width` | 256 | 256 | 256 | 64 | 256, video 400 |
//! | `depth` | 4 | 4 | 4 | 3 | 4 |
//! | `steps` | 750, of large pictures 1,200 | 2,000 | 2,000 | 5,000 | 2,000, video 100,000 |
//! | `batch` | 65,536 | 32,768 | 32,768 | 1,024 | all, video 165,376 |
//! | `lr` | 3e-4 | 3e-4 | 3e-4 | 5e-3 | 1e-4 |
//! | `schedule` | descents, of large pictures cosine | cosine | cosine | cosine | cosine |
//! | `optimiser` | muon | adam | adam | adam | adam |
//! | `displaced` | 0.3 | 0 | 0 | 0 | 0 |
//! | `precision` | f32 | f32 | f32 | f64 | f32 |
//! | `size`, grey | the file's own (the sample: 256x256, grey) | | | | 256x256, grey |

use crate::output::Failure;
use rafnet::activation::{Set, UnknownSet};
use rafnet::engine::Device;
use rafnet::fit::{Holdout, Kind, Optimiser, Options, Supervision};
use rafnet::model::Precision;
use rafnet::optimise::Schedule;
use std::str::FromStr;

/// Names with texts, as the command line and `config.toml` write them.
#[derive(Clone, Debug, Default)]
pub(super) struct Choices(pub(super) Vec<(String, String)>);

/// Pictures up to this many trained pixels are seen whole at every step, and may be met bit for bit.
const WHOLE: usize = 65_536;

/// A network with a name that is more than its activation.
struct Recipe {
    name: &'static str,
    /// The activation, by its name or as a text.
    activation: &'static str,
    /// A factor on the hidden weights at the start.
    init_scale: f64,
    /// Frozen Fourier features in the first layer, their weights of this deviation.
    fourier: Option<f64>,
    /// The frequency that a text's weights are made for.
    frequency: f64,
}

/// `siren-scaled` starts from hidden weights 2.5 times as large: it memorises. FINER (Liu et al. 2024) and WIRE (Saragadam et al. 2023, here
/// its real part) are texts. Fourier features (Tancik et al. 2020) have deviation 10 over [0, 1], that is 10π over [−1, 1].
const RECIPES: [Recipe; 4] = [
    Recipe {
        name: "siren-scaled",
        activation: "siren",
        init_scale: 2.5,
        fourier: None,
        frequency: 30.0,
    },
    Recipe {
        name: "finer",
        activation: "sin(30*(abs(x) + 1)*x)",
        init_scale: 1.0,
        fourier: None,
        frequency: 30.0,
    },
    Recipe {
        name: "wire",
        activation: "cos(20*x)*exp(-(10*x)^2)",
        init_scale: 1.0,
        fourier: None,
        frequency: 20.0,
    },
    Recipe {
        name: "fourier",
        activation: "relu",
        init_scale: 1.0,
        fourier: Some(10.0 * std::f64::consts::PI),
        frequency: 30.0,
    },
];

impl Choices {
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        let found = self.0.iter().rev().find(|(n, _)| n == name);
        found.map(|(_, text)| text.as_str())
    }

    pub(super) fn set(&mut self, name: &str, text: impl Into<String>) {
        self.0.retain(|(n, _)| n != name);
        self.0.push((name.to_owned(), text.into()));
    }

    fn read<T: FromStr>(
        &self,
        name: &str,
        usual: T,
        expected: &str,
        allowed: impl Fn(&T) -> bool,
    ) -> Result<T, Failure> {
        let Some(text) = self.get(name) else {
            return Ok(usual);
        };
        let value = text.trim().parse::<T>().ok().filter(|v| allowed(v));
        value.ok_or_else(|| refused(name, text, expected))
    }

    fn count(&self, name: &str, usual: usize, most: usize) -> Result<usize, Failure> {
        let expected = format!("a whole number from 1 to {most}");
        self.read(name, usual, &expected, |n| (1..=most).contains(n))
    }

    fn positive(&self, name: &str, usual: f64) -> Result<f64, Failure> {
        self.read(name, usual, "a positive number", |v: &f64| {
            v.is_finite() && *v > 0.0
        })
    }

    /// Whether the paper's own settings are wanted.
    pub(super) fn is_paper(&self) -> Result<bool, Failure> {
        match self.get("preset") {
            None | Some("default") => Ok(false),
            Some("paper" | "code") => Ok(true),
            Some(other) => Err(refused("preset", other, "default, paper or code")),
        }
    }

    /// WIDTHxHEIGHT.
    pub(super) fn size(&self) -> Result<Option<[usize; 2]>, Failure> {
        let Some(text) = self.get("size") else {
            return Ok(None);
        };
        let sides = text.split_once('x');
        let side = |s: &str| {
            s.trim()
                .parse::<usize>()
                .ok()
                .filter(|n| (1..=65_535).contains(n))
        };
        let size = sides.and_then(|(w, h)| Some([side(w)?, side(h)?]));
        size.map(Some)
            .ok_or_else(|| refused("size", text, "WIDTHxHEIGHT, for example 256x256"))
    }

    pub(super) fn supervision(&self) -> Result<Supervision, Failure> {
        let all = [
            Supervision::Value,
            Supervision::Gradient,
            Supervision::Laplacian,
        ];
        let text = self.get("supervise").unwrap_or("value");
        let known = all.into_iter().find(|s| s.name() == text);
        known.ok_or_else(|| refused("supervise", text, "value, gradient or laplacian"))
    }

    fn holdout(&self) -> Result<Holdout, Failure> {
        let Some(text) = self.get("holdout") else {
            return Ok(Holdout::None);
        };
        let parsed = match text.split_once(':') {
            Some(("grid", k)) => k
                .parse()
                .ok()
                .filter(|k| (2..=64).contains(k))
                .map(Holdout::Grid),
            Some(("random", share)) => share
                .parse()
                .ok()
                .filter(|s| *s > 0.0 && *s < 1.0)
                .map(Holdout::Random),
            _ if text == "none" => Some(Holdout::None),
            _ => None,
        };
        parsed.ok_or_else(|| refused("holdout", text, "grid:2 (every second sample along each axis is trained on) or random:0.2 (a fifth is kept)"))
    }

    /// Everything resolved for a signal of so many samples, and written back under its name.
    pub(super) fn resolve(
        &mut self,
        kind: Kind,
        samples: usize,
        threads: usize,
    ) -> Result<Options, Failure> {
        let paper = self.is_paper()?;
        let (usual, width, depth) = match kind {
            Kind::Image => (Set::Psg, 256, 4),
            Kind::Audio => (Set::SineGaussian, 256, 4),
            Kind::Video => (Set::SineGaussian, if paper { 400 } else { 256 }, 4),
            Kind::Table => (Set::Tanh, 64, 3),
        };
        let (steps, batch, lr) = match kind {
            Kind::Video if paper => (100_000, 165_376, 1e-4),
            _ if paper => (2_000, usize::MAX, 1e-4),
            Kind::Image if samples > WHOLE => (1_200, WHOLE, 3e-4),
            Kind::Image => (750, WHOLE, 3e-4),
            Kind::Audio | Kind::Video => (2_000, 32_768, 3e-4),
            Kind::Table => (5_000, 1_024, 5e-3),
        };
        let name = self.get("activation").unwrap_or(usual.name()).to_owned();
        let recipe = RECIPES.iter().find(|r| r.name == name);
        let activation = activation(recipe.map_or(&name, |r| r.activation))?;
        let steps = self.count("steps", steps, 1_000_000_000)? as u64;
        let image = kind == Kind::Image && !paper;
        let small = image && samples <= WHOLE;
        let usual_schedule = if small { "descents" } else { "cosine" };
        let schedule_name = self.get("schedule").unwrap_or(usual_schedule);
        let schedule = Schedule::named(schedule_name, steps).ok_or_else(|| {
            refused(
                "schedule",
                schedule_name,
                "descents, cosine, step or constant",
            )
        })?;
        let all = [Optimiser::Adam, Optimiser::Muon];
        let usual_optimiser = if image { "muon" } else { "adam" };
        let optimiser = self.get("optimiser").unwrap_or(usual_optimiser);
        let known = all.into_iter().find(|o| o.name() == optimiser);
        let optimiser = known.ok_or_else(|| refused("optimiser", optimiser, "adam or muon"))?;
        let usual_displaced = if image { 0.3 } else { 0.0 };
        let usual_precision = if kind == Kind::Table { "f64" } else { "f32" };
        let precision = match self.get("precision").unwrap_or(usual_precision) {
            "f32" => Precision::F32,
            "f64" => Precision::F64,
            other => return Err(refused("precision", other, "f32 or f64")),
        };
        let device = self.get("device").unwrap_or(Device::default().name());
        let device = device
            .parse::<Device>()
            .map_err(|e| refused("device", &e.name, "cpu or reference"))?;
        let batch = match self.get("batch") {
            Some("all") => usize::MAX,
            _ => self.count("batch", batch, usize::MAX)?,
        };
        // quality in dB, of targets from −1 to 1
        let target = self.read("target", f64::INFINITY, "a number of dB", |v: &f64| {
            !v.is_nan()
        })?;
        let options = Options {
            kind,
            activation,
            fourier: recipe.and_then(|r| r.fourier),
            frequency: match (recipe, activation) {
                (None, Set::Text(text)) => text.frequency(),
                (recipe, _) => recipe.map_or(30.0, |r| r.frequency),
            },
            width: self.count("width", width, 8_192)?,
            depth: self.count("depth", depth, 100)?,
            init_scale: self.positive("init-scale", recipe.map_or(1.0, |r| r.init_scale))?,
            first_scale: 1.0,
            supervision: self.supervision()?,
            batch,
            holdout: self.holdout()?,
            displaced: self.read("displaced", usual_displaced, "a share from 0 to 1", |v| {
                (0.0..=1.0).contains(v)
            })?,
            optimiser,
            steps,
            lr: self.positive("lr", lr)?,
            schedule,
            precision,
            seed: self.read("seed", 0, "a whole number from 0", |_| true)?,
            target: 4.0 * 10f64.powf(-target / 10.0),
            tolerance: 0.0,
            look: self.count("look", 50, 1_000_000)? as u64,
            time_limit: self.read("time-limit", f64::INFINITY, "a positive number", |v| {
                *v > 0.0
            })?,
            checkpoint: self.positive("checkpoint", 5.0)?,
            device,
            threads,
        };
        self.set("activation", name);
        self.set("width", options.width.to_string());
        self.set("depth", options.depth.to_string());
        self.set("steps", options.steps.to_string());
        self.set("lr", format!("{:?}", options.lr));
        self.set("schedule", options.schedule.name());
        self.set("optimiser", options.optimiser.name());
        self.set("displaced", format!("{:?}", options.displaced));
        self.set("init-scale", format!("{:?}", options.init_scale));
        self.set("seed", options.seed.to_string());
        let all = options.batch == usize::MAX;
        self.set(
            "batch",
            if all {
                "all".into()
            } else {
                options.batch.to_string()
            },
        );
        let f32 = options.precision == Precision::F32;
        self.set("precision", if f32 { "f32" } else { "f64" });
        Ok(options)
    }
}

fn activation(text: &str) -> Result<Set, Failure> {
    text.parse::<Set>().map_err(|e| {
        let message = match e {
            UnknownSet::Name { name } => {
                let recipes = RECIPES.iter().map(|r| r.name);
                let known: Vec<&str> = recipes.chain(Set::ALL.into_iter().map(Set::name)).collect();
                let known = known.join(", ");
                format!("unknown activation `{name}`; known: {known}, or a text in x such as a*sin(b*x)")
            }
            other => other.to_string(),
        };
        Failure::new(
            message,
            "raf fit image --activation siren, or --activation \"a*sin(b*x) + exp(-abs(x)); b = 30\", or leave it out",
        )
    })
}

fn refused(name: &str, text: &str, expected: &str) -> Failure {
    Failure::new(
        format!("`--{name} {text}` cannot be used: expected {expected}"),
        "see `raf fit --help` for the options",
    )
}
