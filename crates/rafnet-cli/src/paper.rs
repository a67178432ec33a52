//! `raf paper`: the RAF paper's tables, figures and theorems, the paper's number beside ours.

#[cfg(test)]
mod named;
mod report;

use crate::interrupt;
use crate::output::{Failure, Report, say};
use crate::progress::{ProgressLine, duration};
use crate::run_folder::{Lock, unwritable};
use crate::threads;
use rafnet_paper::{Asked, Budget, ITEMS, Item, PaperError, Preset, Rate, Record, Track};
use rafnet_paper::{Watch, data, missing, run as run_items, runs, write_results};
use serde_json::json;
use std::path::PathBuf;
use std::time::{Duration, Instant};

#[derive(clap::Args)]
#[command(after_help = "Examples:
  raf paper --list
  raf paper                                  every item, a quick budget: minutes
  raf paper table5 --budget full
  raf paper poisson --track parity --budget full --seeds 3
  raf paper table1 --budget full --only camera-psg
  raf paper poisson --preset code
  raf paper poisson --with weight-decay=1e-4 --with gaussian-width=0.05
  raf paper eigen-5 --track parity --with mode=gradient
  raf paper data --data data

A run that is there already is not made again. Ctrl-C keeps the state of a training run, and the same command goes on.")]
pub(crate) struct Arguments {
    /// A table, a figure or a claim (`--list` names them), or `data` to fetch pictures and video [default: all]
    items: Vec<String>,
    /// List the items
    #[arg(long)]
    list: bool,
    /// quick (minutes), or full (the paper's own sizes and steps)
    #[arg(long, default_value = "quick")]
    budget: String,
    /// parity (the paper's network and Adam), trained (any optimiser) or open (any method) [default: all]
    #[arg(long)]
    track: Option<String>,
    /// Settings where the paper's text and code differ: default, paper or code
    #[arg(long, default_value = "default")]
    preset: String,
    /// An option of `raf solve` for every equation that is trained by a method that has it: NAME=VALUE; may be repeated
    #[arg(long, value_name = "NAME=VALUE")]
    with: Vec<String>,
    /// Seeds of each run, from 0 [default: 1; equations in a full budget 3, Table 5 10]
    #[arg(long)]
    seeds: Option<u64>,
    /// At most so many steps of a trained run; the results say which share of the paper's that is
    #[arg(long)]
    steps: Option<u64>,
    /// Only runs whose name holds this text
    #[arg(long)]
    only: Option<String>,
    /// Folder with the paper's pictures, sounds and video [default: $RAFNET_DATA, or data]
    #[arg(long)]
    data: Option<PathBuf>,
    /// Where networks are computed: cpu, cuda (an NVIDIA GPU; cuda:1 is the second) or reference (one point at a time, slow) [default: cpu]
    #[arg(long)]
    device: Option<String>,
    /// Threads (0: one for each core); no number but the seconds depends on it
    #[arg(long, default_value_t = 0)]
    threads: usize,
    /// Seconds after which it ends with checkpoints; the same command goes on [default: none]
    #[arg(long)]
    time_limit: Option<f64>,
    /// Folder for RESULTS.md and results/
    #[arg(long, default_value = "runs/paper")]
    out: PathBuf,
    /// Write RESULTS.md from the runs that are there, and make none
    #[arg(long)]
    results_only: bool,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Report, Failure> {
    if arguments.list {
        return Ok(report::list());
    }
    let asked = asked(arguments)?;
    if arguments.items == ["data"] {
        return report::fetch(&asked);
    }
    let limit = arguments.time_limit.map(|seconds| {
        let limit = Duration::try_from_secs_f64(seconds).ok();
        let limit = limit.filter(|limit| !limit.is_zero());
        limit.ok_or_else(|| refused("--time-limit", &seconds.to_string(), "a number above 0"))
    });
    let limit = limit.transpose()?;
    let items = chosen(&arguments.items)?;
    check_only(&items, &asked)?;
    let whole: Vec<&Item> = ITEMS.iter().collect();
    std::fs::create_dir_all(&asked.out).map_err(|e| unwritable(&asked.out, &e))?;
    let _lock = Lock::take(&asked.out)?;
    let started = Instant::now();
    let mut made = 0;
    if !arguments.results_only {
        announce(&items, &asked);
        interrupt::listen();
        let mut watcher = Watcher {
            until: limit.map(|limit| started + limit),
            line: ProgressLine::new(),
            told: String::new(),
        };
        let ran = run_items(&items, &asked, &mut watcher);
        watcher.line.clear();
        match ran {
            Ok(n) => made = n,
            Err(PaperError::Stopped) => {
                let text = "stopped: the same command goes on with the runs that are missing\n";
                return Ok(Report {
                    text: text.into(),
                    json: json!({ "outcome": "stopped", "version": env!("CARGO_PKG_VERSION") }),
                    // by the clock it ends as was asked, and did not reach the end
                    status: if interrupt::asked() {
                        interrupt::status()
                    } else {
                        1
                    },
                });
            }
            Err(error) => return Err(failed(&error)),
        }
    }
    let page = write_results(&whole, &asked).map_err(|e| failed(&e))?;
    Ok(report::report(
        &items,
        &asked,
        made,
        started.elapsed().as_secs_f64(),
        &page,
    ))
}

fn failed(error: &PaperError) -> Failure {
    let hint = match error {
        PaperError::Write { .. } => "pass `--out` with a folder that can be written",
        _ => "run `raf paper --list` for the items, or leave this run out with `--only`",
    };
    Failure::new(error.to_string(), hint)
}

fn refused(option: &str, found: &str, expected: &str) -> Failure {
    let message = format!("`{option} {found}` cannot be used: expected {expected}");
    Failure::new(message, "see `raf paper --help` for the options")
}

fn asked(arguments: &Arguments) -> Result<Asked, Failure> {
    let budget = Budget::named(&arguments.budget);
    let track = arguments.track.as_deref().map(|name| {
        Track::named(name).ok_or_else(|| refused("--track", name, "parity, trained or open"))
    });
    let preset = Preset::named(&arguments.preset);
    let device = arguments.device.as_deref().unwrap_or("cpu");
    let with = arguments.with.iter().map(|text| {
        let pair = text.split_once('=');
        let (name, value) = pair.ok_or_else(|| refused("--with", text, "NAME=VALUE"))?;
        let mut options = threads::options();
        let set = options.set(name, value);
        set.map_err(|e| Failure::new(e.to_string(), "see `raf solve --help` for the options"))?;
        Ok((name.replace('-', "_"), value.to_owned()))
    });
    for (option, n) in [("--seeds", arguments.seeds), ("--steps", arguments.steps)] {
        if n == Some(0) {
            return Err(refused(option, "0", "a whole number from 1"));
        }
    }
    Ok(Asked {
        budget: budget.ok_or_else(|| refused("--budget", &arguments.budget, "quick or full"))?,
        track: track.transpose()?,
        preset: preset
            .ok_or_else(|| refused("--preset", &arguments.preset, "default, paper or code"))?,
        seeds: arguments.seeds,
        steps: arguments.steps,
        only: arguments.only.clone(),
        with: with.collect::<Result<Vec<_>, Failure>>()?,
        device: threads::named(device).map_err(|e| refused("--device", device, &e.known))?,
        threads: threads::meant(arguments.threads)?,
        data: arguments.data.clone(),
        out: arguments.out.clone(),
    })
}

/// A text that no run's name holds is a slip.
fn check_only(items: &[&Item], asked: &Asked) -> Result<(), Failure> {
    let Some(text) = &asked.only else {
        return Ok(());
    };
    let every = Asked {
        only: None,
        ..asked.clone()
    };
    let names = runs(items, &every);
    if let (Some(first), true) = (names.first(), runs(items, asked).is_empty()) {
        let expected = format!("a part of the name of a run, such as `{}`", first.key);
        return Err(refused("--only", text, &expected));
    }
    Ok(())
}

/// The items of these names; all that can be run where there are none.
fn chosen(names: &[String]) -> Result<Vec<&'static Item>, Failure> {
    if names.is_empty() {
        return Ok(ITEMS.iter().collect());
    }
    let mut items: Vec<&'static Item> = Vec::new();
    for name in names {
        let found = Item::all_named(name);
        if found.is_empty() {
            let known: Vec<&str> = ITEMS.iter().map(|i| i.id).collect();
            let message = format!("there is no item `{name}`");
            return Err(Failure::new(
                message,
                format!("known: {}, data", known.join(", ")),
            ));
        }
        for item in found {
            if items.iter().all(|i| i.id != item.id) {
                items.push(item);
            }
        }
    }
    Ok(items)
}

