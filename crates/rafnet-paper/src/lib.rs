//! The tables, figures and theorems of the RAF paper (Liang, Lyu, Wang, Yang, arXiv 2101.04844), run again, the paper's number beside ours.
//!
//! Over the public interface of `rafnet` only. [`ITEMS`] lists what can be run; an [`Item`] names its runs for what is [`Asked`], [`run`]
//! makes those that are missing, one small JSON file each, and [`write_results`] draws the figures and writes `RESULTS.md` from
//! whatever is there. `experiments/` has one experiment a file, `published` the paper's numbers, `work/` how a run is done.
//!
//! ```
//! use rafnet_paper::{Asked, Budget, Item, run, write_results};
//! let out = std::env::temp_dir().join(format!("raf-paper-{}", std::process::id()));
//! let asked = Asked { budget: Budget::Toy, ..Asked::quick(&out) };
//! let theorems = Item::named("theorems").expect("an item");
//! run(&[theorems], &asked, &mut ())?;
//! let page = write_results(&[theorems], &asked)?;
//! assert!(page.contains("Theorem 3"));
//! # std::fs::remove_dir_all(&out)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod cell;
pub mod data;
mod experiments;
mod figure;
mod item;
mod peers;
pub mod published;
mod rate;
mod record;
mod results;
mod settings;
mod state;
mod table;
mod work;

pub use experiments::ITEMS;
pub use item::Item;
pub use rate::Rate;
pub use record::{Record, Store};
pub use results::write_results;
pub use settings::{Asked, Budget, Preset, Track};
pub use work::Run;

use std::path::PathBuf;

/// Why something was not reproduced.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PaperError {
    /// A run could not be done.
    #[error("{message}")]
    Run {
        /// Why.
        message: String,
    },
    /// The caller stopped it.
    #[error("stopped")]
    Stopped,
    /// A file could not be written.
    #[error("cannot write `{}`: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A figure could not be drawn.
    #[error(transparent)]
    Plot(#[from] rafnet_plot::PlotError),
}

impl PaperError {
    pub(crate) fn run(message: impl Into<String>) -> Self {
        Self::Run {
            message: message.into(),
        }
    }
}

/// Someone who watches runs.
pub trait Watch {
    /// Hears what begins: the k-th of n runs, by its name.
    fn begins(&mut self, _k: usize, _n: usize, _key: &str) {}
    /// Hears how far a run is, from 0 to 1, and says whether to go on.
    fn going_on(&mut self, _done: f64, _said: &str) -> bool {
        true
    }
    /// Hears of the end of a run.
    fn ended(&mut self, _key: &str, _record: &Record) {}
}

/// Nobody.
impl Watch for () {}

/// The runs of some items, each once, that these settings ask for.
pub fn runs(items: &[&Item], asked: &Asked) -> Vec<Run> {
    let mut all: Vec<Run> = Vec::new();
    for run in items.iter().flat_map(|item| item.runs(asked)) {
        let wanted = asked
            .only
            .as_ref()
            .is_none_or(|text| run.key.contains(text));
        if wanted && all.iter().all(|r| r.key != run.key) {
            all.push(run);
        }
    }
    all
}

/// Those among them that have no record of the same settings yet.
pub fn missing(items: &[&Item], asked: &Asked) -> Vec<Run> {
    let store = Store::of(asked);
    let mut all = runs(items, asked);
    all.retain(|run| store.current(&run.key, &run.settings(asked)).is_none());
    all
}

/// Makes every run that is missing; returns how many were made.
///
/// # Errors
/// [`PaperError`]; the records of the runs before it are there, and the same call goes on with the rest.
pub fn run(items: &[&Item], asked: &Asked, watch: &mut dyn Watch) -> Result<usize, PaperError> {
    let store = Store::of(asked);
    let all = missing(items, asked);
    for (k, run) in all.iter().enumerate() {
        watch.begins(k, all.len(), &run.key);
        let (made, seconds) = run.perform(asked, watch).map_err(|e| match e {
            PaperError::Run { message } => PaperError::run(format!("{}: {message}", run.key)),
            other => other,
        })?;
        let record = store.put(&run.key, &run.settings(asked), &made, seconds, asked)?;
        watch.ended(&run.key, &record);
    }
    Ok(all.len())
}
