//! −Δu + (u + 2)² = f with three waves along each axis. Table 3, fourth column; figure (d). The released code has a further cubic term.

use super::column::{Column, EQUATIONS, Kind};
use crate::item::Item;

pub(super) static COLUMN: Column = Column {
    id: "oscillation",
    title: "an oscillating solution",
    problem: "oscillation",
    coded: "oscillation-code",
    open: "oscillation",
    activations: &EQUATIONS,
    width: 100,
    steps: [100_000, 500],
    kind: Kind::Equation { decayed: false },
    figure: "d",
};

pub(super) const ITEM: Item = Item {
    id: "oscillation",
    place: "Table 3, column 4; Figure 3 (d)",
    title: "a nonlinear equation with an oscillating solution",
    also: &["figure-d"],
    runs: |asked| COLUMN.runs(asked),
    section: |asked, store| COLUMN.section(asked, store),
};
