//! CSV tables: a header of names, numbers below, columns chosen by name.
//!
//! Only the chosen columns are read as numbers, so that a table may carry remarks in the others. Without names the last
//! column is the output and all others are inputs. A cell must be a finite number with a point as its decimal mark.

use super::nearest::nearest;
use crate::error::{Error, Result};
use crate::file::write_with;
use rafnet_table::{Record, Records, quoted};
use std::borrow::Cow;
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;

/// The chosen columns of a table.
///
/// ```
/// use rafnet_signal::table::Table;
///
/// let text = "x, remark, u\n0, start, 1\n0.5, , 2.5\n";
/// let table = Table::from_text(text.as_bytes(), &["x"], &["u"])?;
/// assert_eq!((table.n_rows, &table.inputs[..], &table.outputs[..]), (2, &[0.0, 0.5][..], &[1.0, 2.5][..]));
/// # Ok::<(), rafnet_signal::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// The names of the inputs, in the order of their columns in `inputs`.
    pub input_names: Vec<String>,
    /// The names of the outputs, in the order of their columns in `outputs`.
    pub output_names: Vec<String>,
    /// How many rows there are.
    pub n_rows: usize,
    /// The inputs row by row: rows × input names.
    pub inputs: Vec<f64>,
    /// The outputs row by row: rows × output names.
    pub outputs: Vec<f64>,
}

impl Table {
    /// Reads the named columns of a CSV file.
    ///
    /// # Errors
    /// If the file cannot be read, a column is missing, a chosen cell is not a finite number, or a row is ragged.
    pub fn open(path: impl AsRef<Path>, inputs: &[&str], outputs: &[&str]) -> Result<Self> {
        let path = path.as_ref();
        let file = File::open(path).map_err(Error::io("read", path))?;
        Self::from_text(BufReader::new(file), inputs, outputs).map_err(|error| error.within(path))
    }

    /// Reads the named columns of a CSV text.
    ///
    /// # Errors
    /// As for [`Table::open`].
    pub fn from_text(text: impl BufRead, inputs: &[&str], outputs: &[&str]) -> Result<Self> {
        let mut records = Records::new(text);
        let header = header(&mut records)?;
        let (inputs, outputs) = choose(&header, inputs, outputs)?;
        let names = |columns: &[usize]| {
            columns
                .iter()
                .map(|&column| header[column].clone())
                .collect()
        };
        let mut table = Self {
            input_names: names(&inputs),
            output_names: names(&outputs),
            n_rows: 0,
            inputs: Vec::new(),
            outputs: Vec::new(),
        };
        let mut row = Record::default();
        while records.read(&mut row)? {
            let line = row.line();
            if row.len() != header.len() {
                return Err(Error::Ragged {
                    line,
                    found: row.len(),
                    expected: header.len(),
                });
            }
            for (columns, values) in [(&inputs, &mut table.inputs), (&outputs, &mut table.outputs)]
            {
                if values.capacity() - values.len() < columns.len() {
                    // a list grows by doubling
                    let what = format_args!("a table of more than {} rows", table.n_rows);
                    rafnet_memory::require(what, &[values.len() + columns.len(), 2, 8])?;
                }
                for &column in columns {
                    let cell = row.cell(column);
                    values.push(number(&cell).ok_or_else(|| Error::Cell {
                        line,
                        column: header[column].clone(),
                        number: column + 1,
                        found: shorten(&cell),
                    })?);
                }
            }
            table.n_rows += 1;
        }
        if table.n_rows == 0 {
            let found = "a header and no rows".to_owned();
            return Err(Error::NoData {
                found,
                expected: "one or more rows of numbers below the header",
            });
        }
        Ok(table)
    }
}

/// The names of the columns of a CSV file.
///
/// # Errors
/// If the file cannot be read or is empty.
pub fn read_header(path: impl AsRef<Path>) -> Result<Vec<String>> {
    let path = path.as_ref();
    let file = File::open(path).map_err(Error::io("read", path))?;
    header(&mut Records::new(BufReader::new(file))).map_err(|error| error.within(path))
}

/// The first record.
fn header(records: &mut Records<impl BufRead>) -> Result<Vec<String>> {
    let mut header = Record::default();
    if records.read(&mut header)? {
        return Ok(header.cells().map(Cow::into_owned).collect());
    }
    let expected = "a CSV table with a header";
    Err(Error::Empty { expected })
}

/// Writes a CSV file: the names, then the values row by row, each so that it reads back as the same number.
///
/// # Errors
/// If there is no column, the values do not fill whole rows, or the file cannot be written.
pub fn write_csv(path: impl AsRef<Path>, names: &[&str], values: &[f64]) -> Result<()> {
    if names.is_empty() || !values.len().is_multiple_of(names.len()) {
        let expected = values.len().div_ceil(names.len().max(1)) * names.len();
        return Err(Error::Length {
            what: "the body of a table",
            found: values.len(),
            expected,
        });
    }
    write_with(path.as_ref(), |out| {
        let quoted: Vec<Cow<'_, str>> = names.iter().map(|name| quoted(name)).collect();
        writeln!(out, "{}", quoted.join(","))?;
        for row in values.chunks_exact(names.len()) {
            for (column, value) in row.iter().enumerate() {
                let separator = if column == 0 { "" } else { "," };
                // very large and small numbers are shorter with an exponent, and as exact
                if *value != 0.0 && !(1e-5..1e16).contains(&value.abs()) {
                    write!(out, "{separator}{value:e}")?;
                } else {
                    write!(out, "{separator}{value}")?;
                }
            }
            writeln!(out)?;
        }
        Ok(())
    })
}

/// The columns of the inputs and of the outputs.
fn choose(
    header: &[String],
    inputs: &[&str],
    outputs: &[&str],
) -> Result<(Vec<usize>, Vec<usize>)> {
    let find = |names: &[&str]| {
        names
            .iter()
            .map(|name| locate(header, name))
            .collect::<Result<Vec<_>>>()
    };
    let outputs = if outputs.is_empty() {
        vec![header.len().saturating_sub(1)]
    } else {
        find(outputs)?
    };
    let inputs = if inputs.is_empty() {
        (0..header.len())
            .filter(|column| !outputs.contains(column))
            .collect()
    } else {
        find(inputs)?
    };
    if inputs.is_empty() {
        let found = format!("{} columns, all of them outputs", header.len());
        return Err(Error::NoData {
            found,
            expected: "one or more input columns beside the outputs",
        });
    }
    Ok((inputs, outputs))
}

fn locate(header: &[String], name: &str) -> Result<usize> {
    let mut places = (0..header.len()).filter(|&column| header[column] == name);
    match (places.next(), places.next()) {
        (Some(column), None) => Ok(column),
        (Some(first), Some(second)) => Err(Error::TwinColumn {
            name: name.to_owned(),
            first: first + 1,
            second: second + 1,
        }),
        (None, _) => {
            let suggestion = nearest(name, header);
            Err(Error::NoColumn {
                name: name.to_owned(),
                suggestion,
                known: header.to_vec(),
            })
        }
    }
}

fn number(cell: &str) -> Option<f64> {
    cell.parse().ok().filter(|value: &f64| value.is_finite())
}

/// A cell's text, short enough for a message.
fn shorten(cell: &str) -> String {
    let mut text: String = cell.chars().take(40).collect();
    if text.len() < cell.len() {
        text.push('…');
    }
    text
}
