//! The percentages of the abstract, recomputed from the paper's tables and from ours.

use super::table_3::COLUMNS;
use super::{audio, images, video};
use crate::cell::Cell;
use crate::item::Item;
use crate::peers;
use crate::published::{PYTORCH_1, PYTORCH_AUDIO, TABLE_1, TABLE_2, table_3};
use crate::table::{Section, Table};
use crate::{Asked, Store};
use rafnet::expr::{larger, smaller};
use std::fmt::Write as _;

pub(super) const ITEM: Item = Item {
    id: "headline",
    place: "abstract",
    title: "the abstract's percentages",
    also: &[],
    runs: |_| Vec::new(),
    section,
};

/// Better of two: the figures of a comparison that the abstract speaks of, in per cent.
struct Pair {
    /// What of what is compared.
    name: String,
    paper: Option<f64>,
    ours: Option<f64>,
    /// PyTorch's or JAX's, and after how many steps where they were not all.
    peer: Option<(f64, String)>,
}

/// A sentence of the abstract, "over so many per cent", and the pairs that it may be about.
struct Claim {
    what: &'static str,
    over: f64,
    pairs: Vec<Pair>,
}

impl Claim {
    /// Whether it holds, by our figures.
    fn verdict(&self) -> String {
        let ours = self.pairs.iter().filter_map(|p| Some((p, p.ours?)));
        let (met, missed): (Vec<_>, Vec<_>) = ours.partition(|(_, ours)| *ours >= self.over);
        let open = self.pairs.len() - met.len() - missed.len();
        let mut text = match (met.len(), missed.len()) {
            (0, 0) => return "not run in full".to_owned(),
            (n, 0) => format!("**holds** for {n} of {n}"),
            (0, n) => format!("**does not hold** for any of {n}"),
            (k, n) => {
                let names: Vec<&str> = missed.iter().map(|(p, _)| p.name.as_str()).collect();
                format!("**in part**: {k} of {}, not {}", k + n, names.join(", "))
            }
        };
        if open > 0 {
            let _ = write!(text, "; {open} not run in full");
        }
        text
    }

    /// The least and the largest of some figures of its pairs.
    fn range(&self, of: impl Fn(&Pair) -> Option<f64>) -> String {
        let all: Vec<f64> = self.pairs.iter().filter_map(of).collect();
        let (low, high) = (
            all.iter().copied().reduce(smaller),
            all.iter().copied().reduce(larger),
        );
        match low.zip(high) {
            Some((low, high)) if low < high => format!("{} to {}", percent(low), percent(high)),
            Some((one, _)) => percent(one),
            None => String::new(),
        }
    }
}

/// How much smaller the second error is, in per cent.
fn fall(from: f64, to: f64) -> f64 {
    100.0 * (1.0 - to / from)
}

/// How much larger the second is, in per cent.
fn rise(from: f64, to: f64) -> f64 {
    100.0 * (to / from - 1.0)
}

/// How much smaller a mean square is at the second of two numbers of decibels, in per cent.
fn square(from: f64, to: f64) -> f64 {
    fall(1.0, 10f64.powf((from - to) / 10.0))
}

fn percent(value: f64) -> String {
    format!("{value:.1} %").replace('-', "−")
}

/// What two cells give, if both are there and of all their steps.
fn compared(a: &Cell, b: &Cell, of: impl Fn(f64, f64) -> f64) -> Option<f64> {
    let both = a.median().zip(b.median());
    let both = both.filter(|_| a.is_whole() && b.is_whole());
    both.map(|(x, y)| of(x, y))
}

fn claims(asked: &Asked, store: &Store) -> [Claim; 5] {
    let pairs = |columns: &[&str], against| of_columns(asked, store, columns, against);
    [
        Claim {
            what: "sounds and video: mean square of Sine-Gaussian over 14 % below SIREN",
            over: 14.0,
            pairs: sounds_and_video(asked, store),
        },
        Claim {
            what: "images: PSNR of Poly-Sine-Gaussian over 58 % above SIREN",
            over: 58.0,
            pairs: pictures(store),
        },
        Claim {
            what: "PDEs: error of Poly-Sine-Gaussian over 73 % below ReLU³",
            over: 73.0,
            pairs: pairs(
                &["regression", "poisson", "low-regularity", "oscillation"],
                "relu3",
            ),
        },
        Claim {
            what: "PDEs: the same below x ⊕ x² ⊕ sin",
            over: 73.0,
            pairs: pairs(
                &["regression", "poisson", "low-regularity", "oscillation"],
                "poly-sine",
            ),
        },
        Claim {
            what: "eigenvalue problems: error of Poly-Sine-Gaussian over 99 % below ReLU³",
            over: 99.0,
            pairs: pairs(&["eigen-5", "eigen-10"], "relu3"),
        },
    ]
}

