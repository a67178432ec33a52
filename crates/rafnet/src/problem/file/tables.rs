//! The smaller tables: `[exact]`, `[guess]`, `[features]`, `[ansatz]`, `[network]`, `[solver]`.

use super::document::{Table, Value};
use super::fields::{Fields, wrong_type};
use super::formula::Formula;
use super::options;
use super::probe::Probe;
use super::setting::Setting;
use crate::expr::Expr;
use crate::problem::error::ProblemError;
use crate::problem::fault::Fault;

/// `[key]`, which may be left out.
pub(super) fn one<'a>(file: &Fields<'a>, key: &str) -> Result<Option<&'a Table>, ProblemError> {
    match file.get(key) {
        None => Ok(None),
        Some(item) => match &item.value {
            Value::Table(table) => Ok(Some(table)),
            _ => Err(wrong_type(file.source, key, item, "a table")),
        },
    }
}

/// `[key]`, which must be there.
pub(super) fn required<'a>(
    file: &Fields<'a>,
    key: &str,
    example: &str,
) -> Result<&'a Table, ProblemError> {
    one(file, key)?.ok_or_else(|| {
        let fault = Fault::MissingKey {
            key: format!("[{key}]"),
            table: "the file".into(),
            example: example.into(),
        };
        file.source.error_without_line(fault)
    })
}

/// `[[key]]`, any number of them; `[key]` is one.
pub(super) fn several<'a>(file: &Fields<'a>, key: &str) -> Result<Vec<&'a Table>, ProblemError> {
    let Some(item) = file.get(key) else {
        return Ok(Vec::new());
    };
    let refused = |item| wrong_type(file.source, key, item, "a table or a list of tables");
    match &item.value {
        Value::Table(table) => Ok(vec![table]),
        Value::Array(items) => {
            let tables = items.iter().map(|item| match &item.value {
                Value::Table(table) => Ok(table),
                _ => Err(refused(item)),
            });
            tables.collect()
        }
        _ => Err(refused(item)),
    }
}

/// `[exact]` or `[guess]`: a known function for some of the unknowns.
pub(super) fn by_unknown(
    setting: &Setting<'_>,
    probe: &Probe<'_>,
    file: &Fields<'_>,
    key: &str,
) -> Result<Vec<Option<Expr>>, ProblemError> {
    let mut found = vec![None; setting.unknowns.len()];
    let Some(table) = one(file, key)? else {
        return Ok(found);
    };
    for entry in &table.entries {
        let unknown = setting.unknown(&entry.key, &entry.key_span)?;
        let text = Formula::of(setting.source, &entry.key, &entry.item)?;
        let what = format!("`{}` of `[{key}]`", entry.key);
        let expr = setting.names.given(&text, &what)?;
        if key == "guess" {
            probe.differentiable(&expr, &what, &text.span)?;
        } else {
            probe.inside(&expr, &what, &text.span)?;
        }
        found[unknown] = Some(expr);
    }
    Ok(found)
}

/// `[features]`: further inputs of the network.
pub(super) fn features(
    setting: &Setting<'_>,
    probe: &Probe<'_>,
    file: &Fields<'_>,
) -> Result<Vec<(String, Expr)>, ProblemError> {
    let mut features = Vec::new();
    for entry in one(file, "features")?.map_or(&[][..], |table| &table.entries) {
        let text = Formula::of(setting.source, &entry.key, &entry.item)?;
        let what = format!("the feature `{}`", entry.key);
        let expr = setting.names.given(&text, &what)?;
        probe.differentiable(&expr, &what, &text.span)?;
        features.push((entry.key.clone(), expr));
    }
    Ok(features)
}

/// `[ansatz]`: factor and lift, of the only unknown or by unknown as in `[ansatz.v]`.
pub(super) fn ansatz(
    setting: &Setting<'_>,
    probe: &Probe<'_>,
    file: &Fields<'_>,
) -> Result<Vec<Option<(Expr, Expr)>>, ProblemError> {
    let mut found = vec![None; setting.unknowns.len()];
    let Some(table) = one(file, "ansatz")? else {
        return Ok(found);
    };
    let of_unknown = |entry: &super::document::Entry| matches!(entry.item.value, Value::Table(_));
    if !table.entries.iter().any(of_unknown) {
        if setting.unknowns.len() > 1 {
            let unknowns = setting.unknowns.to_vec();
            return Err(setting
                .source
                .error(&table.span, Fault::WhichUnknown { unknowns }));
        }
        found[0] = Some(factor_and_lift(setting, probe, table)?);
        return Ok(found);
    }
    for entry in &table.entries {
        let unknown = setting.unknown(&entry.key, &entry.key_span)?;
        let Value::Table(table) = &entry.item.value else {
            return Err(wrong_type(
                setting.source,
                &entry.key,
                &entry.item,
                "a table with factor and lift",
            ));
        };
        found[unknown] = Some(factor_and_lift(setting, probe, table)?);
    }
    Ok(found)
}

fn factor_and_lift(
    setting: &Setting<'_>,
    probe: &Probe<'_>,
    table: &Table,
) -> Result<(Expr, Expr), ProblemError> {
    let fields = Fields::new(setting.source, "[ansatz]", table, &["factor", "lift"])?;
    let part = |key: &str, default: f64| match fields.text(key)? {
        None => Ok(Expr::number(default)),
        Some(text) => {
            let what = format!("`{key}` of `[ansatz]`");
            let expr = setting.names.given(&text, &what)?;
            probe.differentiable(&expr, &what, &text.span)?;
            Ok(expr)
        }
    };
    Ok((part("factor", 1.0)?, part("lift", 0.0)?))
}

/// `[network]` and `[solver]`.
pub(super) fn options(file: &Fields<'_>) -> Result<Vec<(String, String)>, ProblemError> {
    let mut all = Vec::new();
    for (key, name) in [("network", "[network]"), ("solver", "[solver]")] {
        if let Some(table) = one(file, key)? {
            all.extend(options::options(file.source, name, table)?);
        }
    }
    Ok(all)
}
