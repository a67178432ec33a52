//! The nonlinear Schrödinger eigenpairs in 5 and 10 dimensions. Table 3, last columns; figures (g) and (h).

use crate::cell::error;
use crate::item::{Item, Status};
use crate::published::{TABLE_3, sign};
use crate::table::{Section, Table};

const MISSING: &str = "needs eigenvalue problems, which `raf solve` does not have yet";

pub(super) const FIVE: Item = Item {
    id: "eigen-5",
    place: "Table 3, column 5; figure (g)",
    title: "a nonlinear Schrödinger eigenpair in 5 dimensions",
    also: &["figure-g"],
    runs: |_| Vec::new(),
    section: |_, _| section(4),
    status: Status::NotYet(MISSING),
};

pub(super) const TEN: Item = Item {
    id: "eigen-10",
    place: "Table 3, column 6; figure (h)",
    title: "the same in 10 dimensions",
    also: &["figure-h"],
    runs: |_| Vec::new(),
    section: |_, _| section(5),
    status: Status::NotYet(MISSING),
};

fn section(column: usize) -> Section {
    let mut section = Section::default();
    section.say(format!("Not run: {MISSING}."));
    let mut table = Table::new(["activation", "paper"]);
    for (activation, errors) in TABLE_3 {
        if let Some(value) = errors[column] {
            table.row([sign(activation).to_owned(), error(value)]);
        }
    }
    section.add(&table);
    section
}
