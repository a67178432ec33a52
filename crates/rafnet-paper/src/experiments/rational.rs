//! The rational activation: close to PSG in regression at about twice the time a step, and no use in equations, says the paper.

use super::{low_regularity, oscillation, poisson, regression, ways};
use crate::cell::{Cell, error};
use crate::item::Item;
use crate::table::{Section, Table};
use crate::work::{Equation, Run, Source};
use crate::{Asked, Record, Store, Track};

pub(super) const ITEM: Item = Item {
    id: "rational",
    place: "4.2.1, remarks to Table 3",
    title: "the rational activation: its time, and equations",
    also: &[],
    runs,
    section,
};

const ID: &str = "rational";
const STEPS: [u64; 2] = [20_000, 400];
const COLUMNS: [&super::column::Column; 3] = [
    &poisson::COLUMN,
    &low_regularity::COLUMN,
    &oscillation::COLUMN,
];
const ROWS: [&str; 2] = ["rational", "psg"];

fn runs(asked: &Asked) -> Vec<Run> {
    let mut runs = Vec::new();
    if !asked.wants(Track::Parity) {
        return runs;
    }
    for seed in asked.seeds() {
        for column in COLUMNS {
            runs.extend(ROWS.map(|activation| {
                let source = Source::Builtin(column.problem);
                let options = ways::adam(asked, activation, column.width);
                let work = Equation::parity(source, options, seed, ways::steps(asked, STEPS));
                ways::run(ID, asked, &name(column.id, activation), work)
            }));
        }
    }
    runs
}

fn name(problem: &str, activation: &str) -> String {
    format!("{problem}-{activation}")
}

fn section(asked: &Asked, store: &Store) -> Section {
    let mut section = Section::default();
    section.say("Regression after its 50,000 steps, equations after 20,000, which is what a share is of. The paper: the rational activation takes about twice PSG's time in regression, and did not work for equations.");
    let mut table = Table::new([
        "problem",
        "rational: average",
        "PSG: average",
        "time a step, rational over PSG",
    ]);
    let mut row = |problem: &str, [rational, psg]: [Vec<Record>; 2]| {
        let average = |found: &[Record]| Cell::of(found, "moving_average").text(error);
        let step = |found: &[Record]| Cell::of(found, "step_seconds").median();
        let ratio = step(&rational)
            .zip(step(&psg))
            .map_or(String::new(), |(r, p)| format!("{:.2}", r / p));
        table.row([problem.to_owned(), average(&rational), average(&psg), ratio]);
    };
    let parity = |activation: &str| {
        regression::COLUMN.records(asked, store, &format!("{activation}-parity"))
    };
    row("regression", ROWS.map(parity));
    for column in COLUMNS {
        let records =
            |activation: &str| ways::records(ID, asked, store, &name(column.id, activation));
        row(column.id, ROWS.map(records));
    }
    section.add(&table);
    section
}
