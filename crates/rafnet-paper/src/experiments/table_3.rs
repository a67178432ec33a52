//! Table 3 on one page: the paper's error and ours, column by column, and the three tracks against their goals.

use super::column::Column;
use super::{eigen, low_regularity, oscillation, poisson, regression, ways};
use crate::cell::{Cell, error};
use crate::item::Item;
use crate::published::{TABLE_3, sign, table_3};
use crate::table::{Section, Table};
use crate::{Asked, Store};
use rafnet::expr::smaller;

pub(super) const ITEM: Item = Item {
    id: "table3",
    place: "Table 3",
    title: "relative L2 errors of eight activations",
    also: &[],
    runs: |asked| COLUMNS.iter().flat_map(|c| c.runs(asked)).collect(),
    section,
};

pub(super) const COLUMNS: [&Column; 6] = [
    &regression::COLUMN,
    &poisson::COLUMN,
    &low_regularity::COLUMN,
    &oscillation::COLUMN,
    &eigen::COLUMN_5,
    &eigen::COLUMN_10,
];

fn section(asked: &Asked, store: &Store) -> Section {
    let mut section = Section::default();
    section.say("The smallest mean over 100 steps, parity track: the paper's network, ansatz and Adam, no weight decay, in a full run as many steps for every row; for the eigenpairs random paths. In each cell the paper's figure, then ours.");
    let head = ["activation"].into_iter().chain(COLUMNS.map(|c| c.id));
    let mut table = Table::new(head);
    for (activation, _) in TABLE_3 {
        let cell = |column: &&Column| {
            let found = column.records(asked, store, &format!("{activation}-parity"));
            let ours = Cell::of(&found, "moving_average").text(error);
            let paper = table_3(column.id, activation).map_or("–".into(), error);
            let shown = column.activations.contains(&activation);
            match (shown, ours.is_empty()) {
                (false, _) => String::new(),
                (true, true) => paper,
                (true, false) => format!("{paper} → {ours}"),
            }
        };
        let cells = COLUMNS.iter().map(cell);
        table.row([sign(activation).to_owned()].into_iter().chain(cells));
    }
    section.add(&table);
    section.say("The tracks, each with its goal: parity as above for PSG, *trained* the same network by another optimiser (eigenpairs: one of the same layers for log u with fewer inputs), *open* anything that does not look at the exact solution (low regularity there with r as an input; the jump in pieces, cut where the equation's text jumps), for at most 300 s.");
    let mut tracks = Table::new([
        "problem",
        "paper's best",
        "parity",
        "goal",
        "trained",
        "goal",
        "open",
        "goal",
    ]);
    for column in COLUMNS {
        let rows = TABLE_3.iter().filter_map(|row| table_3(column.id, row.0));
        let best = rows.reduce(smaller).map_or(String::new(), error);
        let of = |name: &str, figure: &str| {
            Cell::of(&column.records(asked, store, name), figure).text(error)
        };
        let [parity, trained, open] = ways::goals(column.id);
        tracks.row([
            column.id.to_owned(),
            best,
            of("psg-parity", "moving_average"),
            parity,
            of("psg-trained", "relative_l2"),
            trained,
            of("open", "relative_l2"),
            open,
        ]);
    }
    section.add(&tracks);
    section
}
