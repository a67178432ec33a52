//! The figures of a solved problem as a table for people; the object for programs is the library's.

use super::run::Run;
use crate::interrupt;
use crate::output::Report;
use crate::run_folder::RunFolder;
use rafnet::run::Outcome;
use rafnet::solve::{SolveError, Solved};
use rafnet_report::rounded;
use std::fmt::Write as _;
use std::path::Path;

/// What a report is made of.
pub(super) struct Told<'a> {
    pub(super) run: &'a Run,
    pub(super) solved: &'a Solved,
    pub(super) folder: &'a RunFolder,
    /// Whether there is a checkpoint.
    pub(super) saved: bool,
}

impl Told<'_> {
    pub(super) fn report(&self) -> Report {
        let solved = self.solved;
        Report {
            text: self.text(),
            json: solved.to_json(Some(self.folder.path())),
            status: match solved.outcome {
                Outcome::Stopped => interrupt::status(),
                _ => u8::from(!solved.succeeded()),
            },
        }
    }

    fn text(&self) -> String {
        let solved = self.solved;
        let mut text = format!(
            "{}: {} after {:.1} s\n",
            self.run.problem.name,
            solved.outcome.name(),
            solved.seconds
        );
        let mut lines = self.lines();
        if self.run.verbose {
            lines.extend(self.further());
        }
        lines.push(("files".into(), self.files()));
        let widest = lines.iter().map(|(name, _)| name.chars().count()).max();
        let width = widest.unwrap_or(0).clamp(14, 40);
        for (name, value) in lines {
            let _ = writeln!(text, "  {name:<width$} {value}");
        }
        text
    }

    /// What to do about an answer that is not good enough, or not there; empty where it is.
    pub(super) fn what_next(&self) -> String {
        let solved = self.solved;
        let mut text = String::new();
        if solved.outcome == Outcome::Stopped {
            let _ = writeln!(text, "\n{}", how_to_go_on(self.folder.path(), self.saved));
        } else if let Some(advice) = &solved.advice {
            text.push_str("\nwhat to do next\n");
            for line in self.next(advice) {
                let _ = writeln!(text, "  {line}");
            }
        }
        text
    }

    /// The folder, and what is in it to be looked at.
    fn files(&self) -> String {
        let folder = self.folder.path();
        let shown = |name: &String| {
            let ending = Path::new(name).extension().and_then(|e| e.to_str());
            let model = name.ends_with("safetensors") && name.starts_with("mode");
            model || matches!(ending, Some("png" | "html"))
        };
        let mut names = self.folder.names();
        names.retain(shown);
        names.sort();
        const MOST: usize = 8;
        let more = names.len().saturating_sub(MOST);
        names.truncate(MOST);
        let more = if more > 0 {
            format!(" and {more} more")
        } else {
            String::new()
        };
        format!("{}: {}{more}", folder.display(), names.join(", "))
    }

    /// What to do about an answer that is not good enough, a line each.
    fn next(&self, advice: &str) -> Vec<String> {
        let (solved, source) = (self.solved, &self.run.source);
        let mut lines = vec![advice.to_owned()];
        let residual = self.folder.file("residual.png");
        if residual.exists() {
            lines.push(format!(
                "{} shows where the equation is missed",
                residual.display()
            ));
        }
        let limit = self.run.options.time_limit;
        if solved.expired && limit.is_finite() {
            lines.push(format!(
                "raf solve {source} --time-limit {:.0}    it had {limit:.0} s",
                4.0 * limit
            ));
        }
        lines.push(format!("raf check {source}    says what the file means: a sign, a forgotten condition, something narrow"));
        lines.push("docs/guide/stalled.md goes through the causes".into());
        lines
    }

    /// What `--verbose` adds.
    fn further(&self) -> Vec<(String, String)> {
        let solved = self.solved;
        let residual = if solved.residual.is_finite() {
            format!("{:.1e}   of its terms", solved.residual)
        } else {
            "none: it is no number at some points".into()
        };
        let size = solved.model.parts().parameters.len();
        let mut lines = vec![
            ("held-out residual".to_owned(), residual),
            (
                "method".to_owned(),
                format!("{}, {size} parameters", solved.method),
            ),
        ];
        if !solved.excluded {
            let note = "the texts may have further narrow features: a search through them could not exclude it";
            lines.push(("narrow".into(), note.into()));
        }
        if solved.method != "lsq" && self.solved.options.activation.len() > 1 {
            let names: Vec<&str> = solved
                .options
                .activation
                .iter()
                .map(|set| set.name())
                .collect();
            lines.push((
                "activation".into(),
                format!("one a layer: {}", names.join(", ")),
            ));
        }
        let decisions = solved.decisions().into_iter().enumerate();
        let tried = |(k, d): (usize, String)| (if k == 0 { "tried" } else { "" }.to_owned(), d);
        lines.extend(decisions.map(tried));
        lines
    }

    /// Figures with their names.
    fn lines(&self) -> Vec<(String, String)> {
        let (solved, options) = (self.solved, &self.solved.options);
        let mut lines: Vec<(String, String)> = Vec::new();
        let mut line = |name: &str, value: String| lines.push((name.to_owned(), value));
        let figure = |v: f64| format!("{v:.1e}");
        for pair in &solved.eigenvalues {
            let several = match pair.multiplicity {
                1 => String::new(),
                n => format!("   one of {n} that are equal"),
            };
            let value = rounded(pair.value, pair.error_estimate);
            line("eigenvalue", format!("{value}{several}"));
        }
        let largest = Some(solved.linf_estimate).filter(|e| e.is_finite());
        let largest = largest.map_or_else(String::new, |e| {
            format!("; at the worst point about {}", figure(e))
        });
        let estimate = if solved.error_estimate.is_finite() {
            format!(
                "about {}   relative L2{largest}",
                figure(solved.error_estimate)
            )
        } else {
            "none: nothing is known of the error".into()
        };
        line("error", estimate);
        if let Some(l2) = solved.relative_l2() {
            let note = if solved.others.is_empty() {
                "against `[exact]`, which the solver never sees"
            } else {
                "against `[exact]`, which the solver never sees and which may be another of those below"
            };
            line("true error", format!("{}   {note}", figure(l2)));
        }
        for feature in &solved.features {
            line("narrow", feature.sentence.clone());
        }
        for found in &solved.found {
            let note = if found.sigma.is_finite() {
                "   one standard error"
            } else {
                ""
            };
            let value = rounded(found.value, found.sigma);
            line(&found.name, format!("{value}{note}"));
        }
        if let Some((chi_squared, n)) = solved.chi_squared {
            let note = "   about as many where `sigma` is right and the equations hold";
            line(
                "chi squared",
                format!("{chi_squared:.1} of {n} observations{note}"),
            );
        }
        for report in &solved.reports {
            line(&report.name, rounded(report.value, report.error_estimate));
        }
        if !solved.others.is_empty() {
            let files = solved.other_files().join(", ");
            let note = "different ones were seen, and `[guess]` says near which one is sought";
            line(
                "solutions",
                format!("{} {note}; the others: {files}", 1 + solved.others.len()),
            );
        }
        if solved.method == "lsq" && !options.activation.is_empty() {
            let note = "frozen functions have no activation to choose; `--method lm` trains a network with it";
            line("activation", note.into());
        }
        lines
    }
}

/// What `--resume` would do: a search over frozen features is made again from its beginning, training goes on.
fn how_to_go_on(folder: &Path, saved: bool) -> String {
    let command = format!("`raf solve --resume {}`", folder.display());
    if saved {
        format!("stopped; {command} goes on with the training exactly where it stopped")
    } else {
        format!(
            "stopped; {command} makes the search again from its beginning, to the answer of an unbroken run"
        )
    }
}

/// What is said when there is no solution to save.
pub(super) fn without_solution(
    run: &Run,
    error: &SolveError,
    folder: &RunFolder,
    saved: bool,
) -> Report {
    let stopped = matches!(error, SolveError::Stopped { .. });
    Report {
        text: if stopped {
            format!("{error}\n\n{}\n", how_to_go_on(folder.path(), saved))
        } else {
            format!("{error}\n")
        },
        json: error.to_json(&run.options),
        status: if stopped { interrupt::status() } else { 1 },
    }
}
