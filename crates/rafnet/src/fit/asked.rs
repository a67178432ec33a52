//! Options of a fit by their names and texts, over the usual ones: what a command line, a file or another language asks for.

use super::option::Given;
use super::{FitOption, Holdout, Kind, Optimiser, OptionError, Options, Recipe, Supervision};
use crate::engine::{Devices, MOST_THREADS};
use crate::model::Precision;
use crate::optimise::Schedule;
use crate::run::Preset;
use std::str::FromStr;

const PRECISIONS: [Precision; 2] = [Precision::F32, Precision::F64];
const SCHEDULES: &str = "descents, cosine, step or constant";
const HOLDOUTS: &str =
    "grid:2 (every second sample along each axis is trained on) or random:0.2 (a fifth is kept)";

impl Given<'_> {
    fn number<T: FromStr>(
        self,
        name: &'static str,
        usual: T,
        expected: &str,
        allowed: impl Fn(&T) -> bool,
    ) -> Result<T, OptionError> {
        self.read(name, usual, expected, |text| {
            text.trim().parse::<T>().ok().filter(allowed)
        })
    }

    fn count(self, name: &'static str, usual: usize, most: usize) -> Result<usize, OptionError> {
        let expected = format!("a whole number from 1 to {most}");
        self.number(name, usual, &expected, |n| (1..=most).contains(n))
    }

    fn positive(self, name: &'static str, usual: f64) -> Result<f64, OptionError> {
        self.number(name, usual, "a positive number", |v: &f64| {
            v.is_finite() && *v > 0.0
        })
    }

    /// One of several by its name.
    fn one_of<T: Copy>(
        self,
        name: &'static str,
        usual: T,
        all: &[T],
        called: impl Fn(T) -> &'static str,
    ) -> Result<T, OptionError> {
        let names: Vec<&str> = all.iter().map(|one| called(*one)).collect();
        let (last, others) = names.split_last().unwrap_or((&"", &[]));
        let expected = format!("{} or {last}", others.join(", "));
        let find = |text: &str| names.iter().position(|name| *name == text).map(|k| all[k]);
        self.read(name, usual, &expected, find)
    }

    /// Which settings the others are changes of.
    pub(super) fn preset(self) -> Result<Preset, OptionError> {
        let usual = Preset::default();
        self.read("preset", usual, "default, paper or code", Preset::named)
    }
}

/// `grid:K`, `random:S` or `none`.
fn holdout(text: &str) -> Option<Holdout> {
    match text.split_once(':') {
        Some(("grid", k)) => {
            let k = k.parse().ok().filter(|k| (2..=64).contains(k));
            k.map(Holdout::Grid)
        }
        Some(("random", share)) => {
            let share = share.parse().ok().filter(|s| *s > 0.0 && *s < 1.0);
            share.map(Holdout::Random)
        }
        _ => (text == "none").then_some(Holdout::None),
    }
}

