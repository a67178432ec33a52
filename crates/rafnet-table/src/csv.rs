//! Records of a CSV text, one after the other.

use crate::record::{CsvError, LONGEST, Record};
use std::io::{BufRead, Read};

/// The records of a text, one after the other; blank lines and lines that begin with `#` are passed over.
///
/// ```
/// use rafnet_table::{Record, Records};
/// let (mut records, mut record) = (Records::new(&b"# made by hand\nx; \"u; v\"\n0; 1.5\n"[..]), Record::default());
/// assert!(records.read(&mut record)?);
/// assert_eq!((record.line(), record.cells().collect::<Vec<_>>()), (2, vec!["x".into(), "u; v".into()]));
/// assert!(records.read(&mut record)? && record.cell(1) == "1.5" && !records.read(&mut record)?);
/// # Ok::<(), rafnet_table::CsvError>(())
/// ```
pub struct Records<R> {
    text: R,
    separator: Option<u8>,
    line: usize,
    at: usize,
    bytes: Vec<u8>,
}

impl<R: BufRead> Records<R> {
    /// Of a text that has not been read from.
    pub fn new(text: R) -> Self {
        Self {
            text,
            separator: None,
            line: 0,
            at: 0,
            bytes: Vec::new(),
        }
    }

    /// Reads the next record; false where there is none.
    ///
    /// The first record decides on the separator: of comma, semicolon and tab the most frequent outside of quotes.
    ///
    /// # Errors
    /// [`CsvError`] says what is wrong and in which line.
    pub fn read(&mut self, record: &mut Record) -> Result<bool, CsvError> {
        loop {
            record.begin = self.at;
            record.text.clear();
            if !self.append_line(&mut record.text)? {
                return Ok(false);
            }
            record.line = self.line;
            if self.line == 1 && record.text.starts_with('\u{feff}') {
                record.text.drain(..'\u{feff}'.len_utf8());
                record.begin += '\u{feff}'.len_utf8();
            }
            let begin = record.text.trim_start();
            if !begin.is_empty() && !begin.starts_with('#') {
                break;
            }
        }
        while record.text.bytes().filter(|&byte| byte == b'"').count() % 2 == 1 {
            if !self.append_line(&mut record.text)? || record.text.len() as u64 > LONGEST {
                return Err(CsvError::OpenQuote { line: record.line });
            }
        }
        let end = record.text.trim_end_matches(['\n', '\r']).len();
        record.text.truncate(end);
        let guess = || guess_separator(&record.text);
        let separator = *self.separator.get_or_insert_with(guess);
        record.split(separator)?;
        Ok(true)
    }

    /// Appends a line with its end; false at the end of the text.
    fn append_line(&mut self, text: &mut String) -> Result<bool, CsvError> {
        self.bytes.clear();
        let limited = &mut (&mut self.text).take(LONGEST);
        if limited.read_until(b'\n', &mut self.bytes)? == 0 {
            return Ok(false);
        }
        self.line += 1;
        self.at += self.bytes.len();
        let line = self.line;
        if self.bytes.len() as u64 == LONGEST && self.bytes.last() != Some(&b'\n') {
            return Err(CsvError::LongLine { line });
        }
        let read = str::from_utf8(&self.bytes).map_err(|error| {
            let byte = error.valid_up_to() + 1;
            CsvError::NotText { line, byte }
        })?;
        text.push_str(read);
        Ok(true)
    }
}

fn guess_separator(header: &str) -> u8 {
    let outside = |separator: u8| {
        let mut quoted = false;
        let found = header.bytes().filter(|&byte| {
            quoted ^= byte == b'"';
            byte == separator && !quoted
        });
        found.count()
    };
    // of equals the last wins, so the comma stands at the end
    let known = [b'\t', b';', b','].into_iter();
    known.max_by_key(|&s| outside(s)).unwrap_or(b',')
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use super::*;
    use crate::record::MOST_CELLS;
    use std::borrow::Cow;
    use std::io;

    fn records(text: &str) -> Vec<(usize, Vec<String>)> {
        let (mut records, mut record) = (Records::new(text.as_bytes()), Record::default());
        let mut all = Vec::new();
        while records.read(&mut record).unwrap() {
            for k in 0..record.len() {
                let written = text[record.span(k)].trim_matches('"');
                let plain = !written.contains('"');
                assert!(!plain || written.trim() == record.cell(k), "{written}");
            }
            let cells = record.cells().map(Cow::into_owned);
            all.push((record.line(), cells.collect()));
        }
        all
    }

    fn expect(text: &str, expected: &[(usize, &[&str])]) {
        let found = records(text);
        let found: Vec<(usize, Vec<&str>)> = found
            .iter()
            .map(|(line, cells)| (*line, cells.iter().map(String::as_str).collect()))
            .collect();
        let expected: Vec<(usize, Vec<&str>)> =
            expected.iter().map(|(l, c)| (*l, c.to_vec())).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn quotes_hide_separators_and_line_breaks() {
        expect(
            "a,\"b, \"\"x\"\"\"\r\n\n1,\"2\n3\"\n4,5",
            &[
                (1, &["a", "b, \"x\""]),
                (3, &["1", "2\n3"]),
                (5, &["4", "5"]),
            ],
        );
    }

    #[test]
    fn the_header_decides_on_the_separator() {
        expect("\u{feff}a;b\n1;2", &[(1, &["a", "b"]), (2, &["1", "2"])]);
        expect("a\tb\n1\t2,0", &[(1, &["a", "b"]), (2, &["1", "2,0"])]);
        expect("\"x;y;z\",b\n1,", &[(1, &["x;y;z", "b"]), (2, &["1", ""])]);
    }

    #[test]
    fn remarks_and_blank_lines_are_passed_over() {
        expect(
            "\u{feff}# by hand\n\n x , u\r\n#1,2\n 3, é ",
            &[(3, &["x", "u"]), (5, &["3", "é"])],
        );
        expect("", &[]);
    }

    #[test]
    fn what_is_no_table_is_refused() {
        let read = |text: &[u8]| {
            let (mut records, mut record) = (Records::new(text), Record::default());
            while records.read(&mut record)? {}
            Ok::<_, CsvError>(())
        };
        let said = |text: &[u8]| read(text).unwrap_err().to_string();
        assert_eq!(
            said(b"a,b\n1,\"2\n3"),
            "the double quote opened on line 2 is never closed"
        );
        assert_eq!(said(b"a\nb\xff"), "line 2 is not UTF-8 text (byte 2)");
        let wide = vec![b','; MOST_CELLS];
        assert_eq!(said(&wide), "line 1 has more than 1048576 columns");
        assert!(read(&wide[1..]).is_ok());
        let long = io::BufReader::new(io::repeat(b'1').take(LONGEST + 5));
        let refused = Records::new(long).read(&mut Record::default());
        assert!(matches!(refused, Err(CsvError::LongLine { line: 1 })));
    }
}
