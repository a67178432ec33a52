//! `raf fit`: a picture, a sound, a video or a table becomes a network that can be evaluated anywhere.

mod bicubic;
mod choices;
mod columns;
mod config;
mod content;
mod kinds;
mod many;
mod pictures;
mod quality;
mod report;
mod signal;
mod task;
mod watcher;

use crate::output::{Failure, Report, warn};
use crate::threads;
use choices::Choices;
use rafnet::fit::Kind;
use std::path::PathBuf;
use task::Task;

#[derive(clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "flags of a command line")]
#[command(
    after_help = "Examples:\n  raf fit image\n  raf fit image photo.jpg --holdout grid:2\n  raf fit audio voice.wav --steps 500\n  raf fit image a.png b.png --activation psg --activation siren --seeds 3 --out runs/compare\n  raf fit --resume runs/image-20260101-120000"
)]
pub(crate) struct Arguments {
    /// image, audio, video or table; or the `config.toml` of a run, to repeat it
    #[arg(required_unless_present = "resume")]
    kind: Option<String>,
    /// Files; without any the embedded sample is fitted
    paths: Vec<PathBuf>,
    /// Settings that the others start from: default, paper or code
    #[arg(long)]
    preset: Option<String>,
    /// psg, sine, siren, relu, tanh, rational, wire, finer, fourier …, or a text in x, "a*sin(b*x) + exp(-abs(x)); b = 30", whose other
    /// names are trained; repeat it to compare
    #[arg(long)]
    activation: Vec<String>,
    /// Neurons of a layer
    #[arg(long)]
    width: Option<String>,
    /// Activated layers
    #[arg(long)]
    depth: Option<String>,
    /// A factor on the hidden weights at the start
    #[arg(long)]
    init_scale: Option<String>,
    /// Steps of training
    #[arg(long)]
    steps: Option<String>,
    /// Samples of a step, or `all`
    #[arg(long)]
    batch: Option<String>,
    /// Learning rate at the start
    #[arg(long)]
    lr: Option<String>,
    /// How it falls: descents, cosine, step or constant
    #[arg(long)]
    schedule: Option<String>,
    /// What makes a step of a gradient: adam, or muon for the weights between hidden layers and adam for the rest
    #[arg(long)]
    optimiser: Option<String>,
    /// Share of a step's pixels taken beside their places at first, where the picture is interpolated
    #[arg(long)]
    displaced: Option<String>,
    /// f32 or f64
    #[arg(long)]
    precision: Option<String>,
    /// Where networks are computed: cpu, or reference (one point at a time, slow) [default: cpu]
    #[arg(long)]
    device: Option<String>,
    /// Keep samples from the training and report the quality there: grid:2 or random:0.2
    #[arg(long)]
    holdout: Option<String>,
    /// What the training is told of an image: value, gradient or laplacian
    #[arg(long)]
    supervise: Option<String>,
    /// Resize an image to WIDTHxHEIGHT first
    #[arg(long)]
    size: Option<String>,
    /// Turn an image grey first
    #[arg(long)]
    grey: bool,
    /// Fit the embedded picture in its colours, not grey
    #[arg(long, conflicts_with = "grey")]
    colour: bool,
    /// Take the mean of a sound's channels first
    #[arg(long)]
    mono: bool,
    /// Input columns of a table, separated by commas [default: all but the last]
    #[arg(long)]
    inputs: Option<String>,
    /// Output columns of a table, separated by commas [default: the last]
    #[arg(long)]
    outputs: Option<String>,
    /// End the run at this quality in dB
    #[arg(long)]
    target: Option<String>,
    /// End the run after so many seconds
    #[arg(long)]
    time_limit: Option<String>,
    /// Steps between looks at held-out samples [default: 50]
    #[arg(long)]
    look: Option<String>,
    /// Seconds between checkpoints [default: 5]
    #[arg(long)]
    checkpoint: Option<String>,
    /// Seed of weights and batches [default: 0]
    #[arg(long)]
    seed: Option<String>,
    /// Fit with this many seeds, from --seed on
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=1000))]
    seeds: u64,
    /// Runs at a time
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=256))]
    jobs: u64,
    /// Threads (0: one for each core); the answer does not depend on it
    #[arg(long, default_value_t = 0)]
    threads: usize,
    /// Folder of the run, or of all runs [default: runs/NAME-DATE-TIME]
    #[arg(long)]
    out: Option<PathBuf>,
    /// Write into a folder that holds another run
    #[arg(long)]
    force: bool,
    /// Go on with the run in this folder, exactly where it stopped
    #[arg(long, value_name = "DIR", conflicts_with_all = ["kind", "out", "force"])]
    resume: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

impl Arguments {
    /// The options given, by name, but for those that may be repeated.
    fn choices(&self) -> Choices {
        let all = [
            ("preset", &self.preset),
            ("width", &self.width),
            ("depth", &self.depth),
            ("init-scale", &self.init_scale),
            ("steps", &self.steps),
            ("batch", &self.batch),
            ("lr", &self.lr),
            ("schedule", &self.schedule),
            ("optimiser", &self.optimiser),
            ("displaced", &self.displaced),
            ("precision", &self.precision),
            ("device", &self.device),
            ("holdout", &self.holdout),
            ("supervise", &self.supervise),
            ("size", &self.size),
            ("inputs", &self.inputs),
            ("outputs", &self.outputs),
            ("target", &self.target),
            ("time-limit", &self.time_limit),
            ("look", &self.look),
            ("checkpoint", &self.checkpoint),
            ("seed", &self.seed),
        ];
        let mut choices = Choices::default();
        for (name, text) in all {
            if let Some(text) = text {
                choices.set(name, text);
            }
        }
        if self.grey {
            choices.set("grey", "true");
        }
        if self.mono {
            choices.set("mono", "true");
        }
        if self.colour {
            choices.set("grey", "false");
        }
        choices
    }

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
    if let Some(path) = config {
        let mut config = config::read(&path)?;
        config.choices.0.extend(arguments.choices().0);
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
    let single = paths.len() == 1 && arguments.activation.len() < 2 && arguments.seeds == 1;
    let mut choices = arguments.choices();
    if !single {
        return many::run(arguments, kind, &paths, &choices);
    }
    if let Some(activation) = arguments.activation.first() {
        choices.set("activation", activation);
    }
    arguments.run_one(kind, paths.into_iter().next().flatten(), choices)
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
    };
    Ok(task.prepare()?.run(true, false)?.json)
}

fn named(text: &str) -> Result<Kind, Failure> {
    match text {
        "image" => Ok(Kind::Image),
        "audio" => Ok(Kind::Audio),
        "video" => Ok(Kind::Video),
        "table" => Ok(Kind::Table),
        other => Err(Failure::new(
            format!("`{other}` cannot be fitted: expected image, audio, video or table"),
            format!("raf fit image {other}"),
        )),
    }
}

fn name_of(kind: Kind) -> &'static str {
    match kind {
        Kind::Image => "image",
        Kind::Audio => "audio",
        Kind::Video => "video",
        Kind::Table => "table",
    }
}