impl Options {
    /// The usual options for a signal of so many samples, and over them what is asked for, as names and texts: those of
    /// [`FIT_OPTIONS`](super::FIT_OPTIONS), and `threads` (0, or none, takes one for each core); the devices are those that can be named.
    ///
    /// ```
    /// use rafnet::{engine::Devices, fit::{Kind, Options}};
    /// let asked = |given: &[(&str, &str)]| Options::asked(Kind::Audio, 32_000, given, &Devices::default());
    /// assert_eq!(asked(&[("steps", "100"), ("holdout", "grid:2")])?.steps, 100);
    /// let refused = |given| asked(given).unwrap_err().to_string();
    /// assert_eq!(refused(&[("steps", "many")]), "`steps = many` cannot be used: expected a whole number from 1 to 1000000000");
    /// assert_eq!(refused(&[("inputs", "x")]), "`inputs = x` names the input columns of a table, and this is a sound");
    /// # Ok::<(), rafnet::fit::OptionError>(())
    /// ```
    ///
    /// # Errors
    /// [`OptionError`] names the option: one that is not known, cannot be used, or means nothing for this kind of signal.
    pub fn asked(
        kind: Kind,
        samples: usize,
        given: &[(&str, &str)],
        devices: &Devices,
    ) -> Result<Self, OptionError> {
        FitOption::check(kind, false, given)?;
        let given = Given(given);
        let preset = given.preset()?;
        let activation = given.get("activation");
        let recipe = Recipe::named(activation.unwrap_or(kind.usual_activation().name()))?;
        let usual = Self::usual(kind, preset, samples).with_recipe(recipe);
        let steps = given.count("steps", to_count(usual.steps), 1_000_000_000)? as u64;
        // quality in dB, of targets from −1 to 1
        let no_target = f64::INFINITY;
        let target = given.number("target", no_target, "a number of dB", |v: &f64| !v.is_nan())?;
        let share = |v: &f64| (0.0..=1.0).contains(v);
        let displaced = given.number("displaced", usual.displaced, "a share from 0 to 1", share)?;
        let whole = "a whole number from 0";
        let few = format!("{whole} to {MOST_THREADS}");
        let threads = given.number("threads", 0, &few, |n| *n <= MOST_THREADS)?;
        let schedule = Schedule::named(usual.schedule.name(), steps).unwrap_or(usual.schedule);
        let above_zero = "a positive number";
        let device = |name: &str| devices.named(name).ok();
        Ok(Self {
            width: given.count("width", usual.width, 8_192)?,
            depth: given.count("depth", usual.depth, 100)?,
            steps,
            lr: given.positive("lr", usual.lr)?,
            schedule: given.read("schedule", schedule, SCHEDULES, |n| {
                Schedule::named(n, steps)
            })?,
            optimiser: given.one_of(
                "optimiser",
                usual.optimiser,
                &Optimiser::ALL,
                Optimiser::name,
            )?,
            displaced,
            init_scale: given.positive("init-scale", usual.init_scale)?,
            seed: given.number("seed", 0, whole, |_| true)?,
            batch: match given.get("batch") {
                Some("all") => usize::MAX,
                _ => given.count("batch", usual.batch, usize::MAX)?,
            },
            precision: given.one_of("precision", usual.precision, &PRECISIONS, Precision::name)?,
            supervision: given.one_of(
                "supervise",
                usual.supervision,
                &Supervision::ALL,
                Supervision::name,
            )?,
            holdout: given.read("holdout", usual.holdout, HOLDOUTS, holdout)?,
            target: 4.0 * 10f64.powf(-target / 10.0),
            look: given.count("look", to_count(usual.look), 1_000_000)? as u64,
            time_limit: given.number("time-limit", usual.time_limit, above_zero, |v| *v > 0.0)?,
            checkpoint: given.positive("checkpoint", usual.checkpoint)?,
            device: given.read("device", usual.device, &devices.names(), device)?,
            threads: match threads {
                0 => std::thread::available_parallelism().map_or(1, usize::from),
                n => n,
            },
            ..usual
        })
    }

    /// What decides the bits and is not always the same where it is left out, as names and texts that [`asked`](Self::asked) takes; the network stays
    /// called as it was.
    pub fn listed(&self) -> [(&'static str, String); 11] {
        let batch = match self.batch {
            usize::MAX => "all".to_owned(),
            n => n.to_string(),
        };
        [
            ("width", self.width.to_string()),
            ("depth", self.depth.to_string()),
            ("steps", self.steps.to_string()),
            ("lr", format!("{:?}", self.lr)),
            ("displaced", format!("{:?}", self.displaced)),
            ("init-scale", format!("{:?}", self.init_scale)),
            ("seed", self.seed.to_string()),
            ("schedule", self.schedule.name().into()),
            ("optimiser", self.optimiser.name().into()),
            ("precision", self.precision.name().into()),
            ("batch", batch),
        ]
    }
}

fn to_count(n: u64) -> usize {
    usize::try_from(n).unwrap_or(usize::MAX)
}
