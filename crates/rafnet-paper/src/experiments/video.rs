//! A video of 250 frames. Table 2 and the video figure.

use super::fits::{parity, steps};
use crate::cell::{Cell, by_device, decibels};
use crate::figure::{self, Group};
use crate::item::Item;
use crate::published::{TABLE_2, network as named};
use crate::table::{Section, Table};
use crate::work::{Fit, Piece, Run, Work};
use crate::{Asked, Record, Store, Track};

pub(super) const ITEM: Item = Item {
    id: "table2",
    place: "Table 2; Figure 2",
    title: "a video",
    also: &["video", "figure-2"],
    runs,
    section,
};

/// The paper's two, and SIREN with larger hidden weights.
const NETWORKS: [&str; 3] = ["siren", "siren-scaled", "sine-gaussian"];
const STEPS: u64 = 100_000;

fn key(network: &str, seed: u64) -> String {
    format!("table2/bikes-{network}-{seed}")
}

fn runs(asked: &Asked) -> Vec<Run> {
    parity(asked, &NETWORKS, |network, seed| {
        let work = Fit {
            piece: Piece::Video {
                file: "bikes.mp4",
                every: asked.by_budget([25, 16, 32], [10, 8, 8], [1, 1, 1]),
            },
            track: Track::Parity,
            code: false,
            network,
            width: asked.by_budget(16, 128, 400),
            batch: asked.by_budget(64, 4_096, 165_376),
            steps: steps(asked, 200, STEPS),
            full_steps: STEPS,
            seed,
        };
        Run::new(key(network, seed), Work::Fit(work))
    })
}

/// The records of a network.
pub(super) fn records(store: &Store, network: &str) -> Vec<Record> {
    store.over_seeds(|seed| key(network, seed))
}

fn section(_: &Asked, store: &Store) -> Section {
    let mut section = Section::default();
    section.say("`bikes`, 250 frames of 640 × 272, 165,376 random pixels a step: the mean PSNR of the frames and its deviation over them, dB; after a part of the steps every tenth frame is looked at. The curve is the PSNR of each step's batch.");
    let mut table = Table::new(["network", "paper", "mean", "deviation", "s a step"]);
    let records = |network: &str| records(store, network);
    for network in NETWORKS {
        let found = records(network);
        let paper = TABLE_2.iter().find(|row| row.0 == network);
        let paper = paper.map(|(_, [mean, deviation])| format!("{mean:.2} ± {deviation:.2}"));
        let of = |figure: &str, write: fn(f64) -> String| Cell::of(&found, figure).text(write);
        table.row([
            named(network).to_owned(),
            paper.unwrap_or_default(),
            of("frames_mean", decibels),
            of("frames_deviation", decibels),
            by_device(&found, "seconds_per_step"),
        ]);
    }
    section.add(&table);
    let groups = NETWORKS.map(|n| Group::new(named(n), records(n)));
    let label = "PSNR of the batch, dB";
    figure::quality(&mut section, store, "video", "video", &groups, label);
    section
}
