//! Files that appear whole or not at all.

use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// A file that is written beside its place and moved there at the end. Dropped before [`AtomicFile::commit`], it leaves nothing
/// behind, and what stood at its place stays.
///
/// ```
/// use rafnet_table::AtomicFile;
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
        let file = options
            .read(true)
            .write(true)
            .create_new(true)
            .open(&temporary)?;
        // says that someone still writes it; a file system without locks loses no more than that
        let _ = file.try_lock();
        Ok(Self {
            file,
            temporary,
            place: place.into(),
        })
    }

    /// Takes away what processes that were killed while writing left in a folder: files under temporary names that nobody holds
    /// open any more.
    ///
    /// ```
    /// use rafnet_table::AtomicFile;
    /// # let folder = std::env::temp_dir().join(format!("rafnet-leftovers-{}", std::process::id()));
    /// # std::fs::create_dir_all(&folder)?;
    /// std::fs::write(folder.join(".u.png.4711-0.tmp"), "half of a pict")?;
    /// std::fs::write(folder.join(".notes.tmp"), "of someone else")?;
    /// let file = AtomicFile::create(folder.join("u.png"))?;
    /// AtomicFile::remove_leftovers(&folder)?;
    /// assert!(!folder.join(".u.png.4711-0.tmp").exists() && folder.join(".notes.tmp").exists());
    /// file.commit()?; // was not taken away
    /// # std::fs::remove_dir_all(&folder)?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    ///
    /// # Errors
    /// When the folder cannot be read. A file that cannot be removed stays.
    pub fn remove_leftovers(folder: impl AsRef<Path>) -> io::Result<()> {
        for entry in std::fs::read_dir(folder)? {
            let entry = entry?;
            let ours = entry.file_name().to_str().is_some_and(is_temporary);
            if !ours || !entry.file_type()?.is_file() {
                continue;
            }
            let abandoned = |file: File| file.try_lock().is_ok();
            if File::open(entry.path()).is_ok_and(abandoned) {
                let _ = std::fs::remove_file(entry.path());
            }
        }
        Ok(())
    }

    /// The place where the file will be.
    pub fn path(&self) -> &Path {
        &self.place
    }

    /// A second handle on the open file, for writers that want a file of their own; both share one position.
    ///
    /// # Errors
    /// When the system has no more handles.
    pub fn handle(&self) -> io::Result<File> {
        self.file.try_clone()
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

/// `.NAME.PROCESS-NUMBER.tmp`
fn is_temporary(name: &str) -> bool {
    let middle = name.strip_prefix('.').and_then(|n| n.strip_suffix(".tmp"));
    let numbers = middle
        .and_then(|middle| middle.rsplit_once('.'))
        .filter(|(name, _)| !name.is_empty())
        .and_then(|(_, numbers)| numbers.split_once('-'));
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    numbers.is_some_and(|(process, number)| is_number(process) && is_number(number))
}

#[cfg(test)]
mod tests {
    use super::is_temporary;

    #[test]
    fn only_our_own_names() {
        for ours in [".a.toml.12-0.tmp", ".fit.png.1-33.tmp", ".a b.c.7-7.tmp"] {
            assert!(is_temporary(ours), "{ours}");
        }
        for other in [
            "a.toml.12-0.tmp",
            ".a.tmp",
            ".12-0.tmp",
            "..12-0.tmp",
            ".a.12-.tmp",
            ".a.x-0.tmp",
            ".a.12-0.bak",
            ".tmp",
            "",
        ] {
            assert!(!is_temporary(other), "{other}");
        }
    }
}
