//! `raf demo`: a fit, an equation and an exact network in under a minute, without any input.

use crate::output::{Failure, Report, warn};
use crate::progress::duration;
use crate::report::put;
use crate::run_folder::{RESULT, RunFolder};
use crate::{fit, solve, threads};
use rafnet::expr::largest;
use rafnet::problem::Problem;
use rafnet::solve::Options;
use rafnet_report::{Demonstration, Run};
use rafnet_theory::{Degree, Formula, Series, chebyshev};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// The equation that is solved.
const PROBLEM: &str = "burgers";
/// The function that an exact network reproduces, and how well.
const FUNCTION: &str = "exp(x)*sin(5*x)";
const TOLERANCE: f64 = 1e-12;

#[derive(clap::Args)]
#[command(after_help = "Examples:\n  raf demo\n  raf demo --out somewhere --json")]
pub(crate) struct Arguments {
    /// Folder for the page and the pictures
    #[arg(long, default_value = "raf-demo")]
    out: PathBuf,
    /// Seed of everything that is drawn
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Threads (0: one for each core)
    #[arg(long, default_value_t = 0)]
    threads: usize,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// A row of the table.
struct Row {
    what: String,
    figure: String,
    seconds: f64,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Report, Failure> {
    let started = Instant::now();
    let threads = threads::meant(arguments.threads)?;
    let folder = RunFolder::create(arguments.out.clone(), true, false)?;
    let headline = "A picture fitted, an equation solved, a network built by hand: from scratch, here, just now.";
    let mut page = Demonstration::new("rafnet: a demonstration", headline);
    let mut rows = Vec::new();

    let began = Instant::now();
    let picture = arguments.out.join("picture");
    let image = fit::demonstration(picture.clone(), arguments.seed, threads)?;
    let psnr = image["psnr"].as_f64().unwrap_or(0.0);
    rows.push(Row {
        what: "fit of a 128 x 128 picture".into(),
        figure: format!("{psnr:.1} dB"),
        seconds: began.elapsed().as_secs_f64(),
    });
    page.figure(
        "psnr",
        "picture",
        psnr,
        &format!("{psnr:.1} dB"),
        "of 128 x 128 pixels",
    );
    page.heading(
        "A picture as a function",
        &format!(
            "{} parameters reproduce the picture at {psnr:.1} dB.",
            image["parameters"]
        ),
    );
    add(&mut page, &picture);

    let began = Instant::now();
    let (error, estimate) = equation(arguments, threads)?;
    rows.push(Row {
        what: format!("equation `{PROBLEM}`, relative error"),
        figure: format!("{error:.1e}"),
        seconds: began.elapsed().as_secs_f64(),
    });
    page.figure(
        "relative_l2",
        "equation",
        error,
        &format!("{error:.1e}"),
        "relative error of the solution",
    );
    page.heading(
        &format!("The equation {PROBLEM}"),
        &format!("Relative error {error:.1e}; the solver itself expected {estimate:.1e}, without knowing the solution."),
    );
    add(&mut page, &arguments.out.join(PROBLEM));

    let began = Instant::now();
    let (width, depth, largest) = exact_network()?;
    rows.push(Row {
        what: format!("network for {FUNCTION}, built"),
        figure: format!("{largest:.1e}"),
        seconds: began.elapsed().as_secs_f64(),
    });
    page.figure(
        "max_error",
        "network by hand",
        largest,
        &format!("{largest:.1e}"),
        "largest error",
    );
    page.heading(
        "A network built by hand",
        &format!(
            "Width {width}, depth {depth}: the Chebyshev series of {FUNCTION} by its recurrence, nothing trained, largest error {largest:.1e} on [-1, 1]."
        ),
    );

    put(&page.page(), &folder);
    let json = json!({
        "outcome": "done", "rows": listed(&rows), "psnr": psnr, "relative_l2": error, "max_error": largest,
        "seconds": started.elapsed().as_secs_f64(), "report": folder.file("report.html").display().to_string(), "seed": arguments.seed, "device": "cpu",
        "precision": null, "version": env!("CARGO_PKG_VERSION"),
    });
    Ok(Report {
        text: table(&rows, &folder.file("report.html")),
        json,
        status: 0,
    })
}

/// What a run has to show; a run that cannot be shown is said and left out.
fn add(page: &mut Demonstration, folder: &Path) {
    let added = Run::read(folder, None).and_then(|run| page.run(&run));
    if let Err(error) = added {
        warn(&error.to_string());
    }
}

fn listed(rows: &[Row]) -> Vec<Value> {
    let row = |r: &Row| json!({ "what": r.what, "figure": r.figure, "seconds": r.seconds });
    rows.iter().map(row).collect()
}

fn table(rows: &[Row], report: &Path) -> String {
    let mut text = String::new();
    for row in rows {
        let (what, figure) = (&row.what, &row.figure);
        let _ = writeln!(
            text,
            "{what:<44} {figure:>10} {:>10}",
            duration(row.seconds)
        );
    }
    let _ = writeln!(text, "\n{}", report.display());
    text
}

/// The error against the known solution, and what the solver expected.
fn equation(arguments: &Arguments, threads: usize) -> Result<(f64, f64), Failure> {
    let hint = "run `raf solve --list` for the built-in problems";
    let problem = Problem::builtin(PROBLEM)?;
    let options = Options {
        seed: arguments.seed,
        threads,
        time_limit: 40.0,
        ..Options::default()
    };
    let solved = problem
        .solve(&options, |progress| progress.go_on())
        .map_err(|e| Failure::new(e.to_string(), hint))?;
    let folder = RunFolder::create(arguments.out.join(PROBLEM), true, false)?;
    folder.write("config.toml", problem.text().as_bytes())?;
    for (name, _) in solved.models() {
        folder.own(&name);
    }
    solved.save(folder.path()).map_err(|e| {
        Failure::new(
            e.to_string(),
            "pass `--out` with a folder that can be written",
        )
    })?;
    let by = solve::Drawing {
        folder: &folder,
        threads: options.threads(),
        until: None,
    };
    solve::draw(&problem, &solved, &by)?;
    let result = format!("{}\n", solved.to_json(Some(folder.path())));
    folder.write(RESULT, result.as_bytes())?;
    let error = largest(solved.relative_l2_by.iter().flatten().copied());
    Ok((error, solved.error_estimate))
}

fn exact_network() -> Result<(usize, usize, f64), Failure> {
    let built = || {
        let formula = Formula::read(FUNCTION)?;
        let series = Series::of(&formula, [-1.0, 1.0], Degree::Tolerance(TOLERANCE))?;
        chebyshev(&formula, &series, None)
    };
    let built = built().map_err(|e| {
        Failure::new(
            e.to_string(),
            "raf build chebyshev \"exp(x)\" --tolerance 1e-12",
        )
    })?;
    Ok((built.width(), built.depth(), built.max_error))
}
