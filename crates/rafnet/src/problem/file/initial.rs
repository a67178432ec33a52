//! `[[initial]]`: what is given at the first time, u and its derivatives by time.
//!
//! ```text
//! u − g        u_t − g        u_tt − g        u_ttt − g
//! ```

use super::conditions::{Class, Draft, MANNERS, Manner};
use super::document::Table;
use super::fields::Fields;
use super::formula::Formula;
use super::region::Region;
use super::setting::Setting;
use crate::expr::{Expr, Leaf};
use crate::problem::error::ProblemError;
use crate::problem::fault::Fault;
use crate::problem::second_order::HIGHEST_ORDER;

/// Reads one `[[initial]]`: `u`, `u_t`, `u_tt` and `u_ttt` at the first time.
pub(super) fn initial(setting: &Setting<'_>, table: &Table) -> Result<Vec<Draft>, ProblemError> {
    let source = setting.source;
    let (Some(axis), Some(start)) = (setting.time, setting.start()) else {
        let what = "initial data".into();
        return Err(source.error(&table.span, Fault::NoTime { what }));
    };
    let time = &setting.coordinates[axis];
    let n = setting.unknowns.len();
    let mut known: Vec<String> = setting.unknowns.to_vec();
    for order in 1..HIGHEST_ORDER {
        let derivative = time.repeat(order);
        let names = setting.unknowns.iter();
        known.extend(names.map(|name| format!("{name}_{derivative}")));
    }
    let keys: Vec<&str> = known.iter().map(String::as_str).chain(MANNERS).collect();
    let fields = Fields::new(source, "[[initial]]", table, &keys)?;
    let manner = Manner::read(setting, &fields)?;
    let mut drafts = Vec::new();
    for entry in &table.entries {
        let Some(place) = known.iter().position(|name| *name == entry.key) else {
            continue;
        };
        let (unknown, order) = (place % n, place / n);
        let class = match order {
            0 => Class::Value,
            order => Class::Derivative(order),
        };
        let axes = vec![axis; order];
        let text = Formula::of(source, &entry.key, &entry.item)?;
        let given = setting.names.known(&text)?;
        let value = class == Class::Value && setting.names.sought_in(&given).is_none();
        drafts.push(Draft {
            line: source.line(entry.key_span.start),
            span: entry.key_span.clone(),
            value_span: entry.item.span.clone(),
            unknown: Some(unknown),
            class,
            region: Region {
                pieces: vec![start],
                filter: None,
            },
            dirichlet: value.then(|| (unknown, given.clone())),
            residual: Expr::leaf(Leaf::jet(unknown, &axes)) - given,
            initial: true,
            enforce: manner.enforce,
            weight: manner.weight,
            points: manner.points,
        });
    }
    if drafts.is_empty() {
        let name = &setting.unknowns[0];
        let fault = Fault::MissingKey {
            key: name.clone(),
            table: "[[initial]]".into(),
            example: format!("{name} = \"…\""),
        };
        return Err(source.error(&table.span, fault));
    }
    Ok(drafts)
}
