//! Condition numbers of tangent kernels at the start. Table 5.

use crate::cell::Cell;
use crate::item::Item;
use crate::published::{TABLE_5, sign};
use crate::table::{Section, Table};
use crate::work::{Kernel, Run, Work};
use crate::{Asked, Store};

pub(super) const ITEM: Item = Item {
    id: "table5",
    place: "Table 5",
    title: "condition numbers of tangent kernels",
    also: &["ntk"],
    runs,
    section,
};

const PROBLEMS: [&str; 3] = ["poisson-smooth", "low-regularity", "oscillation"];

/// Activations with the widths of their Gaussians; the paper's rows have 0.1.
fn rows() -> Vec<(&'static str, f64)> {
    let paper = TABLE_5.iter().map(|row| (row.0, 0.1));
    paper.chain([("psg", 0.05), ("psg", 0.5)]).collect()
}

fn key(problem: &str, (activation, width): (&str, f64)) -> String {
    format!("table5/{problem}-{activation}-{width}")
}

/// Squared singular values beyond this are rounding.
const CERTAIN: f64 = 1e30;

fn runs(asked: &Asked) -> Vec<Run> {
    let run = |problem: &'static str| {
        rows().into_iter().map(move |row| {
            let work = Kernel {
                problem,
                activation: row.0,
                gaussian_width: row.1,
                seeds: asked.seeds.unwrap_or(asked.by_budget(1, 3, 10)),
                points: asked.by_budget(10, 100, 100),
            };
            Run::new(key(problem, row), Work::Kernel(work))
        })
    };
    PROBLEMS.into_iter().flat_map(run).collect()
}

fn section(_: &Asked, store: &Store) -> Section {
    let mut section = Section::default();
    section.say("The largest over the smallest eigenvalue of Θ = J Jᵀ for 100 random points and fresh networks, operator and ansatz included; median and range over the seeds. *f64* squares singular values of J and is certain up to 1e30 (beyond 1e16 the kernel itself, formed in double precision, would be singular); *f32* forms Θ in single precision, which gives numbers of the size that the paper prints: where f64 is above 1e10, they are rounding.");
    for (k, problem) in PROBLEMS.iter().enumerate() {
        let mut table = Table::new([&format!("`{problem}`"), "paper", "f64", "f32"]);
        let mut least: Option<(f64, String)> = None;
        for row in rows() {
            let record = store.get(&key(problem, row));
            let published = TABLE_5
                .iter()
                .find(|r| r.0 == row.0 && key(problem, row) == key(problem, (row.0, 0.1)));
            let paper = published.map_or(String::new(), |r| number(r.1[k]));
            let of = |name: &str| {
                record
                    .as_ref()
                    .map_or(Cell::default(), |r| Cell::from_values(r.list(name)))
            };
            let width = if row.0 == "psg" {
                format!(", s = {}", row.1)
            } else {
                String::new()
            };
            let name = format!("{}{width}", sign(row.0));
            let [double, single] = ["f64", "f32"].map(of);
            if let Some(median) = double
                .median()
                .filter(|m| published.is_some() && least.as_ref().is_none_or(|l| *m < l.0))
            {
                least = Some((median, name.clone()));
            }
            table.row([name, paper, double.text(number), single.text(number)]);
        }
        section.add(&table);
        if let Some((_, name)) = least {
            section.say(format!(
                "Smallest among the paper's rows in double precision: {name}."
            ));
        }
    }
    section
}

/// Two digits as far as they are certain.
fn number(value: f64) -> String {
    if value > CERTAIN {
        return "> 1e30".into();
    }
    format!("{value:.1e}")
}
