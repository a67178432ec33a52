//! A table and its fit: over the input where there is one, else found over given.

use super::Fitted;
use crate::array;
use crate::page::Section;
use rafnet::fit::Signal;
use rafnet::signal::table::Table;
use serde_json::{Value, json};

/// The most rows that are drawn.
const ROWS: usize = 4_000;
/// Points of a fit's curve.
const POINTS: usize = 601;

/// A table fitted.
pub(super) fn sections(fitted: &Fitted) -> Vec<Section> {
    let (Signal::Table(_), Some(path)) = (&fitted.signal, &fitted.path) else {
        return Vec::new();
    };
    let parts = fitted.model.parts();
    let inputs: Vec<&str> = parts.coordinates.iter().map(String::as_str).collect();
    let outputs: Vec<&str> = parts.outputs.iter().map(|o| o.name.as_str()).collect();
    let Ok(table) = Table::open(path, &inputs, &outputs) else {
        return Vec::new();
    };
    let table = &table;
    let (d, outputs) = (table.input_names.len(), table.output_names.len());
    let every = table.n_rows.div_ceil(ROWS).max(1);
    let rows: Vec<usize> = (0..table.n_rows).step_by(every).collect();
    let points: Vec<f64> = rows
        .iter()
        .flat_map(|r| table.inputs[r * d..(r + 1) * d].to_vec())
        .collect();
    let Ok(found) = fitted.model.eval(&points) else {
        return Vec::new();
    };
    let mut sections = Vec::new();
    for (o, name) in table.output_names.iter().enumerate() {
        let given: Vec<f64> = rows
            .iter()
            .map(|r| table.outputs[r * outputs + o])
            .collect();
        let found: Vec<f64> = found.iter().skip(o).step_by(outputs).copied().collect();
        let section = if d == 1 {
            curve(fitted, table, o, &points, &given)
        } else {
            let series = json!([{ "name": "rows", "x": array::f64(&given), "y": array::f64(&found), "points": true }]);
            Some(json!({
                "x": { "label": format!("{name}, given"), "log": false }, "y": { "label": format!("{name}, found"), "log": false },
                "series": series, "diagonal": true,
            }))
        };
        let text = if every > 1 {
            format!("Every {every}th of {} rows.", table.n_rows)
        } else {
            String::new()
        };
        sections.extend(
            section.map(|data| Section::new("plot", format!("{name}: table and fit"), text, data)),
        );
    }
    sections
}

/// The fit over the only input, with the rows as dots.
fn curve(fitted: &Fitted, table: &Table, output: usize, x: &[f64], given: &[f64]) -> Option<Value> {
    let region = fitted.model.parts().region.as_ref()?;
    let [low, high] = region.bounds[0];
    let along: Vec<f64> = (0..POINTS)
        .map(|k| low + (high - low) * k as f64 / (POINTS - 1) as f64)
        .collect();
    let values = fitted.model.eval(&along).ok()?;
    let values: Vec<f64> = values
        .iter()
        .skip(output)
        .step_by(table.output_names.len())
        .copied()
        .collect();
    Some(json!({
        "x": { "label": table.input_names[0], "log": false }, "y": { "label": table.output_names[output], "log": false },
        "series": [
            { "name": "fit", "x": array::f64(&along), "y": array::f64(&values), "points": false },
            { "name": "rows", "x": array::f64(x), "y": array::f64(given), "points": true },
        ],
    }))
}
