//! The ways to solve an equation: what each is told by the budget, and under which name its run is kept.

use crate::cell::{Cell, decibels, error};
use crate::published::GOALS;
use crate::table::Table;
use crate::work::{Equation, Run, Work};
use crate::{Asked, Preset, Record, Store};
use std::fmt::Write as _;

/// Options of a run, as texts.
pub(super) type Options = Vec<(String, String)>;

/// Options of `raf solve` that a run by random paths has; the others belong to residual networks and to Adam.
const OF_PATHS: [&str; 6] = ["mode", "lr", "width", "depth", "points", "gaussian_width"];

fn texts(options: &[(&str, String)]) -> Options {
    let pair = |(name, value): &(&str, String)| ((*name).to_owned(), value.clone());
    options.iter().map(pair).collect()
}

fn by_paths(id: &str) -> bool {
    id.starts_with("eigen")
}

/// What `--with` says to the runs of an item.
fn further<'a>(id: &str, asked: &'a Asked) -> impl Iterator<Item = &'a (String, String)> {
    let paths = by_paths(id);
    let meant = move |(name, _): &&(String, String)| {
        if paths {
            OF_PATHS.contains(&name.as_str())
        } else {
            name != "mode"
        }
    };
    asked.with.iter().filter(meant)
}

/// Where the runs of an item lie: apart for other presets and options.
pub(super) fn folder(id: &str, asked: &Asked) -> String {
    let mut name = id.to_owned();
    if asked.preset != Preset::Default && !by_paths(id) {
        let _ = write!(name, "-{}", asked.preset.name());
    }
    for (option, value) in further(id, asked) {
        let _ = write!(name, "-{option}-{value}");
    }
    name
}

fn key(id: &str, asked: &Asked, name: &str, seed: u64) -> String {
    format!("{}/{name}-{seed}", folder(id, asked))
}

/// A run of an item.
pub(super) fn run(id: &str, asked: &Asked, name: &str, work: Equation) -> Run {
    Run::new(key(id, asked, name, work.seed), Work::Equation(work))
}

/// The records of a name over all seeds there are.
pub(super) fn records(id: &str, asked: &Asked, store: &Store, name: &str) -> Vec<Record> {
    store.over_seeds(|seed| key(id, asked, name, seed))
}

/// Adam's options for a width.
pub(super) fn adam(asked: &Asked, activation: &str, width: usize) -> Options {
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
    options.extend(further("", asked).cloned());
    options
}

/// Those of random paths.
pub(super) fn paths(id: &str, asked: &Asked, activation: &str, width: usize) -> Options {
    let mut options = texts(&[
        ("method", "bsde".into()),
        ("activation", activation.into()),
        ("width", asked.by_budget(8, width, width).to_string()),
        ("points", asked.by_budget(8, 16, 2_048).to_string()),
    ]);
    options.extend(further(id, asked).cloned());
    options
}

/// Levenberg–Marquardt's.
pub(super) fn lm(asked: &Asked, activation: &str, width: usize) -> Options {
    marquardt(asked, activation, width, asked.by_budget(32, 500, 2_000))
}

/// The same for an eigenpair: as many layers as the paper's network has. Few fresh points a step serve these large networks best.
pub(super) fn lm_of_eigenpair(asked: &Asked, activation: &str, width: usize) -> Options {
    let mut options = marquardt(asked, activation, width, asked.by_budget(32, 500, 500));
    options.extend(texts(&[("depth", asked.by_budget(1, 3, 3).to_string())]));
    options
}

fn marquardt(asked: &Asked, activation: &str, width: usize, points: usize) -> Options {
    texts(&[
        ("method", "lm".into()),
        ("activation", activation.into()),
        ("width", asked.by_budget(8, width, width).to_string()),
        ("points", points.to_string()),
    ])
}

/// What the open track is told: nothing, but for a toy's time.
pub(super) fn open(asked: &Asked) -> Options {
    let limit = asked.by_budget("1", "60", "300");
    texts(&[("method", "auto".into()), ("time_limit", limit.into())])
}

/// Steps within what is asked, and those of a full budget.
pub(super) fn steps(asked: &Asked, [full, quick]: [u64; 2]) -> [u64; 2] {
    let steps = asked.by_budget(4, quick, full);
    [asked.steps.map_or(steps, |most| steps.min(most)), full]
}

/// The goals of a problem's tracks as texts: parity, trained, open.
pub(super) fn goals(id: &str) -> [String; 3] {
    let goals = GOALS.iter().find(|g| g.0 == id);
    goals.map_or_else(Default::default, |g| g.1.map(error))
}

/// What other tracks than parity found: title, goal and records of each; with λ's error where λ is known.
pub(super) fn tracks(rows: &[(&str, &str, Vec<Record>)], lambda: Option<f64>) -> Table {
    let mut head = vec!["track", "goal", "relative L2", "L∞"];
    head.extend(lambda.map(|_| "off λ"));
    head.extend(["its own estimate", "method", "seconds"]);
    let mut table = Table::new(head);
    for (title, goal, records) in rows {
        let of = |figure: &str| Cell::of(records, figure).text(error);
        let mut row = vec![
            (*title).to_owned(),
            (*goal).to_owned(),
            of("relative_l2"),
            of("relative_linf"),
        ];
        row.extend(lambda.map(|lambda| off(records, lambda)));
        let method = records.first().and_then(|r| r.text("method")).unwrap_or("");
        let seconds = records.iter().filter_map(Record::seconds).collect();
        row.extend([
            of("error_estimate"),
            method.to_owned(),
            Cell::from_values(seconds).text(decibels),
        ]);
        table.row(row);
    }
    table
}

/// How far the eigenvalues are from the exact one.
pub(super) fn off(records: &[Record], lambda: f64) -> String {
    let cell = Cell::of(records, "eigenvalue");
    cell.map(|value| (value - lambda).abs()).text(error)
}
