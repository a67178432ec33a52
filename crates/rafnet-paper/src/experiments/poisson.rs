//! Poisson's equation with a smooth solution. Table 3, second column; figure (b). The paper's PSG row had 100,000 steps and the others
//! 50,000, and its code a weight decay that its text does not mention: here all rows have the same steps, with and without.

use super::column::{Column, EQUATIONS, Kind};
use crate::item::Item;

pub(super) static COLUMN: Column = Column {
    id: "poisson",
    title: "Poisson's equation",
    problem: "poisson-smooth",
    coded: "poisson-smooth",
    open: "poisson-smooth",
    activations: &EQUATIONS,
    width: 50,
    steps: [100_000, 500],
    kind: Kind::Equation { decayed: true },
    figure: "b",
};

pub(super) const ITEM: Item = Item {
    id: "poisson",
    place: "Table 3, column 2; Figure 3 (b)",
    title: "Poisson's equation with a smooth solution",
    also: &["figure-b"],
    runs: |asked| COLUMN.runs(asked),
    section: |asked, store| COLUMN.section(asked, store),
};
