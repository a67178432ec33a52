//! Writing an array part by part, for results that do not fit into memory.

use super::element::Element;
use super::{header, n_values};
use crate::error::{Error, Result};
use crate::file::{commit, create, handle};
use rafnet_table::AtomicFile;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::marker::PhantomData;
use std::path::Path;

/// A `.npy` file that is being written, values in C order.
///
/// It appears under its name when [`NpyWriter::finish`] succeeds; dropped before that, it leaves nothing behind.
///
/// ```
/// use rafnet_signal::table::npy::{Array, NpyWriter};
/// # let path = std::env::temp_dir().join(format!("rafnet-doc-npy-{}.npy", std::process::id()));
///
/// let mut writer = NpyWriter::<f64>::create(&path, &[2, 2])?;
/// writer.write(&[1.0, 2.0, 3.0])?;
/// writer.write(&[4.0])?;
/// writer.finish()?;
/// assert_eq!(Array::open(&path)?.to_f64()?, [1.0, 2.0, 3.0, 4.0]);
/// # std::fs::remove_file(&path).ok();
/// # Ok::<(), rafnet_signal::Error>(())
/// ```
pub struct NpyWriter<T: Element> {
    // before the file, so that its handle is closed before the temporary file is removed
    out: BufWriter<File>,
    file: AtomicFile,
    n_values: usize,
    n_written: usize,
    bytes: Vec<u8>,
    element: PhantomData<T>,
}

impl<T: Element> NpyWriter<T> {
    /// Starts an array of this shape.
    ///
    /// # Errors
    /// If the shape is too large or the file cannot be created.
    pub fn create(path: impl AsRef<Path>, shape: &[usize]) -> Result<Self> {
        let n_values = n_values(shape)?;
        let file = create(path.as_ref())?;
        let mut out = BufWriter::with_capacity(1 << 16, handle(&file)?);
        out.write_all(&header::write(T::NAME, shape))
            .map_err(Error::io("write", file.path()))?;
        Ok(Self {
            out,
            file,
            n_values,
            n_written: 0,
            bytes: Vec::new(),
            element: PhantomData,
        })
    }

    /// Appends values.
    ///
    /// # Errors
    /// If there are more than the shape has room for, or the file cannot be written.
    pub fn write(&mut self, values: &[T]) -> Result<()> {
        let n_written = self.n_written.saturating_add(values.len());
        if n_written > self.n_values {
            return Err(self.count(n_written));
        }
        for part in values.chunks(1 << 13) {
            self.bytes.clear();
            part.iter()
                .for_each(|value| value.append_to(&mut self.bytes));
            self.out
                .write_all(&self.bytes)
                .map_err(Error::io("write", self.file.path()))?;
        }
        self.n_written = n_written;
        Ok(())
    }

    /// Completes the file and makes it appear under its name.
    ///
    /// # Errors
    /// If values are missing or the file cannot be written.
    pub fn finish(mut self) -> Result<()> {
        if self.n_written != self.n_values {
            return Err(self.count(self.n_written));
        }
        self.out
            .flush()
            .map_err(Error::io("write", self.file.path()))?;
        commit(self.file)
    }

    fn count(&self, found: usize) -> Error {
        Error::Count {
            what: "values of an array",
            found: found as u64,
            expected: self.n_values as u64,
        }
    }
}
