//! `raf solve`: an equation in a text file, an answer with its error estimate.

use crate::output::{Failure, Report};
use crate::picture::{self, Colours, Curve, HeatMap, Plot, Scale};
use rafnet::expr::Leaf;
use rafnet::problem::Problem;
use rafnet::solve::{Found, Options, Progress, Solved};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::io::{IsTerminal, Write as _};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Instant;

#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  raf solve --list\n  raf solve poisson-smooth\n  raf solve my-problem.toml --out runs/mine --json"
)]
pub(crate) struct Arguments {
    /// A built-in problem's name or a `.toml` problem file
    #[arg(required_unless_present = "list")]
    problem: Option<String>,
    /// List the built-in problems
    #[arg(long)]
    list: bool,
    /// Seed of the drawn features and points
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Seconds after which the best so far is taken
    #[arg(long, default_value_t = 300.0)]
    time_limit: f64,
    /// Held-out residual, relative to its own terms, at which the search ends
    #[arg(long, default_value_t = 1e-12)]
    target: f64,
    /// The most functions of the layer
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=20_000))]
    width: Option<u32>,
    /// Threads (0: one for each core); the answer does not depend on it
    #[arg(long, default_value_t = 0)]
    threads: usize,
    /// Folder for the model and the pictures (default: runs/NAME-SEED)
    #[arg(long)]
    out: Option<PathBuf>,
    /// Write into a folder that holds another run
    #[arg(long)]
    force: bool,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Report, Failure> {
    let Some(name) = arguments.problem.as_deref().filter(|_| !arguments.list) else {
        return Ok(list());
    };
    let problem = read(name)?;
    for warning in problem.warnings() {
        let _ = writeln!(std::io::stderr(), "warning: {warning}");
    }
    let out = arguments
        .out
        .clone()
        .unwrap_or_else(|| PathBuf::from(format!("runs/{}-{}", problem.name, arguments.seed)));
    if !arguments.force && out.join("model.safetensors").exists() {
        return Err(Failure {
            message: format!("`{}` holds another run", out.display()),
            hint: "pass `--force` to replace it, or `--out` with another folder".into(),
        });
    }
    std::fs::create_dir_all(&out).map_err(|e| Failure {
        message: format!("cannot make the folder `{}`: {e}", out.display()),
        hint: "pass `--out` with a folder that can be written".into(),
    })?;
    let options = Options {
        seed: arguments.seed,
        target: arguments.target,
        time_limit: arguments.time_limit,
        width: arguments.width.map(|w| w as usize),
        threads: arguments.threads,
    };
    let started = Instant::now();
    let mut said = 0.0;
    let mut history: Vec<[f64; 2]> = Vec::new();
    let solved = problem.solve(&options, |p| {
        history.push([p.seconds, p.best]);
        show(p, &mut said)
    }).map_err(|e| Failure {
        message: e.to_string(),
        hint: "run `raf solve --list` for problems that work, and see the format's page for what is supported".into(),
    })?;
    let seconds = started.elapsed().as_secs_f64();
    let model = out.join("model.safetensors");
    solved.model.save(&model).map_err(|e| Failure {
        message: e.to_string(),
        hint: "pass `--out` with a folder that can be written".into(),
    })?;
    pictures(&problem, &solved, &out)?;
    let [seconds_at, best]: [Vec<f64>; 2] = [0, 1].map(|k| history.iter().map(|h| h[k]).collect());
    let curve = Curve {
        name: "",
        x: &seconds_at,
        y: &best,
    };
    picture::convergence(
        &out.join("residual.png"),
        &problem.name,
        ["seconds", "held-out residual"],
        &[curve],
    )
    .map_err(unwritable)?;
    Ok(report(&problem, &solved, seconds, arguments, &model))
}

