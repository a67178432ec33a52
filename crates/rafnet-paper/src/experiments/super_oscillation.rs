//! Twenty waves along each axis: scaled sines against ReLU³. Figure (f). The paper prints sin 40x sin 40y, which is not zero on the
//! boundary; its code has 40π. Both are run, the printed one with the boundary's values as a lift.

use super::column::{adam, folder, lm, open, steps};
use super::scaled_sines::ROWS;
use crate::cell::{Cell, error};
use crate::figure::{self, Group};
use crate::item::Item;
use crate::table::{Section, Table};
use crate::work::{Equation, Run, Source, Work};
use crate::{Asked, Record, Store, Track};

pub(super) const ITEM: Item = Item {
    id: "super-oscillation",
    place: "figure (f)",
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

const STEPS: [u64; 2] = [100_000, 400];
const WIDTH: usize = 100;

fn rows() -> [(&'static str, &'static str, &'static str); 4] {
    [("relu3", "ReLU³", "relu3"), ROWS[0], ROWS[2], ROWS[1]]
}

fn key(asked: &Asked, name: &str, seed: u64) -> String {
    format!("{}/{name}-{seed}", folder("super-oscillation", asked))
}

fn runs(asked: &Asked) -> Vec<Run> {
    let mut runs = Vec::new();
    for seed in asked.seeds() {
        let mut add = |name: &str, source: Source, track: Track, options, steps, full_steps| {
            let work = Equation {
                source,
                track,
                options,
                seed,
                steps,
                full_steps,
            };
            runs.push(Run::new(key(asked, name, seed), Work::Equation(work)));
        };
        let ours = || Source::Builtin("super-oscillation");
        let literal = || Source::Text("super-oscillation-40", LITERAL.into());
        let (taken, full) = (Some(steps(asked, STEPS)), Some(STEPS[0]));
        if asked.wants(Track::Parity) {
            for (name, _, activation) in rows() {
                add(
                    &format!("{name}-parity"),
                    ours(),
                    Track::Parity,
                    adam(asked, activation, WIDTH),
                    taken,
                    full,
                );
            }
            for (name, _, activation) in &rows()[..2] {
                add(
                    &format!("{name}-literal"),
                    literal(),
                    Track::Parity,
                    adam(asked, activation, WIDTH),
                    taken,
                    full,
                );
            }
        }
        if asked.wants(Track::Trained) {
            let taken = Some(asked.by_budget(2, 40, 500));
            add(
                "first-trained",
                ours(),
                Track::Trained,
                lm(asked, ROWS[0].2, WIDTH),
                taken,
                None,
            );
        }
        if asked.wants(Track::Open) {
            add("open", ours(), Track::Open, open(asked), None, None);
            add(
                "literal-open",
                literal(),
                Track::Open,
                open(asked),
                None,
                None,
            );
        }
    }
    runs
}

fn records(asked: &Asked, store: &Store, name: &str) -> Vec<Record> {
    asked
        .seeds()
        .filter_map(|seed| store.get(&key(asked, name, seed)))
        .collect()
}

fn section(asked: &Asked, store: &Store) -> Section {
    let mut section = Section::default();
    section.say("The solution sin 40πx sin 40πy, and the printed sin 40x sin 40y with a lift. The paper has a figure and no numbers.");
    let mut table = Table::new([
        "activation",
        "40π: average",
        "best",
        "40 with a lift: average",
        "best",
    ]);
    for (name, title, _) in rows() {
        let [ours, literal] =
            ["parity", "literal"].map(|what| records(asked, store, &format!("{name}-{what}")));
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
    let mut tracks = Table::new(["track", "goal", "relative L2", "its own estimate"]);
    for (name, track, goal) in [
        ("first-trained", "trained", 1e-6),
        ("open", "open", 1e-9),
        ("literal-open", "open, 40 with a lift", 1e-9),
    ] {
        let found = records(asked, store, name);
        let of = |figure: &str| Cell::of(&found, figure).text(error);
        tracks.row([
            track.to_owned(),
            error(goal),
            of("relative_l2"),
            of("error_estimate"),
        ]);
    }
    section.add(&tracks);
    let groups = rows().map(|(name, title, _)| {
        Group::new(title, records(asked, store, &format!("{name}-parity")))
    });
    figure::training(
        &mut section,
        store,
        "super-oscillation.svg",
        "(f) super-oscillation",
        &groups,
        "error",
        "relative L2 error",
    );
    section
}
