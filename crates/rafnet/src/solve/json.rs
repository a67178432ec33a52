//! Results for programs: a solved problem as JSON, and the files of its models. `raf solve --json` prints it and `result.json` holds it.

use super::event::Event;
use super::{Found, Options, SolveError, Solved};
use crate::expr::smaller;
use crate::model::{Model, ModelError};
use serde_json::{Map, Value, json};
use std::path::Path;

/// `null` for what is no number.
fn finite(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}

/// The file of the solution that the answer was compared with.
const COMPARED: &str = "compared.safetensors";

/// The file of an eigenfunction, from 0: the first is the answer's model.
fn mode_file(k: usize) -> String {
    match k {
        0 => Model::FILE.to_owned(),
        _ => format!("mode-{}.safetensors", k + 1),
    }
}

impl Solved {
    /// Every model with the name of its file: the answer's, those of further eigenfunctions, those of [other solutions](Self::other_files), and the
    /// one that the answer was compared with.
    pub fn models(&self) -> Vec<(String, &Model)> {
        let mut models = vec![(Model::FILE.to_owned(), &self.model)];
        let modes = self.eigenvalues.iter().enumerate().skip(1);
        models.extend(modes.map(|(k, pair)| (mode_file(k), &pair.model)));
        models.extend(self.other_files().into_iter().zip(&self.others));
        models.extend(self.compared.iter().map(|m| (COMPARED.to_owned(), m)));
        models
    }

    /// The files of other solutions.
    pub fn other_files(&self) -> Vec<String> {
        let file = |k: usize| format!("model-{}.safetensors", k + 2);
        (0..self.others.len()).map(file).collect()
    }

    /// Writes every model into a folder, under the names that [`to_json`](Self::to_json) gives.
    ///
    /// # Errors
    /// [`ModelError`] names the file that could not be written.
    pub fn save(&self, folder: &Path) -> Result<(), ModelError> {
        let mut models = self.models().into_iter();
        models.try_for_each(|(name, model)| model.save(folder.join(name)))
    }

    /// The figures for programs, with `null` for what is not known. Models are those that were [saved](Self::save) in `folder`.
    ///
    /// ```
    /// use rafnet::Problem;
    /// let solved = Problem::builtin("logistic")?.solve(&Default::default(), |progress| progress.go_on())?;
    /// let json = solved.to_json(None);
    /// assert!(json["outcome"] == "target reached" || json["outcome"] == "converged");
    /// assert!(json["relative_l2"].as_f64() < Some(1e-9) && json["model"].is_null());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn to_json(&self, folder: Option<&Path>) -> Value {
        let place = |file: String| folder.map(|folder| folder.join(file).display().to_string());
        let [equation, boundary, initial, data] = self.rms.map(|rms| rms.and_then(finite));
        let by_name = |of: fn(&Found) -> f64| -> Map<String, Value> {
            let pairs = self.found.iter().map(|f| (f.name.clone(), json!(of(f))));
            pairs.collect()
        };
        let reports = self.reports.iter().map(|r| {
            json!({ "name": r.name, "value": finite(r.value), "error_estimate": finite(r.error_estimate) })
        });
        let eigenvalues = self.eigenvalues.iter().enumerate().map(|(k, p)| {
            json!({ "value": p.value, "error_estimate": finite(p.error_estimate), "multiplicity": p.multiplicity,
                "function_estimate": finite(p.function_estimate), "residual": finite(p.residual), "model": place(mode_file(k)) })
        });
        let features = self.features.iter().map(|f| {
            let narrowest = f.width.iter().flatten().copied().reduce(smaller);
            json!({ "text": f.text, "at": f.at, "width": narrowest, "widths": f.width, "sentence": f.sentence })
        });
        let others = self.other_files().into_iter().filter_map(place);
        let solutions = self.eigenvalues.is_empty().then(|| self.solutions());
        let compared = self
            .compared
            .as_ref()
            .and_then(|_| place(COMPARED.to_owned()));
        let worst = self.worst.as_ref();
        let worst = worst.map(|place| json!({ "what": place.what, "point": place.point }));
        json!({
            "outcome": self.outcome.name(), "message": self.advice, "worst": worst,
            "relative_l2": self.relative_l2().and_then(finite), "relative_linf": self.relative_linf().and_then(finite),
            "relative_l2_by": self.relative_l2_by,
            "residual_rms": equation, "boundary_rms": boundary, "initial_rms": initial, "data_rms": data,
            "error_estimate": finite(self.error_estimate), "linf_estimate": finite(self.linf_estimate), "residual": finite(self.residual),
            "seconds": self.seconds, "method": self.method, "parameters": self.model.parts().parameters.len(), "points": self.points,
            "eigenvalue": self.eigenvalues.first().map(|p| p.value), "eigenvalues": eigenvalues.collect::<Vec<_>>(),
            "chi_squared": self.chi_squared.map(|c| c.0), "observations": self.chi_squared.map(|c| c.1),
            "found": by_name(|f| f.value), "found_sigma": by_name(|f| f.sigma), "reports": reports.collect::<Vec<_>>(), "steps": self.steps,
            "features": features.collect::<Vec<_>>(), "excluded": self.excluded,
            "best_relative_l2": self.best_relative_l2, "best_moving_average": self.best_moving_average,
            "solutions": solutions, "other_models": others.collect::<Vec<_>>(), "compared_model": compared,
            "model": place(Model::FILE.to_owned()),
            "seed": self.options.seed, "device": self.options.device.name(), "precision": "f64",
            "version": env!("CARGO_PKG_VERSION"), "decisions": self.decisions(),
            "events": self.events.iter().map(Event::to_json).collect::<Vec<_>>(),
        })
    }
}

impl SolveError {
    /// What a run without a solution says to programs.
    pub fn to_json(&self, options: &Options) -> Value {
        json!({ "outcome": self.outcome().map_or("could not run", |o| o.name()), "message": self.to_string(), "seed": options.seed,
            "device": options.device.name(), "precision": "f64", "version": env!("CARGO_PKG_VERSION") })
    }
}
