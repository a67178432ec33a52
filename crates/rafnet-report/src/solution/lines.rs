//! Curves of a function of one coordinate: values with the exact ones and the observations, below them residual and errors.

use super::Solution;
use super::fields::{Group, inside};
use crate::array;
use crate::page::Section;
use rafnet::domain::Domain;
use rafnet::expr::{Leaf, larger, largest};
use serde_json::{Value, json};

/// Points of a curve.
const POINTS: usize = 601;

/// The curves of a solution of one coordinate.
pub(crate) fn sections(solution: &Solution<'_>) -> Vec<Section> {
    let problem = solution.problem;
    let [coordinate] = &problem.coordinates[..] else {
        return Vec::new();
    };
    // observations of an unknown itself lie on its curve
    let observed = problem.data.iter().filter_map(|o| {
        let unknown = (0..problem.unknowns.len())
            .find(|u| o.observe == rafnet::expr::Expr::leaf(Leaf::jet(*u, &[])))?;
        Some(json!({
            "unknown": problem.unknowns[unknown], "x": array::f64(&o.points), "y": array::f64(&o.values), "sigma": o.sigma,
        }))
    });
    let observed: Vec<Value> = observed.collect();
    let groups = solution.groups();
    section(&groups, &problem.domain, coordinate, &observed)
        .into_iter()
        .collect()
}

/// The curves of groups.
pub(crate) fn section(
    groups: &[Group<'_>],
    domain: &Domain,
    coordinate: &str,
    observed: &[Value],
) -> Option<Section> {
    let [low, high] = domain.bounds()[0];
    let place = |k: usize| low + (high - low) * k as f64 / (POINTS - 1) as f64;
    let x: Vec<f64> = (0..POINTS).map(place).collect();
    let inside = inside(domain, &x);
    let mut shown = Vec::new();
    for group in groups {
        let fields = group.fields(&x, &inside)?;
        let size = largest(fields[0].values.iter().map(|v| v.abs()));
        let estimate = fields.iter().find(|f| f.role == "estimate");
        let on_line = estimate.map_or(0.0, |f| largest(f.values.iter().copied()));
        let bar = group.bar(size).map(|bar| larger(bar, on_line));
        let fields = fields.into_iter().map(|f| {
            let values = f.values.iter().zip(&inside);
            let values: Vec<f64> = values
                .map(|(v, i)| if *i { *v } else { f64::NAN })
                .collect();
            json!({ "name": f.name, "role": f.role, "values": array::f64(&values) })
        });
        let fields: Vec<Value> = fields.collect();
        shown.push(json!({ "name": group.name, "fields": fields, "bar": bar }));
    }
    let data =
        json!({ "axis": coordinate, "x": array::f64(&x), "groups": shown, "observed": observed });
    Some(Section::new("lines", "The solution", "", data))
}
