//! Two sounds, Bach and counting, by three networks. The audio figure.

use super::images::{seeds, steps};
use crate::cell::{Cell, error};
use crate::figure::{self, Group};
use crate::item::Item;
use crate::published::{PYTORCH_AUDIO, network as named};
use crate::table::{Section, Table};
use crate::work::{Fit, Piece, Run, Work};
use crate::{Asked, Record, Store, Track};

pub(super) const ITEM: Item = Item {
    id: "audio",
    place: "the audio figure",
    title: "two sounds",
    also: &[],
    runs,
    section,
};

/// Name, file, the mean square of silence.
const SOUNDS: [(&str, &str, f64); 2] = [
    ("bach", "gt_bach.wav", 2.42e-2),
    ("counting", "gt_counting.wav", 7.43e-3),
];
const STEPS: u64 = 2_000;

fn key(sound: &str, network: &str, seed: u64) -> String {
    format!("audio/{sound}-{network}-{seed}")
}

fn runs(asked: &Asked) -> Vec<Run> {
    let mut runs = Vec::new();
    if !asked.wants(Track::Parity) {
        return runs;
    }
    for seed in seeds(asked) {
        for (sound, file, _) in SOUNDS {
            runs.extend(PYTORCH_AUDIO.map(|(network, _)| {
                let work = Fit {
                    piece: Piece::Sound {
                        file,
                        samples: asked.by_budget(256, 8_000, usize::MAX),
                    },
                    track: Track::Parity,
                    network,
                    width: asked.by_budget(16, 128, 256),
                    batch: usize::MAX,
                    steps: steps(asked, 200, STEPS),
                    full_steps: STEPS,
                    seed,
                };
                Run::new(key(sound, network, seed), Work::Fit(work))
            }));
        }
    }
    runs
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
        let records = |network: &str| -> Vec<Record> {
            seeds(asked)
                .filter_map(|s| store.get(&key(sound, network, s)))
                .collect()
        };
        for (network, torch) in PYTORCH_AUDIO {
            let found = records(network);
            let of = |figure: &str| Cell::of(&found, figure).text(error);
            let [short, long] = torch[k];
            table.row([
                (*sound).to_owned(),
                named(network).to_owned(),
                error(*silence),
                error(long),
                error(short),
                of("mse"),
                of("seconds_per_step"),
            ]);
        }
        let groups = PYTORCH_AUDIO.map(|(n, _)| Group::new(named(n), records(n)));
        figure::training(
            &mut section,
            store,
            &format!("audio-{sound}.svg"),
            sound,
            &groups,
            "loss",
            "mean square",
        );
        figure::waves(
            &mut section,
            store,
            &format!("audio-{sound}-waves.svg"),
            sound,
            &groups,
        );
    }
    section.add(&table);
    section
}
