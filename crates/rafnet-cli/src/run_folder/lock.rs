//! One process at a time writes into a folder.
//!
//! The lock is the system's, on a small file in the folder: it ends with the process, however that ends, so that nothing is left to
//! clear away by hand.

use crate::output::Failure;
use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::Path;

/// The file whose lock is taken. It stays: were it removed, two processes could lock two files of the same name.
pub(super) const NAME: &str = ".raf-lock";

/// Held while it lives.
#[derive(Debug)]
pub(crate) struct Lock {
    _file: File,
}

impl Lock {
    /// Takes the folder, which must exist, or says that another process has it.
    pub(crate) fn take(folder: &Path) -> Result<Self, Failure> {
        let file = open(folder, true).map_err(|e| super::unwritable(folder, &e))?;
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => Err(held(folder)),
            // a file system without locks: nothing can be said of other processes
            Ok(()) | Err(TryLockError::Error(_)) => Ok(Self { _file: file }),
        }
    }

    /// Refuses a folder that another process has, without making anything.
    pub(crate) fn check(folder: &Path) -> Result<(), Failure> {
        let locked = |file: File| matches!(file.try_lock(), Err(TryLockError::WouldBlock));
        if open(folder, false).is_ok_and(locked) {
            return Err(held(folder));
        }
        Ok(())
    }
}

fn open(folder: &Path, create: bool) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options
        .write(true)
        .create(create)
        .truncate(false)
        .open(folder.join(NAME))
}

fn held(folder: &Path) -> Failure {
    Failure::new(
        format!("another process is writing into `{}`", folder.display()),
        "wait until it has ended, or pass `--out` with another folder",
    )
}
