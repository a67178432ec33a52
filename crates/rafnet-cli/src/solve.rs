//! `raf solve`: an equation in a text file, an answer with its error estimate.

mod comparison;
mod config;
mod many;
mod parameter;
mod pictures;
mod report;

use config::Target;
use parameter::Sweep;
pub(crate) use pictures::draw;

use crate::interrupt;
use crate::output::{Failure, Report, said_only, warn};
use crate::progress::{ProgressLine, duration};
use crate::resume::{self, CHECKPOINT};
use crate::run_folder::{self, MODEL, Metrics, RESULT, Reserve, RunFolder};
use rafnet::domain::DomainError;
use rafnet::engine::EngineError;
use rafnet::model::ModelError;
use rafnet::network::NetworkError;
use rafnet::problem::Problem;
use rafnet::solve::{Checkpoint, Options, Outcome, Progress, SolveError, Watch};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Instant;

#[derive(clap::Args, Clone)]
#[command(
    after_help = "Examples:\n  raf solve --list\n  raf solve poisson-smooth\n  raf solve my-problem.toml --out runs/mine --json\n  raf solve poisson-smooth --method adam --preset paper --steps 2000\n  raf solve poisson-smooth --activation relu3 --activation sine --activation psg --seeds 3\n  raf solve burgers --set nu=0.1,0.05,0.02"
)]
#[expect(clippy::struct_excessive_bools, reason = "flags of a command line")]
pub(crate) struct Arguments {
    /// A built-in problem's name or a `.toml` problem file
    #[arg(required_unless_present_any = ["list", "resume"])]
    problem: Option<PathBuf>,
    /// List the built-in problems
    #[arg(long)]
    list: bool,
    /// auto, lsq, lm, lbfgs or adam; bsde for eigenvalues by random paths
    #[arg(long)]
    method: Option<String>,
    /// Settings that a trained method starts from: default, paper or code
    #[arg(long)]
    preset: Option<String>,
    /// Activation of a trained network: one name, or one for each layer separated by commas; repeat it to compare
    #[arg(long)]
    activation: Vec<String>,
    /// Neurons of a trained layer; with `--method lsq` the most functions of its layer, with `--method pieces` those of a piece
    #[arg(long)]
    width: Option<String>,
    /// With `--method pieces`: that many equal pieces in space, instead of a cut that follows the solution
    #[arg(long)]
    pieces: Option<String>,
    /// With `--method pieces`: that many equal slabs of time
    #[arg(long)]
    slabs: Option<String>,
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
    /// Width s of Gaussians exp(-x^2/2s^2) in a trained network [default: 0.1; oscillation problems 0.5]
    #[arg(long)]
    gaussian_width: Option<String>,
    /// Adam's weight decay, coupled [default: 0]
    #[arg(long)]
    weight_decay: Option<String>,
    /// Residual network of a trained method: code, or printed (the paper's text) [default: code]
    #[arg(long)]
    resnet: Option<String>,
    /// Neurons of a PSG layer in oscillation problems: code (ten Gaussians) or even [default: code]
    #[arg(long)]
    sharing: Option<String>,
    /// With `--method bsde`: consistent (a second network for the gradient) or gradient (that of the one network) [default: consistent]
    #[arg(long)]
    mode: Option<String>,
    /// Precision: f64
    #[arg(long)]
    precision: Option<String>,
    /// Where networks are computed: cpu, or reference (one point at a time, slow) [default: cpu]
    #[arg(long)]
    device: Option<String>,
    /// Seed of the drawn features, weights and points [default: 0]
    #[arg(long)]
    seed: Option<String>,
    /// How many seeds, from --seed on; several are compared
    #[arg(long, default_value_t = 1)]
    seeds: u64,
    /// Another value for a parameter of the problem: NAME=VALUE, or NAME=VALUE,VALUE to compare; may be repeated
    #[arg(long, value_name = "NAME=VALUE", conflicts_with = "resume")]
    set: Vec<String>,
    /// Seconds after which the best so far is taken [default: 300; none with --steps]
    #[arg(long)]
    time_limit: Option<String>,
    /// Held-out residual, relative to its terms, at which the run ends [default: 1e-12]
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
    /// Print what the search tried, too
    #[arg(long)]
    verbose: bool,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

impl Arguments {
    /// The options given, by name.
    fn given(&self) -> Vec<(&'static str, &String)> {
        let activation = self.activation.first().map(|a| ("activation", a));
        let all = [
            ("method", &self.method),
            ("preset", &self.preset),
            ("width", &self.width),
            ("pieces", &self.pieces),
            ("slabs", &self.slabs),
            ("depth", &self.depth),
            ("steps", &self.steps),
            ("points", &self.points),
            ("boundary-points", &self.boundary_points),
            ("lr", &self.lr),
            ("schedule", &self.schedule),
            ("init-scale", &self.init_scale),
            ("gaussian-width", &self.gaussian_width),
            ("weight-decay", &self.weight_decay),
            ("resnet", &self.resnet),
            ("sharing", &self.sharing),
            ("mode", &self.mode),
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
            .chain(activation)
            .collect()
    }
}

pub(crate) fn run(arguments: &Arguments) -> Result<Report, Failure> {
    if arguments.list {
        return Ok(list());
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
    let several = swept || arguments.activation.len() > 1 || arguments.seeds > 1;
    if several && arguments.resume.is_none() {
        return many::run(arguments, &sweeps);
    }
    one(arguments)
}

/// One run.
fn one(arguments: &Arguments) -> Result<Report, Failure> {
    let resumed = arguments
        .resume
        .as_ref()
        .map(|folder| folder.join("config.toml"));
    let name = match (&resumed, &arguments.problem) {
        (Some(config), _) => config,
        (None, Some(name)) => name,
        (None, None) => return Ok(list()),
    };
    let (problem, text) = with_values(read(name)?, name, &arguments.set)?;
    for warning in problem.warnings() {
        warn(&warning);
    }
    let options = options(&problem, &arguments.given())?;
    let in_file = problem.options.iter().any(|(name, _)| name == "target");
    let target = if in_file || arguments.target.is_some() {
        Target::Asked
    } else {
        Target::Usual
    };
    let out = arguments.resume.clone().or_else(|| arguments.out.clone());
    let in_file = problem.options.iter().find(|(name, _)| name == "out");
    let out = out
        .or_else(|| in_file.map(|(_, out)| PathBuf::from(out)))
        .unwrap_or_else(|| RunFolder::usual(&problem.name));
    // a checkpoint of another run is refused before anything is written
    let checkpoint = match &arguments.resume {
        Some(folder) => resume::checkpoint(folder, "solve", |c| problem.accepts(&options, c))?,
        None => None,
    };
    let resumed = arguments.resume.is_some();
    let folder = RunFolder::create(out, arguments.force, resumed)?;
    folder.forget(arguments.force, resumed)?;
    config::write(&folder, &problem.name, &text, (&options, target), name)?;
    interrupt::listen();
    let started = Instant::now();
    let recorded = checkpoint.as_ref().map_or(0, |c| c.step);
    let mut watcher = Watcher {
        metrics: Metrics::open(&folder, recorded)?,
        reserve: Reserve::take(folder.path(), 0)?,
        folder,
        line: ProgressLine::new(),
        recorded,
        pace: Pace::default(),
        last: None,
        best: f64::INFINITY,
        complete: false,
        unsaved: None,
    };
    let solved = problem.solve_from(&options, checkpoint.as_ref(), &mut watcher);
    let Watcher {
        folder,
        metrics,
        reserve,
        mut line,
        complete,
        last,
        unsaved,
        ..
    } = watcher;
    drop(reserve);
    line.clear();
    let saved = folder.file(CHECKPOINT).exists();
    let end_metrics = || last.map_or(Ok(()), |p| metrics.finish(&folder, p.step, || record(&p)));
    let solved = match (solved, unsaved) {
        (Ok(solved), None) => solved,
        (Ok(solved), Some(failure)) => {
            let saved = solved.model.save(folder.file(MODEL));
            return Err(folder.stopped(&failure, saved, "raf solve"));
        }
        (Err(SolveError::Stopped { .. }), Some(failure)) => return Err(failure),
        (
            Err(
                error @ (SolveError::Diverged { .. }
                | SolveError::Stopped { .. }
                | SolveError::NoTime { .. }),
            ),
            _,
        ) => {
            said_only(end_metrics());
            let path = folder.path();
            return Ok(report::without_solution(&error, &options, path, saved));
        }
        (Err(error), _) if is_size(&error) => {
            let hint = "take fewer `--points` or `--pieces`, a smaller `--width` or `--depth`";
            return Err(Failure::new(error.to_string(), hint));
        }
        (Err(error), _) => {
            let hint = "run `raf solve --list` for problems that work, and see the format's page for what is supported";
            return Err(Failure::new(error.to_string(), hint));
        }
    };
    let seconds = started.elapsed().as_secs_f64();
    let model = folder.file(MODEL);
    let unwritten = |e: ModelError| {
        let hint = "pass `--out` with a folder that can be written";
        Failure::new(e.to_string(), hint)
    };
    solved.model.save(&model).map_err(unwritten)?;
    for (k, pair) in solved.eigenvalues.iter().enumerate().skip(1) {
        let path = report::mode_file(&model, k);
        pair.model.save(path).map_err(unwritten)?;
    }
    // the answer is there; what stands beside it is no reason to keep it back
    said_only(end_metrics());
    let mut remarks = solved.decisions.clone();
    if solved.expired && !complete {
        remarks.extend(config::by_the_clock(solved.steps, options.time_limit));
    }
    said_only(config::append_remarks(&folder, &remarks));
    said_only(pictures::draw(&problem, &solved, folder.path()));
    let curve = run_folder::curve(folder.path(), |record| {
        Some([record["seconds"].as_f64()?, record["best"].as_f64()?])
    });
    said_only(pictures::curve(&problem, &curve, folder.path()));
    let told = report::Told {
        seconds,
        model: &model,
        target,
        saved,
        verbose: arguments.verbose,
    };
    let report = report::report(&problem, &solved, &options, &told);
    if solved.outcome != Outcome::Stopped {
        let result = format!("{}\n", report.json);
        said_only(folder.write(RESULT, result.as_bytes()));
    }
    Ok(report)
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

/// Shows, records and saves while a run goes on.
struct Watcher {
    folder: RunFolder,
    metrics: Metrics,
    reserve: Reserve,
    line: ProgressLine,
    recorded: u64,
    pace: Pace,
    last: Option<Progress>,
    /// The best of all stages so far.
    best: f64,
    /// Whether the last step of all was taken.
    complete: bool,
    /// Why a record or a checkpoint could not be written: the run is then stopped.
    unsaved: Option<Failure>,
}

impl Watch for Watcher {
    fn progress(&mut self, p: &Progress) -> ControlFlow<()> {
        self.best = self.best.min(p.best);
        let best = self.best;
        let p = &Progress { best, ..*p };
        if p.step > self.recorded {
            self.recorded = p.step;
            self.last = Some(*p);
            let recorded = self.metrics.record(&self.folder, p.step, || record(p));
            self.unsaved = recorded.err().or(self.unsaved.take());
        }
        self.pace.note(p);
        self.complete = p.steps.is_some_and(|steps| p.step >= steps);
        self.line
            .show(p.steps.map(|n| p.step as f64 / n as f64), || {
                said(p, self.pace.rate(p))
            });
        if interrupt::asked() || self.unsaved.is_some() {
            return p.stop();
        }
        p.go_on()
    }

    fn checkpoint(&mut self, checkpoint: &Checkpoint) {
        // where there is no room the last checkpoint is kept, and the room is left to the model
        if self.unsaved.is_some() {
            return;
        }
        let hint = "make room or pass `--out` with a folder that can be written";
        let saved = self.metrics.write(&self.folder).and_then(|()| {
            let saved = checkpoint.save(self.folder.file(CHECKPOINT));
            saved.map_err(|e| Failure::new(e.to_string(), hint))
        });
        self.unsaved = saved.err();
        let largest = checkpoint.vectors.iter().map(|(_, v)| v.len()).max();
        self.reserve.at_least(largest.unwrap_or(0));
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
fn read(name: &Path) -> Result<(Problem, String), Failure> {
    let problem = named(name)?;
    let builtin = name.to_str().filter(|_| !is_file(name));
    let text = match builtin.and_then(Problem::builtin_text) {
        Some(text) => text.to_owned(),
        None => std::fs::read_to_string(name).map_err(|e| {
            let message = format!("cannot read `{}`: {e}", name.display());
            Failure::new(message, "check the path")
        })?,
    };
    Ok((problem, text))
}

/// The problem with other values for its parameters, each given as NAME=VALUE.
fn with_values(
    (problem, text): (Problem, String),
    name: &Path,
    set: &[String],
) -> Result<(Problem, String), Failure> {
    if set.is_empty() {
        return Ok((problem, text));
    }
    let mut text = text;
    for given in set {
        let sweep = Sweep::read(given)?;
        text = parameter::with_value(&text, &sweep.name, &sweep.values[0])?;
    }
    let folder = name.parent().filter(|_| is_file(name));
    let problem = Problem::from_text(&text, &name.display().to_string(), folder);
    Ok((problem?, text))
}

/// A problem by its file or, where that is none, by its built-in name.
pub(crate) fn named(name: &Path) -> Result<Problem, Failure> {
    let problem = if is_file(name) {
        Problem::from_file(name)
    } else {
        Problem::builtin(&name.display().to_string())
    };
    problem.map_err(Failure::from)
}

fn is_file(name: &Path) -> bool {
    name.extension().is_some_and(|e| e == "toml") || name.is_file()
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

/// Steps a second of late: the steps of a warm-up take a fraction of those after it.
#[derive(Default)]
struct Pace {
    /// Seconds and step, the older first.
    seen: Vec<(f64, u64)>,
}

/// Over how many seconds a rate is taken, at least.
const LATE: f64 = 3.0;

impl Pace {
    fn note(&mut self, p: &Progress) {
        let news = self.seen.last().is_none_or(|(t, _)| p.seconds > t + 0.2);
        if news {
            self.seen.push((p.seconds, p.step));
        }
        // one that is old enough stays
        let old = self.seen.iter().filter(|(t, _)| p.seconds - t > LATE);
        let old = old.count().saturating_sub(1);
        self.seen.drain(..old);
    }

    fn rate(&self, p: &Progress) -> f64 {
        let (seconds, step) = self.seen.first().copied().unwrap_or((0.0, 0));
        p.step.saturating_sub(step) as f64 / (p.seconds - seconds).max(1e-9)
    }
}

fn said(p: &Progress, rate: f64) -> String {
    let mut line = match p.steps {
        Some(steps) => {
            let left = steps.saturating_sub(p.step) as f64 / rate;
            let left = if left.is_finite() {
                format!("  {} left", duration(left))
            } else {
                String::new()
            };
            format!("step {} of {steps}  {rate:.1} steps/s{left}", p.step)
        }
        None => format!("{}  {} functions", duration(p.seconds), p.width),
    };
    if let Some(loss) = p.loss {
        let _ = write!(line, "  loss {loss:.2e}");
    }
    if let Some(error) = p.error {
        let _ = write!(line, "  error {error:.1e}");
    }
    for (name, value) in [("held-out residual", p.residual), ("best", p.best)] {
        if value.is_finite() {
            let _ = write!(line, "  {name} {value:.1e}");
        }
    }
    line
}
