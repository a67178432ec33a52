//! A run as it lies in its folder.

use crate::ReportError;
use rafnet::model::Model;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// The most records of a curve that are shown.
const RECORDS: usize = 2_000;

/// What made a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `raf solve`.
    Solve,
    /// `raf fit`.
    Fit,
    /// A model without a run.
    Model,
}

/// A run's folder, read; or a model's file alone.
#[derive(Clone, Debug)]
pub struct Run {
    /// The folder, or the model's file.
    pub path: PathBuf,
    /// The text of `config.toml`.
    pub config: String,
    /// What the run found; `null` where it did not finish.
    pub result: Value,
    /// The lines of `metrics.jsonl`, thinned.
    pub metrics: Vec<Value>,
    kind: Kind,
}

impl Run {
    /// Reads a run's folder. A run that has not written its result (one that was stopped) is given it as `result`.
    ///
    /// # Errors
    /// [`ReportError::NoRun`].
    pub fn read(folder: &Path, result: Option<Value>) -> Result<Self, ReportError> {
        let no_run = |why: String| ReportError::NoRun {
            path: folder.into(),
            why,
        };
        let text = |name: &str| rafnet_memory::read_to_string(folder.join(name));
        let config = text("config.toml").map_err(|e| no_run(format!("its config.toml: {e}")))?;
        let found = || serde_json::from_str(&text("result.json").ok()?).ok();
        let table: toml::Table = config
            .parse()
            .map_err(|e: toml::de::Error| no_run(format!("its config.toml: {}", e.message())))?;
        Ok(Self {
            path: folder.into(),
            result: result.or_else(found).unwrap_or(Value::Null),
            metrics: thinned(&text("metrics.jsonl").unwrap_or_default()),
            kind: if table.contains_key("fit") {
                Kind::Fit
            } else {
                Kind::Solve
            },
            config,
        })
    }

    /// What a path holds: one run; several, where it is a folder of runs; or a model, whose own run is taken where it lies beside it.
    ///
    /// # Errors
    /// [`ReportError::NoRun`].
    pub fn found(path: &Path) -> Result<Vec<Self>, ReportError> {
        let no_run = |why: &str| ReportError::NoRun {
            path: path.into(),
            why: why.into(),
        };
        if path.is_file() {
            let own = path.file_name().is_some_and(|name| name == Model::FILE);
            let folder = path.parent().unwrap_or(Path::new(""));
            if own && folder.join("config.toml").is_file() {
                return Ok(vec![Self::read(folder, None)?]);
            }
            if path.extension().is_none_or(|e| e != "safetensors") {
                return Err(no_run("it is a file and no .safetensors model"));
            }
            return Ok(vec![Self {
                path: path.into(),
                config: String::new(),
                result: Value::Null,
                metrics: Vec::new(),
                kind: Kind::Model,
            }]);
        }
        if path.join("config.toml").is_file() {
            return Ok(vec![Self::read(path, None)?]);
        }
        let entries = std::fs::read_dir(path).map_err(|e| no_run(&e.to_string()))?;
        let mut folders: Vec<PathBuf> = entries
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|folder| folder.join("config.toml").is_file())
            .collect();
        folders.sort();
        if folders.is_empty() {
            return Err(no_run("neither it nor a folder in it has a config.toml"));
        }
        folders
            .iter()
            .map(|folder| Self::read(folder, None))
            .collect()
    }

    /// What made it.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// The file of its model.
    pub fn model_file(&self) -> PathBuf {
        match self.kind {
            Kind::Model => self.path.clone(),
            _ => self.path.join(Model::FILE),
        }
    }

    /// A model of the folder, by its name.
    pub(crate) fn model(&self, file: &Path) -> Result<Model, ReportError> {
        Model::load(file).map_err(|e| self.unusable(&e))
    }

    pub(crate) fn unusable(&self, why: &dyn std::fmt::Display) -> ReportError {
        ReportError::Model {
            path: self.path.clone(),
            why: why.to_string(),
        }
    }

    /// A figure of the result.
    pub(crate) fn figure(&self, key: &str) -> Option<f64> {
        self.result[key].as_f64()
    }

    /// What it is called in a list: its folder's name.
    pub(crate) fn label(&self) -> String {
        let name = self.path.file_name().unwrap_or(self.path.as_os_str());
        name.to_string_lossy().into_owned()
    }
}

/// The records of a text, evenly taken, always the first and the last.
fn thinned(text: &str) -> Vec<Value> {
    let lines: Vec<&str> = text.lines().collect();
    let every = lines.len().div_ceil(RECORDS).max(1);
    let last = lines.len().saturating_sub(1);
    let kept = lines.iter().enumerate();
    let kept = kept.filter(|(k, _)| k.is_multiple_of(every) || *k == last);
    kept.filter_map(|(_, line)| serde_json::from_str(line).ok())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{RECORDS, thinned};
    use std::fmt::Write as _;

    #[test]
    fn long_records_are_thinned_and_end_with_the_last() {
        let mut text = String::new();
        for step in 0..10_001 {
            let _ = writeln!(text, "{{\"step\":{step}}}");
        }
        text.push_str("{\"step\":10"); // cut off
        let records = thinned(&text);
        assert!(records.len() <= RECORDS + 1);
        assert_eq!(records[0]["step"], 0);
        assert!(thinned("").is_empty());
    }
}
