//! What is said of a mistake in a problem file: one message with the line, the spot underlined, and what to type instead.

use super::fault::Fault;
use super::fault_hint::hint;
use std::fmt;
use std::ops::Range;

/// Why a problem could not be read.
///
/// ```
/// use rafnet::problem::Problem;
/// let text = "[domain]\nkind = \"interval\"\nx = [0, 1]\n[equation]\nresidual = \"lapacian(u) - 1\"\n";
/// let error = Problem::from_text(text, "rod.toml", None).err().expect("a slip of the pen");
/// assert_eq!(error.to_string(), "\
/// rod.toml:5: unknown function `lapacian` in `residual`
///   residual = \"lapacian(u) - 1\"
///               ^^^^^^^^
///
/// hint: did you mean `laplacian`?");
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ProblemError(Box<Details>);

#[derive(Clone, Debug, PartialEq)]
struct Details {
    source: String,
    place: Option<Place>,
    fault: Fault,
}

/// A line of the file and the part of it that is at fault.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Place {
    line: usize,
    shown: String,
}

impl Place {
    /// The line on which `span` begins, the part of it within `span` underlined.
    pub(super) fn new(text: &str, span: &Range<usize>) -> Self {
        let start = span.start.min(text.len());
        let from = text[..start].rfind('\n').map_or(0, |at| at + 1);
        let to = text[start..].find('\n').map_or(text.len(), |at| start + at);
        let end = span.end.clamp(start, to);
        Self {
            line: 1 + text[..from].matches('\n').count(),
            shown: underline(&text[from..to], start - from, end - from),
        }
    }
}

/// Lines longer than this are cut around the spot.
const LONGEST_LINE: usize = 96;

/// The line without its leading blanks, and carets below the bytes `start..end`, both indented by two spaces.
fn underline(line: &str, start: usize, end: usize) -> String {
    let columns = |text: &str| text.chars().count();
    let (before, within) = (columns(&line[..start]), columns(&line[start..end]));
    let line: Vec<char> = line
        .trim_end()
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    let blanks = line.iter().take_while(|c| **c == ' ').count();
    let cut = if line.len() - blanks > LONGEST_LINE {
        let room = LONGEST_LINE.saturating_sub(within) / 2;
        before.saturating_sub(room).max(blanks)
    } else {
        blanks
    };
    // the spot may be among the blanks
    let cut = cut.min(before);
    let shown: String = line.iter().skip(cut).take(LONGEST_LINE).collect();
    let room = LONGEST_LINE.saturating_sub(before - cut).max(1);
    let carets = "^".repeat(within.clamp(1, room));
    format!("  {shown}\n  {}{carets}", " ".repeat(before - cut))
}

impl ProblemError {
    pub(super) fn new(source: &str, place: Option<Place>, fault: Fault) -> Self {
        Self(Box::new(Details {
            source: source.into(),
            place,
            fault,
        }))
    }

    /// What went wrong, with its fields.
    pub fn fault(&self) -> &Fault {
        &self.0.fault
    }

    /// The line of the file, from 1; `None` when the fault is no line's.
    pub fn line(&self) -> Option<usize> {
        self.0.place.as_ref().map(|place| place.line)
    }

    /// What to type instead, where that can be said.
    pub fn hint(&self) -> Option<String> {
        hint(self.fault())
    }

    /// What is wrong and where, without the hint.
    ///
    /// ```
    /// use rafnet::problem::Problem;
    /// let error = Problem::from_text("", "empty.toml", None).err().expect("nothing to solve");
    /// assert_eq!(error.message(), "empty.toml: the file is empty");
    /// ```
    pub fn message(&self) -> String {
        let Details {
            source,
            place,
            fault,
        } = &*self.0;
        match place {
            Some(Place { line, shown }) => format!("{source}:{line}: {fault}\n{shown}"),
            None => format!("{source}: {fault}"),
        }
    }
}

impl fmt::Display for ProblemError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message())?;
        match self.hint() {
            Some(hint) => write!(f, "\n\nhint: {hint}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for ProblemError {}
