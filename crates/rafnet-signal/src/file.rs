//! Whole files in, atomic files out.
//!
//! An [`AtomicFile`] is written under another name in the same folder and renamed when it is complete; if it is dropped
//! before that, nothing is left behind.

use crate::error::{Error, Result};
use std::fs::File;
use std::io::{BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// The bytes of a file, which must be there and not empty.
pub(crate) fn read_all(path: &Path, expected: &'static str) -> Result<Vec<u8>> {
    let bytes = std::fs::read(path).map_err(Error::io("read", path))?;
    if bytes.is_empty() {
        return Err(Error::Empty { expected }.within(path));
    }
    Ok(bytes)
}

/// The first bytes of a file, at most `n_bytes`.
pub(crate) fn read_start(path: &Path, n_bytes: u64) -> Result<Vec<u8>> {
    let file = File::open(path).map_err(Error::io("read", path))?;
    let mut start = Vec::new();
    file.take(n_bytes)
        .read_to_end(&mut start)
        .map_err(Error::io("read", path))?;
    Ok(start)
}

/// What the first bytes of a file say it is: a name a user knows, or the bytes themselves.
pub(crate) fn describe_start(bytes: &[u8]) -> String {
    let known = [
        (0, &b"\x89PNG\r\n\x1a\n"[..], "a PNG picture"),
        (0, b"\xff\xd8\xff", "a JPEG picture"),
        (0, b"GIF8", "a GIF animation"),
        (8, b"WAVE", "a WAV sound"),
        (8, b"WEBP", "a WebP picture"),
        (8, b"AVI ", "an AVI video"),
        (4, b"ftyp", "an MP4 or QuickTime file"),
        (0, b"\x93NUMPY", "a NumPy array"),
        (0, b"\x1a\x45\xdf\xa3", "a Matroska or WebM video"),
        (0, b"II*\0", "a TIFF picture"),
        (0, b"MM\0*", "a TIFF picture"),
        (0, b"BM", "a BMP picture"),
        (0, b"fLaC", "a FLAC sound"),
        (0, b"OggS", "an Ogg file"),
        (0, b"ID3", "an MP3 sound"),
        (0, b"%PDF", "a PDF document"),
        (0, b"PK\x03\x04", "a ZIP archive"),
    ];
    let name = known
        .iter()
        .find(|(at, mark, _)| bytes.get(*at..at + mark.len()) == Some(mark));
    name.map_or_else(
        || {
            let start: Vec<String> = bytes
                .iter()
                .take(8)
                .map(|byte| format!("{byte:02x}"))
                .collect();
            format!("the bytes {}", start.join(" "))
        },
        |(_, _, name)| format!("the mark of {name}"),
    )
}

/// A file under a temporary name, renamed to its own by [`AtomicFile::commit`].
pub(crate) struct AtomicFile {
    target: PathBuf,
    temporary: PathBuf,
    file: File,
    committed: bool,
}

impl AtomicFile {
    pub(crate) fn create(path: &Path) -> Result<Self> {
        static COUNTER: AtomicU64 = AtomicU64::new(0);
        let Some(name) = path.file_name() else {
            let source = std::io::Error::new(
                std::io::ErrorKind::InvalidInput,
                "the path has no file name",
            );
            return Err(Error::io("write", path)(source));
        };
        let number = COUNTER.fetch_add(1, Ordering::Relaxed);
        let mut hidden = std::ffi::OsString::from(".");
        hidden.push(name);
        hidden.push(format!(".{}-{number}.part", std::process::id()));
        let temporary = path.with_file_name(hidden);
        let file = File::options()
            .read(true)
            .write(true)
            .create_new(true)
            .open(&temporary)
            .map_err(Error::io("write", path))?;
        // says that someone still writes it; a file system without locks loses no more than that
        let _ = file.try_lock();
        Ok(Self {
            target: path.to_owned(),
            temporary,
            file,
            committed: false,
        })
    }

    /// The place where the file will be.
    pub(crate) fn path(&self) -> &Path {
        &self.target
    }

    /// A second handle on the same open file; both share one position.
    pub(crate) fn handle(&self) -> Result<File> {
        self.file
            .try_clone()
            .map_err(Error::io("write", &self.target))
    }

    /// Makes the file appear, complete, under its own name.
    pub(crate) fn commit(mut self) -> Result<()> {
        self.file
            .sync_all()
            .map_err(Error::io("write", &self.target))?;
        std::fs::rename(&self.temporary, &self.target).map_err(Error::io("write", &self.target))?;
        self.committed = true;
        Ok(())
    }
}

impl Drop for AtomicFile {
    fn drop(&mut self) {
        if !self.committed {
            // best effort: the caller already has the error that led here
            let _ = std::fs::remove_file(&self.temporary);
        }
    }
}

/// Writes a whole file atomically.
pub(crate) fn write_with(
    path: &Path,
    body: impl FnOnce(&mut BufWriter<File>) -> std::io::Result<()>,
) -> Result<()> {
    let atomic = AtomicFile::create(path)?;
    let mut writer = BufWriter::with_capacity(1 << 16, atomic.handle()?);
    body(&mut writer)
        .and_then(|()| writer.flush())
        .map_err(Error::io("write", path))?;
    atomic.commit()
}
