//! Sections of `RESULTS.md`: sentences, tables in Markdown, figures.

use std::fmt::Write as _;
use std::path::PathBuf;

/// What one item has to show.
#[derive(Clone, Debug, Default)]
pub(crate) struct Section {
    parts: Vec<String>,
    /// Figures, drawn already, with what they show.
    pub(crate) figures: Vec<(PathBuf, String)>,
}

impl Section {
    /// Adds a paragraph.
    pub(crate) fn say(&mut self, text: impl Into<String>) {
        self.parts.push(text.into());
    }

    /// Adds a table.
    pub(crate) fn add(&mut self, table: &Table) {
        self.parts.push(table.markdown());
    }

    /// All of it but the figures.
    pub(crate) fn text(&self) -> String {
        self.parts.join("\n\n")
    }
}

/// A table with a head.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    pub(crate) fn new<T: Into<String>>(head: impl IntoIterator<Item = T>) -> Self {
        Self {
            rows: vec![head.into_iter().map(Into::into).collect()],
        }
    }

    pub(crate) fn row<T: Into<String>>(&mut self, cells: impl IntoIterator<Item = T>) {
        self.rows.push(cells.into_iter().map(Into::into).collect());
    }

    fn markdown(&self) -> String {
        let line = |cells: &[String]| format!("| {} |", cells.join(" | "));
        let mut text = String::new();
        let _ = writeln!(text, "{}", line(&self.rows[0]));
        let _ = write!(text, "|{}", "---|".repeat(self.rows[0].len()));
        for row in &self.rows[1..] {
            let _ = write!(text, "\n{}", line(row));
        }
        text
    }
}
