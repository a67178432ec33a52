//! The nonlinear Schrödinger eigenpairs in 5 and 10 dimensions. Table 3, last columns; figures (g) and (h). The paper follows Han, Lu and
//! Zhou: two networks trained along random paths, `raf solve schrodinger-d5 --method bsde` here; `--with mode=gradient` leaves the second
//! network out.

use super::column::{Column, Kind};
use crate::item::Item;

/// The eigenvalue of both.
const LAMBDA: f64 = -3.0;
/// What the paper compares.
const ACTIVATIONS: [&str; 3] = ["relu", "relu3", "psg"];

pub(super) static COLUMN_5: Column = Column {
    id: "eigen-5",
    title: "an eigenpair in 5 dimensions",
    problem: "schrodinger-d5",
    coded: "schrodinger-d5",
    open: "schrodinger-d5",
    activations: &ACTIVATIONS,
    width: 80,
    steps: [60_001, 200],
    kind: Kind::Eigenpair { lambda: LAMBDA },
    figure: "g",
};

pub(super) static COLUMN_10: Column = Column {
    id: "eigen-10",
    title: "an eigenpair in 10 dimensions",
    problem: "schrodinger-d10",
    coded: "schrodinger-d10",
    open: "schrodinger-d10",
    activations: &ACTIVATIONS,
    width: 200,
    steps: [80_001, 200],
    kind: Kind::Eigenpair { lambda: LAMBDA },
    figure: "h",
};

pub(super) const FIVE: Item = Item {
    id: "eigen-5",
    place: "Table 3, column 5; Figure 3 (g)",
    title: "a nonlinear Schrödinger eigenpair in 5 dimensions",
    also: &["figure-g"],
    runs: |asked| COLUMN_5.runs(asked),
    section: |asked, store| COLUMN_5.section(asked, store),
};

pub(super) const TEN: Item = Item {
    id: "eigen-10",
    place: "Table 3, column 6; Figure 3 (h)",
    title: "the same in 10 dimensions",
    also: &["figure-h"],
    runs: |asked| COLUMN_10.runs(asked),
    section: |asked, store| COLUMN_10.section(asked, store),
};
