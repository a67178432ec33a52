//! `raf solve`: an equation in a text file, an answer with its error estimate.

mod config;
mod pictures;
mod report;

pub(crate) use pictures::draw;

use crate::interrupt;
use crate::output::{Failure, Report};
use crate::progress::{ProgressLine, duration};
use crate::run_folder::RunFolder;
use rafnet::domain::DomainError;
use rafnet::engine::EngineError;
use rafnet::network::NetworkError;
use rafnet::problem::Problem;
use rafnet::solve::{Checkpoint, Options, Progress, SolveError, Watch};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::io::Write as _;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Instant;

#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  raf solve --list\n  raf solve poisson-smooth\n  raf solve my-problem.toml --out runs/mine --json\n  raf solve poisson-smooth --method adam --preset paper --steps 2000"
)]
pub(crate) struct Arguments {
    /// A built-in problem's name or a `.toml` problem file
    #[arg(required_unless_present_any = ["list", "resume"])]
    problem: Option<String>,
    /// List the built-in problems
    #[arg(long)]
    list: bool,
    /// auto, lsq, lm, lbfgs or adam
    #[arg(long)]
    method: Option<String>,
    /// Settings that a trained method starts from: default, paper or code
    #[arg(long)]
    preset: Option<String>,
    /// Activation of a trained network: one name, or one for each layer separated by commas
    #[arg(long)]
    activation: Option<String>,
    /// Neurons of a trained layer; with `--method lsq` the most functions of its layer
    #[arg(long)]
    width: Option<String>,
    /// Activated layers of a trained network
    #[arg(long)]
    depth: Option<String>,
    /// Steps of a trained method
    #[arg(long)]
    steps: Option<String>,
    /// Points inside at each step
    #[arg(long)]
    points: Option<String>,
    /// Points on the boundary at each step
    #[arg(long)]
    boundary_points: Option<String>,
    /// Learning rate
    #[arg(long)]
    lr: Option<String>,
    /// How the learning rate falls: step, cosine or constant [default: step, 0.95 every 1,000 steps]
    #[arg(long)]
    schedule: Option<String>,
    /// A factor on the hidden weights at the start
    #[arg(long)]
    init_scale: Option<String>,
    /// Precision: f64
    #[arg(long)]
    precision: Option<String>,
    /// Device: cpu
    #[arg(long)]
    device: Option<String>,
    /// Seed of the drawn features, weights and points [default: 0]
    #[arg(long)]
    seed: Option<String>,
    /// Seconds after which the best so far is taken [default: 300; none with --steps]
    #[arg(long)]
    time_limit: Option<String>,
    /// Held-out residual, relative to its own terms, at which the run ends [default: 1e-12]
    #[arg(long)]
    target: Option<String>,
    /// Seconds between checkpoints of a trained run [default: 5]
    #[arg(long)]
    checkpoint: Option<String>,
    /// Threads (0: one for each core); the answer does not depend on it [default: 0]
    #[arg(long)]
    threads: Option<String>,
    /// Folder for the model and the pictures [default: runs/NAME-DATE-TIME]
    #[arg(long)]
    out: Option<PathBuf>,
    /// Write into a folder that holds another run
    #[arg(long)]
    force: bool,
    /// Go on with the run in this folder, exactly where it stopped
    #[arg(long, value_name = "DIR", conflicts_with_all = ["problem", "out", "force"])]
    resume: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

impl Arguments {
    /// The options given, by name.
    fn given(&self) -> Vec<(&'static str, &String)> {
        let all = [
            ("method", &self.method),
            ("preset", &self.preset),
            ("activation", &self.activation),
            ("width", &self.width),
            ("depth", &self.depth),
            ("steps", &self.steps),
            ("points", &self.points),
            ("boundary-points", &self.boundary_points),
            ("lr", &self.lr),
            ("schedule", &self.schedule),
            ("init-scale", &self.init_scale),
            ("precision", &self.precision),
            ("device", &self.device),
            ("seed", &self.seed),
            ("time-limit", &self.time_limit),
            ("target", &self.target),
            ("checkpoint", &self.checkpoint),
            ("threads", &self.threads),
        ];
        let given = all.into_iter();
        given
            .filter_map(|(n, v)| v.as_ref().map(|v| (n, v)))
            .collect()
    }
}

pub(crate) fn run(arguments: &Arguments) -> Result<Report, Failure> {
    if arguments.list {
        return Ok(list());
    }
    let resumed = arguments
        .resume
        .as_ref()
        .map(|folder| folder.join("config.toml"));
    let name = match (&resumed, &arguments.problem) {
        (Some(config), _) => config.display().to_string(),
        (None, Some(name)) => name.clone(),
        (None, None) => return Ok(list()),
    };
    let (problem, text) = read(&name)?;
    for warning in problem.warnings() {
        let _ = writeln!(std::io::stderr(), "warning: {warning}");
    }
    let options = options(&problem, &arguments.given())?;
    let out = arguments.resume.clone().or_else(|| arguments.out.clone());
    let in_file = problem.options.iter().find(|(name, _)| name == "out");
    let out = out
        .or_else(|| in_file.map(|(_, out)| PathBuf::from(out)))
        .unwrap_or_else(|| RunFolder::usual(&problem.name));
    let mut folder = RunFolder::create(out, arguments.force, arguments.resume.is_some())?;
    config::write(&folder, &text, &options, Path::new(&name))?;

    let checkpoint = match &arguments.resume {
        Some(folder) if folder.join(CHECKPOINT).exists() => {
            let found = Checkpoint::load(folder.join(CHECKPOINT));
            let hint = "delete the checkpoint to start the run anew";
            Some(found.map_err(|e| Failure::new(e.to_string(), hint))?)
        }
        _ => None,
    };
    if let Some(checkpoint) = &checkpoint {
        folder.keep_records_until(checkpoint.step)?;
    }
    interrupt::listen();
    let started = Instant::now();
    let mut watcher = Watcher {
        folder,
        line: ProgressLine::new(),
        curve: Vec::new(),
        recorded: checkpoint.as_ref().map_or(0, |c| c.step),
        unsaved: None,
    };
    let solved = problem.solve_from(&options, checkpoint.as_ref(), &mut watcher);
    let Watcher {
        folder,
        mut line,
        curve,
        unsaved,
        ..
    } = watcher;
    line.clear();
    let solved = match solved {
        Ok(solved) => solved,
        Err(
            error @ (SolveError::Diverged { .. }
            | SolveError::Stopped { .. }
            | SolveError::NoTime { .. }),
        ) => {
            return Ok(report::without_solution(&error, &options));
        }
        Err(error) if is_size(&error) => {
            let hint = "take fewer `--points`, a smaller `--width` or `--depth`";
            return Err(Failure::new(error.to_string(), hint));
        }
        Err(error) => {
            let hint = "run `raf solve --list` for problems that work, and see the format's page for what is supported";
            return Err(Failure::new(error.to_string(), hint));
        }
    };
    if let Some(failure) = unsaved {
        return Err(failure);
    }
    let seconds = started.elapsed().as_secs_f64();
    let model = folder.file("model.safetensors");
    solved.model.save(&model).map_err(|e| {
        Failure::new(
            e.to_string(),
            "pass `--out` with a folder that can be written",
        )
    })?;
    config::append_decisions(&folder, &solved.decisions)?;
    pictures::draw(&problem, &solved, folder.path())?;
    pictures::curve(&problem, &curve, folder.path())?;
    Ok(report::report(
        &problem,
        &solved,
        seconds,
        &options,
        &model,
        arguments.target.is_some(),
    ))
}

/// Whether something was asked for that is too large.
fn is_size(error: &SolveError) -> bool {
    matches!(
        error,
        SolveError::Memory(_)
            | SolveError::Domain(DomainError::Memory(_))
            | SolveError::Network(NetworkError::Memory(_) | NetworkError::Size { .. })
            | SolveError::Engine(EngineError::Memory(_))
    )
}

/// The file of a run's state.
const CHECKPOINT: &str = "checkpoint.safetensors";

/// Shows, records and saves while a run goes on.
struct Watcher {
    folder: RunFolder,
    line: ProgressLine,
    curve: Vec<[f64; 2]>,
    recorded: u64,
    /// Why a checkpoint could not be written: the run is then stopped.
    unsaved: Option<Failure>,
}

impl Watch for Watcher {
    fn progress(&mut self, p: &Progress) -> ControlFlow<()> {
        if p.step > self.recorded {
            self.recorded = p.step;
            self.curve.push([p.seconds, p.error.unwrap_or(p.best)]);
            self.folder.record(&record(p));
        }
        self.line
            .show(p.steps.map(|n| p.step as f64 / n as f64), || said(p));
        if interrupt::asked() || self.unsaved.is_some() {
            return p.stop();
        }
        p.go_on()
    }

