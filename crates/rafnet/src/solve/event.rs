//! What a run tried, in order: data, of which its sentences are made. Searches record [`Event`]s, a [`Solved`](super::Solved) holds them, and
//! whoever shows a run reads them there: the command's `--verbose`, `config.toml` and JSON.

use serde_json::{Value, json};
use std::fmt;
use std::time::Instant;

/// Something that a run tried.
///
/// ```
/// use rafnet::{Problem, solve::Tried};
/// let solved = Problem::builtin("logistic")?.solve(&Default::default(), |progress| progress.go_on())?;
/// let Tried::Layer(first) = &solved.events[0].tried else { panic!("`auto` begins with layers") };
/// assert!(first.stage == "first layers" && first.functions > 1 && first.residual < 1.0);
/// assert!(solved.decisions()[0].starts_with("first layers: "));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// Seconds since the run began.
    pub seconds: f64,
    /// By which method.
    pub method: &'static str,
    /// What it was, and what came of it.
    pub tried: Tried,
    at: Instant,
}

/// What was tried, and what came of it. Residuals are held-out ones.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Tried {
    /// A stage of `lsq`, whose best layer this is so far.
    Layer(Layer),
    /// A part of the time, up to here.
    Part {
        /// Its end.
        until: f64,
        /// What its best layer left over.
        residual: f64,
    },
    /// A level of `pieces`.
    Level {
        /// Functions of each piece.
        functions: usize,
        /// The largest flaw that a piece may have.
        tolerance: f64,
        /// What was found.
        found: Result<Cut, NoLevel>,
    },
    /// A network with so many neurons a layer.
    Network {
        /// How many.
        width: usize,
        /// What it left over.
        residual: f64,
    },
    /// `auto` went on from one method to the next.
    Next {
        /// What the first left over.
        residual: f64,
        /// Its error, about.
        estimate: f64,
        /// The other one.
        next: &'static str,
        /// What that left over; none where it found nothing.
        found: Option<f64>,
    },
    /// A method once more, with more work.
    More {
        /// Which.
        method: &'static str,
        /// What it left over.
        residual: f64,
    },
    /// Anything else, in words.
    Note(String),
}

/// A frozen layer.
#[derive(Clone, Debug, PartialEq)]
pub struct Layer {
    /// After which stage of the search it was the best.
    pub stage: String,
    /// What it left over.
    pub residual: f64,
    /// How many functions it has.
    pub functions: usize,
    /// Of which kind.
    pub family: &'static str,
    /// What else is to be said of them: focused, turned, of one coordinate each.
    pub properties: Vec<String>,
    /// Waves along each input.
    pub scales: Vec<f64>,
    /// How boundary values are met.
    pub boundary: &'static str,
}

/// A solution in pieces.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cut {
    /// What it left over.
    pub residual: f64,
    /// How many pieces.
    pub pieces: usize,
    /// In how many slabs of time.
    pub slabs: usize,
}

/// Why a level has no solution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoLevel {
    /// The run was ended.
    NotFinished,
    /// It took more work than a level has.
    TooMuchWork,
    /// Nothing finite was found.
    NoSolution,
}

impl Event {
    pub(super) fn new(method: &'static str, tried: Tried) -> Self {
        Self {
            seconds: 0.0,
            method,
            tried,
            at: Instant::now(),
        }
    }

    pub(super) fn note(method: &'static str, sentence: impl Into<String>) -> Self {
        Self::new(method, Tried::Note(sentence.into()))
    }

    /// The same with its time, in a run that began then.
    pub(super) fn since(self, began: Instant) -> Self {
        let seconds = self.at.saturating_duration_since(began).as_secs_f64();
        Self { seconds, ..self }
    }

