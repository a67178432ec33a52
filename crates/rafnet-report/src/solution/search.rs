//! How the search went: every attempt, by which method, with how many functions, what it left over and when.

use super::Solution;
use crate::page::Section;
use serde_json::{Value, json};

/// The attempts of a search.
pub(crate) fn sections(solution: &Solution<'_>) -> Vec<Section> {
    let events = solution.result["events"].as_array();
    let events = events.map_or(&[][..], Vec::as_slice);
    if events.is_empty() {
        return Vec::new();
    }
    let row = |event: &Value| {
        let functions = ["functions", "width"]
            .iter()
            .find_map(|key| event[*key].as_u64());
        let pieces = event["pieces"].as_u64();
        json!({
            "seconds": event["seconds"], "method": event["method"], "functions": functions, "pieces": pieces,
            "residual": event["residual"], "sentence": event["sentence"],
        })
    };
    let rows: Vec<Value> = events.iter().map(row).collect();
    let text = "Residuals are held-out ones: at points that the attempt did not have.";
    vec![Section::new(
        "search",
        "How the search went",
        text,
        json!({ "rows": rows }),
    )]
}
