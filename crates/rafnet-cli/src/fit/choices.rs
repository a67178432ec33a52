//! Options of a fit by their names, over the library's usual ones (`rafnet::fit::Options::usual`).

use crate::choices::Choices;
use crate::output::Failure;
use rafnet::engine::Device;
use rafnet::fit::{Holdout, Kind, Optimiser, Options, Recipe, Supervision};
use rafnet::model::Precision;
use rafnet::optimise::Schedule;
use rafnet::run::Preset;
use std::str::FromStr;

impl Choices {
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

    /// Which settings the others are changes of.
    fn preset(&self) -> Result<Preset, Failure> {
        let name = self.get("preset").unwrap_or(Preset::default().name());
        Preset::named(name).ok_or_else(|| refused("preset", name, "default, paper or code"))
    }

    /// Whether the paper's own settings are wanted.
    pub(super) fn is_paper(&self) -> Result<bool, Failure> {
        Ok(self.preset()? != Preset::Default)
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

    fn schedule(&self, usual: Schedule, steps: u64) -> Result<Schedule, Failure> {
        let name = self.get("schedule").unwrap_or(usual.name());
        let expected = "descents, cosine, step or constant";
        Schedule::named(name, steps).ok_or_else(|| refused("schedule", name, expected))
    }

    fn optimiser(&self, usual: Optimiser) -> Result<Optimiser, Failure> {
        let name = self.get("optimiser").unwrap_or(usual.name());
        let all = [Optimiser::Adam, Optimiser::Muon];
        let known = all.into_iter().find(|o| o.name() == name);
        known.ok_or_else(|| refused("optimiser", name, "adam or muon"))
    }

    fn precision(&self, usual: Precision) -> Result<Precision, Failure> {
        match self.get("precision") {
            None => Ok(usual),
            Some("f32") => Ok(Precision::F32),
            Some("f64") => Ok(Precision::F64),
            Some(other) => Err(refused("precision", other, "f32 or f64")),
        }
    }

    fn device(&self) -> Result<Device, Failure> {
        let name = self.get("device").unwrap_or(Device::default().name());
        let known = crate::threads::named(name);
        known.map_err(|e| refused("device", &e.name, &e.known))
    }

    /// Everything resolved for a signal of so many samples; what decides the bits is written back under its name.
    pub(super) fn resolve(
        &mut self,
        kind: Kind,
        samples: usize,
        threads: usize,
    ) -> Result<Options, Failure> {
        let preset = self.preset()?;
        let name = self.get("activation");
        let name = name.unwrap_or(kind.usual_activation().name()).to_owned();
        let usual = Options::usual(kind, preset, samples).with_recipe(recipe(&name)?);
        self.set("activation", name);
        let steps = self.count("steps", to_count(usual.steps), 1_000_000_000)? as u64;
        // quality in dB, of targets from −1 to 1
        let target = self.read("target", f64::INFINITY, "a number of dB", |v: &f64| {
            !v.is_nan()
        })?;
        let share = |v: &f64| (0.0..=1.0).contains(v);
        let displaced = self.read("displaced", usual.displaced, "a share from 0 to 1", share)?;
        let options = Options {
            width: self.kept("width", self.count("width", usual.width, 8_192)?),
            depth: self.kept("depth", self.count("depth", usual.depth, 100)?),
            steps: self.kept("steps", steps),
            lr: self.kept("lr", self.positive("lr", usual.lr)?),
            schedule: self.schedule(usual.schedule, steps)?,
            optimiser: self.optimiser(usual.optimiser)?,
            displaced: self.kept("displaced", displaced),
            init_scale: self.kept("init-scale", self.positive("init-scale", usual.init_scale)?),
            seed: self.kept(
                "seed",
                self.read("seed", 0, "a whole number from 0", |_| true)?,
            ),
            batch: self.batch(usual.batch)?,
            precision: self.precision(usual.precision)?,
            supervision: self.supervision()?,
            holdout: self.holdout()?,
            target: 4.0 * 10f64.powf(-target / 10.0),
            look: self.count("look", to_count(usual.look), 1_000_000)? as u64,
            time_limit: self.read("time-limit", f64::INFINITY, "a positive number", |v| {
                *v > 0.0
            })?,
            checkpoint: self.positive("checkpoint", usual.checkpoint)?,
            device: self.device()?,
            threads,
            ..usual
        };
        self.set("schedule", options.schedule.name());
        self.set("optimiser", options.optimiser.name());
        self.set("precision", options.precision.name());
        let all = options.batch == usize::MAX;
        let batch = options.batch.to_string();
        self.set("batch", if all { "all".into() } else { batch });
        Ok(options)
    }

    /// The value, written back under its name.
    fn kept<T: std::fmt::Debug>(&mut self, name: &str, value: T) -> T {
        self.set(name, format!("{value:?}"));
        value
    }

    fn batch(&self, usual: usize) -> Result<usize, Failure> {
        match self.get("batch") {
            Some("all") => Ok(usize::MAX),
            _ => self.count("batch", usual, usize::MAX),
        }
    }
}

fn recipe(name: &str) -> Result<Recipe, Failure> {
    let hint = "raf fit image --activation siren, or --activation \"a*sin(b*x) + exp(-abs(x)); b = 30\", or leave it out";
    Recipe::named(name).map_err(|e| Failure::new(e.to_string(), hint))
}

fn to_count(n: u64) -> usize {
    usize::try_from(n).unwrap_or(usize::MAX)
}

fn refused(name: &str, text: &str, expected: &str) -> Failure {
    Failure::new(
        format!("`--{name} {text}` cannot be used: expected {expected}"),
        "see `raf fit --help` for the options",
    )
}
