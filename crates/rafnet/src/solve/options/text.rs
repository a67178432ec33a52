//! Options by their names and texts, as files and the command line write them.

use super::{OptionError, Options};
use crate::activation::Set;
use crate::basis::Text;
use crate::engine::{Device, MOST_THREADS};
use crate::optimise::Schedule;
use crate::run::Preset;
use crate::solve::method::Method;
use crate::solve::paper_options::{Mode, Resnet, Sharing};
use std::fmt;
use std::str::FromStr;

impl Options {
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
        let given = Given { name: &name, text };
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "whole numbers below 1e15"
        )]
        match name.as_str() {
            "method" => {
                let known = Method::ALL.into_iter().find(|m| m.name() == text);
                self.method = given.known(known, "auto, lsq, pieces, lm, lbfgs, adam or bsde")?;
            }
            "preset" => self.preset = given.known(Preset::named(text), "default, paper or code")?,
            "activation" => self.activation = given.activations()?,
            "width" => self.width = Some(given.count()? as usize),
            "pieces" => self.pieces = Some(given.count()? as usize),
            "slabs" => self.slabs = Some(given.count()? as usize),
            "depth" => self.depth = Some(given.count()? as usize),
            "steps" => self.steps = Some(given.count()? as u64),
            "points" => self.points = Some(given.count()? as usize),
            "boundary_points" => self.boundary_points = Some(given.count()? as usize),
            "lr" => self.lr = Some(given.positive()?),
            "schedule" => {
                let known = Schedule::named(text, 1).map(|s| s.name().to_owned());
                self.schedule = Some(given.known(known, "step, cosine or constant")?);
            }
            "init_scale" => self.init_scale = Some(given.positive()?),
            "gaussian_width" => self.gaussian_width = Some(given.positive()?),
            "weight_decay" => {
                let decay = number::<f64>(text).filter(|v| v.is_finite() && *v >= 0.0);
                self.weight_decay = Some(given.known(decay, "a number from 0")?);
            }
            "resnet" => self.resnet = given.known(Resnet::named(text), "code or printed")?,
            "sharing" => self.sharing = given.known(Sharing::named(text), "code or even")?,
            "mode" => self.mode = given.known(Mode::named(text), "consistent or gradient")?,
            "target" => self.target = Some(given.positive()?),
            "time_limit" => self.time_limit = given.seconds()?,
            "checkpoint" => self.checkpoint = given.positive()?,
            "seed" => self.seed = given.known(number(text), "a whole number from 0")?,
            "threads" => {
                let threads = number::<usize>(text).filter(|n| *n <= MOST_THREADS);
                let expected = format!("a whole number from 0 to {MOST_THREADS}");
                self.threads = given.known(threads, &expected)?;
            }
            "precision" if text == "f64" => {}
            "precision" => {
                return Err(given.refused("f64: equations are solved in double precision"));
            }
            "device" => {
                let named = self.devices.named(text);
                self.device = given.known(named.ok(), &self.devices.names())?;
            }
            _ => return Err(given.refused("an option that `raf solve --help` names")),
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
            ("time_limit", format!("{:?}", self.time_limit)),
        ];
        listed.extend(self.target.map(|v| ("target", format!("{v:?}"))));
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
}

/// The text of an option, to be read.
struct Given<'a> {
    name: &'a str,
    text: &'a str,
}

impl Given<'_> {
    fn refused(&self, expected: &str) -> OptionError {
        OptionError::Unusable {
            name: self.name.into(),
            found: self.text.into(),
            expected: expected.into(),
        }
    }

    /// What was read, if it could be.
    fn known<T>(&self, read: Option<T>, expected: &str) -> Result<T, OptionError> {
        read.ok_or_else(|| self.refused(expected))
    }

    fn count(&self) -> Result<f64, OptionError> {
        let whole = |n: &f64| n.fract() == 0.0 && *n >= 1.0 && *n < 1e15;
        self.known(number(self.text).filter(whole), "a whole number from 1")
    }

    fn positive(&self) -> Result<f64, OptionError> {
        self.above_zero("a positive number")
    }

    fn seconds(&self) -> Result<f64, OptionError> {
        self.above_zero("seconds, as a positive number")
    }

    fn above_zero(&self, expected: &str) -> Result<f64, OptionError> {
        let positive = |v: &f64| v.is_finite() && *v > 0.0;
        self.known(number(self.text).filter(positive), expected)
    }

    /// Names separated by commas, one for each layer, or one text in x, which may have commas of its own.
    fn activations(&self) -> Result<Vec<Set>, OptionError> {
        let parts: Vec<&str> = match self.text.split(',').map(str::trim) {
            parts if parts.clone().any(Text::is_meant) => vec![self.text],
            parts => parts.collect(),
        };
        let sets = parts.into_iter().map(str::parse::<Set>);
        let sets = sets.collect::<Result<Vec<Set>, _>>();
        sets.map_err(|e| self.refused(&format!("an activation or a text in x: {e}")))
    }
}

fn number<T: FromStr>(text: &str) -> Option<T> {
    text.trim().parse().ok()
}
