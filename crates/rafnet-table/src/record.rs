//! A record of a CSV text: cells between separators, double quotes around cells that hold separators or line breaks.

use std::borrow::Cow;
use std::io;
use std::ops::Range;

/// Bytes of a record: more are no table of numbers, they would only fill the memory.
pub(crate) const LONGEST: u64 = 1 << 26;

/// Most cells of a record: a line of nothing but separators would take many times its length.
pub(crate) const MOST_CELLS: usize = 1 << 20;

/// A text that is no CSV table.
#[derive(Debug, thiserror::Error)]
pub enum CsvError {
    /// The system cannot read it.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// It is not text.
    #[error("line {line} is not UTF-8 text (byte {byte})")]
    NotText {
        /// Where.
        line: usize,
        /// The byte of the line, from 1.
        byte: usize,
    },
    /// A line without an end.
    #[error("line {line} is longer than {LONGEST} bytes")]
    LongLine {
        /// Where.
        line: usize,
    },
    /// A quote that is never closed.
    #[error("the double quote opened on line {line} is never closed")]
    OpenQuote {
        /// Where.
        line: usize,
    },
    /// Nothing but separators.
    #[error("line {line} has more than {MOST_CELLS} columns")]
    ManyCells {
        /// Where.
        line: usize,
    },
}

/// A row of cells.
#[derive(Clone, Debug, Default)]
pub struct Record {
    pub(crate) text: String,
    cells: Vec<Range<usize>>,
    pub(crate) line: usize,
    pub(crate) begin: usize,
}

impl Record {
    /// How many cells it has.
    pub fn len(&self) -> usize {
        self.cells.len()
    }

    /// Whether it has none: only one that was never read.
    pub fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    /// The line it begins on, from 1.
    pub fn line(&self) -> usize {
        self.line
    }

    /// A cell, without the blanks and quotes around it.
    pub fn cell(&self, k: usize) -> Cow<'_, str> {
        let written = &self.text[self.cells[k].clone()];
        if written.contains('"') {
            Cow::Owned(unquoted(written))
        } else {
            Cow::Borrowed(written)
        }
    }

    /// Every cell.
    pub fn cells(&self) -> impl Iterator<Item = Cow<'_, str>> {
        (0..self.len()).map(|k| self.cell(k))
    }

    /// Where a cell stands in the whole text.
    pub fn span(&self, k: usize) -> Range<usize> {
        let cell = &self.cells[k];
        self.begin + cell.start..self.begin + cell.end
    }

    /// Where the record stands in the whole text.
    pub fn whole_span(&self) -> Range<usize> {
        self.begin..self.begin + self.text.len()
    }

    /// Finds the cells of the text.
    pub(crate) fn split(&mut self, separator: u8) -> Result<(), CsvError> {
        self.cells.clear();
        let (mut quoted, mut start) = (false, 0);
        let bytes = self.text.as_bytes();
        for end in 0..=bytes.len() {
            let byte = bytes.get(end);
            quoted ^= byte == Some(&b'"');
            if end < bytes.len() && (quoted || byte != Some(&separator)) {
                continue;
            }
            if self.cells.len() == MOST_CELLS {
                return Err(CsvError::ManyCells { line: self.line });
            }
            let cell = &self.text[start..end];
            let first = start + cell.len() - cell.trim_start().len();
            self.cells.push(first..first + cell.trim().len());
            start = end + 1;
        }
        Ok(())
    }
}

/// Quotes taken away, doubled ones made one.
fn unquoted(written: &str) -> String {
    let (mut cell, mut quoted) = (String::new(), false);
    let mut letters = written.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '"' if quoted && letters.peek() == Some(&'"') => {
                letters.next();
                cell.push('"');
            }
            '"' => quoted = !quoted,
            _ => cell.push(letter),
        }
    }
    cell.trim().to_owned()
}

/// A cell as it is written: in double quotes where it holds a separator, a quote or a line break.
///
/// ```
/// assert_eq!(rafnet_table::quoted("u"), "u");
/// assert_eq!(rafnet_table::quoted("max(u, \"v\")"), "\"max(u, \"\"v\"\")\"");
/// ```
pub fn quoted(cell: &str) -> Cow<'_, str> {
    if cell.contains([',', ';', '\t', '"', '\n', '\r']) {
        format!("\"{}\"", cell.replace('"', "\"\"")).into()
    } else {
        cell.into()
    }
}
