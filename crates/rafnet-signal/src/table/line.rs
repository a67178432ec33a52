//! Records of a CSV text: cells between separators, double quotes around cells that hold separators or line breaks.

use crate::error::{Error, Result};
use std::io::BufRead;

/// A longer line is no table of numbers; it would only fill the memory.
const LONGEST_LINE: u64 = 1 << 26;

/// Most cells of a record: a line of nothing but separators would take fifty times its length.
const MOST_CELLS: usize = 1 << 20;

/// The records of a text, one after the other, with the line each begins on.
pub(super) struct Records<R> {
    text: R,
    separator: Option<u8>,
    line: usize,
}

impl<R: BufRead> Records<R> {
    pub(super) fn new(text: R) -> Self {
        Self {
            text,
            separator: None,
            line: 0,
        }
    }

    /// The next record that is not blank: its line number and its cells, trimmed.
    ///
    /// The first record decides on the separator: of comma, semicolon and tab the most frequent outside of quotes.
    pub(super) fn next(&mut self) -> Result<Option<(usize, Vec<String>)>> {
        loop {
            let Some(mut record) = self.physical_line()? else {
                return Ok(None);
            };
            let first_line = self.line;
            while record.bytes().filter(|&byte| byte == b'"').count() % 2 == 1 {
                let Some(more) = self.physical_line()? else {
                    return Err(Error::OpenQuote { line: first_line });
                };
                record.push('\n');
                record.push_str(&more);
                if record.len() as u64 > LONGEST_LINE {
                    return Err(Error::OpenQuote { line: first_line });
                }
            }
            if record.trim().is_empty() {
                continue;
            }
            let separator = *self
                .separator
                .get_or_insert_with(|| guess_separator(&record));
            let cells = split(&record, separator);
            if cells.len() > MOST_CELLS {
                return Err(Error::TooLarge {
                    what: "the number of columns of a table",
                    found: cells.len() as u64,
                    limit: MOST_CELLS as u64,
                    hint: "check that the file is a CSV table",
                });
            }
            return Ok(Some((first_line, cells)));
        }
    }

    fn physical_line(&mut self) -> Result<Option<String>> {
        let mut bytes = Vec::new();
        let read = std::io::Read::take(&mut self.text, LONGEST_LINE).read_until(b'\n', &mut bytes);
        read.map_err(|error| Error::Damaged {
            format: "CSV",
            reason: error.to_string(),
        })?;
        if bytes.is_empty() {
            return Ok(None);
        }
        self.line += 1;
        if bytes.len() as u64 == LONGEST_LINE && bytes.last() != Some(&b'\n') {
            return Err(Error::TooLarge {
                what: "a line of a table in bytes",
                found: LONGEST_LINE + 1,
                limit: LONGEST_LINE,
                hint: "check that the file is a CSV table",
            });
        }
        let text = String::from_utf8(bytes).map_err(|error| Error::Damaged {
            format: "CSV",
            reason: format!(
                "line {} is not UTF-8 text (byte {})",
                self.line,
                error.utf8_error().valid_up_to() + 1
            ),
        })?;
        let text = if self.line == 1 {
            text.trim_start_matches('\u{feff}')
        } else {
            &text
        };
        Ok(Some(text.trim_end_matches(['\n', '\r']).to_owned()))
    }
}

fn guess_separator(header: &str) -> u8 {
    let outside = |separator: u8| {
        let mut quoted = false;
        header
            .bytes()
            .filter(|&byte| {
                quoted ^= byte == b'"';
                byte == separator && !quoted
            })
            .count()
    };
    // of equals the last wins, so the comma stands at the end
    [b'\t', b';', b',']
        .into_iter()
        .max_by_key(|&separator| outside(separator))
        .unwrap_or(b',')
}

/// The cells of a record; one more than [`MOST_CELLS`] where there are more.
fn split(record: &str, separator: u8) -> Vec<String> {
    let separator = char::from(separator);
    let mut cells = Vec::new();
    let mut cell = String::new();
    let mut quoted = false;
    let mut letters = record.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '"' if quoted && letters.peek() == Some(&'"') => {
                letters.next();
                cell.push('"');
            }
            '"' => quoted = !quoted,
            _ if letter == separator && !quoted => {
                cells.push(std::mem::take(&mut cell).trim().to_owned());
                if cells.len() == MOST_CELLS {
                    break;
                }
            }
            _ => cell.push(letter),
        }
    }
    cells.push(cell.trim().to_owned());
    cells
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use super::*;

    fn records(text: &str) -> Vec<(usize, Vec<String>)> {
        let mut records = Records::new(text.as_bytes());
        std::iter::from_fn(|| records.next().unwrap()).collect()
    }

    #[test]
    fn quotes_hide_separators_and_line_breaks() {
        let found = records("a,\"b, \"\"x\"\"\"\r\n\n1,\"2\n3\"\n4,5");
        let expected = [
            (1, vec!["a", "b, \"x\""]),
            (3, vec!["1", "2\n3"]),
            (5, vec!["4", "5"]),
        ];
        assert_eq!(found.len(), 3);
        for ((line, cells), (expected_line, expected_cells)) in found.iter().zip(expected) {
            assert_eq!(
                (*line, cells.iter().map(String::as_str).collect()),
                (expected_line, expected_cells)
            );
        }
    }

    #[test]
    fn the_header_decides_on_the_separator() {
        assert_eq!(records("\u{feff}a;b\n1;2")[1].1, ["1", "2"]);
        assert_eq!(records("a\tb\n1\t2")[0].1, ["a", "b"]);
        assert_eq!(records("\"x;y;z\",b\n1,2")[0].1, ["x;y;z", "b"]);
    }
}
