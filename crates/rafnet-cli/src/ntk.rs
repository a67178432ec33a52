//! `raf ntk`: the tangent kernel of a problem's residuals at the start of training, for several activations and seeds.
//!
//! Each activation is taken at every seed (weights and points both follow it); what is reported is the median, with the least and
//! the greatest beside it.

mod along;
mod asked;
mod comparison;
mod files;
mod pictures;
mod report;

use crate::output::{Failure, Report};
use crate::progress::ProgressLine;
use crate::run_folder::RunFolder;
use crate::solve;
use asked::Asked;
use comparison::{Compared, Seeded};
use rafnet::ntk::{Mode, NtkError, Settings, Tangent, Waves};
use rafnet::problem::Problem;
use std::path::{Path, PathBuf};
use std::time::Instant;

#[derive(clap::Args)]
#[command(after_help = "Examples:
  raf ntk poisson-smooth
  raf ntk poisson-smooth --activation relu3 --activation poly-sine --activation psg --seeds 10
  raf ntk my-problem.toml --points 2000 --json
  raf ntk oscillation --gaussian-width 0.5 --mode f32-theta
  raf ntk heat --model runs/heat --at points.csv --kernel theta.npy
  raf ntk regression-jump --activation tanh --activation psg --fourier 12
  raf ntk --along runs/heat