fn read(name: &str) -> Result<Problem, Failure> {
    let file = Path::new(name);
    let is_file = file.extension().is_some_and(|e| e == "toml") || file.exists();
    let problem = if is_file {
        Problem::from_file(file)
    } else {
        Problem::builtin(name)
    };
    problem.map_err(|e| {
        let text = e.to_string();
        let (message, hint) = text
            .split_once("\n\nhint: ")
            .unwrap_or((&text, "run `raf solve --list` for the built-in problems"));
        Failure {
            message: message.to_owned(),
            hint: hint.to_owned(),
        }
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
    }
}

/// One line that rewrites itself on a terminal, a plain line every few seconds elsewhere.
fn show(progress: &Progress, said: &mut f64) -> ControlFlow<()> {
    let line = format!(
        "{:6.1} s  {} functions  held-out residual {:.1e}  best {:.1e}",
        progress.seconds, progress.width, progress.residual, progress.best
    );
    let mut stderr = std::io::stderr();
    if stderr.is_terminal() {
        let _ = write!(stderr, "\r\x1b[K{line}");
    } else if progress.seconds > *said + 5.0 {
        *said = progress.seconds;
        let _ = writeln!(stderr, "{line}");
    }
    progress.go_on()
}

#[allow(clippy::needless_pass_by_value, reason = "as `map_err` hands it over")]
fn unwritable(error: picture::PictureError) -> Failure {
    Failure {
        message: error.to_string(),
        hint: "pass `--out` with a folder that can be written".into(),
    }
}

/// Grid points along each axis of a picture.
const SIDE: usize = 201;

fn pictures(problem: &Problem, solved: &Solved, out: &Path) -> Result<(), Failure> {
    let d = problem.coordinates.len();
    if d > 2 {
        return Ok(());
    }
    let bounds = problem.domain.bounds();
    let place = |k: usize, i: usize| {
        bounds[k][0] + (bounds[k][1] - bounds[k][0]) * i as f64 / (SIDE - 1) as f64
    };
    let n = if d == 1 { SIDE } else { SIDE * SIDE };
    let column = |i: usize, k: usize| if d == 1 || k == 1 { i % SIDE } else { i / SIDE };
    let points: Vec<f64> = (0..n)
        .flat_map(|i| (0..d).map(move |k| place(k, column(i, k))))
        .collect();
    let Ok(values) = solved.model.eval(&points) else {
        return Ok(());
    };
    let outputs = problem.unknowns.len();
    for (u, name) in problem.unknowns.iter().enumerate() {
        let inside = |i: usize| problem.domain.contains(&points[i * d..(i + 1) * d]);
        let shown: Vec<f64> = (0..points.len() / d)
            .map(|i| {
                if inside(i) {
                    values[i * outputs + u]
                } else {
                    f64::NAN
                }
            })
            .collect();
        let path = out.join(format!("{name}.png"));
        if d == 1 {
            let curve = Curve {
                name: "",
                x: &points,
                y: &shown,
            };
            let plot = Plot {
                curves: &[curve],
                title: &problem.name,
                labels: [&problem.coordinates[0], name],
                scale: Scale::Linear,
            };
            picture::curves(&path, &plot).map_err(unwritable)?;
        } else {
            let labels = [
                problem.coordinates[0].as_str(),
                problem.coordinates[1].as_str(),
            ];
            let title = format!("{}: {name}", problem.name);
            let map = HeatMap {
                values: &shown,
                size: [SIDE, SIDE],
                ranges: [bounds[0], bounds[1]],
                labels,
                title: &title,
                colours: Colours::Sequential,
            };
            picture::heat_map(&path, &map).map_err(unwritable)?;
            if let Some(exact) = &problem.exact[u] {
                let truth = |i: usize| {
                    exact.eval(&|leaf| match leaf {
                        Leaf::Coordinate(k) => points[i * d + k],
                        _ => f64::NAN,
                    })
                };
                let error: Vec<f64> = shown
                    .iter()
                    .enumerate()
                    .map(|(i, v)| v - truth(i))
                    .collect();
                let title = format!("{}: {name} minus the exact solution", problem.name);
                let map = HeatMap {
                    values: &error,
                    title: &title,
                    colours: Colours::Diverging,
                    ..map
                };
                picture::heat_map(&out.join(format!("{name}-error.png")), &map)
                    .map_err(unwritable)?;
            }
        }
    }
    Ok(())
}

fn report(
    problem: &Problem,
    solved: &Solved,
    seconds: f64,
    arguments: &Arguments,
    model: &Path,
) -> Report {
    let worst = |by: &[Option<f64>]| by.iter().flatten().copied().reduce(f64::max);
    let (l2, linf) = (
        worst(&solved.relative_l2_by),
        worst(&solved.relative_linf_by),
    );
    let mut text = String::new();
    if std::io::stderr().is_terminal() {
        let _ = write!(std::io::stderr(), "\r\x1b[K");
    }
    let _ = writeln!(
        text,
        "{}: {} after {seconds:.1} s",
        problem.name,
        solved.outcome.name()
    );
    let figure = |v: Option<f64>| v.map_or_else(|| "-".into(), |v| format!("{v:.1e}"));
    let _ = writeln!(
        text,
        "  error estimate   {}",
        figure(Some(solved.error_estimate))
    );
    if l2.is_some() {
        let _ = writeln!(
            text,
            "  relative L2      {}   against the exact solution, which the solver never sees",
            figure(l2)
        );
    }
    let _ = writeln!(
        text,
        "  held-out residual {} of its own terms",
        figure(Some(solved.residual))
    );
    for found in &solved.found {
        let _ = writeln!(
            text,
            "  {} = {} ± {:.1e}",
            found.name, found.value, found.sigma
        );
    }
    for decision in &solved.decisions {
        let _ = writeln!(text, "  {decision}");
    }
    let _ = writeln!(text, "  model            {}", model.display());
    let finite = |v: Option<f64>| v.filter(|v| v.is_finite());
    let [equation, boundary, initial, data] = solved.rms;
    let by_name = |of: fn(&Found) -> f64| -> serde_json::Map<String, Value> {
        let pairs = solved.found.iter().map(|f| (f.name.clone(), json!(of(f))));
        pairs.collect()
    };
    let json = json!({
        "outcome": solved.outcome.name(), "relative_l2": finite(l2), "relative_linf": finite(linf), "relative_l2_by": solved.relative_l2_by,
        "residual_rms": finite(equation), "boundary_rms": finite(boundary), "initial_rms": finite(initial), "data_rms": finite(data),
        "error_estimate": finite(Some(solved.error_estimate)), "residual": finite(Some(solved.residual)),
        "seconds": seconds, "method": solved.method, "parameters": solved.model.parts().network.n_parameters(), "points": solved.points,
        "found": by_name(|f| f.value), "found_sigma": by_name(|f| f.sigma), "model": model, "seed": arguments.seed, "device": "cpu", "precision": "f64",
        "version": env!("CARGO_PKG_VERSION"), "decisions": solved.decisions,
    });
    Report { text, json }
}
