//! Oscillation with sines of fixed frequencies 2πk in the first or the last hidden layer, with and without cosines. Table 4; figure (e).

use super::column::{adam, folder, lm, open, steps};
use crate::cell::{Cell, error};
use crate::figure::{self, Group};
use crate::item::Item;
use crate::published::TABLE_4;
use crate::table::{Section, Table};
use crate::work::{Equation, Run, Source, Work};
use crate::{Asked, Record, Store, Track};

pub(super) const ITEM: Item = Item {
    id: "table4",
    place: "Table 4; figure (e)",
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
const STEPS: [u64; 2] = [100_000, 500];
const WIDTH: usize = 100;

fn key(asked: &Asked, name: &str, seed: u64) -> String {
    format!("{}/{name}-{seed}", folder("scaled-sines", asked))
}

fn runs(asked: &Asked) -> Vec<Run> {
    let mut runs = Vec::new();
    for seed in asked.seeds() {
        let run = |name: &str, track, options, steps, full_steps| {
            let work = Equation {
                source: Source::Builtin("oscillation"),
                track,
                options,
                seed,
                steps,
                full_steps,
            };
            Run::new(key(asked, name, seed), Work::Equation(work))
        };
        if asked.wants(Track::Parity) {
            runs.extend(ROWS.map(|(name, _, activation)| {
                let taken = Some(steps(asked, STEPS));
                run(
                    &format!("{name}-parity"),
                    Track::Parity,
                    adam(asked, activation, WIDTH),
                    taken,
                    Some(STEPS[0]),
                )
            }));
        }
        if asked.wants(Track::Trained) {
            let taken = Some(asked.by_budget(2, 40, 500));
            runs.push(run(
                "first-trained",
                Track::Trained,
                lm(asked, ROWS[0].2, WIDTH),
                taken,
                None,
            ));
        }
        if asked.wants(Track::Open) {
            runs.push(run("open", Track::Open, open(asked), None, None));
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
    section.say("The smallest error of a single step, as Table 4 has it, and the smallest mean over 100 steps. The paper's code cannot run the rows with cosines at width 100; here the middle third is shared between sines and cosines.");
    let mut table = Table::new(["activation", "paper", "best", "average", "last"]);
    for ((name, title, _), (_, paper)) in ROWS.iter().zip(TABLE_4) {
        let found = records(asked, store, &format!("{name}-parity"));
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
    let mut tracks = Table::new(["track", "goal", "relative L2", "its own estimate"]);
    for (name, track, goal) in [("first-trained", "trained", 1e-9), ("open", "open", 1e-11)] {
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
    let groups = ROWS.map(|(name, title, _)| {
        Group::new(title, records(asked, store, &format!("{name}-parity")))
    });
    figure::training(
        &mut section,
        store,
        "scaled-sines.svg",
        "(e) fixed frequencies",
        &groups,
        "error",
        "relative L2 error",
    );
    section
}
