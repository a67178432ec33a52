//! A video of 250 frames. Table 2 and the video figure.

use super::images::{seeds, steps};
use crate::cell::{Cell, decibels};
use crate::figure::{self, Group};
use crate::item::Item;
use crate::published::{TABLE_2, network as named};
use crate::table::{Section, Table};
use crate::work::{Fit, Piece, Run, Work};
use crate::{Asked, Record, Store, Track};

pub(super) const ITEM: Item = Item {
    id: "table2",
    place: "Table 2 and the video figure",
    title: "a video",
    also: &["video"],
    runs,
    section,
};

const STEPS: u64 = 100_000;

fn key(network: &str, seed: u64) -> String {
    format!("table2/bikes-{network}-{seed}")
}

fn runs(asked: &Asked) -> Vec<Run> {
    if !asked.wants(Track::Parity) {
        return Vec::new();
    }
    let run = |seed: u64| {
        TABLE_2.map(|(network, _)| {
            let work = Fit {
                piece: Piece::Video {
                    file: "bikes.mp4",
                    every: asked.by_budget([25, 16, 32], [10, 8, 8], [1, 1, 1]),
                },
                track: Track::Parity,
                network,
                width: asked.by_budget(16, 128, 400),
                batch: asked.by_budget(64, 4_096, 165_376),
                steps: steps(asked, 200, STEPS),
                full_steps: STEPS,
                seed,
            };
            Run::new(key(network, seed), Work::Fit(work))
        })
    };
    seeds(asked).flat_map(run).collect()
}

fn section(asked: &Asked, store: &Store) -> Section {
    let mut section = Section::default();
    section.say("`bikes`, 250 frames of 640 × 272, 165,376 random pixels a step: the mean PSNR of the frames and its deviation over them, dB. The curve is the PSNR of each step's batch.");
    let mut table = Table::new(["network", "paper", "mean", "deviation", "s a step"]);
    let records = |network: &str| -> Vec<Record> {
        seeds(asked)
            .filter_map(|s| store.get(&key(network, s)))
            .collect()
    };
    for (network, [mean, deviation]) in TABLE_2 {
        let found = records(network);
        let of = |figure: &str, write: fn(f64) -> String| Cell::of(&found, figure).text(write);
        table.row([
            named(network).to_owned(),
            format!("{mean:.2} ± {deviation:.2}"),
            of("frames_mean", decibels),
            of("frames_deviation", decibels),
            of("seconds_per_step", |v| format!("{v:.3}")),
        ]);
    }
    section.add(&table);
    let groups = TABLE_2.map(|(n, _)| Group::new(named(n), records(n)));
    figure::quality(
        &mut section,
        store,
        "video.svg",
        "video",
        &groups,
        "PSNR of the batch, dB",
    );
    section
}
