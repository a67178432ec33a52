//! Tables of numbers in files: points to read, columns to write, as `.npy` or CSV, block by block.
//!
//! A CSV file may have a header; then columns are found by name, in any order, and others are passed over. Without one they must
//! be the coordinates in order. Output is f64: `.npy` with shape (rows, columns), CSV with a header and the shortest decimals
//! that are read back to the same bits. A file that could not be finished is not left behind.

use crate::output::Failure;
use rafnet::model::AtomicFile;
use rafnet_signal::table::npy::NpyReader;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// The kinds of files, by their extension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Npy,
    Csv,
}

impl Kind {
    /// The kind of a file; `option` is what the user typed before its name.
    pub(crate) fn of(path: &Path, option: &str) -> Result<Self, Failure> {
        let extension = path.extension().and_then(|e| e.to_str()).unwrap_or("");
        match extension.to_ascii_lowercase().as_str() {
            "npy" => Ok(Self::Npy),
            "csv" => Ok(Self::Csv),
            _ => Err(Failure {
                message: format!(
                    "`{}` has the extension `{extension}`; expected `.npy` or `.csv`",
                    path.display()
                ),
                hint: format!("pass `{option}` with a name that ends in .npy or .csv"),
            }),
        }
    }
}

/// The longest line of a CSV file in bytes: a file without line breaks would fill the memory.
const LONGEST_LINE: u64 = 1 << 24;

/// The lines of a text.
struct Lines(BufReader<File>);

impl Iterator for Lines {
    type Item = io::Result<String>;

    fn next(&mut self) -> Option<io::Result<String>> {
        let mut text = String::new();
        match self.0.by_ref().take(LONGEST_LINE).read_line(&mut text) {
            Ok(0) => None,
            Ok(_) if text.len() as u64 == LONGEST_LINE && !text.ends_with('\n') => {
                let why = format!("it is longer than {LONGEST_LINE} bytes");
                Some(Err(io::Error::other(why)))
            }
            Ok(_) => {
                let end = text.trim_end_matches('\n').trim_end_matches('\r').len();
                text.truncate(end);
                Some(Ok(text))
            }
            Err(error) => Some(Err(error)),
        }
    }
}

enum Source {
    Npy(NpyReader),
    Csv {
        lines: Lines,
        separator: char,
        /// For each coordinate the column that holds it.
        columns: Vec<usize>,
        n_columns: usize,
        /// The first line, when it was numbers and no header.
        first: Option<String>,
        line: usize,
    },
}

/// A file of points, read a block at a time.
pub(crate) struct PointsFile {
    path: PathBuf,
    coordinates: Vec<String>,
    source: Source,
    rows: usize,
}

impl PointsFile {
    /// Opens the file and finds the coordinates among its columns.
    pub(crate) fn open(path: &Path, coordinates: &[String]) -> Result<Self, Failure> {
        let kind = Kind::of(path, "--at")?;
        let file = File::open(path).map_err(|e| Failure {
            message: format!("cannot read the points `{}`: {e}", path.display()),
            hint: "pass `--at` with a .npy or .csv file, or `--grid` for a regular grid".into(),
        })?;
        let source = match kind {
            Kind::Npy => open_npy(path, coordinates.len())?,
            Kind::Csv => open_csv(path, file, coordinates)?,
        };
        Ok(Self {
            path: path.into(),
            coordinates: coordinates.into(),
            source,
            rows: 0,
        })
    }

    /// The next points, at most `most` of them, row by row; none at the end.
    pub(crate) fn next_block(&mut self, most: usize) -> Result<Vec<f64>, Failure> {
        let d = self.coordinates.len();
        if let Source::Npy(reader) = &mut self.source {
            let block = reader
                .next_rows(most)
                .map_err(|e| unusable(&e, &self.path, d))?;
            for row in block.chunks_exact(d) {
                self.check_row(row)?;
            }
            return Ok(block);
        }
        let mut block = Vec::new();
        while block.len() < most * d {
            let start = block.len();
            if !self.next_line(&mut block)? {
                break;
            }
            self.check_row(&block[start..])?;
        }
        Ok(block)
    }

