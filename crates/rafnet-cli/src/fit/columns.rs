//! Whether a table can be fitted: its columns become the names and units of a model, which is found out before the first step.

use super::signal::Scaled;
use crate::output::Failure;
use std::path::Path;

/// Refuses columns that cannot name a coordinate or an output, and values too far apart for their deviation.
pub(super) fn check(table: &Scaled, path: &Path) -> Result<(), Failure> {
    let file = path.display();
    let names: Vec<&String> = table
        .table
        .input_names
        .iter()
        .chain(&table.table.output_names)
        .collect();
    if names.iter().all(|name| name.parse::<f64>().is_ok()) {
        return Err(Failure::new(
            format!(
                "`{file}` has no header: its first line holds numbers, expected the names of the columns"
            ),
            "write the names on a line above the numbers, such as x,y,u",
        ));
    }
    for (k, name) in names.iter().enumerate() {
        let begins = name.starts_with(|c: char| c.is_alphabetic() || c == '_');
        let message = if name.is_empty() {
            format!("a column of `{file}` has no name")
        } else if !begins || !name.chars().all(|c| c.is_alphanumeric() || c == '_') {
            format!("the column `{name}` of `{file}` cannot name a coordinate or a value")
        } else if names[..k].contains(name) {
            format!("two of the columns chosen from `{file}` are called `{name}`")
        } else {
            continue;
        };
        return Err(Failure::new(
            message,
            "call each column by a letter followed by letters, digits and `_` in the table's first line, or choose other columns with `--inputs` and `--outputs`",
        ));
    }
    let (inputs, outputs) = table.scales();
    let far = |scales: &[[f64; 2]]| scales.iter().position(|s| s.iter().any(|v| !v.is_finite()));
    let far_output = far(outputs).map(|k| k + inputs.len());
    if let Some(k) = far(inputs).or(far_output) {
        return Err(Failure::new(
            format!(
                "the values of the column `{}` of `{file}` are too large: their mean or spread is beyond 1.8e308",
                names[k]
            ),
            "give the column in another unit, or take its logarithm",
        ));
    }
    Ok(())
}
