//! Options as they are asked for: by the problem's file, then by whoever solves it.

use super::{OptionError, Options};
use crate::engine::Devices;
use crate::problem::{Problem, SolverOption};

impl Options {
    /// What the problem's file asks for in `[solver]` and `[network]`, then what else is given, as names and texts; the devices are those that can be named.
    /// With a number of steps there is no limit on time, unless one is asked for.
    ///
    /// ```
    /// use rafnet::{Problem, engine::Devices, solve::Options};
    /// let problem = Problem::builtin("poisson-smooth")?;
    /// let options = Options::asked(&problem, &[("method", "adam"), ("steps", "100")], Devices::default())?;
    /// assert!(options.steps == Some(100) && options.time_limit.is_infinite());
    /// let useless = Options::asked(&problem, &[("method", "lsq"), ("steps", "100")], Devices::default());
    /// assert_eq!(useless.unwrap_err().to_string(), "`steps = 100` does nothing with the method `lsq`");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`OptionError`] names the option: one that cannot be used, or that the method has no use for.
    pub fn asked(
        problem: &Problem,
        given: &[(&str, &str)],
        devices: Devices,
    ) -> Result<Self, OptionError> {
        let mut options = Self {
            devices,
            ..Self::default()
        };
        let in_file = problem.options.iter().filter(|(name, _)| name != "out");
        for (name, text) in in_file.clone() {
            let set = options.set(name, text);
            set.map_err(OptionError::in_file)?;
        }
        for (name, text) in given {
            options.set(name, text)?;
        }
        for (name, text) in given {
            options.check_use(name, text)?;
        }
        options.file_is_read = true;
        let names = given.iter().map(|(name, _)| *name);
        options.without_limit(names.chain(in_file.map(|(name, _)| &**name)));
        Ok(options)
    }

    /// These options, and where one of them is what leaving it out would be, what the problem's file asks for.
    pub(in crate::solve) fn over_file(&self, problem: &Problem) -> Result<Self, OptionError> {
        let mut all = self.clone();
        if self.file_is_read {
            return Ok(all);
        }
        let left_out = Self::default();
        let usual = left_out.listed();
        let own = self.listed().into_iter().filter(|o| !usual.contains(o));
        let mut own: Vec<&str> = own.map(|(name, _)| name).collect();
        own.extend((self.threads != left_out.threads).then_some("threads"));
        let seldom = self.checkpoint.to_bits() != left_out.checkpoint.to_bits();
        own.extend(seldom.then_some("checkpoint"));
        let in_file = problem.options.iter().filter(|(name, _)| name != "out");
        for (name, text) in in_file.clone() {
            if !own.contains(&&**name) {
                let set = all.set(name, text);
                set.map_err(OptionError::in_file)?;
            }
        }
        all.without_limit(own.into_iter().chain(in_file.map(|(name, _)| &**name)));
        Ok(all)
    }

    /// No limit on time with a number of steps, unless a limit is among what is asked for.
    fn without_limit<'a>(&mut self, mut asked: impl Iterator<Item = &'a str>) {
        let is_limit = |name: &str| ["time_limit", "time-limit"].contains(&name);
        if self.steps.is_some() && !asked.any(is_limit) {
            self.time_limit = f64::INFINITY;
        }
    }

    /// Refuses an option that the method has no use for: it would be ignored.
    fn check_use(&self, name: &str, text: &str) -> Result<(), OptionError> {
        let method = self.method.name();
        match SolverOption::named(name) {
            Some(option) if !option.methods.contains(&method) => Err(OptionError::Useless {
                name: name.to_owned(),
                found: text.to_owned(),
                method,
                methods: option.methods,
            }),
            _ => Ok(()),
        }
    }
}