    /// Counts a row, whose numbers must be finite.
    fn check_row(&mut self, row: &[f64]) -> Result<(), Failure> {
        self.rows += 1;
        match row.iter().position(|v| !v.is_finite()) {
            None => Ok(()),
            Some(k) => Err(self.broken(format!(
                "row {} has {} = {}; every coordinate must be finite",
                self.rows, self.coordinates[k], row[k]
            ))),
        }
    }

    /// Appends the row of the next line of CSV; false at the end of the file.
    fn next_line(&mut self, block: &mut Vec<f64>) -> Result<bool, Failure> {
        match &mut self.source {
            Source::Npy(_) => Ok(false),
            Source::Csv {
                lines,
                separator,
                columns,
                n_columns,
                first,
                line,
            } => {
                let text = loop {
                    if let Some(text) = first.take() {
                        break text;
                    }
                    *line += 1;
                    match lines.next() {
                        None => return Ok(false),
                        Some(Ok(text)) if is_blank(&text) => {}
                        Some(Ok(text)) => break text,
                        Some(Err(e)) => {
                            let mistake = format!("line {line} cannot be read: {e}");
                            return Err(self.broken(mistake));
                        }
                    }
                };
                let cells: Vec<&str> = split(&text, *separator);
                if cells.len() != *n_columns {
                    let mistake = format!(
                        "line {line} has {} columns; the lines above have {n_columns}",
                        cells.len()
                    );
                    return Err(self.broken(mistake));
                }
                for (k, &column) in columns.iter().enumerate() {
                    let Ok(value) = cells[column].parse::<f64>() else {
                        let mistake = format!(
                            "line {line} has {} = `{}`; expected a number",
                            self.coordinates[k], cells[column]
                        );
                        return Err(self.broken(mistake));
                    };
                    block.push(value);
                }
                Ok(true)
            }
        }
    }

    #[expect(clippy::needless_pass_by_value, reason = "every caller formats one")]
    fn broken(&self, mistake: String) -> Failure {
        broken(&self.path, &mistake, &self.coordinates)
    }
}

fn broken(path: &Path, mistake: &str, coordinates: &[String]) -> Failure {
    Failure {
        message: format!("in the points `{}`: {mistake}", path.display()),
        hint: format!(
            "the model takes the columns {}, in this order or by a header",
            coordinates.join(", ")
        ),
    }
}

fn is_blank(line: &str) -> bool {
    let line = line.trim();
    line.is_empty() || line.starts_with('#')
}

fn split(line: &str, separator: char) -> Vec<&str> {
    let cells = line.split(separator);
    cells
        .map(|cell| cell.trim().trim_matches('"').trim())
        .collect()
}

fn open_csv(path: &Path, file: File, coordinates: &[String]) -> Result<Source, Failure> {
    let fail = |mistake: String| broken(path, &mistake, coordinates);
    let mut lines = Lines(BufReader::new(file));
    let mut line = 0;
    let text = loop {
        line += 1;
        match lines.next() {
            None => return Err(fail("there are no rows".into())),
            Some(Ok(text)) if is_blank(&text) => {}
            Some(Ok(text)) => break text.trim_start_matches('\u{feff}').to_owned(),
            Some(Err(e)) => return Err(fail(format!("this is no text file: {e}"))),
        }
    };
    let separator = [',', ';', '\t']
        .into_iter()
        .find(|s| text.contains(*s))
        .unwrap_or(',');
    let cells = split(&text, separator);
    let n_columns = cells.len();
    if cells.iter().all(|cell| cell.parse::<f64>().is_ok()) {
        if n_columns != coordinates.len() {
            let expected = coordinates.len();
            return Err(fail(format!(
                "there are {n_columns} columns and no header; expected {expected}"
            )));
        }
        return Ok(Source::Csv {
            lines,
            separator,
            columns: (0..n_columns).collect(),
            n_columns,
            first: Some(text),
            line,
        });
    }
    let place = |name: &String| {
        let found = cells.iter().position(|cell| cell == name);
        found.ok_or_else(|| {
            fail(format!(
                "there is no column `{name}`; the header has {}",
                cells.join(", ")
            ))
        })
    };
    let columns = coordinates.iter().map(place).collect::<Result<_, _>>()?;
    Ok(Source::Csv {
        lines,
        separator,
        columns,
        n_columns,
        first: None,
        line,
    })
}

