//! Files that appear whole or not at all.

use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// A file that is written beside its place and moved there at the end. Dropped before [`AtomicFile::commit`], it leaves nothing
/// behind, and what stood at its place stays.
///
/// ```
/// use rafnet::model::AtomicFile;
/// use std::io::Write;
/// # let path = std::env::temp_dir().join(format!("rafnet-atomic-{}.txt", std::process::id()));
/// let mut file = AtomicFile::create(&path)?;
/// file.write_all(b"whole")?;
/// assert!(!path.exists());
/// file.commit()?;
/// assert_eq!(std::fs::read(&path)?, b"whole");
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct AtomicFile {
    file: File,
    temporary: PathBuf,
    place: PathBuf,
}

impl AtomicFile {
    /// Starts a file in the folder of `path`, under a name of its own.
    ///
    /// # Errors
    /// When `path` names no file, its folder does not exist or cannot be written to.
    pub fn create(path: impl AsRef<Path>) -> io::Result<Self> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let place = path.as_ref();
        let name = place.file_name().filter(|_| !place.is_dir());
        let name = name.ok_or_else(|| io::Error::from(io::ErrorKind::IsADirectory))?;
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let mut hidden = std::ffi::OsString::from(".");
        hidden.push(name);
        hidden.push(format!(".{}-{number}.tmp", std::process::id()));
        let temporary = place.with_file_name(hidden);
        let mut options = OpenOptions::new();
        let file = options.write(true).create_new(true).open(&temporary)?;
        Ok(Self {
            file,
            temporary,
            place: place.into(),
        })
    }

    /// Puts the file in its place, replacing what is there.
    ///
    /// # Errors
    /// When the system cannot; nothing is left behind then.
    pub fn commit(mut self) -> io::Result<()> {
        self.file.sync_all()?;
        std::fs::rename(&self.temporary, &self.place)?;
        self.temporary.clear();
        Ok(())
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }
    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Seek for AtomicFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

impl Drop for AtomicFile {
    fn drop(&mut self) {
        if !self.temporary.as_os_str().is_empty() {
            // what cannot be removed was not ours to keep either: there is nobody to tell
            let _ = std::fs::remove_file(&self.temporary);
        }
    }
}
