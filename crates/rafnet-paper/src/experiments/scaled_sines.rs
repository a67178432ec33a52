//! Oscillation with sines of fixed frequencies 2πk in the first or the last hidden layer, with and without cosines. Table 4; figure (e).

use super::ways;
use crate::cell::{Cell, error};
use crate::figure::{self, Group};
use crate::item::Item;
use crate::published::TABLE_4;
use crate::table::{Section, Table};
use crate::work::{Equation, Run, Source};
use crate::{Asked, Store, Track, peers};

pub(super) const ITEM: Item = Item {
    id: "table4",
    place: "Table 4; Figure 3 (e)",
    title: "oscillation with sines of fixed frequencies in one layer",
    also: &["scaled-sines", "figure-e"],
    runs,
    section,
};

/// Key, what the paper calls it, activations of the four layers.
pub(super) const ROWS: [(&str, &str, &str); 4] = [
    (
        "first",
        "x ⊕ x² ⊕ sin, first layer",
        "scaled-sine,poly-sine,poly-sine,poly-sine",
    ),
    (
        "last",
        "x ⊕ x² ⊕ sin, last layer",
        "poly-sine,poly-sine,poly-sine,scaled-sine",
    ),
    (
        "first-cos",
        "x ⊕ x² ⊕ sin ⊕ cos, first layer",
        "scaled-sine-cosine,poly-sine,poly-sine,poly-sine",
    ),
    (
        "last-cos",
        "x ⊕ x² ⊕ sin ⊕ cos, last layer",
        "poly-sine,poly-sine,poly-sine,scaled-sine-cosine",
    ),
];
const ID: &str = "scaled-sines";
const STEPS: [u64; 2] = [100_000, 500];
const WIDTH: usize = 100;

fn runs(asked: &Asked) -> Vec<Run> {
    let mut runs = Vec::new();
    let source = || Source::Builtin("oscillation");
    for seed in asked.seeds() {
        if asked.wants(Track::Parity) {
            runs.extend(ROWS.map(|(name, _, activation)| {
                let options = ways::adam(asked, activation, WIDTH);
                let steps = ways::steps(asked, STEPS);
                let work = Equation::parity(source(), options, seed, steps);
                ways::run(ID, asked, &format!("{name}-parity"), work)
            }));
        }
        if asked.wants(Track::Trained) {
            let options = ways::lm(asked, ROWS[0].2, WIDTH);
            let work = Equation::trained(source(), options, seed, ways::steps(asked, [500, 40]));
            runs.push(ways::run(ID, asked, "first-trained", work));
        }
        if asked.wants(Track::Open) {
            let work = Equation::open(source(), ways::open(asked), seed);
            runs.push(ways::run(ID, asked, "open", work));
        }
    }
    runs
}

/// What JAX gives for rows of this table or of figure (f).
pub(super) fn beside_jax(
    section: &mut Section,
    id: &str,
    asked: &Asked,
    store: &Store,
    rows: &[(&str, &str, &str)],
) {
    peers::beside(section, asked, id, "best", |activation, _| {
        let row = rows.iter().find(|row| row.0 == activation);
        let title = row.map_or(activation, |row| row.1).to_owned();
        let name = format!("{activation}-parity");
        (title, ways::records(id, asked, store, &name))
    });
}

fn section(asked: &Asked, store: &Store) -> Section {
    let mut section = Section::default();
    section.say("The smallest error of a single step, as Table 4 has it, and the smallest mean over 100 steps. The paper's code cannot run the rows with cosines at width 100; here the middle third is shared between sines and cosines.");
    let records = |name: &str| ways::records(ID, asked, store, name);
    let mut table = Table::new(["activation", "paper", "best", "average", "last"]);
    for ((name, title, _), (_, paper)) in ROWS.iter().zip(TABLE_4) {
        let found = records(&format!("{name}-parity"));
        let of = |figure: &str| Cell::of(&found, figure).text(error);
        table.row([
            (*title).to_owned(),
            error(paper),
            of("best"),
            of("moving_average"),
            of("last"),
        ]);
    }
    section.add(&table);
    beside_jax(&mut section, ID, asked, store, &ROWS);
    let [_, trained, open] = ways::goals(ID);
    let tracks = [
        ("trained", &*trained, records("first-trained")),
        ("open", &*open, records("open")),
    ];
    section.add(&ways::tracks(&tracks, None));
    let groups = ROWS.map(|(name, title, _)| Group::new(title, records(&format!("{name}-parity"))));
    let title = "(e) fixed frequencies";
    figure::errors(
        &mut section,
        store,
        &ways::folder(ID, asked),
        title,
        &groups,
    );
    section
}
