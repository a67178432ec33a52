//! `config.toml`: everything resolved, so that the same run can be made again, to the same bits unless the clock ends it.

use super::choices::Choices;
use super::task::Task;
use super::{name_of, named};
use crate::output::Failure;
use rafnet::fit::Kind;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

impl Task {
    /// Everything resolved: `raf fit config.toml` runs it again, to the same bits unless the clock ends it.
    pub(super) fn config(&self) -> String {
        let mut text = format!("kind = \"{}\"\n", name_of(self.kind));
        if let Some(path) = &self.path {
            let absolute = std::path::absolute(path).unwrap_or_else(|_| path.clone());
            let _ = writeln!(
                text,
                "path = {}",
                toml::Value::from(absolute.display().to_string())
            );
        }
        let _ = writeln!(text, "\n[fit]");
        for (name, value) in &self.choices.0 {
            let _ = writeln!(
                text,
                "{} = {}",
                name.replace('-', "_"),
                toml::Value::from(value.as_str())
            );
        }
        text
    }
}

/// A remark on a run that the clock ended.
pub(super) fn by_the_clock(steps: u64, limit: f64) -> String {
    format!(
        "# the clock ended this run after step {steps} (time_limit = {limit:?}): run again, it may end elsewhere\n\
         # `raf fit --resume` with a longer `--time-limit` goes on with it\n"
    )
}

/// What [`Task::config`] wrote.
pub(super) fn read(path: &Path) -> Result<(Kind, Option<PathBuf>, Choices), Failure> {
    let unusable = |why: String| {
        Failure::new(
            format!("`{}` is no run of `raf fit`: {why}", path.display()),
            "pass the folder that `raf fit` wrote, or start anew with raf fit image",
        )
    };
    let text = std::fs::read_to_string(path).map_err(|e| unusable(e.to_string()))?;
    let config: toml::Table = text
        .parse()
        .map_err(|e: toml::de::Error| unusable(e.message().to_owned()))?;
    let kind = config.get("kind").and_then(|k| k.as_str());
    let kind = kind.ok_or_else(|| unusable("it has no `kind`".into()))?;
    let fit = config.get("fit").and_then(|f| f.as_table());
    let fit = fit.ok_or_else(|| unusable("it has no `[fit]`".into()))?;
    let mut choices = Choices::default();
    for (name, value) in fit {
        let text = value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned);
        choices.set(&name.replace('_', "-"), text);
    }
    let file = config
        .get("path")
        .and_then(|p| p.as_str())
        .map(PathBuf::from);
    Ok((named(kind)?, file, choices))
}
