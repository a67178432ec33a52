//! The page of a fitted signal.

mod picture;
mod sound;
mod table;
mod verdict;
mod video;

use crate::page::{Page, Section};
use crate::run::Run;
use crate::{ReportError, curves, settings};
pub(crate) use picture::small;
use rafnet::fit::{Kind, Signal};
use rafnet::model::Model;
use std::path::PathBuf;
pub(crate) use verdict::{tone, verdict};

/// A signal with its network.
pub(crate) struct Fitted {
    pub(crate) signal: Signal,
    pub(crate) model: Model,
    /// The file; none for an embedded sample.
    pub(crate) path: Option<PathBuf>,
}

impl Fitted {
    /// The model, and the signal once more from the file that was fitted; an error of its own where that is gone.
    pub(crate) fn read(run: &Run) -> Result<Result<Self, String>, ReportError> {
        let model = run.model(&run.model_file())?;
        let fitted = |(signal, path)| Self {
            signal,
            model,
            path,
        };
        Ok(signal(run).map(fitted))
    }
}

/// The signal that a run's settings name.
fn signal(run: &Run) -> Result<(Signal, Option<PathBuf>), String> {
    let config: toml::Table = run.config.parse().map_err(|_| "config.toml")?;
    let kind = config.get("kind").and_then(|k| k.as_str());
    let kind = kind
        .and_then(Kind::named)
        .ok_or("config.toml has no kind")?;
    if config.contains_key("path_encoded") {
        return Err("its name is no text".into());
    }
    let path = config
        .get("path")
        .and_then(|p| p.as_str())
        .map(PathBuf::from);
    let options = config.get("fit").and_then(|f| f.as_table());
    let given: Vec<(String, String)> = options
        .into_iter()
        .flatten()
        .map(|(name, value)| {
            let text = value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned);
            (name.replace('_', "-"), text)
        })
        .collect();
    let given: Vec<(&str, &str)> = given
        .iter()
        .map(|(n, t)| (n.as_str(), t.as_str()))
        .collect();
    let signal = Signal::open(kind, path.as_deref(), &given).map_err(|e| e.to_string())?;
    Ok((signal, path))
}

/// What is shown of a signal, in this order.
const SECTIONS: [fn(&Fitted) -> Vec<Section>; 4] = [
    picture::sections,
    sound::sections,
    video::sections,
    table::sections,
];

impl Fitted {
    /// Everything that is shown of it, without what its folder says of the run.
    pub(crate) fn sections(&self) -> Vec<Section> {
        SECTIONS.iter().flat_map(|section| section(self)).collect()
    }
}

/// The page of a run of `raf fit`.
pub(crate) fn page(run: &Run) -> Result<Page, ReportError> {
    let mut verdict = verdict(&run.result);
    let mut sections = Vec::new();
    if run.model_file().is_file() {
        match Fitted::read(run)? {
            Ok(fitted) => sections = fitted.sections(),
            Err(why) => verdict.sentences.push(format!(
                "What was fitted cannot be read any more ({why}), so the fit is not shown beside it."
            )),
        }
    }
    sections.extend(curves::section(run));
    sections.push(settings::section(run));
    let file = run.result["file"].as_str().unwrap_or_default();
    Ok(Page {
        title: run.label(),
        about: file.to_owned(),
        verdict,
        sections,
    })
}
