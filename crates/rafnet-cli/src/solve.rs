//! `raf solve`: an equation in a text file, an answer with its error estimate.

mod comparison;
mod config;
mod many;
mod options;
mod parameter;
mod pictures;
mod report;
mod run;
mod shard;
mod source;
mod watcher;

pub(crate) use options::{options, refused};
pub(crate) use pictures::{Drawing, draw};
pub(crate) use source::named;

use crate::choices::Given;
use crate::help;
use crate::output::{Failure, Report};
use options::SolverTable;
use parameter::Sweep;
use rafnet::problem::Problem;
use serde_json::{Value, json};
use shard::Shard;
use std::fmt::Write as _;
use std::path::PathBuf;

#[derive(clap::Args, Clone)]
#[command(after_help = "Examples:
  raf solve heat.toml                               a file of your own (`raf new` writes one)
  raf solve burgers                                 a built-in problem (`--list` shows all, `--show burgers` its file)
  raf solve burgers --set nu=0.1,0.05,0.02          a parameter swept: one table, one picture
  raf solve heat --method lm --activation relu3 --activation psg --time-limit 20
  raf solve burgers --set nu=0.1,0.05 --seeds 4 --out runs/nu --shard 2/3
  raf solve --resume runs/heat-20260101-120000      go on with a run
  raf solve runs/heat-20260101-120000/config.toml   make it again

The format of a problem file: docs/reference/problem-file.md. Exit status: 0 solved, 1 stalled or missed its target, 2 could not run.")]
#[expect(clippy::struct_excessive_bools, reason = "flags of a command line")]
pub(crate) struct Arguments {
    /// A built-in problem's name or a `.toml` problem file
    #[arg(required_unless_present_any = ["list", "show", "resume"])]
    problem: Option<PathBuf>,
    /// List the built-in problems
    #[arg(long)]
    list: bool,
    /// Print the file of a built-in problem
    #[arg(long, value_name = "NAME", conflicts_with_all = ["list", "problem", "resume"])]
    show: Option<String>,
    #[command(flatten)]
    given: Given<SolverTable>,
    /// How many seeds, from --seed on; several are compared
    #[arg(long, default_value_t = 1, help_heading = help::SEVERAL)]
    seeds: u64,
    /// Another value for a parameter of the problem: NAME=VALUE, or NAME=VALUE,VALUE to compare; may be repeated
    #[arg(long, value_name = "NAME=VALUE", conflicts_with = "resume", help_heading = help::SEVERAL)]
    set: Vec<String>,
    /// Make one part of several runs, the I-th of N, as a job of an array; all parts take the same `--out`
    #[arg(long, value_name = "I/N", requires = "out", conflicts_with = "resume", help_heading = help::SEVERAL, hide_short_help = true)]
    shard: Option<String>,
    /// Folder for the model and the pictures [default: runs/NAME-DATE-TIME]
    #[arg(long, help_heading = help::FOLDER)]
    out: Option<PathBuf>,
    /// Write into a folder that holds another run
    #[arg(long, help_heading = help::FOLDER)]
    force: bool,
    /// Go on with the run in this folder, exactly where it stopped
    #[arg(long, value_name = "DIR", conflicts_with_all = ["problem", "out", "force"], help_heading = help::FOLDER)]
    resume: Option<PathBuf>,
    /// Print what the search tried, too
    #[arg(long)]
    verbose: bool,
    /// Leave out the page of the run (`raf report` makes it later)
    #[arg(long, help_heading = help::FOLDER)]
    no_report: bool,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Report, Failure> {
    if arguments.list {
        return Ok(list());
    }
    if let Some(name) = &arguments.show {
        return show(name);
    }
    if !(1..=1_000).contains(&arguments.seeds) {
        let message = format!(
            "`--seeds {}` cannot be used: expected a whole number from 1 to 1000",
            arguments.seeds
        );
        return Err(Failure::new(
            message,
            "see `raf solve --help` for the options",
        ));
    }
    let sweeps = arguments.set.iter().map(|text| Sweep::read(text));
    let sweeps = sweeps.collect::<Result<Vec<Sweep>, Failure>>()?;
    let swept = sweeps.iter().any(|s| s.values.len() > 1);
    let several =
        swept || arguments.given.choices.all("activation").count() > 1 || arguments.seeds > 1;
    let shard = arguments.shard.as_deref().map(Shard::read).transpose()?;
    if several && arguments.resume.is_none() {
        return many::run(arguments, &sweeps, shard);
    }
    if let Some(text) = &arguments.shard {
        let message = format!("`--shard {text}` has one run to divide");
        let hint = "ask for several, such as `--set nu=0.1,0.05` or `--seeds 8`, or leave it out";
        return Err(Failure::new(message, hint));
    }
    run::one(arguments)
}

/// The file of a built-in problem, to be read or to begin with.
fn show(name: &str) -> Result<Report, Failure> {
    let problem = Problem::builtin(name)?;
    let text = problem.text().to_owned();
    Ok(Report {
        json: json!({ "outcome": "done", "name": name, "text": text }),
        text,
        status: 0,
    })
}

fn list() -> Report {
    let names = Problem::builtin_names();
    let mut text = String::new();
    for (name, about) in &names {
        let _ = writeln!(text, "{name:<30} {about}");
    }
    let problems: Vec<Value> = names
        .iter()
        .map(|(name, about)| json!({ "name": name, "about": about }))
        .collect();
    Report {
        text,
        json: json!({ "outcome": "done", "problems": problems }),
        status: 0,
    }
}
