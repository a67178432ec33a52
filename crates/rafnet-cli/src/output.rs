//! How a command ends: its result on stdout, or one message on stderr (with `--json`, one object on stdout either way).
//!
//! Everything that is printed goes through here, so that what was quoted from someone's file cannot steer a terminal
//! ([`visible`]), and a result that could not be written is no success.

use rafnet::problem::ProblemError;
use serde_json::{Value, json};
use std::io::{self, ErrorKind, Write};
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

impl From<ProblemError> for Failure {
    fn from(error: ProblemError) -> Self {
        let usual = || "run `raf solve --list` for the built-in problems".to_owned();
        Self::new(error.message(), error.hint().unwrap_or_else(usual))
    }
}

/// Prints and says the exit status; a reader that went away (a closed pipe) is no failure.
pub(crate) fn finish(json: bool, result: Result<Report, Failure>) -> ExitCode {
    let (text, status) = match result {
        Ok(report) if json => (format!("{}\n", report.json), report.status),
        Ok(report) => (visible(&report.text), report.status),
        Err(failure) => {
            complain(&failure);
            let object = json!({ "outcome": "could not run", "message": failure.message });
            let text = if json {
                format!("{object}\n")
            } else {
                String::new()
            };
            (text, COULD_NOT_RUN)
        }
    };
    ExitCode::from(printed(&text).map_or_else(|status| status, |()| status))
}

/// A command line that could not be read (or `--help`): clap's own text, and with `--json` the object too.
pub(crate) fn usage(error: &clap::Error) -> ExitCode {
    let text = error.to_string();
    if !error.use_stderr() {
        // on a terminal clap's own colours, elsewhere the plain text
        let shown = error.print().and_then(|()| io::stdout().flush());
        let status = shown.map_or_else(|e| unprinted(&e), |()| Ok(()));
        return ExitCode::from(status.map_or_else(|status| status, |()| 0));
    }
    if text.chars().any(is_hidden) {
        say(text.trim_end());
    } else {
        let _ = error.print();
    }
    if std::env::args_os().any(|a| a == "--json") {
        let message = text.lines().next().unwrap_or_default();
        let message = message.trim_start_matches("error: ");
        let object = json!({ "outcome": "could not run", "message": message });
        let _ = printed(&format!("{object}\n"));
    }
    ExitCode::from(COULD_NOT_RUN)
}

/// `raf` alone: what to type. It did nothing, and says so by its status.
pub(crate) fn first_steps() -> ExitCode {
    say(crate::help::FIRST_STEPS.trim_end());
    ExitCode::from(COULD_NOT_RUN)
}

/// A line on stderr. That nobody can read it is no reason to end.
pub(crate) fn say(line: &str) {
    let _ = writeln!(io::stderr(), "{}", visible(line));
}

/// What the user should know of a run that goes on.
pub(crate) fn warn(message: &str) {
    say(&format!("warning: {message}"));
}

/// A warning of something beside the result that could not be written.
pub(crate) fn said_only(written: Result<(), Failure>) {
    if let Err(failure) = written {
        warn(&failure.message);
    }
}

/// The exit status of a command that could not run.
const COULD_NOT_RUN: u8 = 2;

fn complain(failure: &Failure) {
    say(&format!(
        "error: {}\n\nhint: {}",
        failure.message, failure.hint
    ));
}

/// Writes the result; `Err` is the exit status where that cannot be done.
fn printed(text: &str) -> Result<(), u8> {
    let mut stdout = io::stdout();
    let written = stdout
        .write_all(text.as_bytes())
        .and_then(|()| stdout.flush());
    written.or_else(|error| unprinted(&error))
}

fn unprinted(error: &io::Error) -> Result<(), u8> {
    if error.kind() == ErrorKind::BrokenPipe {
        return Ok(());
    }
    complain(&Failure::new(
        format!("the result cannot be written to the standard output: {error}"),
        "send it to a file on a disk with room; what the command wrote into its folder is complete",
    ));
    Err(COULD_NOT_RUN)
}

/// The text with what would steer a terminal (escape codes, carriage returns, changes of direction) written out as `\u{1b}`.
/// Line feeds and tabs stay.
pub(crate) fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if is_hidden(c) {
            shown.extend(c.escape_unicode());
        } else {
            shown.push(c);
        }
    }
    shown
}

fn is_hidden(c: char) -> bool {
    let steers =
        matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    steers || (c.is_control() && c != '\n' && c != '\t')
}

#[cfg(test)]
mod tests {
    use super::visible;

    #[test]
    fn what_steers_a_terminal_is_written_out() {
        assert_eq!(
            visible("a\u{1b}[2Jb\r\u{9b}c"),
            "a\\u{1b}[2Jb\\u{d}\\u{9b}c"
        );
        assert_eq!(visible("x\u{202e}y"), "x\\u{202e}y");
        assert_eq!(visible("π ≈ 3\n\t— ok"), "π ≈ 3\n\t— ok");
    }
}
