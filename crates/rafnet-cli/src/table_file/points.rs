//! Points to read, a block at a time.

use super::Kind;
use crate::output::Failure;
use rafnet_signal::table::npy::NpyReader;
use rafnet_table::{Record, Records};
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

enum Source {
    Npy(NpyReader),
    Csv {
        records: Records<BufReader<File>>,
        /// The last one that was read.
        record: Record,
        /// For each coordinate the column that holds it.
        columns: Vec<usize>,
        n_columns: usize,
        /// Whether `record` is still to be taken: the first line, when it was numbers and no header.
        waiting: bool,
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
                records,
                record,
                columns,
                n_columns,
                waiting,
            } => {
                if !std::mem::take(waiting) {
                    match records.read(record) {
                        Ok(true) => {}
                        Ok(false) => return Ok(false),
                        Err(error) => return Err(self.broken(error.to_string())),
                    }
                }
                let line = record.line();
                if record.len() != *n_columns {
                    let mistake = format!(
                        "line {line} has {} columns; the lines above have {n_columns}",
                        record.len()
                    );
                    return Err(self.broken(mistake));
                }
                for (k, &column) in columns.iter().enumerate() {
                    let cell = record.cell(column);
                    let Ok(value) = cell.parse::<f64>() else {
                        let mistake = format!(
                            "line {line} has {} = `{cell}`; expected a number",
                            self.coordinates[k]
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

fn open_csv(path: &Path, file: File, coordinates: &[String]) -> Result<Source, Failure> {
    let fail = |mistake: String| broken(path, &mistake, coordinates);
    let (mut records, mut record) = (Records::new(BufReader::new(file)), Record::default());
    match records.read(&mut record) {
        Ok(true) => {}
        Ok(false) => return Err(fail("there are no rows".into())),
        Err(error) => return Err(fail(error.to_string())),
    }
    let n_columns = record.len();
    let waiting = record.cells().all(|cell| cell.parse::<f64>().is_ok());
    let columns = if waiting {
        if n_columns != coordinates.len() {
            let expected = coordinates.len();
            return Err(fail(format!(
                "there are {n_columns} columns and no header; expected {expected}"
            )));
        }
        (0..n_columns).collect()
    } else {
        let place = |name: &String| {
            let found = record.cells().position(|cell| cell == *name);
            found.ok_or_else(|| {
                let header: Vec<_> = record.cells().collect();
                fail(format!(
                    "there is no column `{name}`; the header has {}",
                    header.join(", ")
                ))
            })
        };
        coordinates.iter().map(place).collect::<Result<_, _>>()?
    };
    Ok(Source::Csv {
        records,
        record,
        columns,
        n_columns,
        waiting,
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
