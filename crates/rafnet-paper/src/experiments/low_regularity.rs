//! −∇·(|x|∇u) = f on the disc, a solution with a kink at the origin. Table 3, third column; figure (c). The released script runs in ten
//! dimensions by default: [`TEN`].

use super::column::{Column, EQUATIONS, Kind};
use super::ways;
use crate::cell::{Cell, error};
use crate::figure::{self, Group};
use crate::item::Item;
use crate::published::sign;
use crate::table::{Section, Table};
use crate::work::{Equation, Run, Source};
use crate::{Asked, Store, Track};

pub(super) static COLUMN: Column = Column {
    id: "low-regularity",
    title: "low regularity",
    problem: "low-regularity",
    coded: "low-regularity",
    open: "low-regularity-r",
    activations: &EQUATIONS,
    width: 50,
    steps: [200_000, 500],
    kind: Kind::Equation { decayed: true },
    figure: "c",
};

pub(super) const ITEM: Item = Item {
    id: "low-regularity",
    place: "Table 3, column 3; Figure 3 (c)",
    title: "a solution of low regularity",
    also: &["figure-c"],
    runs: |asked| COLUMN.runs(asked),
    section: |asked, store| COLUMN.section(asked, store),
};

pub(super) const TEN: Item = Item {
    id: "low-regularity-10",
    place: "the released script of column 3",
    title: "the same in ten dimensions, width 100",
    also: &[],
    runs,
    section,
};

const TEXT: &str = r#"
name = "low-regularity-10"
[domain]
kind = "ball"
dimension = 10
[functions]
r = "sqrt(sum(i, 1, 10, x[i]^2))"
[equation]
residual = "-div(r*grad(u)) - f"
source = "manufactured"
[[boundary]]
on = "all"
dirichlet = "0"
[ansatz]
factor = "1 - r"
[exact]
u = "sin(2*pi*(1 - r))"
"#;

const ID_10: &str = "low-regularity-10";
const ACTIVATIONS: [&str; 2] = ["relu3", "psg"];
const STEPS: [u64; 2] = [100_000, 60];

fn runs(asked: &Asked) -> Vec<Run> {
    if !asked.wants(Track::Parity) {
        return Vec::new();
    }
    let run = |seed: u64| {
        ACTIVATIONS.map(|activation| {
            let source = Source::Text(ID_10, TEXT.into());
            let options = ways::adam(asked, activation, 100);
            let work = Equation::parity(source, options, seed, ways::steps(asked, STEPS));
            ways::run(ID_10, asked, &format!("{activation}-parity"), work)
        })
    };
    asked.seeds().flat_map(run).collect()
}

fn section(asked: &Asked, store: &Store) -> Section {
    let mut section = Section::default();
    section.say("The released script names ten dimensions and width 100, and stops with an error there; the paper has two. No figure was published.");
    let mut table = Table::new(["activation", "average", "best", "last"]);
    let records =
        |activation: &str| ways::records(ID_10, asked, store, &format!("{activation}-parity"));
    for activation in ACTIVATIONS {
        let found = records(activation);
        let of = |figure: &str| Cell::of(&found, figure).text(error);
        table.row([
            sign(activation).to_owned(),
            of("moving_average"),
            of("best"),
            of("last"),
        ]);
    }
    section.add(&table);
    let groups = ACTIVATIONS.map(|a| Group::new(sign(a), records(a)));
    let title = "low regularity in ten dimensions";
    figure::errors(
        &mut section,
        store,
        &ways::folder(ID_10, asked),
        title,
        &groups,
    );
    section
}