fn open_npy(path: &Path, dimension: usize) -> Result<Source, Failure> {
    let reader = NpyReader::open(path).map_err(|e| unusable(&e, path, dimension))?;
    match *reader.shape() {
        [_] if dimension == 1 => Ok(Source::Npy(reader)),
        [_, d] if d == dimension => Ok(Source::Npy(reader)),
        ref other => {
            let mistake = format!("the array has shape {other:?}; expected [n, {dimension}]");
            Err(Failure {
                message: format!("in the points `{}`: {mistake}", path.display()),
                hint: save_them(dimension),
            })
        }
    }
}

/// What to say of an array that cannot be read.
fn unusable(error: &rafnet_signal::Error, path: &Path, dimension: usize) -> Failure {
    let mistake = match error {
        rafnet_signal::Error::In { source, .. } => source.to_string(),
        other => other.to_string(),
    };
    Failure {
        message: format!("in the points `{}`: {mistake}", path.display()),
        hint: save_them(dimension),
    }
}

fn save_them(dimension: usize) -> String {
    format!("save them with numpy.save as an array of shape (n, {dimension}) of float64")
}

/// A table that is written block by block.
pub(crate) struct TableWriter {
    path: PathBuf,
    out: BufWriter<AtomicFile>,
    kind: Kind,
    columns: usize,
    rows: usize,
}

/// The length of the header of a `.npy` file, with room for any number of rows.
const NPY_HEADER: u8 = 128;

impl TableWriter {
    /// Starts the file and writes its header.
    pub(crate) fn create(path: &Path, columns: &[String]) -> Result<Self, Failure> {
        let kind = Kind::of(path, "-o")?;
        let file = AtomicFile::create(path).map_err(|e| unwritable(path, &e))?;
        let mut writer = Self {
            path: path.into(),
            out: BufWriter::with_capacity(1 << 16, file),
            kind,
            columns: columns.len(),
            rows: 0,
        };
        let header = match kind {
            Kind::Npy => npy_header(0, columns.len()),
            Kind::Csv => {
                let cells: Vec<String> = columns.iter().map(|name| quoted(name)).collect();
                format!("{}\n", cells.join(",")).into_bytes()
            }
        };
        let written = writer.out.write_all(&header);
        written.map_err(|e| unwritable(path, &e))?;
        Ok(writer)
    }

    /// Appends rows, row by row.
    pub(crate) fn write_rows(&mut self, rows: &[f64]) -> Result<(), Failure> {
        self.rows += rows.len() / self.columns;
        let written = match self.kind {
            Kind::Npy => rows
                .iter()
                .try_for_each(|v| self.out.write_all(&v.to_le_bytes())),
            Kind::Csv => rows.chunks_exact(self.columns).try_for_each(|row| {
                for (k, v) in row.iter().enumerate() {
                    write!(self.out, "{}{v:?}", if k == 0 { "" } else { "," })?;
                }
                self.out.write_all(b"\n")
            }),
        };
        written.map_err(|e| unwritable(&self.path, &e))
    }

    /// Puts the finished file in its place.
    pub(crate) fn finish(self) -> Result<(), Failure> {
        let Self {
            path,
            mut out,
            kind,
            columns,
            rows,
        } = self;
        let end = move || {
            if kind == Kind::Npy {
                out.seek(SeekFrom::Start(0))?;
                out.write_all(&npy_header(rows, columns))?;
            }
            let file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
            file.commit()
        };
        end().map_err(|e| unwritable(&path, &e))
    }
}

fn unwritable(path: &Path, error: &io::Error) -> Failure {
    Failure {
        message: format!("cannot write `{}`: {error}", path.display()),
        hint: "pass `-o` with a file in a folder that exists and may be written to".into(),
    }
}

fn npy_header(rows: usize, columns: usize) -> Vec<u8> {
    let about =
        format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({rows}, {columns}), }}");
    let mut header = b"\x93NUMPY\x01\x00".to_vec();
    header.extend(u16::from(NPY_HEADER - 10).to_le_bytes());
    header.extend(about.bytes());
    header.resize(usize::from(NPY_HEADER) - 1, b' ');
    header.push(b'\n');
    header
}

/// A cell of CSV.
fn quoted(name: &str) -> String {
    if name.contains([',', '"', '\n']) {
        format!("\"{}\"", name.replace('"', "\"\""))
    } else {
        name.into()
    }
}
