//! Regression of a function with a jump: −2x + 1 for x ≥ 0, −2x − 1 below. Table 3, first column; figure (a). No code was released.

use super::column::{Column, Kind};
use crate::item::Item;

pub(super) static COLUMN: Column = Column {
    id: "regression",
    title: "regression of a function with a jump",
    problem: "regression-jump",
    coded: "regression-jump",
    open: "regression-jump",
    activations: &[
        "relu",
        "relu3",
        "poly",
        "poly-relu",
        "poly-relu3",
        "poly-sine",
        "psg",
        "rational",
    ],
    width: 50,
    steps: [50_000, 1_000],
    kind: Kind::Equation { decayed: false },
    figure: "a",
};

pub(super) const ITEM: Item = Item {
    id: "regression",
    place: "Table 3, column 1; Figure 3 (a)",
    title: "regression of a function with a jump",
    also: &["figure-a"],
    runs: |asked| COLUMN.runs(asked),
    section: |asked, store| COLUMN.section(asked, store),
};
