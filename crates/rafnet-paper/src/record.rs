//! What a run leaves: settings, figures, curves, and where and how it was made. One small JSON file each.

use crate::state::State;
use crate::{Asked, PaperError};
use rafnet::expr::largest;
use rafnet::model::AtomicFile;
use serde_json::{Map, Value, json};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Points of a curve that are kept.
pub(crate) const POINTS: usize = 250;
/// A record of a later seed is not seen.
const SEEDS_LOOKED_FOR: u64 = 100;

/// A run's result.
#[derive(Clone, Debug, PartialEq)]
pub struct Record(pub(crate) Value);

impl Record {
    /// A figure by its name.
    pub fn figure(&self, name: &str) -> Option<f64> {
        self.0["figures"][name].as_f64()
    }

    /// Steps that were taken.
    pub(crate) fn steps(&self) -> Option<u64> {
        self.0["figures"]["steps"].as_u64()
    }

    /// What it was computed on.
    pub(crate) fn device(&self) -> Option<&str> {
        self.0["device"].as_str()
    }

    /// A list of figures by its name.
    pub fn list(&self, name: &str) -> Vec<f64> {
        let values = self.0["figures"][name].as_array();
        let values = values.into_iter().flatten();
        values.map(|v| v.as_f64().unwrap_or(f64::NAN)).collect()
    }

    /// A text among the figures.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.0["figures"][name].as_str()
    }

    /// The curve of this name: evenly spaced values, the k-th at (k + 1) times the spacing.
    pub(crate) fn curve(&self, name: &str) -> Option<(Vec<f64>, Vec<f64>)> {
        let every = self.0["curves"][name]["every"].as_f64()?;
        let values = self.0["curves"][name]["values"].as_array()?;
        let y: Vec<f64> = values
            .iter()
            .map(|v| v.as_f64().unwrap_or(f64::NAN))
            .collect();
        let x = (1..=y.len()).map(|k| k as f64 * every).collect();
        Some((x, y))
    }

    /// Which share of a full budget's steps it was given, below 1 where it was not all of them.
    pub fn share(&self) -> f64 {
        let settings = &self.0["settings"];
        match (settings["steps"].as_f64(), settings["full_steps"].as_f64()) {
            (Some(given), Some(full)) if full > 0.0 => (given / full).min(1.0),
            _ => 1.0,
        }
    }

    /// Whether it is of the paper's own sizes.
    pub(crate) fn is_full(&self) -> bool {
        self.0["budget"] == "full"
    }

    /// All of it.
    pub fn into_json(self) -> Value {
        self.0
    }

    /// Seconds it took, if they are known.
    pub fn seconds(&self) -> Option<f64> {
        self.0["seconds"].as_f64()
    }
}

/// The figures of a run while it is made.
#[derive(Default)]
pub(crate) struct Made {
    pub(crate) figures: Map<String, Value>,
    curves: Map<String, Value>,
}

impl Made {
    /// Adds a figure; what is not finite is null.
    pub(crate) fn put(&mut self, name: &str, value: impl Into<Value>) {
        self.figures.insert(name.into(), value.into());
    }

    /// Adds a curve of one value a step, as means over blocks so that few remain.
    pub(crate) fn put_curve(&mut self, name: &str, values: &[f64]) {
        let every = values.len().div_ceil(POINTS).max(1);
        let mean = |block: &[f64]| {
            let finite: Vec<f64> = block.iter().copied().filter(|v| v.is_finite()).collect();
            rounded(finite.iter().sum::<f64>() / finite.len() as f64)
        };
        let means: Vec<Value> = values.chunks(every).map(|b| json!(mean(b))).collect();
        self.curves
            .insert(name.into(), json!({ "every": every, "values": means }));
    }
}

/// Four digits: what is drawn needs no more.
pub(crate) fn rounded(value: f64) -> f64 {
    format!("{value:.3e}").parse().unwrap_or(f64::NAN)
}

/// The results of one budget.
#[derive(Clone, Debug)]
pub struct Store {
    folder: PathBuf,
}

impl Store {
    /// Under `results/BUDGET` of the folder.
    pub fn of(asked: &Asked) -> Self {
        Self {
            folder: asked.out.join("results").join(asked.budget.name()),
        }
    }

    /// The file of a run.
    pub fn file(&self, key: &str) -> PathBuf {
        self.folder.join(format!("{key}.json"))
    }

    /// The state of a run that is under way.
    pub(crate) fn state(&self, key: &str) -> State {
        let name = format!("{}.json", key.replace('/', "-"));
        State::at(&self.folder.join(".begun").join(name))
    }

    /// The file of a figure.
    pub fn figure(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// The record of a run, if there is one.
    pub fn get(&self, key: &str) -> Option<Record> {
        let text = std::fs::read_to_string(self.file(key)).ok()?;
        serde_json::from_str(&text).ok().map(Record)
    }

    /// The records of a run over the seeds that there are; where some took fewer steps than others, only those that took the most.
    pub(crate) fn over_seeds(&self, key: impl Fn(u64) -> String) -> Vec<Record> {
        let seeds = 0..SEEDS_LOOKED_FOR;
        let mut all: Vec<Record> = seeds.filter_map(|seed| self.get(&key(seed))).collect();
        let most = largest(all.iter().map(Record::share));
        all.retain(|record| record.share() >= most);
        all
    }

    /// The record of a run if it is of these settings; one of more steps will do.
    pub(crate) fn current(&self, key: &str, settings: &Value) -> Option<Record> {
        let without_steps = |settings: &Value| {
            let mut rest = settings.as_object().cloned().unwrap_or_default();
            rest.remove("full_steps");
            let steps = rest.remove("steps");
            (rest, steps.and_then(|s| s.as_u64()))
        };
        let (wanted, steps) = without_steps(settings);
        self.get(key).filter(|record| {
            let (found, taken) = without_steps(&record.0["settings"]);
            found == wanted && taken >= steps
        })
    }

    pub(crate) fn put(
        &self,
        key: &str,
        settings: &Value,
        made: &Made,
        seconds: f64,
        asked: &Asked,
    ) -> Result<Record, PaperError> {
        let record = json!({
            "key": key, "settings": settings, "figures": made.figures, "curves": made.curves,
            "seconds": rounded(seconds), "threads": asked.threads, "device": asked.device.to_string(),
            "budget": asked.budget.name(), "version": env!("CARGO_PKG_VERSION"), "commit": env!("RAFNET_COMMIT"),
        });
        write(&self.file(key), lines(&record).as_bytes())?;
        Ok(Record(record))
    }
}

/// One line for each part of a record, so that a change of one can be seen.
fn lines(record: &Value) -> String {
    let parts = record.as_object().into_iter().flatten();
    let parts: Vec<String> = parts.map(|(k, v)| format!("  {k:?}: {v}")).collect();
    format!("{{\n{}\n}}\n", parts.join(",\n"))
}

/// Writes a file whole, with the folders above it.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> Result<(), PaperError> {
    let put = || {
        std::fs::create_dir_all(path.parent().unwrap_or(Path::new("")))?;
        let mut file = AtomicFile::create(path)?;
        file.write_all(bytes)?;
        file.commit()
    };
    put().map_err(|source| PaperError::Write {
        path: path.into(),
        source,
    })
}
