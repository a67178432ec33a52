//! The rational activation: close to PSG in regression at about twice the time a step, and no use in equations, says the paper.

use super::column::{adam, folder, steps};
use super::{low_regularity, oscillation, poisson, regression};
use crate::cell::{Cell, error};
use crate::item::Item;
use crate::table::{Section, Table};
use crate::work::{Equation, Run, Source, Work};
use crate::{Asked, Record, Store, Track};

pub(super) const ITEM: Item = Item {
    id: "rational",
    place: "remarks to Table 3",
    title: "the rational activation: its time, and equations",
    also: &[],
    runs,
    section,
};

const STEPS: [u64; 2] = [20_000, 400];
const COLUMNS: [&super::column::Column; 3] = [
    &poisson::COLUMN,
    &low_regularity::COLUMN,
    &oscillation::COLUMN,
];
const ROWS: [&str; 2] = ["rational", "psg"];

fn key(asked: &Asked, problem: &str, activation: &str, seed: u64) -> String {
    format!(
        "{}/{problem}-{activation}-{seed}",
        folder("rational", asked)
    )
}

fn runs(asked: &Asked) -> Vec<Run> {
    let mut runs = Vec::new();
    if !asked.wants(Track::Parity) {
        return runs;
    }
    for seed in asked.seeds() {
        for column in COLUMNS {
            runs.extend(ROWS.map(|activation| {
                let work = Equation {
                    source: Source::Builtin(column.problem),
                    track: Track::Parity,
                    options: adam(asked, activation, column.width),
                    seed,
                    steps: Some(steps(asked, STEPS)),
                    full_steps: Some(STEPS[0]),
                };
                Run::new(
                    key(asked, column.id, activation, seed),
                    Work::Equation(work),
                )
            }));
        }
    }
    runs
}

fn section(asked: &Asked, store: &Store) -> Section {
    let mut section = Section::default();
    section.say("20,000 steps each. The paper: the rational activation takes about twice PSG's time in regression, and did not work for equations.");
    let mut table = Table::new([
        "problem",
        "rational: average",
        "PSG: average",
        "rational: outcome",
        "time a step, rational over PSG",
    ]);
    let mut row = |problem: &str, [rational, psg]: [Vec<Record>; 2]| {
        let average = |found: &[Record]| Cell::of(found, "moving_average").text(error);
        let step = |found: &[Record]| Cell::of(found, "seconds_per_step").median();
        let ratio = step(&rational)
            .zip(step(&psg))
            .map_or(String::new(), |(r, p)| format!("{:.2}", r / p));
        let outcome = rational
            .first()
            .and_then(|r| r.text("outcome"))
            .unwrap_or("");
        table.row([
            problem.to_owned(),
            average(&rational),
            average(&psg),
            outcome.to_owned(),
            ratio,
        ]);
    };
    let parity = |activation: &str| {
        regression::COLUMN.records(asked, store, &format!("{activation}-parity"))
    };
    row("regression", ROWS.map(parity));
    for column in COLUMNS {
        let records = |activation: &str| -> Vec<Record> {
            asked
                .seeds()
                .filter_map(|s| store.get(&key(asked, column.id, activation, s)))
                .collect()
        };
        row(column.id, ROWS.map(records));
    }
    section.add(&table);
    section
}
