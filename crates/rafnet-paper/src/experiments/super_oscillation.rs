//! Twenty waves along each axis: scaled sines against ReLU³. Figure (f). The paper prints sin 40x sin 40y, which is not zero on the
//! boundary; its code has 40π. Both are run, the printed one with the boundary's values as a lift.

use super::scaled_sines::{ROWS, beside_jax};
use super::ways;
use crate::cell::{Cell, error};
use crate::figure::{self, Group};
use crate::item::Item;
use crate::table::{Section, Table};
use crate::work::{Equation, Run, Source};
use crate::{Asked, Record, Store, Track};

pub(super) const ITEM: Item = Item {
    id: "super-oscillation",
    place: "Figure 3 (f)",
    title: "twenty waves along each axis",
    also: &["figure-f"],
    runs,
    section,
};

const LITERAL: &str = r#"
name = "super-oscillation-40"
[domain]
kind = "box"
x = [0, 1]
y = [0, 1]
[equation]
residual = "-laplacian(u) + (u + 2)^2 - f"
source = "manufactured"
[[boundary]]
on = "all"
dirichlet = "sin(40*x)*sin(40*y)"
[exact]
u = "sin(40*x)*sin(40*y)"
"#;

const ID: &str = "super-oscillation";
const STEPS: [u64; 2] = [100_000, 400];
const WIDTH: usize = 100;

fn rows() -> [(&'static str, &'static str, &'static str); 4] {
    [("relu3", "ReLU³", "relu3"), ROWS[0], ROWS[2], ROWS[1]]
}

fn runs(asked: &Asked) -> Vec<Run> {
    let mut runs = Vec::new();
    let ours = || Source::Builtin("super-oscillation");
    let literal = || Source::Text("super-oscillation-40", LITERAL.into());
    for seed in asked.seeds() {
        let mut add = |name: &str, work: Equation| runs.push(ways::run(ID, asked, name, work));
        if asked.wants(Track::Parity) {
            let parity = |source: Source, activation: &str| {
                let options = ways::adam(asked, activation, WIDTH);
                Equation::parity(source, options, seed, ways::steps(asked, STEPS))
            };
            for (name, _, activation) in rows() {
                add(&format!("{name}-parity"), parity(ours(), activation));
            }
            for (name, _, activation) in &rows()[..2] {
                add(&format!("{name}-literal"), parity(literal(), activation));
            }
        }
        if asked.wants(Track::Trained) {
            let options = ways::lm(asked, ROWS[0].2, WIDTH);
            let steps = ways::steps(asked, [500, 40]);
            add(
                "first-trained",
                Equation::trained(ours(), options, seed, steps),
            );
        }
        if asked.wants(Track::Open) {
            for (name, source) in [("open", ours()), ("literal-open", literal())] {
                add(name, Equation::open(source, ways::open(asked), seed));
            }
        }
    }
    runs
}

fn section(asked: &Asked, store: &Store) -> Section {
    let mut section = Section::default();
    section.say("The solution sin 40πx sin 40πy, and the printed sin 40x sin 40y with a lift. The paper has a figure and no numbers.");
    let records = |name: &str| ways::records(ID, asked, store, name);
    let mut table = Table::new([
        "activation",
        "40π: average",
        "best",
        "40 with a lift: average",
        "best",
    ]);
    for (name, title, _) in rows() {
        let [ours, literal] = ["parity", "literal"].map(|what| records(&format!("{name}-{what}")));
        let of = |found: &[Record], figure: &str| Cell::of(found, figure).text(error);
        table.row([
            title.to_owned(),
            of(&ours, "moving_average"),
            of(&ours, "best"),
            of(&literal, "moving_average"),
            of(&literal, "best"),
        ]);
    }
    section.add(&table);
    beside_jax(&mut section, ID, asked, store, &rows());
    let [_, trained, open] = ways::goals(ID);
    let tracks = [
        ("trained", &*trained, records("first-trained")),
        ("open", &*open, records("open")),
        ("open, 40 with a lift", &*open, records("literal-open")),
    ];
    section.add(&ways::tracks(&tracks, None));
    let groups =
        rows().map(|(name, title, _)| Group::new(title, records(&format!("{name}-parity"))));
    let title = "(f) super-oscillation";
    figure::errors(
        &mut section,
        store,
        &ways::folder(ID, asked),
        title,
        &groups,
    );
    section
}
