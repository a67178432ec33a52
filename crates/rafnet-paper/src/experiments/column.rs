//! A column of Table 3: one equation, all activations, three tracks.
//!
//! | preset | settings against `raf solve --method adam --preset paper` |
//! |---|---|
//! | `default` | none: the residual network of the code, Gaussians of width 0.1 (oscillation: the last ten neurons, width 0.5), no weight decay |
//! | `paper` | the printed residual network, neurons shared out evenly, Gaussians of width 0.1 |
//! | `code` | `--preset code`: weight decay 1e-4 but for oscillation, Gaussians of width 0.05, 0.1 and 0.5, Poisson's rate 0.7 every 2,000 steps; oscillation with its cubic term and width 50 |

use crate::cell::{Cell, decibels, error};
use crate::figure::{self, Group};
use crate::published::{GOALS, sign, table_3};
use crate::table::{Section, Table};
use crate::work::{Equation, Run, Source, Work};
use crate::{Asked, Preset, Record, Store, Track};
use std::fmt::Write as _;

/// An equation of Table 3.
pub(super) struct Column {
    pub(super) id: &'static str,
    pub(super) title: &'static str,
    pub(super) problem: &'static str,
    /// The equation as the released code has it.
    pub(super) coded: &'static str,
    /// With an input that the paper's network does not have, for the open track.
    pub(super) open: &'static str,
    pub(super) activations: &'static [&'static str],
    pub(super) width: usize,
    /// Steps of a full and of a quick budget.
    pub(super) steps: [u64; 2],
    /// Whether the paper's code has a weight decay that its text does not mention: then both are run.
    pub(super) decayed: bool,
    pub(super) figure: &'static str,
}

/// The columns with one activation in every row.
pub(super) const EQUATIONS: [&str; 6] = [
    "relu3",
    "poly",
    "poly-relu",
    "poly-relu3",
    "poly-sine",
    "psg",
];

/// Options of a run, as texts.
pub(super) fn texts(options: &[(&str, String)]) -> Vec<(String, String)> {
    let pair = |(name, value): &(&str, String)| ((*name).to_owned(), value.clone());
    options.iter().map(pair).collect()
}

/// Where the runs of an item lie: apart for other presets and options.
pub(super) fn folder(id: &str, asked: &Asked) -> String {
    let mut name = id.to_owned();
    if asked.preset != Preset::Default {
        let _ = write!(name, "-{}", asked.preset.name());
    }
    for (option, value) in &asked.with {
        let _ = write!(name, "-{option}-{value}");
    }
    name
}

/// Adam's options for a width.
pub(super) fn adam(asked: &Asked, activation: &str, width: usize) -> Vec<(String, String)> {
    // in a quick budget the error is measured at every tenth step, on 1,000 points
    let preset = match asked.preset {
        Preset::Code => "code",
        _ => asked.by_budget("paper", "default", "paper"),
    };
    let mut options = texts(&[
        ("method", "adam".into()),
        ("preset", preset.into()),
        ("activation", activation.into()),
        ("width", asked.by_budget(12, width, width).to_string()),
        ("points", asked.by_budget(64, 1_000, 10_000).to_string()),
    ]);
    if asked.preset == Preset::Paper {
        options.extend(texts(&[
            ("resnet", "printed".into()),
            ("sharing", "even".into()),
            ("gaussian_width", "0.1".into()),
        ]));
    }
    options.extend(asked.with.iter().cloned());
    options
}

/// Levenberg–Marquardt's.
pub(super) fn lm(asked: &Asked, activation: &str, width: usize) -> Vec<(String, String)> {
    texts(&[
        ("method", "lm".into()),
        ("activation", activation.into()),
        ("width", asked.by_budget(8, width, width).to_string()),
        ("points", asked.by_budget(32, 500, 2_000).to_string()),
    ])
}

/// What the open track is told: nothing, but for a toy's time.
pub(super) fn open(asked: &Asked) -> Vec<(String, String)> {
    let limit = asked.by_budget("1", "60", "300");
    texts(&[("method", "auto".into()), ("time_limit", limit.into())])
}

/// Steps within what is asked.
pub(super) fn steps(asked: &Asked, [full, quick]: [u64; 2]) -> u64 {
    let steps = asked.by_budget(4, quick, full);
    asked.steps.map_or(steps, |most| steps.min(most))
}

impl Column {
    pub(super) fn runs(&self, asked: &Asked) -> Vec<Run> {
        let mut runs = Vec::new();
        for seed in asked.seeds() {
            if asked.wants(Track::Parity) {
                runs.extend(
                    self.activations
                        .iter()
                        .map(|a| self.parity(asked, a, seed, None)),
                );
                let both = self.decayed && asked.preset == Preset::Default && asked.with.is_empty();
                let decayed = self.activations.iter().filter(|_| both);
                runs.extend(decayed.map(|a| self.parity(asked, a, seed, Some("1e-4"))));
            }
            if asked.wants(Track::Trained) {
                let work = Equation {
                    source: Source::Builtin(self.problem),
                    track: Track::Trained,
                    options: lm(asked, "psg", self.width),
                    seed,
                    steps: Some(asked.by_budget(3, 40, 500)),
                    full_steps: None,
                };
                runs.push(Run::new(
                    self.key(asked, "psg-trained", seed),
                    Work::Equation(work),
                ));
            }
            if asked.wants(Track::Open) {
                let work = Equation {
                    source: Source::Builtin(self.open),
                    track: Track::Open,
                    options: open(asked),
                    seed,
                    steps: None,
                    full_steps: None,
                };
                runs.push(Run::new(
                    self.key(asked, "open", seed),
                    Work::Equation(work),
                ));
            }
        }
        runs
    }

