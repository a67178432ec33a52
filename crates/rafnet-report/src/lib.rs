//! Pages: what a run found, as one HTML file that opens from disk and needs no network.
//!
//! ```text
//! a run's folder ─ Run::read ─▶ Run ─┬─ solution::page ─┐
//! a model's file ────────────────────┼─ signal::page  ──┼─▶ Page { verdict, sections } ─ html ─▶ one file
//! several folders ───────────────────┴─ several::page ──┘
//! ```
//!
//! A [`Section`] is a kind, a title, a sentence and data as JSON; arrays go in as base64 (`array`). To add one: write a function
//! `(&Solution) -> Option<Section>` (or of a signal), name it in the list of its page, and write `page/sections/KIND.js`, which is named in
//! `html`. Nothing else knows which sections there are.
//!
//! Whatever is not in the folder is evaluated from the model in it: a page can be made of every run that was ever saved. Numbers are those of
//! `result.json`; what this crate computes are maps and curves.

#![forbid(unsafe_code)]
#![deny(missing_docs)]

pub mod array;
mod curves;
mod demonstration;
mod html;
mod outline;
mod page;
mod run;
mod settings;
mod several;
mod signal;
mod solution;
mod words;

pub use demonstration::Demonstration;
pub use page::{Figure, Page, Section, Tone, Verdict};
pub use run::{Kind, Run};
pub use solution::Solution;
pub use words::rounded;

use rafnet_table::AtomicFile;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Why there is no page.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// A path that holds no run.
    #[error("`{path}` holds no run and no model: {why}")]
    NoRun {
        /// Which.
        path: PathBuf,
        /// What is missing.
        why: String,
    },
    /// The model cannot be read or evaluated.
    #[error("the model of `{path}` cannot be used: {why}")]
    Model {
        /// Of which run.
        path: PathBuf,
        /// Why.
        why: String,
    },
    /// Runs that have nothing to compare.
    #[error("these runs cannot be compared: {0}")]
    Several(String),
    /// The page cannot be written.
    #[error("cannot write `{path}`: {error}")]
    Unwritable {
        /// Where.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
}

/// The page of runs: of one run its whole story, of several their comparison. A folder of runs stands for all of them.
///
/// # Errors
/// [`ReportError`] says which path holds nothing that could be shown.
pub fn page(paths: &[PathBuf]) -> Result<Page, ReportError> {
    let mut runs = Vec::new();
    for path in paths {
        runs.extend(Run::found(path)?);
    }
    match &runs[..] {
        [run] => of_run(run),
        _ => several::page(&runs),
    }
}

/// The page of one run.
///
/// # Errors
/// As [`page()`].
pub fn of_run(run: &Run) -> Result<Page, ReportError> {
    match run.kind() {
        Kind::Solve => solution::page(run),
        Kind::Fit => signal::page(run),
        Kind::Model => solution::page_of_model(run),
    }
}

/// Writes a page whole or not at all; how many bytes it has.
///
/// # Errors
/// [`ReportError::Unwritable`].
pub fn write(page: &Page, path: &Path) -> Result<usize, ReportError> {
    let text = page.html();
    let written = || {
        let mut file = AtomicFile::create(path)?;
        file.write_all(text.as_bytes())?;
        file.commit()
    };
    let unwritable = |error| ReportError::Unwritable {
        path: path.into(),
        error,
    };
    written().map(|()| text.len()).map_err(unwritable)
}
