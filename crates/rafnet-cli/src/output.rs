//! How a command ends: its result on stdout, or one message on stderr (with `--json`, one object on stdout either way).

use serde_json::{Value, json};
use std::io::Write;
use std::process::ExitCode;

/// What a command found: the same figures as a table for people and as an object for programs.
pub(crate) struct Report {
    pub(crate) text: String,
    pub(crate) json: Value,
    /// The exit status: 0, or 1 where it ran and did not reach what was asked.
    pub(crate) status: u8,
}

/// Why a command could not run, and what to type next.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) message: String,
    pub(crate) hint: String,
}

impl Failure {
    pub(crate) fn new(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            hint: hint.into(),
        }
    }
}

/// Prints and says the exit status; a reader that went away (a closed pipe) is no failure.
pub(crate) fn finish(json: bool, result: Result<Report, Failure>) -> ExitCode {
    let (text, status) = match result {
        Ok(report) if json => (format!("{}\n", report.json), ExitCode::from(report.status)),
        Ok(report) => (report.text, ExitCode::from(report.status)),
        Err(failure) => {
            let _ = writeln!(
                std::io::stderr(),
                "error: {}\n\nhint: {}",
                failure.message,
                failure.hint
            );
            let object = json!({ "outcome": "could not run", "message": failure.message });
            (
                if json {
                    format!("{object}\n")
                } else {
                    String::new()
                },
                ExitCode::from(2),
            )
        }
    };
    let _ = std::io::stdout().write_all(text.as_bytes());
    status
}

/// A command line that could not be read (or `--help`): clap's own text, and with `--json` the object too.
pub(crate) fn usage(error: &clap::Error) -> ExitCode {
    let _ = error.print();
    if !error.use_stderr() {
        return ExitCode::SUCCESS;
    }
    if std::env::args_os().any(|a| a == "--json") {
        let text = error.to_string();
        let message = text
            .lines()
            .next()
            .unwrap_or_default()
            .trim_start_matches("error: ");
        let _ = writeln!(
            std::io::stdout(),
            "{}",
            json!({ "outcome": "could not run", "message": message })
        );
    }
    ExitCode::from(2)
}
