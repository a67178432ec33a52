//! What a fit knows between its samples: trained on every second pixel of every second row, looked at on the others.

use super::fits::{parity, steps};
use crate::cell::{Cell, decibels};
use crate::item::Item;
use crate::published::network as named;
use crate::table::{Section, Table};
use crate::work::{Fit, Piece, Run, Work};
use crate::{Asked, Store, Track};

pub(super) const ITEM: Item = Item {
    id: "between",
    place: "not in the paper",
    title: "the same networks between the pixels",
    also: &[],
    runs,
    section,
};

const NETWORKS: [&str; 4] = ["siren", "siren-scaled", "sine", "psg"];
const STEPS: u64 = 2_000;

fn key(network: &str, seed: u64) -> String {
    format!("between/camera-{network}-{seed}")
}

fn runs(asked: &Asked) -> Vec<Run> {
    parity(asked, &NETWORKS, |network, seed| {
        let work = Fit {
            piece: Piece::Between {
                file: "camera.png",
                side: asked.by_budget(12, 64, 256),
            },
            track: Track::Parity,
            code: false,
            network,
            width: asked.by_budget(16, 128, 256),
            batch: usize::MAX,
            steps: steps(asked, 150, STEPS),
            full_steps: STEPS,
            seed,
        };
        Run::new(key(network, seed), Work::Fit(work))
    })
}

fn section(_: &Asked, store: &Store) -> Section {
    let mut section = Section::default();
    section.say("`camera` at 512 × 512, trained on every second pixel of every second row, dB at those pixels and at the others.");
    let mut table = Table::new(["network", "trained pixels", "between them"]);
    for network in NETWORKS {
        let found = store.over_seeds(|s| key(network, s));
        let of = |figure: &str| Cell::of(&found, figure).text(decibels);
        table.row([named(network).to_owned(), of("psnr"), of("psnr_between")]);
    }
    section.add(&table);
    section
}