    /// What is left over of what was tried, if that is known.
    pub fn residual(&self) -> Option<f64> {
        match &self.tried {
            Tried::Layer(layer) => Some(layer.residual),
            Tried::Level { found, .. } => found.ok().map(|cut| cut.residual),
            Tried::Part { residual, .. }
            | Tried::Network { residual, .. }
            | Tried::More { residual, .. } => Some(*residual),
            Tried::Next { found, .. } => *found,
            Tried::Note(_) => None,
        }
    }

    /// The event for programs; `sentence` says all of it.
    pub fn to_json(&self) -> Value {
        let mut json = match &self.tried {
            Tried::Layer(l) => {
                json!({ "what": "layer", "stage": l.stage, "functions": l.functions, "family": l.family,
                "properties": l.properties, "scales": l.scales, "boundary": l.boundary })
            }
            Tried::Part { until, .. } => json!({ "what": "part", "until": until }),
            Tried::Level {
                functions,
                tolerance,
                found,
            } => json!({ "what": "level", "functions": functions, "tolerance": tolerance,
                "pieces": found.ok().map(|cut| cut.pieces), "slabs": found.ok().map(|cut| cut.slabs) }),
            Tried::Network { width, .. } => json!({ "what": "network", "width": width }),
            Tried::Next { next, .. } => json!({ "what": "next", "next": next }),
            Tried::More { method, .. } => json!({ "what": "more", "next": method }),
            Tried::Note(_) => json!({ "what": "note" }),
        };
        json["method"] = json!(self.method);
        json["residual"] = json!(self.residual().filter(|r| r.is_finite()));
        json["seconds"] = json!(self.seconds);
        json["sentence"] = json!(self.to_string());
        json
    }
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.tried {
            Tried::Layer(layer) => layer.fmt(f),
            Tried::Part { until, residual } => write!(f, "until {until:.3}: {residual:.1e}"),
            Tried::Level {
                functions,
                tolerance,
                found,
            } => {
                write!(
                    f,
                    "{functions} functions a piece, flaws up to {tolerance:.0e}: "
                )?;
                match found {
                    Ok(cut) => cut.fmt(f),
                    Err(why) => f.write_str(why.name()),
                }
            }
            Tried::Network { width, residual } => {
                write!(f, "{width} neurons a layer: {residual:.1e}")
            }
            Tried::Next {
                residual,
                next: "lm",
                found: Some(found),
                ..
            } => write!(
                f,
                "frozen features stalled at {residual:.1e}; a network trained by lm: {found:.1e}"
            ),
            Tried::Next {
                residual,
                estimate,
                next,
                found,
            } => {
                write!(
                    f,
                    "frozen features ended at {residual:.1e}, error about {estimate:.0e}; "
                )?;
                match found {
                    Some(found) => write!(f, "in {next}: {found:.1e}"),
                    None => write!(f, "{next} found nothing"),
                }
            }
            Tried::More { method, residual } => {
                write!(f, "more work, by {method}: {residual:.1e}")
            }
            Tried::Note(sentence) => f.write_str(sentence),
        }
    }
}

impl fmt::Display for Layer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: {:.1e} with {} {}",
            self.stage, self.residual, self.functions, self.family
        )?;
        for property in &self.properties {
            write!(f, ", {property}")?;
        }
        let scales: Vec<String> = self.scales.iter().map(|s| format!("{s:.1}")).collect();
        write!(f, ", scales {}, {}", scales.join(" "), self.boundary)
    }
}

impl fmt::Display for Cut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.1e} with {} pieces", self.residual, self.pieces)?;
        match self.slabs {
            0 | 1 => Ok(()),
            slabs => write!(f, " in {slabs} slabs"),
        }
    }
}

impl NoLevel {
    fn name(self) -> &'static str {
        match self {
            Self::NotFinished => "not finished",
            Self::TooMuchWork => "too much work",
            Self::NoSolution => "no solution",
        }
    }
}

/// Sentences of a method that records nothing else, at its end.
pub(super) fn notes(method: &'static str, sentences: Vec<String>) -> Vec<Event> {
    let note = |sentence| Event::note(method, sentence);
    sentences.into_iter().map(note).collect()
}