/// Says what will be done and how long it will take.
fn announce(items: &[&Item], asked: &Asked) {
    let (all, rest) = (runs(items, asked), missing(items, asked));
    let rate = Rate::measured(asked.device, asked.threads);
    let seconds: f64 = rest.iter().map(|run| run.seconds(rate)).sum();
    let there = all.len() - rest.len();
    let already = if there > 0 {
        format!(", {there} more are there already")
    } else {
        String::new()
    };
    let time = match rest.len() {
        0 => String::new(),
        _ => format!("; about {} on {} threads", duration(seconds), asked.threads),
    };
    say(&format!("{} runs{already}{time}", rest.len()));
    let folder = asked.data.clone().unwrap_or_else(data::usual_folder);
    let lacking = data::FILES.iter().filter(|f| f.find(&folder).is_none());
    let lacking: Vec<&str> = lacking.map(|f| f.name).collect();
    let signals = ["table1", "table2", "audio", "between"];
    if !lacking.is_empty() && items.iter().any(|i| signals.contains(&i.id)) {
        say(&format!(
            "{} not in `{}`: embedded samples take their place (`raf paper data` fetches pictures and video)",
            lacking.join(", "),
            folder.display()
        ));
    }
}

struct Watcher {
    /// When it is to end.
    until: Option<Instant>,
    line: ProgressLine,
    told: String,
}

impl Watch for Watcher {
    fn begins(&mut self, k: usize, n: usize, key: &str) {
        self.told = format!("{}/{n} {key}", k + 1);
    }

    fn going_on(&mut self, done: f64, said: &str) -> bool {
        let told = &self.told;
        self.line.show(Some(done), || format!("{told}: {said}"));
        !interrupt::asked() && self.until.is_none_or(|until| Instant::now() < until)
    }

    fn ended(&mut self, _: &str, record: &Record) {
        self.line.clear();
        let figures = [
            "moving_average",
            "relative_l2",
            "psnr",
            "mse",
            "frames_mean",
        ];
        let found = figures.iter().find_map(|f| Some((f, record.figure(f)?)));
        let found = found.map_or(String::new(), |(f, v)| format!(", {f} {v:.3e}"));
        say(&format!(
            "{}: {}{found}",
            self.told,
            duration(record.seconds().unwrap_or_default())
        ));
    }
}
