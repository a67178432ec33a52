//! Room on the disk that is kept for the model while a run goes on.
//!
//! A disk that fills up during hours of training is found full by the records or a checkpoint first; the reserve is then given back, and
//! the model fits. It is a file without a name, so that a killed run leaves nothing.

use super::unwritable;
use crate::output::Failure;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

/// The least that is kept: more than the model of most equations.
const LEAST: usize = 1 << 20;
/// Beside the parameters a model has a description, and a run its last record.
const BESIDE: usize = 1 << 17;

/// Room in a folder's file system; given back when it is dropped.
#[derive(Debug)]
pub(crate) struct Reserve {
    file: File,
    bytes: usize,
}

impl Reserve {
    /// Takes room for a model of so many numbers of 8 bytes, or says that there is none.
    pub(crate) fn take(folder: &Path, numbers: usize) -> Result<Self, Failure> {
        let bytes = wanted(numbers);
        let path = folder.join(format!(".room.{}-0.tmp", std::process::id()));
        let open = || {
            let mut options = OpenOptions::new();
            let file = options
                .write(true)
                .create(true)
                .truncate(true)
                .open(&path)?;
            let mut reserve = Self { file, bytes: 0 };
            let grown = reserve.grow(bytes);
            // from here on the file ends with the process; its name is that of a leftover where a system cannot do that
            let _ = std::fs::remove_file(&path);
            grown.map(|()| reserve)
        };
        open().map_err(|e| unwritable(folder, &e))
    }

    /// Room for a model that turned out larger. Where there is none, there is as much as before.
    pub(crate) fn at_least(&mut self, numbers: usize) {
        let _ = self.grow(wanted(numbers));
    }

    fn grow(&mut self, bytes: usize) -> io::Result<()> {
        let zeros = [0; 1 << 14];
        while self.bytes < bytes {
            self.bytes += self.file.write(&zeros)?;
        }
        Ok(())
    }
}

fn wanted(numbers: usize) -> usize {
    numbers.saturating_mul(8).saturating_add(BESIDE).max(LEAST)
}
