//! Two sounds, Bach and counting, by three networks. The audio figure.

use super::fits::{parity, steps};
use crate::cell::{Cell, by_device, error};
use crate::figure::{self, Group};
use crate::item::Item;
use crate::published::{PYTORCH_AUDIO, PYTORCH_AUDIO_CODE, network as named};
use crate::table::{Section, Table};
use crate::work::{Fit, Piece, Run, Work};
use crate::{Asked, Preset, Record, Store, Track};

pub(super) const ITEM: Item = Item {
    id: "audio",
    place: "Figure 1",
    title: "two sounds",
    also: &["figure-1"],
    runs,
    section,
};

/// Name, file, the mean square of silence.
const SOUNDS: [(&str, &str, f64); 2] = [
    ("bach", "gt_bach.wav", 2.42e-2),
    ("counting", "gt_counting.wav", 7.43e-3),
];
/// The paper's three, and SIREN with larger hidden weights.
const NETWORKS: [&str; 4] = ["siren", "siren-scaled", "sine", "sine-gaussian"];
const STEPS: u64 = 2_000;

/// Whether frequencies are spread and a step more is taken, as in the published code.
fn code(asked: &Asked) -> bool {
    asked.preset == Preset::Code
}

/// Their names.
pub(super) const NAMES: [&str; 2] = [SOUNDS[0].0, SOUNDS[1].0];

/// The records of a network.
pub(super) fn records(asked: &Asked, store: &Store, sound: &str, network: &str) -> Vec<Record> {
    store.over_seeds(|seed| key(asked, sound, network, seed))
}

fn folder(asked: &Asked) -> &'static str {
    if code(asked) { "audio-code" } else { "audio" }
}

fn key(asked: &Asked, sound: &str, network: &str, seed: u64) -> String {
    format!("{}/{sound}-{network}-{seed}", folder(asked))
}

fn runs(asked: &Asked) -> Vec<Run> {
    let full = STEPS + u64::from(code(asked));
    let of_sound = |(sound, file, _): (&str, &'static str, f64)| {
        parity(asked, &NETWORKS, |network, seed| {
            let work = Fit {
                piece: Piece::Sound {
                    file,
                    samples: asked.by_budget(256, 8_000, usize::MAX),
                },
                track: Track::Parity,
                code: code(asked),
                network,
                width: asked.by_budget(16, 128, 256),
                batch: usize::MAX,
                steps: steps(asked, 200, full),
                full_steps: full,
                seed,
            };
            Run::new(key(asked, sound, network, seed), Work::Fit(work))
        })
    };
    SOUNDS.into_iter().flat_map(of_sound).collect()
}

/// What PyTorch gives for these settings.
fn torch(asked: &Asked) -> &'static [(&'static str, [[f64; 2]; 2])] {
    if code(asked) {
        &PYTORCH_AUDIO_CODE
    } else {
        &PYTORCH_AUDIO
    }
}

fn section(asked: &Asked, store: &Store) -> Section {
    let mut section = Section::default();
    section.say("Mean square at all samples, amplitudes in [−1, 1]; the paper has a figure and no numbers. *PyTorch* is the same network there after 2,000 and after 200 steps, the schedule as long as the run. A run of fewer steps has a shorter schedule too.");
    let mut table = Table::new([
        "sound",
        "network",
        "silence",
        "PyTorch, 2,000 steps",
        "200 steps",
        "mean square",
        "s a step",
    ]);
    for (k, (sound, _, silence)) in SOUNDS.iter().enumerate() {
        let records = |network: &str| records(asked, store, sound, network);
        for network in NETWORKS {
            let found = records(network);
            let of = |figure: &str| Cell::of(&found, figure).text(error);
            let torch = torch(asked).iter().find(|row| row.0 == network);
            let [short, long] = torch.map_or_else(Default::default, |row| row.1[k].map(error));
            table.row([
                (*sound).to_owned(),
                named(network).to_owned(),
                error(*silence),
                long,
                short,
                of("mse"),
                by_device(&found, "seconds_per_step"),
            ]);
        }
        let groups = NETWORKS.map(|n| Group::new(named(n), records(n)));
        let name = format!("{}-{sound}", folder(asked));
        figure::losses(&mut section, store, &name, sound, &groups, "mean square");
        let name = format!("{name}-waves");
        figure::waves(&mut section, store, &name, sound, &groups);
    }
    section.add(&table);
    section
}
