//! `raf fit`: a picture, a sound, a video or a table becomes a network that can be evaluated anywhere.

mod config;
mod content;
mod failure;
mod many;
mod pictures;
mod report;
mod run;
mod summary;
mod table;
mod task;
mod watcher;

use crate::choices::{Choices, Given};
use crate::help;
use crate::output::{Failure, Report, warn};
use crate::threads;
use rafnet::fit::Kind;
use std::path::PathBuf;
use table::FitTable;
use task::Task;

#[derive(clap::Args)]
#[command(after_help = "Examples:
  raf fit image photo.jpg --time-limit 120          a picture as a network, the best after two minutes
  raf fit image photo.jpg --holdout grid:2          trained on every second pixel, judged in between
  raf fit image a.png b.png --activation psg --activation siren --seeds 3 --out runs/compare
  raf fit audio voice.wav --steps 500
  raf fit table points.csv --inputs x,y --outputs f
  raf fit --resume runs/photo-20260101-120000       go on with a run

Then `raf render runs/photo-... --size 2048x2048 -o large.png`. On two cores the default steps take 25 minutes for 256 x 256 pixels.")]
pub(crate) struct Arguments {
    /// image, audio, video or table; or the `config.toml` of a run, to repeat it
    #[arg(required_unless_present = "resume")]
    kind: Option<String>,
    /// Files; without any the embedded sample is fitted
    paths: Vec<PathBuf>,
    #[command(flatten)]
    given: Given<FitTable>,
    /// Fit with this many seeds, from --seed on
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=1000), help_heading = help::SEVERAL)]
    seeds: u64,
    /// Runs at a time
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=256), help_heading = help::SEVERAL)]
    jobs: u64,
    /// Threads (0: one for each core); the answer does not depend on it
    #[arg(long, default_value_t = 0, help_heading = help::WHERE, hide_short_help = true)]
    threads: usize,
    /// Folder of the run, or of all runs [default: runs/NAME-DATE-TIME]
    #[arg(long, help_heading = help::FOLDER)]
    out: Option<PathBuf>,
    /// Write into a folder that holds another run
    #[arg(long, help_heading = help::FOLDER)]
    force: bool,
    /// Go on with the run in this folder, exactly where it stopped
    #[arg(long, value_name = "DIR", conflicts_with_all = ["kind", "out", "force"], help_heading = help::FOLDER)]
    resume: Option<PathBuf>,
    /// Leave out the page of the run (`raf report` makes it later)
    #[arg(long, help_heading = help::FOLDER)]
    no_report: bool,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

impl Arguments {
    /// One run, in the folder that was named or in one of its own.
    fn run_one(
        &self,
        kind: Kind,
        path: Option<PathBuf>,
        choices: Choices,
    ) -> Result<Report, Failure> {
        let out = self.resume.clone().or_else(|| self.out.clone());
        let task = Task {
            kind,
            choices,
            threads: threads::meant(self.threads)?,
            with_page: !self.no_report,
            out: out.unwrap_or_else(|| task::usual_folder(kind, path.as_deref())),
            path,
        };
        task.prepare()?.run(self.force, self.resume.is_some())
    }
}

pub(crate) fn run(arguments: &Arguments) -> Result<Report, Failure> {
    crate::interrupt::listen();
    let text = arguments.kind.as_deref().unwrap_or("image");
    let config = match &arguments.resume {
        Some(folder) => Some(folder.join("config.toml")),
        None => Some(PathBuf::from(text)).filter(|p| p.extension().is_some_and(|e| e == "toml")),
    };
    let choices = &arguments.given.choices;
    let several = choices.all("activation").count() > 1 || arguments.seeds > 1;
    if let Some(path) = config {
        if several || !arguments.paths.is_empty() {
            return Err(Failure::new(
                format!("`{}` is one run, and several are asked for", path.display()),
                "leave out `--seeds`, further files and all but one `--activation`",
            ));
        }
        let mut config = config::read(&path)?;
        for (name, text) in &choices.0 {
            config.choices.set(name, text);
        }
        if let Some(moved) = config.changed_file()? {
            let moved = moved.display();
            warn(&format!(
                "`{moved}` has changed since the run that is repeated: it will not end in the same bits"
            ));
        }
        return arguments.run_one(config.kind, config.path, config.choices);
    }
    let kind = named(text)?;
    if kind == Kind::Table && arguments.paths.is_empty() {
        return Err(Failure::new(
            "a table needs a file",
            "raf fit table data.csv --inputs x,y --outputs u",
        ));
    }
    let paths: Vec<Option<PathBuf>> = match arguments.paths.len() {
        0 => vec![None],
        _ => arguments.paths.iter().cloned().map(Some).collect(),
    };
    if paths.len() > 1 || several {
        return many::run(arguments, kind, &paths);
    }
    arguments.run_one(kind, paths.into_iter().next().flatten(), choices.clone())
}

/// The fit that `raf demo` shows: small enough to take seconds.
pub(crate) fn demonstration(
    out: PathBuf,
    seed: u64,
    threads: usize,
) -> Result<serde_json::Value, Failure> {
    let mut choices = Choices::default();
    for (name, text) in [
        ("size", "128x128"),
        ("width", "128"),
        ("steps", "320"),
        ("grey", "false"),
        ("schedule", "cosine"),
    ] {
        choices.set(name, text);
    }
    choices.set("seed", seed.to_string());
    let task = Task {
        kind: Kind::Image,
        path: None,
        choices,
        threads,
        out,
        with_page: false,
    };
    Ok(task.prepare()?.run(true, false)?.json)
}

fn named(text: &str) -> Result<Kind, Failure> {
    Kind::named(text).ok_or_else(|| {
        Failure::new(
            format!("`{text}` cannot be fitted: expected image, audio, video or table"),
            format!("raf fit image {text}"),
        )
    })
}
