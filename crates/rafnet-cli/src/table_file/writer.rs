//! Columns to write, a block of rows at a time.

use super::Kind;
use crate::output::Failure;
use rafnet::model::AtomicFile;
use rafnet_signal::table::npy;
use rafnet_table::quoted;
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// A table that is written block by block.
pub(crate) struct TableWriter {
    path: PathBuf,
    out: BufWriter<AtomicFile>,
    kind: Kind,
    columns: usize,
    rows: usize,
}

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
            Kind::Npy => npy::table_header(0, columns.len()),
            Kind::Csv => {
                let cells: Vec<_> = columns.iter().map(|name| quoted(name)).collect();
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
                out.write_all(&npy::table_header(rows, columns))?;
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
