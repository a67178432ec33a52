//! The nonlinear Schrödinger eigenpairs in 5 and 10 dimensions. Table 3, last columns; figures (g) and (h).
//!
//! The open track runs here. The paper's stochastic method is `raf solve schrodinger-d5 --method bsde`, hours for a row.

use super::column::{folder, texts};
use crate::cell::{Cell, decibels, error};
use crate::item::Item;
use crate::published::{GOALS, TABLE_3, sign};
use crate::table::{Section, Table};
use crate::work::{Equation, Run, Source, Work};
use crate::{Asked, Record, Store, Track};

/// The eigenvalue of both.
const LAMBDA: f64 = -3.0;

pub(super) const FIVE: Item = Item {
    id: "eigen-5",
    place: "Table 3, column 5; figure (g)",
    title: "a nonlinear Schrödinger eigenpair in 5 dimensions",
    also: &["figure-g"],
    runs: |asked| runs(asked, "eigen-5", "schrodinger-d5"),
    section: |asked, store| section(asked, store, "eigen-5", "schrodinger-d5", 4),
};

pub(super) const TEN: Item = Item {
    id: "eigen-10",
    place: "Table 3, column 6; figure (h)",
    title: "the same in 10 dimensions",
    also: &["figure-h"],
    runs: |asked| runs(asked, "eigen-10", "schrodinger-d10"),
    section: |asked, store| section(asked, store, "eigen-10", "schrodinger-d10", 5),
};

fn key(asked: &Asked, id: &str, seed: u64) -> String {
    format!("{}/open-{seed}", folder(id, asked))
}

fn runs(asked: &Asked, id: &str, problem: &'static str) -> Vec<Run> {
    let seeds = asked.seeds().filter(|_| asked.wants(Track::Open));
    let run = |seed| {
        let work = Equation {
            source: Source::Builtin(asked.by_budget("schrodinger-d2", problem, problem)),
            track: Track::Open,
            options: texts(&[("method", "auto".into()), ("time_limit", "300".into())]),
            seed,
            steps: None,
            full_steps: None,
        };
        Run::new(key(asked, id, seed), Work::Equation(work))
    };
    seeds.map(run).collect()
}

fn section(asked: &Asked, store: &Store, id: &str, problem: &str, column: usize) -> Section {
    let mut section = Section::default();
    section.say(format!(
        "The paper's errors are of its stochastic method: `raf solve {problem} --method bsde --activation psg` is that here, and was not run. The open track beside it: relative L2 error of the eigenfunction on 10,000 fresh points and the distance of λ from {LAMBDA}, median over the seeds, and their range."
    ));
    let mut table = Table::new(["activation", "paper"]);
    for (activation, errors) in TABLE_3 {
        if let Some(value) = errors[column] {
            table.row([sign(activation).to_owned(), error(value)]);
        }
    }
    section.add(&table);
    let seeds = 0..asked.seeds().end.max(10);
    let records: Vec<Record> = seeds
        .filter_map(|seed| store.get(&key(asked, id, seed)))
        .collect();
    let of = |figure: &str| Cell::of(&records, figure).text(error);
    let off = records.iter().filter_map(|r| r.figure("eigenvalue"));
    let off = off.map(|lambda| (lambda - LAMBDA).abs()).collect();
    let goal = GOALS.iter().find(|g| g.0 == id).map(|g| g.1[2]);
    let seconds = records.iter().map(Record::seconds).collect();
    let mut table = Table::new([
        "track",
        "goal",
        "relative L2",
        "off λ",
        "its own estimate",
        "seconds",
    ]);
    table.row([
        "open".to_owned(),
        goal.map_or(String::new(), error),
        of("relative_l2"),
        Cell::from_values(off).text(error),
        of("error_estimate"),
        Cell::from_values(seconds).text(decibels),
    ]);
    section.add(&table);
    section
}
