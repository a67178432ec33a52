//! The page of `raf demo`: a fit, an equation and an exact network, one under the other.

use crate::page::{Figure, Page, Section, Tone, Verdict};
use crate::run::Run;
use crate::{ReportError, of_run};
use serde_json::json;

/// Runs one under the other, each with a heading of its own.
#[derive(Debug)]
pub struct Demonstration {
    page: Page,
}

impl Demonstration {
    /// An empty page with its first sentence.
    pub fn new(title: &str, headline: &str) -> Self {
        Self {
            page: Page {
                title: title.into(),
                about: String::new(),
                verdict: Verdict::new(Tone::Good, headline),
                sections: Vec::new(),
            },
        }
    }

    /// A figure of the head of the page.
    pub fn figure(&mut self, key: &str, label: &str, value: f64, text: &str, note: &str) {
        let [key, label, text, note] = [key, label, text, note].map(str::to_owned);
        self.page.verdict.figures.push(Figure {
            key,
            label,
            value,
            text,
            note,
        });
    }

    /// A heading with a paragraph.
    pub fn heading(&mut self, title: &str, text: &str) {
        self.page
            .sections
            .push(Section::new("heading", title, text, json!(null)));
    }

    /// What a run has to show, but for its settings.
    ///
    /// # Errors
    /// As [`of_run`].
    pub fn run(&mut self, run: &Run) -> Result<(), ReportError> {
        let sections = of_run(run)?.sections;
        let shown = sections.into_iter().filter(|s| s.kind != "settings");
        self.page.sections.extend(shown);
        Ok(())
    }

    /// The page.
    pub fn page(self) -> Page {
        self.page
    }
}
