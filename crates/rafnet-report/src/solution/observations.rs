//! Observations beside the answer: how far each is off, in units of its noise.

use super::Solution;
use crate::array;
use crate::page::Section;
use rafnet::model::Expressions;
use serde_json::json;

/// A section for all observations.
pub(crate) fn sections(solution: &Solution<'_>) -> Vec<Section> {
    let problem = solution.problem;
    let mut series = Vec::new();
    let (mut first, mut all_known) = (1.0, true);
    for (k, data) in problem.data.iter().enumerate() {
        let text = solution.filled(&data.observe, None);
        let found = Expressions::new(solution.model, &[text]).ok();
        let found = found.and_then(|mut e| e.evaluate(solution.model, &data.points).ok());
        let Some(found) = found else {
            continue;
        };
        all_known &= data.sigma.is_some();
        let off = found.iter().zip(&data.values);
        let off: Vec<f64> = off
            .map(|(f, v)| (v - f) / data.sigma.unwrap_or(1.0))
            .collect();
        let number: Vec<f64> = (0..off.len()).map(|i| first + i as f64).collect();
        first += off.len() as f64;
        let noise = data
            .sigma
            .map_or("noise not given".to_owned(), |s| format!("noise {s}"));
        series.push(json!({
            "name": format!("observations {}, {noise}", k + 1), "x": array::f64(&number), "y": array::f64(&off), "points": true,
        }));
    }
    if series.is_empty() {
        return Vec::new();
    }
    let unit = if all_known { " over its noise" } else { "" };
    let bands = if all_known {
        json!([-2.0, -1.0, 0.0, 1.0, 2.0])
    } else {
        json!([0.0])
    };
    let chi = match (
        solution.figure("chi_squared"),
        solution.figure("observations"),
    ) {
        (Some(chi), Some(n)) => format!(
            "χ² is {chi:.1} of {n} observations: about as many where the noise is right and the equations hold. Two of three lie within one noise."
        ),
        _ => "Observed minus found, one dot an observation.".to_owned(),
    };
    let data = json!({
        "x": { "label": "observation", "log": false }, "y": { "label": format!("observed minus found{unit}"), "log": false },
        "series": series, "bands": bands,
    });
    vec![Section::new("plot", "The data and their noise", chi, data)]
}
