//! Parameters that were found, eigenvalues, reported quantities and places of note, as tables.

use super::Solution;
use crate::page::Section;
use crate::words::rounded;
use serde_json::{Value, json};

/// The tables that have rows.
pub(crate) fn sections(solution: &Solution<'_>) -> Vec<Section> {
    [
        found(solution),
        eigenvalues(solution),
        reports(solution),
        features(solution),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// A number as it is written, with what it is called in `result.json`.
fn cell(value: &Value, error: &Value, key: &str) -> Value {
    let Some(number) = value.as_f64() else {
        return json!("not known");
    };
    let text = rounded(number, error.as_f64().unwrap_or(f64::NAN));
    json!({ "text": text, "value": number, "key": key })
}

fn list<'a>(solution: &'a Solution<'_>, key: &str) -> Option<&'a Vec<Value>> {
    solution.result[key].as_array().filter(|l| !l.is_empty())
}

fn found(solution: &Solution<'_>) -> Option<Section> {
    let (found, sigma) = (
        solution.result["found"].as_object()?,
        &solution.result["found_sigma"],
    );
    if found.is_empty() {
        return None;
    }
    let starts = |name: &str| {
        let sought = solution.problem.sought.iter().find(|s| s.name == name);
        sought.map(|s| s.start)
    };
    let rows = found.iter().map(|(name, value)| {
        json!([
            name,
            cell(value, &sigma[name], &format!("found.{name}")),
            starts(name)
        ])
    });
    let data = json!({ "head": ["parameter", "found, with one standard error", "the search started at"], "rows": rows.collect::<Vec<_>>() });
    Some(Section::new(
        "table",
        "Parameters that were found",
        "",
        data,
    ))
}

fn eigenvalues(solution: &Solution<'_>) -> Option<Section> {
    let pairs = list(solution, "eigenvalues")?;
    let row = |(k, pair): (usize, &Value)| {
        let value = cell(
            &pair["value"],
            &pair["error_estimate"],
            &format!("eigenvalues.{k}.value"),
        );
        json!([
            k + 1,
            value,
            pair["multiplicity"],
            pair["function_estimate"],
            pair["residual"]
        ])
    };
    let rows: Vec<Value> = pairs.iter().enumerate().map(row).collect();
    let head = [
        "",
        "eigenvalue",
        "multiplicity",
        "estimated error of the function",
        "held-out residual",
    ];
    let data = json!({ "head": head, "rows": rows });
    let text = "Eigenvalues that cannot be told apart are counted by their multiplicity.";
    Some(Section::new("table", "Eigenvalues", text, data))
}

fn reports(solution: &Solution<'_>) -> Option<Section> {
    let reports = list(solution, "reports")?;
    let row = |(k, r): (usize, &Value)| {
        json!([
            r["name"],
            cell(
                &r["value"],
                &r["error_estimate"],
                &format!("reports.{k}.value")
            )
        ])
    };
    let rows: Vec<Value> = reports.iter().enumerate().map(row).collect();
    let data = json!({ "head": ["quantity", "value"], "rows": rows });
    Some(Section::new("table", "Reported quantities", "", data))
}

fn features(solution: &Solution<'_>) -> Option<Section> {
    let features = list(solution, "features")?;
    let rows: Vec<Value> = features.iter().map(|f| json!([f["sentence"]])).collect();
    let data = json!({ "head": [""], "rows": rows });
    let text =
        "Where the problem's texts change within a small part of the domain: points gather there.";
    Some(Section::new("table", "Places of note", text, data))
}