Rows are the residuals at the points, neither weighted nor averaged; an equation of order 0 is regression.")]
pub(crate) struct Arguments {
    /// A built-in problem's name or a `.toml` problem file (`raf solve --list` shows the built-in ones)
    #[arg(required_unless_present = "along")]
    problem: Option<PathBuf>,
    /// Activation: one name, or one for each layer separated by commas; repeat it to compare [default: psg]
    #[arg(long)]
    activation: Vec<String>,
    /// Neurons of a layer [default: that of `[trained]`, 50]
    #[arg(long)]
    width: Option<String>,
    /// Activated layers [default: 4]
    #[arg(long)]
    depth: Option<String>,
    /// Width of Gaussians
    #[arg(long, default_value_t = Settings::default().gaussian_width, allow_negative_numbers = true)]
    gaussian_width: f64,
    /// A factor on the hidden weights
    #[arg(long)]
    init_scale: Option<String>,
    /// The parameters of this trained model, a run's folder or a .safetensors file, instead of fresh ones
    #[arg(long, value_name = "FILE", conflicts_with_all = ["activation", "width", "depth", "gaussian_width", "init_scale"])]
    model: Option<PathBuf>,
    /// Points inside [default: 100]
    #[arg(long, allow_negative_numbers = true)]
    points: Option<String>,
    /// These points inside: .npy of shape (n, d), or .csv with a header or with the coordinates in order
    #[arg(long, value_name = "FILE", conflicts_with = "points")]
    at: Option<PathBuf>,
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
    /// Add the rates at which waves are learnt, up to so many periods across the domain
    #[arg(long, value_name = "PERIODS")]
    fourier: Option<usize>,
    /// Write the kernel itself (.npy or .csv)
    #[arg(long, value_name = "FILE")]
    kernel: Option<PathBuf>,
    /// Write the cross kernel of u at these points (rows) with the residuals (columns) instead
    #[arg(long, value_name = "POINTS", requires = "kernel")]
    cross: Option<PathBuf>,
    /// Repeat a trained run of `raf solve` and look at its kernel and at its error by frequency on the way
    #[arg(long, value_name = "RUN", conflicts_with_all = ["problem", "activation", "width", "depth", "gaussian_width", "init_scale", "model", "seed", "seeds", "linearised", "kernel", "boundary_points", "precision", "device"])]
    along: Option<PathBuf>,
    /// Precision of the Jacobian: f64
    #[arg(long)]
    precision: Option<String>,
    /// Where networks are computed: cpu, cuda (an NVIDIA GPU; cuda:1 is the second) or reference (one point at a time, slow) [default: cpu]
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

/// Where the options are listed.
const HINT: &str = "see `raf ntk --help` for the options";

pub(crate) fn run(arguments: &Arguments) -> Result<Report, Failure> {
    let mode = Mode::named(&arguments.mode).ok_or_else(|| {
        let message = format!(
            "`--mode {}` cannot be used: expected f64-svd or f32-theta",
            arguments.mode
        );
        Failure::new(message, HINT)
    })?;
    if let Some(run) = &arguments.along {
        return along::run(arguments, run, mode);
    }
    if !(1..=MOST_SEEDS).contains(&arguments.seeds) {
        let message = format!(
            "`--seeds {}` cannot be used: expected a whole number from 1 to {MOST_SEEDS}",
            arguments.seeds
        );
        return Err(Failure::new(message, HINT));
    }
    let problem = solve::named(arguments.problem.as_deref().unwrap_or(Path::new("")))?;
    let asked = asked::all(&problem, arguments)?;
    let also = Also::new(&problem, arguments)?;
    let several = asked.len() as u64 * arguments.seeds > 1;
    if several && arguments.kernel.is_some() {
        let message = "`--kernel` writes one kernel, and several are asked for";
        let hint = "name one `--activation`, and leave out `--seeds`";
        return Err(Failure::new(message, hint));
    }
    let out = free_folder(&problem, arguments)?;
    let started = Instant::now();
    let mut line = ProgressLine::new();
    let (all, each) = (asked.len() as u64 * arguments.seeds, arguments.seeds);
    let mut compared = Vec::with_capacity(asked.len());
    for (a, asked) in asked.iter().enumerate() {
        let mut seeds = Vec::new();
        for k in 0..arguments.seeds {
            let done = a as u64 * each + k;
            line.show(Some(done as f64 / all as f64), || {
                format!("{}, seed {}", asked.name, asked.settings.seed + k)
            });
            let settings = Settings {
                seed: asked.settings.seed + k,
                ..asked.settings.clone()
            };
            let tangent = tangent(&problem, asked, &settings, also.points.as_deref());
            let mut tangent = tangent.map_err(refused)?;
            if let Some(file) = &arguments.kernel {
                files::write_kernel(&mut tangent, also.cross.as_deref(), file)?;
            }
            let made = seeded(
                &mut tangent,
                settings.seed,
                mode,
                &also,
                arguments.linearised,
            );
            seeds.push(made.map_err(refused)?);
        }
        compared.push(Compared::new(asked.name.clone(), seeds));
    }
    line.clear();
    let folder = RunFolder::create(out, arguments.force, false)?;
    let pictures = pictures::draw(&problem.name, &compared, &folder)?;
    let about = report::About {
        problem: &problem.name,
        mode,
        device: asked[0].settings.device,
        seed: asked[0].settings.seed,
        seeds: arguments.seeds,
        seconds: started.elapsed().as_secs_f64(),
        pictures: &pictures,
        kernel: arguments.kernel.as_deref(),
    };
    Ok(report::report(&about, &compared))
}

/// What is read from files and asked for beside the spectrum.
struct Also {
    points: Option<Vec<f64>>,
    cross: Option<Vec<f64>>,
    waves: Option<Waves>,
}

impl Also {
    fn new(problem: &Problem, arguments: &Arguments) -> Result<Self, Failure> {
        let read = |option, path: &Option<PathBuf>| {
            let path = path.as_ref();
            path.map(|path| files::points(problem, option, path))
                .transpose()
        };
        let waves = arguments
            .fourier
            .map(|most| Waves::new(problem.domain.bounds(), most));
        Ok(Self {
            points: read("--at", &arguments.at)?,
            cross: read("--cross", &arguments.cross)?,
            waves: waves.transpose().map_err(refused)?,
        })
    }
}

fn tangent(
    problem: &Problem,
    asked: &Asked,
    settings: &Settings,
    points: Option<&[f64]>,
) -> Result<Tangent, NtkError> {
    let tangent = match &asked.model {
        Some(model) => Tangent::of_model(problem, settings, model),
        None => Tangent::new(problem, settings),
    }?;
    match points {
        Some(points) => tangent.at(points),
        None => Ok(tangent),
    }
}

fn seeded(
    tangent: &mut Tangent,
    seed: u64,
    mode: Mode,
    also: &Also,
    linearised: bool,
) -> Result<Seeded, NtkError> {
    let waves = also.waves.as_ref();
    Ok(Seeded {
        seed,
        bytes: tangent.bytes(mode),
        spectrum: tangent.spectrum(mode)?,
        terms: tangent.term_weights()?,
        n_points: tangent.n_points(),
        n_columns: tangent.n_columns(),
        curve: if linearised {
            comparison::curve(&tangent.linearised()?)
        } else {
            Vec::new()
        },
        rates: waves.map(|waves| tangent.rates(waves)).transpose()?,
    })
}

#[expect(clippy::needless_pass_by_value, reason = "as `map_err` hands it over")]
fn refused(error: NtkError) -> Failure {
    let hint = match &error {
        NtkError::TooMany { .. } => "lower `--points`, or leave out `--linearised`",
        NtkError::Memory { .. } => "lower `--points` or `--width`",
        NtkError::NotFinite { .. } => "lower `--init-scale` or take another `--activation`",
        NtkError::Model { .. } => "name the problem that the model was made for",
        NtkError::Sought { .. } => "write the value under `[parameters]` of the problem file",
        NtkError::Problem(_) => {
            "kernels are taken of what `raf solve --method lm` trains; run `raf solve --list` for problems that work"
        }
        _ => HINT,
    };
    Failure::new(error.to_string(), hint)
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
