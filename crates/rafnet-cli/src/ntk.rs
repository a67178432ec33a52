//! `raf ntk`: the tangent kernel of a problem's residuals at the start of training, for several activations and seeds.
//!
//! Each activation is taken at every seed (weights and points both follow it); what is reported is the median, with the least and
//! the greatest beside it.

mod comparison;
mod pictures;
mod report;

use crate::output::{Failure, Report};
use crate::progress::ProgressLine;
use crate::run_folder::RunFolder;
use comparison::{Compared, Seeded};
use rafnet::ntk::{Mode, NtkError, Settings, Tangent};
use rafnet::problem::Problem;
use rafnet::solve::Options;
use std::path::{Path, PathBuf};
use std::time::Instant;

#[derive(clap::Args)]
#[command(after_help = "Examples:
  raf ntk poisson-smooth
  raf ntk poisson-smooth --activation relu3 --activation poly-sine --activation psg --seeds 10
  raf ntk my-problem.toml --points 2000 --json
  raf ntk oscillation --gaussian-width 0.5 --mode f32-theta

Rows are the residuals at the points, neither weighted nor averaged; an equation of order 0 is regression.")]
pub(crate) struct Arguments {
    /// A built-in problem's name or a `.toml` problem file (`raf solve --list` shows the built-in ones)
    problem: String,
    /// Activation: one name, or one for each layer separated by commas; repeat it to compare [default: psg]
    #[arg(long)]
    activation: Vec<String>,
    /// Neurons of a layer [default: 50; oscillating problems 100]
    #[arg(long)]
    width: Option<String>,
    /// Activated layers [default: 4]
    #[arg(long)]
    depth: Option<String>,
    /// Width of Gaussians
    #[arg(long, default_value_t = 0.1, allow_negative_numbers = true)]
    gaussian_width: f64,
    /// A factor on the hidden weights
    #[arg(long)]
    init_scale: Option<String>,
    /// Points inside [default: 100]
    #[arg(long, allow_negative_numbers = true)]
    points: Option<String>,
    /// Points on each part of the boundary that the ansatz does not hold [default: a quarter of --points]
    #[arg(long)]
    boundary_points: Option<String>,
    /// How many seeds, from --seed on
    #[arg(long, default_value_t = 1)]
    seeds: u64,
    /// f64-svd: singular values in double precision; f32-theta: the kernel formed in single precision
    #[arg(long, default_value = "f64-svd")]
    mode: String,
    /// Add the loss of linearised training in closed form
    #[arg(long)]
    linearised: bool,
    /// Precision of the Jacobian: f64
    #[arg(long)]
    precision: Option<String>,
    /// Device: cpu
    #[arg(long)]
    device: Option<String>,
    /// Seed of the weights and of the points [default: 0]
    #[arg(long)]
    seed: Option<String>,
    /// Threads (0: one for each core); the answer does not depend on it [default: 0]
    #[arg(long)]
    threads: Option<String>,
    /// Folder for the pictures [default: runs/ntk-NAME-DATE-TIME]
    #[arg(long)]
    out: Option<PathBuf>,
    /// Write into a folder that holds another run
    #[arg(long)]
    force: bool,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// The most seeds of one call.
const MOST_SEEDS: u64 = 1_000;
/// The picture that marks a folder as taken.
const SPECTRUM: &str = "spectrum.png";

pub(crate) fn run(arguments: &Arguments) -> Result<Report, Failure> {
    let hint = "see `raf ntk --help` for the options";
    let mode = Mode::named(&arguments.mode).ok_or_else(|| {
        let message = format!(
            "`--mode {}` cannot be used: expected f64-svd or f32-theta",
            arguments.mode
        );
        Failure::new(message, hint)
    })?;
    if !(1..=MOST_SEEDS).contains(&arguments.seeds) {
        let message = format!(
            "`--seeds {}` cannot be used: expected a whole number from 1 to {MOST_SEEDS}",
            arguments.seeds
        );
        return Err(Failure::new(message, hint));
    }
    let problem = read(&arguments.problem)?;
    let asked = asked(&problem, arguments)?;
    let out = free_folder(&problem, arguments)?;
    let started = Instant::now();
    let mut line = ProgressLine::new();
    let (all, each) = (asked.len() as u64 * arguments.seeds, arguments.seeds);
    let mut compared = Vec::with_capacity(asked.len());
    for (a, (name, settings)) in asked.iter().enumerate() {
        let mut seeds = Vec::new();
        for k in 0..arguments.seeds {
            let done = a as u64 * each + k;
            line.show(Some(done as f64 / all as f64), || {
                format!("{name}, seed {}", settings.seed + k)
            });
            let settings = Settings {
                seed: settings.seed + k,
                ..settings.clone()
            };
            seeds.push(seeded(&problem, &settings, mode, arguments.linearised)?);
        }
        compared.push(Compared::new(name.clone(), seeds));
    }
    line.clear();
    let folder = RunFolder::create(out, arguments.force, false)?;
    let pictures = pictures::draw(&problem.name, &compared, &folder)?;
    let about = report::About {
        problem: &problem.name,
        mode,
        seed: asked[0].1.seed,
        seeds: arguments.seeds,
        seconds: started.elapsed().as_secs_f64(),
        pictures: &pictures,
    };
    Ok(report::report(&about, &compared))
}

fn seeded(
    problem: &Problem,
    settings: &Settings,
    mode: Mode,
    linearised: bool,
) -> Result<Seeded, Failure> {
    let make = || -> Result<Seeded, NtkError> {
        let mut tangent = Tangent::new(problem, settings)?;
        Ok(Seeded {
            seed: settings.seed,
            spectrum: tangent.spectrum(mode)?,
            terms: tangent.term_weights()?,
            n_columns: tangent.n_columns(),
            curve: if linearised {
                comparison::curve(&tangent.linearised()?)
            } else {
                Vec::new()
            },
        })
    };
    make().map_err(|error| {
        let hint = match &error {
            NtkError::TooMany { .. } => "lower `--points`, or leave out `--linearised`",
            NtkError::NotFinite { .. } => "lower `--init-scale` or take another `--activation`",
            NtkError::Problem(_) => {
                "kernels are taken of what `raf solve --method lm` trains; run `raf solve --list` for problems that work"
            }
            _ => "see `raf ntk --help` for the options",
        };
        Failure::new(error.to_string(), hint)
    })
}

/// The activations by name, with everything else from the problem file and the command line.
fn asked(problem: &Problem, arguments: &Arguments) -> Result<Vec<(String, Settings)>, Failure> {
    let mut options = Options::default();
    let hint = "see `raf ntk --help` for the options";
    let from_file = ["activation", "width", "depth", "init_scale", "seed"];
    let in_file = problem.options.iter();
    for (name, text) in in_file.filter(|(name, _)| from_file.contains(&name.as_str())) {
        let set = options.set(name, text);
        set.map_err(|e| Failure::new(format!("in the problem file: {e}"), hint))?;
    }
    let given = [
        ("width", &arguments.width),
        ("depth", &arguments.depth),
        ("init-scale", &arguments.init_scale),
        ("points", &arguments.points),
        ("boundary-points", &arguments.boundary_points),
        ("precision", &arguments.precision),
        ("device", &arguments.device),
        ("seed", &arguments.seed),
        ("threads", &arguments.threads),
    ];
    let set = |options: &mut Options, name: &str, text: &str| {
        options.set(name, text).map_err(|e| {
            let message = format!("`--{name} {text}` cannot be used: expected {}", e.expected);
            Failure::new(message, hint)
        })
    };
    for (name, text) in given {
        if let Some(text) = text {
            set(&mut options, name, text)?;
        }
    }
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    let settings = |options: &Options| Settings {
        activation: options.activation.clone(),
        width: options.width,
        depth: options.depth,
        gaussian_width: arguments.gaussian_width,
        init_scale: options.init_scale.unwrap_or(1.0),
        points: options.points.unwrap_or(100),
        boundary_points: options.boundary_points,
        seed: options.seed,
        threads: if options.threads == 0 {
            cores()
        } else {
            options.threads
        },
    };
    if options.seed.checked_add(MOST_SEEDS).is_none() {
        let message = format!("`--seed {}` leaves no room for further seeds", options.seed);
        return Err(Failure::new(message, "take a smaller one"));
    }
    if arguments.activation.is_empty() {
        let names: Vec<&str> = options.activation.iter().map(|set| set.name()).collect();
        let name = match names.len() {
            0 => "psg".to_owned(),
            _ => names.join(","),
        };
        return Ok(vec![(name, settings(&options))]);
    }
    let mut all: Vec<(String, Settings)> = Vec::new();
    for name in &arguments.activation {
        set(&mut options, "activation", name)?;
        if !all.iter().any(|(known, _)| known == name) {
            all.push((name.clone(), settings(&options)));
        }
    }
    Ok(all)
}

/// The folder to write into, refused before the work where it holds another run.
fn free_folder(problem: &Problem, arguments: &Arguments) -> Result<PathBuf, Failure> {
    let usual = || RunFolder::usual(&format!("ntk-{}", problem.name));
    let out = arguments.out.clone().unwrap_or_else(usual);
    let taken = [SPECTRUM, "config.toml", "model.safetensors"].map(|f| out.join(f).exists());
    if !arguments.force && taken.contains(&true) {
        return Err(Failure::new(
            format!("`{}` holds another run", out.display()),
            "pass `--force` to replace it, or `--out` with another folder",
        ));
    }
    Ok(out)
}

fn read(name: &str) -> Result<Problem, Failure> {
    let file = Path::new(name);
    let problem = if file.extension().is_some_and(|e| e == "toml") || file.exists() {
        Problem::from_file(file)
    } else {
        Problem::builtin(name)
    };
    problem.map_err(|e| {
        let text = e.to_string();
        let (message, hint) = text
            .split_once("\n\nhint: ")
            .unwrap_or((&text, "run `raf solve --list` for the built-in problems"));
        Failure::new(message, hint)
    })
}