    fn key(&self, asked: &Asked, name: &str, seed: u64) -> String {
        format!("{}/{name}-{seed}", folder(self.id, asked))
    }

    fn parity(&self, asked: &Asked, activation: &str, seed: u64, decay: Option<&str>) -> Run {
        let code = asked.preset == Preset::Code;
        let coded_width = if self.coded == self.problem {
            self.width
        } else {
            50
        };
        let width = if code { coded_width } else { self.width };
        let mut options = adam(asked, activation, width);
        options.extend(decay.map(|w| ("weight_decay".to_owned(), w.to_owned())));
        let work = Equation {
            source: Source::Builtin(if code { self.coded } else { self.problem }),
            track: Track::Parity,
            options,
            seed,
            steps: Some(steps(asked, self.steps)),
            full_steps: Some(self.steps[0]),
        };
        let name = match decay {
            Some(_) => format!("{activation}-parity-decay"),
            None => format!("{activation}-parity"),
        };
        Run::new(self.key(asked, &name, seed), Work::Equation(work))
    }

    /// The records of a row over all seeds there are.
    pub(super) fn records(&self, asked: &Asked, store: &Store, name: &str) -> Vec<Record> {
        let seeds = 0..asked.seeds().end.max(10);
        seeds
            .filter_map(|seed| store.get(&self.key(asked, name, seed)))
            .collect()
    }

    pub(super) fn section(&self, asked: &Asked, store: &Store) -> Section {
        let mut section = Section::default();
        section.say(format!(
            "Relative L2 error on 10,000 fresh points, network as in the paper, Adam, {} steps. *Average* is the smallest mean over 100 steps, the figure that Table 3 most likely prints; *best* is the smallest of a single step, *last* the mean of the last 100, *L∞* the largest difference over the largest value at the end. Median over the seeds, and their range.",
            self.steps[0]
        ));
        let mut head = vec![
            "activation",
            "paper",
            "average",
            "best",
            "last",
            "L∞",
            "s a step",
        ];
        if self.decayed {
            head.insert(3, "average, weight decay 1e-4");
        }
        let mut table = Table::new(head);
        for activation in self.activations {
            let plain = self.records(asked, store, &format!("{activation}-parity"));
            let of = |figure: &str| Cell::of(&plain, figure).text(error);
            let paper = table_3(self.id, activation).map_or(String::new(), error);
            let mut row = vec![
                sign(activation).to_owned(),
                paper,
                of("moving_average"),
                of("best"),
                of("last"),
                of("relative_linf"),
                of("seconds_per_step"),
            ];
            if self.decayed {
                let decayed = self.records(asked, store, &format!("{activation}-parity-decay"));
                row.insert(3, Cell::of(&decayed, "moving_average").text(error));
            }
            table.row(row);
        }
        section.add(&table);
        section.add(&self.tracks(asked, store));
        let groups: Vec<Group> = self
            .activations
            .iter()
            .map(|a| Group::new(sign(a), self.records(asked, store, &format!("{a}-parity"))))
            .collect();
        let name = format!("{}.svg", folder(self.id, asked));
        let title = format!("({}) {}", self.figure, self.title);
        figure::training(
            &mut section,
            store,
            &name,
            &title,
            &groups,
            "error",
            "relative L2 error",
        );
        section
    }

    /// The other two tracks, each with its goal.
    fn tracks(&self, asked: &Asked, store: &Store) -> Table {
        let goal = GOALS.iter().find(|g| g.0 == self.id).map(|g| g.1);
        let mut table = Table::new([
            "track",
            "goal",
            "relative L2",
            "L∞",
            "its own estimate",
            "method",
            "seconds",
        ]);
        for (k, (track, name)) in [("trained", "psg-trained"), ("open", "open")]
            .into_iter()
            .enumerate()
        {
            let records = self.records(asked, store, name);
            let of = |figure: &str| Cell::of(&records, figure).text(error);
            let seconds = records.iter().map(Record::seconds).collect();
            let method = records.first().and_then(|r| r.text("method")).unwrap_or("");
            let goal = goal.map_or(String::new(), |g| error(g[k + 1]));
            let seconds = Cell::from_values(seconds).text(decibels);
            table.row([
                track.to_owned(),
                goal,
                of("relative_l2"),
                of("relative_linf"),
                of("error_estimate"),
                method.to_owned(),
                seconds,
            ]);
        }
        table
    }
}