fn pictures(store: &Store) -> Vec<Pair> {
    let of = |row: &str| TABLE_1.iter().find(|r| r.0 == row).map(|r| r.1);
    let torch = |row: &str, k: usize| PYTORCH_1.iter().find(|r| r.0 == row).and_then(|r| r.1[k]);
    let pair = |(k, picture): (usize, &&str)| {
        let ours = |network: &str| Cell::of(&images::records(store, picture, network), "psnr");
        let peer = torch("siren", k).zip(torch("psg", k));
        Pair {
            name: (*picture).to_owned(),
            paper: of("siren")
                .zip(of("psg"))
                .map(|(siren, psg)| rise(siren[k][0], psg[k][0])),
            ours: compared(&ours("siren"), &ours("psg"), rise),
            peer: peer.map(|(siren, psg)| (rise(siren, psg), String::new())),
        }
    };
    let names = ["camera", "astronaut", "cat", "coin"];
    names.iter().enumerate().map(pair).collect()
}

fn sounds_and_video(asked: &Asked, store: &Store) -> Vec<Pair> {
    let video = |network: &str| Cell::of(&video::records(store, network), "frames_mean");
    let mut pairs = vec![Pair {
        name: "bikes".to_owned(),
        paper: Some(square(TABLE_2[0].1[0], TABLE_2[1].1[0])),
        ours: compared(&video("siren"), &video("sine-gaussian"), square),
        peer: None,
    }];
    for (k, sound) in audio::NAMES.into_iter().enumerate() {
        let ours = |network: &str| Cell::of(&audio::records(asked, store, sound, network), "mse");
        let torch = |row: &str| PYTORCH_AUDIO.iter().find(|r| r.0 == row).map(|r| r.1[k][1]);
        let peer = torch("siren").zip(torch("sine-gaussian"));
        pairs.push(Pair {
            name: sound.to_owned(),
            paper: None,
            ours: compared(&ours("siren"), &ours("sine-gaussian"), fall),
            peer: peer.map(|(siren, raf)| (fall(siren, raf), String::new())),
        });
    }
    pairs
}

fn of_columns(asked: &Asked, store: &Store, ids: &[&str], against: &str) -> Vec<Pair> {
    let mut pairs = Vec::new();
    for column in COLUMNS.iter().filter(|c| ids.contains(&c.id)) {
        let paper = |a: &str| Cell::from_values(table_3(column.id, a).into_iter().collect());
        let ways = [("", "", "0"), (", weight decay", "-decay", "1e-4")];
        for (said, tail, decay) in ways.iter().filter(|w| w.1.is_empty() || column.decayed()) {
            let ours = |a: &str| {
                let found = column.records(asked, store, &format!("{a}-parity{tail}"));
                Cell::of(&found, "moving_average")
            };
            let whole = column.steps[0];
            let peer =
                peers::pair(column.id, [against, "psg"], decay).map(|(steps, [from, to])| {
                    let part = if steps < whole {
                        format!(" after {steps} steps")
                    } else {
                        String::new()
                    };
                    (fall(from, to), part)
                });
            pairs.push(Pair {
                name: format!("{}{said}", column.id),
                paper: compared(&paper(against), &paper("psg"), fall),
                ours: compared(&ours(against), &ours("psg"), fall),
                peer,
            });
        }
    }
    pairs
}

