//! What a page holds: a verdict, then sections in the order in which they are read.

use serde_json::{Value, json};

/// A page before it is text.
#[derive(Clone, Debug)]
pub struct Page {
    /// What it is called.
    pub title: String,
    /// One line on what the run was about.
    pub about: String,
    /// What is to be said first.
    pub verdict: Verdict,
    /// What is shown below it.
    pub sections: Vec<Section>,
}

/// What came of a run, in words and figures.
#[derive(Clone, Debug)]
pub struct Verdict {
    /// How good it is.
    pub tone: Tone,
    /// The first sentence.
    pub headline: String,
    /// The other sentences.
    pub sentences: Vec<String>,
    /// The figures of `result.json` that matter most.
    pub figures: Vec<Figure>,
}

/// How good a result is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// It reached what was asked.
    Good,
    /// It may be used with care.
    Fair,
    /// It should not be used.
    Poor,
}

/// A number with its name.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// Its key in `result.json`.
    pub key: String,
    /// What it is called.
    pub label: String,
    /// The number itself.
    pub value: f64,
    /// As it is written.
    pub text: String,
    /// What it means.
    pub note: String,
}

/// A part of a page: `page/sections/KIND.js` shows it.
#[derive(Clone, Debug)]
pub struct Section {
    /// Which script shows it.
    pub kind: &'static str,
    /// Its heading.
    pub title: String,
    /// A sentence on how to read it.
    pub text: String,
    /// What the script is given.
    pub data: Value,
}

impl Section {
    /// A section with its data.
    pub fn new(
        kind: &'static str,
        title: impl Into<String>,
        text: impl Into<String>,
        data: Value,
    ) -> Self {
        Self {
            kind,
            title: title.into(),
            text: text.into(),
            data,
        }
    }
}

impl Tone {
    const fn name(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Fair => "fair",
            Self::Poor => "poor",
        }
    }
}

impl Verdict {
    /// A verdict of words alone.
    pub fn new(tone: Tone, headline: impl Into<String>) -> Self {
        Self {
            tone,
            headline: headline.into(),
            sentences: Vec::new(),
            figures: Vec::new(),
        }
    }
}

impl Page {
    /// The page as data: what its script reads.
    pub fn json(&self) -> Value {
        let figures = self.verdict.figures.iter().map(|f| {
            json!({ "key": f.key, "label": f.label, "value": f.value, "text": f.text, "note": f.note })
        });
        let sections = self
            .sections
            .iter()
            .map(|s| json!({ "kind": s.kind, "title": s.title, "text": s.text, "data": s.data }));
        json!({
            "title": self.title, "about": self.about, "version": env!("CARGO_PKG_VERSION"),
            "verdict": {
                "tone": self.verdict.tone.name(), "headline": self.verdict.headline,
                "sentences": self.verdict.sentences, "figures": figures.collect::<Vec<_>>(),
            },
            "sections": sections.collect::<Vec<_>>(),
        })
    }
}
