//! The page of a solved problem.

mod fields;
mod lines;
mod maps;
mod observations;
mod search;
mod spectrum;
mod tables;
mod verdict;
mod views;

use crate::page::{Page, Section, Verdict};
use crate::run::Run;
use crate::{ReportError, curves, settings};
use rafnet::model::Model;
use rafnet::problem::Problem;
use serde_json::Value;
pub(crate) use verdict::{tone, verdict};
pub(crate) use views::View;

/// A problem with its answer.
pub struct Solution<'a> {
    /// What was solved.
    pub problem: &'a Problem,
    /// The answer.
    pub model: &'a Model,
    /// The solution that it was compared with.
    pub compared: Option<&'a Model>,
    /// Further eigenfunctions.
    pub modes: &'a [Model],
    /// The figures, as `raf solve --json` prints them.
    pub result: &'a Value,
}

/// What is shown of a solution, in this order.
const SECTIONS: [fn(&Solution<'_>) -> Vec<Section>; 6] = [
    maps::sections,
    lines::sections,
    search::sections,
    spectrum::sections,
    tables::sections,
    observations::sections,
];

impl Solution<'_> {
    /// Everything that is shown of it, without what its folder says of the run.
    pub fn sections(&self) -> Vec<Section> {
        SECTIONS.iter().flat_map(|section| section(self)).collect()
    }

    fn figure(&self, key: &str) -> Option<f64> {
        self.result[key].as_f64()
    }
}

/// A run's files, read.
pub(crate) struct Solved {
    pub(crate) problem: Problem,
    pub(crate) model: Model,
    compared: Option<Model>,
    modes: Vec<Model>,
}

impl Solved {
    pub(crate) fn read(run: &Run) -> Result<Self, ReportError> {
        let problem = Problem::from_file(run.path.join("config.toml"));
        let problem = problem.map_err(|e| run.unusable(&e.message()))?;
        let model = run.model(&run.model_file())?;
        let beside = |name: &str| {
            let file = run.path.join(name);
            file.is_file().then(|| run.model(&file)).transpose()
        };
        let pairs = run.result["eigenvalues"].as_array().map_or(0, Vec::len);
        let modes = (2..=pairs).map(|k| beside(&format!("mode-{k}.safetensors")));
        let modes = modes.collect::<Result<Vec<_>, _>>()?;
        let is_named = run.result["compared_model"].is_string();
        Ok(Self {
            problem,
            model,
            compared: if is_named {
                beside("compared.safetensors")?
            } else {
                None
            },
            modes: modes.into_iter().flatten().collect(),
        })
    }

    pub(crate) fn solution<'a>(&'a self, run: &'a Run) -> Solution<'a> {
        Solution {
            problem: &self.problem,
            model: &self.model,
            compared: self.compared.as_ref(),
            modes: &self.modes,
            result: &run.result,
        }
    }
}

/// The page of a run of `raf solve`.
pub(crate) fn page(run: &Run) -> Result<Page, ReportError> {
    let no_model = !run.model_file().is_file();
    if no_model {
        // it ended without a solution: what it says of that is all there is
        return Ok(Page {
            title: run.label(),
            about: String::new(),
            verdict: verdict(&run.result),
            sections: curves::section(run)
                .into_iter()
                .chain([settings::section(run)])
                .collect(),
        });
    }
    let solved = Solved::read(run)?;
    let solution = solved.solution(run);
    let mut sections = solution.sections();
    let before = |s: &Section| matches!(s.kind, "maps" | "lines" | "search");
    let place = sections.iter().take_while(|s| before(s)).count();
    sections.splice(place..place, curves::section(run));
    sections.push(settings::section(run));
    Ok(Page {
        title: solved.problem.name.clone(),
        about: solved.problem.about.clone(),
        verdict: verdict(&run.result),
        sections,
    })
}

/// The page of a model without its run: its values where it means something.
pub(crate) fn page_of_model(run: &Run) -> Result<Page, ReportError> {
    let model = run.model(&run.path)?;
    let parts = model.parts();
    let names: Vec<String> = parts.outputs.iter().map(|o| o.name.clone()).collect();
    let mut verdict = Verdict::new(
        crate::page::Tone::Fair,
        "A model without its run: how good it is, is not in its file.",
    );
    verdict.sentences.push(format!(
        "{} of ({}), {} parameters.",
        names.join(", "),
        parts.coordinates.join(", "),
        parts.parameters.len()
    ));
    let mut sections = maps::of_model(&model);
    if sections.is_empty() {
        verdict
            .sentences
            .push("It does not say where it means something, so nothing of it is drawn.".into());
    }
    sections.push(settings::section(run));
    Ok(Page {
        title: run.label(),
        about: String::new(),
        verdict,
        sections,
    })
}
