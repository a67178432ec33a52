//! Tables of numbers in files: points to read, columns to write, as `.npy` or CSV, block by block.
//!
//! A CSV file may have a header; then columns are found by name, in any order, and others are passed over. Without one they must
//! be the coordinates in order. Output is f64: `.npy` with shape (rows, columns), CSV with a header and the shortest decimals
//! that are read back to the same bits. A file that could not be finished is not left behind.

use crate::output::Failure;
use rafnet::model::AtomicFile;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Seek, SeekFrom, Write};
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

type Numbers = Box<dyn Iterator<Item = io::Result<f64>>>;

enum Source {
    /// Numbers row by row.
    Npy(Numbers),
    Csv {
        lines: io::Lines<BufReader<File>>,
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
            Kind::Npy => open_npy(path, file, coordinates.len())?,
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
        let mut block = Vec::new();
        while block.len() < most * d {
            let start = block.len();
            if !self.next_row(&mut block)? {
                break;
            }
            self.rows += 1;
            let row = &block[start..];
            if let Some(k) = row.iter().position(|v| !v.is_finite()) {
                return Err(self.broken(format!(
                    "row {} has {} = {}; every coordinate must be finite",
                    self.rows, self.coordinates[k], row[k]
                )));
            }
        }
        Ok(block)
    }

    /// Appends a row; false at the end of the file.
    fn next_row(&mut self, block: &mut Vec<f64>) -> Result<bool, Failure> {
        match &mut self.source {
            Source::Npy(numbers) => {
                for k in 0..self.coordinates.len() {
                    match numbers.next() {
                        None if k == 0 => return Ok(false),
                        Some(Ok(value)) => block.push(value),
                        other => {
                            let why = match other {
                                Some(Err(e)) => format!(": {e}"),
                                _ => String::new(),
                            };
                            return Err(self.broken(format!("the file is cut off{why}")));
                        }
                    }
                }
                Ok(true)
            }
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
    let mut lines = BufReader::new(file).lines();
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

fn open_npy(path: &Path, file: File, dimension: usize) -> Result<Source, Failure> {
    let fail = |mistake: String| Failure {
        message: format!("in the points `{}`: {mistake}", path.display()),
        hint: format!("save them with numpy.save as an array of shape (n, {dimension}) of float64"),
    };
    let npy = npyz::NpyFile::new(BufReader::new(file))
        .map_err(|e| fail(format!("this is no .npy file: {e}")))?;
    let n = match npy.shape() {
        [n] if dimension == 1 => *n,
        [n, d] if *d == dimension as u64 => *n,
        other => {
            return Err(fail(format!(
                "the array has shape {other:?}; expected [n, {dimension}]"
            )));
        }
    };
    let (order, dtype) = (npy.order(), npy.dtype().descr());
    let numbers = numbers(npy).ok_or_else(|| {
        fail(format!(
            "the array holds {dtype}; expected numbers such as float64"
        ))
    })?;
    if order == npyz::Order::C || dimension == 1 {
        return Ok(Source::Npy(numbers));
    }
    // column by column: all of it is needed for the first row
    let columns = numbers
        .collect::<io::Result<Vec<f64>>>()
        .map_err(|e| fail(format!("the file is cut off: {e}")))?;
    let n = usize::try_from(n).unwrap_or(usize::MAX);
    let rows = (0..n).flat_map(move |i| (0..dimension).map(move |k| (i, k)));
    Ok(Source::Npy(Box::new(
        rows.map(move |(i, k)| Ok(columns[k * n + i])),
    )))
}

/// The numbers of an array of any usual type, in the order of the file.
fn numbers(npy: npyz::NpyFile<BufReader<File>>) -> Option<Numbers> {
    macro_rules! try_types {
        ($npy:expr, $first:ty $(, $rest:ty)*) => {
            match $npy.try_data::<$first>() {
                #[allow(clippy::cast_lossless, reason = "one body for every type of number")]
                Ok(data) => return Some(Box::new(data.map(|v| v.map(|v| v as f64)))),
                Err(_npy) => { try_types!(_npy $(, $rest)*) }
            }
        };
        ($npy:expr) => { None };
    }
    try_types!(npy, f64, f32, i64, i32, u64, u32, i16, u16, i8, u8)
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
