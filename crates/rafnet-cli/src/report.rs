//! `raf report`: one page of a run, of a model, or of several runs side by side; and the page that every run leaves.

use crate::output::{Failure, Report, said_only, warn};
use crate::run_folder::RunFolder;
use rafnet_report::{Page, ReportError, Run};
use serde_json::{Value, json};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What a run's page is called.
pub(crate) const PAGE: &str = "report.html";

#[derive(clap::Args)]
#[command(after_help = "Examples:
  raf report runs/burgers-20260101-120000           the page of a run, written into its folder
  raf report runs/burgers-20260101-120000 --open    and shown by the browser
  raf report runs/nu                                a folder of runs: all of them compared
  raf report runs/a runs/b -o compared.html         two runs under one divider
  raf report model.safetensors                      a model without its run

The page is one file: it opens from disk, needs no network, and can be sent to anybody.")]
pub(crate) struct Arguments {
    /// Folders of runs, a folder with runs in it, or a model
    #[arg(required = true, value_name = "RUN")]
    runs: Vec<PathBuf>,
    /// Show the page in the browser
    #[arg(long)]
    open: bool,
    /// The page's file [default: report.html in the folder of the run]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Report, Failure> {
    let page = rafnet_report::page(&arguments.runs).map_err(refused)?;
    let path = arguments.output.clone();
    let path = path.unwrap_or_else(|| usual(&arguments.runs));
    let bytes = rafnet_report::write(&page, &path).map_err(refused)?;
    if arguments.open {
        open(&path);
    }
    let shown = path.display().to_string();
    Ok(Report {
        text: format!(
            "{}\n{shown}   {:.1} MB\n",
            page.verdict.headline,
            bytes as f64 / 1e6
        ),
        json: json!({
            "outcome": "done", "report": shown, "bytes": bytes, "headline": page.verdict.headline, "title": page.title,
            "version": env!("CARGO_PKG_VERSION"),
        }),
        status: 0,
    })
}

/// In the folder that was named; of a model and of several folders here.
fn usual(runs: &[PathBuf]) -> PathBuf {
    match runs {
        [folder] if folder.is_dir() => folder.join(PAGE),
        [model] if model.with_file_name("config.toml").is_file() => model.with_file_name(PAGE),
        _ => PathBuf::from(PAGE),
    }
}

#[expect(clippy::needless_pass_by_value, reason = "as `map_err` hands it over")]
fn refused(error: ReportError) -> Failure {
    let hint = match error {
        ReportError::NoRun { .. } => {
            "pass the folder that `raf solve` or `raf fit` wrote, a folder of such folders, or a .safetensors model"
        }
        ReportError::Model { .. } => {
            "run it again: `raf solve RUN/config.toml --out another-folder`"
        }
        ReportError::Several(_) => "raf report runs/a runs/b",
        ReportError::Unwritable { .. } => "pass `-o` with a file that can be written",
    };
    Failure::new(error.to_string(), hint)
}

/// The page of a run that has just ended, in its folder, with what it found. A page that cannot be made is said in one line and changes nothing
/// of the run; whether there is one.
pub(crate) fn beside(folder: &RunFolder, result: &Value) -> bool {
    let made = catch_unwind(AssertUnwindSafe(|| {
        let run = Run::read(folder.path(), Some(result.clone()))?;
        rafnet_report::of_run(&run)
    }));
    let page = match made {
        Ok(Ok(page)) => page,
        Ok(Err(error)) => {
            warn(&format!("no page of this run was made: {error}"));
            return false;
        }
        Err(_) => {
            warn("no page of this run was made; the run itself is complete");
            return false;
        }
    };
    put(&page, folder)
}

/// Writes a page into a run's folder; whether that could be done.
pub(crate) fn put(page: &Page, folder: &RunFolder) -> bool {
    let written = folder.write(PAGE, page.html().as_bytes());
    let there = written.is_ok();
    said_only(written);
    there
}

/// The page of several runs, in the folder that holds theirs.
pub(crate) fn of_several(out: &Path) -> Option<PathBuf> {
    let made = catch_unwind(AssertUnwindSafe(|| {
        let page = rafnet_report::page(&[out.to_owned()])?;
        let path = out.join(PAGE);
        rafnet_report::write(&page, &path).map(|_| path)
    }));
    match made {
        Ok(Ok(path)) => Some(path),
        Ok(Err(error)) => {
            warn(&format!("no page of these runs was made: {error}"));
            None
        }
        Err(_) => {
            warn("no page of these runs was made; the runs themselves are complete");
            None
        }
    }
}

/// Asks the system to show a file.
fn open(path: &Path) {
    let program = if cfg!(target_os = "macos") {
        "open"
    } else if cfg!(windows) {
        "explorer"
    } else {
        "xdg-open"
    };
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut command = Command::new(program);
    command
        .arg(&absolute)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    if command.spawn().is_err() {
        warn(&format!(
            "no browser could be asked (`{program}`); open `{}` by hand",
            absolute.display()
        ));
    }
}