/// One screen: every claim of the abstract, and whether it holds here.
pub(crate) fn opening(asked: &Asked, store: &Store) -> Section {
    let mut section = Section::default();
    let mut table = Table::new([
        "the abstract, and what it may be about",
        "the paper's own tables",
        "PyTorch, JAX",
        "ours",
        "",
    ]);
    for claim in claims(asked, store) {
        table.row([
            claim.what.to_owned(),
            claim.range(|p| p.paper),
            claim.range(|p| p.peer.as_ref().map(|peer| peer.0)),
            claim.range(|p| p.ours),
            claim.verdict(),
        ]);
    }
    section.add(&table);
    section.say("Ranges are over pictures, sounds or equations, each by the median of its seeds and only where both runs took all their steps; one by one they stand at the end of this page. Where the paper's code has a weight decay that its text does not mention, both are compared.");
    section
}

fn section(asked: &Asked, store: &Store) -> Section {
    let mut section = Section::default();
    section.say("The abstract claims improvements of \"over\" 14 % (audio and video), 58 % (images), 73 % (PDEs) and 99 % (eigenvalue problems). What the paper's own tables give, ours where both runs took all their steps, and PyTorch's (pictures, sounds) or JAX's (equations), after the most steps that both rows have:");
    let mut table = Table::new([
        "claim",
        "",
        "from the paper's tables",
        "from ours",
        "from PyTorch, JAX",
    ]);
    let relu = Claim {
        what: "eigenvalue problems: the same below ReLU",
        over: 99.0,
        pairs: of_columns(asked, store, &["eigen-5", "eigen-10"], "relu"),
    };
    for claim in claims(asked, store).iter().chain([&relu]) {
        for pair in &claim.pairs {
            let text = |value: Option<f64>| value.map_or(String::new(), percent);
            let peer = pair.peer.as_ref();
            table.row([
                claim.what.to_owned(),
                pair.name.clone(),
                text(pair.paper),
                text(pair.ours),
                peer.map_or(String::new(), |(v, part)| format!("{}{part}", percent(*v))),
            ]);
        }
    }
    section.add(&table);
    section.say("58 % is the smallest of the four pictures; 99 % is against ReLU³, and 67 to 76 % against ReLU, which the method followed has; 73 % and 14 % follow from no pair of the tables.");
    section
}

#[cfg(test)]
mod tests {
    use super::{Claim, Pair, compared, fall, rise, square};
    use crate::cell::Cell;
    use crate::record::Record;
    use serde_json::json;

    fn cell(error: f64, steps: u64) -> Cell {
        let record = json!({
            "budget": "full", "settings": { "steps": steps, "full_steps": 1000 }, "figures": { "error": error },
        });
        Cell::of(&[Record(record)], "error")
    }

    #[test]
    fn only_runs_of_all_steps_are_compared() {
        let ratio = |a: &Cell, b: &Cell| compared(a, b, |a, b| a / b);
        assert_eq!(ratio(&cell(2.0, 1000), &cell(1.0, 1000)), Some(2.0));
        assert_eq!(ratio(&cell(2.0, 100), &cell(1.0, 100)), None);
        assert_eq!(ratio(&cell(2.0, 100), &cell(1.0, 1000)), None);
        assert_eq!(ratio(&Cell::default(), &cell(1.0, 1000)), None);
    }

    #[test]
    fn a_claim_says_for_what_it_does_not_hold() {
        let pair = |name: &str, ours| Pair {
            name: name.to_owned(),
            paper: None,
            ours,
            peer: None,
        };
        let verdict = |pairs| {
            let (what, over) = ("", 58.0);
            Claim { what, over, pairs }.verdict()
        };
        assert_eq!(verdict(vec![pair("a", None)]), "not run in full");
        assert_eq!(
            verdict(vec![pair("a", Some(60.0)), pair("b", Some(58.0))]),
            "**holds** for 2 of 2"
        );
        assert_eq!(
            verdict(vec![
                pair("a", Some(60.0)),
                pair("b", Some(57.9)),
                pair("c", None)
            ]),
            "**in part**: 1 of 2, not b; 1 not run in full"
        );
        assert_eq!(
            verdict(vec![pair("a", Some(-60.0))]),
            "**does not hold** for any of 1"
        );
        assert!((rise(40.0, 60.0) - 50.0).abs() + (fall(4.0, 1.0) - 75.0).abs() < 1e-12);
        assert!((square(30.0, 40.0) - 90.0).abs() < 1e-12);
    }
}