    fn checkpoint(&mut self, checkpoint: &Checkpoint) {
        if let Err(error) = checkpoint.save(self.folder.file(CHECKPOINT)) {
            let hint = "make room or pass `--out` with a folder that can be written; the last checkpoint is kept";
            self.unsaved = Some(Failure::new(error.to_string(), hint));
        }
    }
}

/// What the file asks for, then what the command line asks for.
pub(crate) fn options(
    problem: &Problem,
    given: &[(&'static str, &String)],
) -> Result<Options, Failure> {
    let mut options = Options::default();
    let hint = "see `raf solve --help` for the options";
    for (name, text) in problem.options.iter().filter(|(name, _)| name != "out") {
        let set = options.set(name, text);
        set.map_err(|e| Failure::new(format!("in the problem file: {e}"), hint))?;
    }
    for (name, text) in given {
        let set = options.set(name, text);
        set.map_err(|e| {
            let message = format!("`--{name} {text}` cannot be used: expected {}", e.expected);
            Failure::new(message, hint)
        })?;
    }
    let limited = given.iter().any(|(name, _)| *name == "time-limit")
        || problem.options.iter().any(|(name, _)| name == "time_limit");
    if options.steps.is_some() && !limited {
        options.time_limit = f64::INFINITY;
    }
    Ok(options)
}

/// The problem and the text it was read from.
fn read(name: &str) -> Result<(Problem, String), Failure> {
    let file = Path::new(name);
    let is_file = file.extension().is_some_and(|e| e == "toml") || file.is_file();
    let problem = if is_file {
        Problem::from_file(file)
    } else {
        Problem::builtin(name)
    };
    let problem = problem.map_err(|e| {
        let text = e.to_string();
        let (message, hint) = text
            .split_once("\n\nhint: ")
            .unwrap_or((&text, "run `raf solve --list` for the built-in problems"));
        Failure::new(message, hint)
    })?;
    let text = match Problem::builtin_text(name).filter(|_| !is_file) {
        Some(text) => text.to_owned(),
        None => std::fs::read_to_string(file)
            .map_err(|e| Failure::new(format!("cannot read `{name}`: {e}"), "check the path"))?,
    };
    Ok((problem, text))
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

fn record(p: &Progress) -> Value {
    let finite = |v: f64| v.is_finite().then_some(v);
    json!({
        "step": p.step, "seconds": p.seconds, "width": p.width, "loss": p.loss, "relative_l2": p.error,
        "residual": finite(p.residual), "best": finite(p.best),
    })
}

fn said(p: &Progress) -> String {
    let mut line = match p.steps {
        Some(steps) => {
            let left = p.seconds / p.step.max(1) as f64 * steps.saturating_sub(p.step) as f64;
            let rate = p.step as f64 / p.seconds.max(1e-9);
            format!(
                "step {} of {steps}  {rate:.1} steps/s  {} left",
                p.step,
                duration(left)
            )
        }
        None => format!("{}  {} functions", duration(p.seconds), p.width),
    };
    if let Some(loss) = p.loss {
        let _ = write!(line, "  loss {loss:.2e}");
    }
    if let Some(error) = p.error {
        let _ = write!(line, "  error {error:.1e}");
    }
    let _ = write!(
        line,
        "  held-out residual {:.1e}  best {:.1e}",
        p.residual, p.best
    );
    line
}
