//! Whole files in, atomic files out, with the file's path in every error.

use crate::error::{Error, Result};
use rafnet_table::AtomicFile;
use std::fs::File;
use std::io::{BufWriter, Read, Write};
use std::path::Path;

/// The bytes of a file, which must be there and not empty.
pub(crate) fn read_all(path: &Path, expected: &'static str) -> Result<Vec<u8>> {
    let length = std::fs::metadata(path)
        .map_err(Error::io("read", path))?
        .len();
    let required = rafnet_memory::required(length);
    required.map_err(|error| Error::from(error).within(path))?;
    let bytes = std::fs::read(path).map_err(Error::io("read", path))?;
    if bytes.is_empty() {
        return Err(Error::Empty { expected }.within(path));
    }
    Ok(bytes)
}

/// What a file holds, read from its bytes.
pub(crate) fn read_with<T>(
    path: &Path,
    expected: &'static str,
    from_bytes: impl FnOnce(&[u8]) -> Result<T>,
) -> Result<T> {
    let bytes = read_all(path, expected)?;
    from_bytes(&bytes).map_err(|error| error.within(path))
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

/// A file that will appear at `path` when it is committed.
pub(crate) fn create(path: &Path) -> Result<AtomicFile> {
    AtomicFile::create(path).map_err(Error::io("write", path))
}

/// A second handle on it.
pub(crate) fn handle(file: &AtomicFile) -> Result<File> {
    file.handle().map_err(Error::io("write", file.path()))
}

/// Makes it appear, complete, under its own name.
pub(crate) fn commit(file: AtomicFile) -> Result<()> {
    let path = file.path().to_owned();
    file.commit().map_err(Error::io("write", &path))
}

/// Writes a whole file atomically.
pub(crate) fn write_with(
    path: &Path,
    body: impl FnOnce(&mut BufWriter<File>) -> std::io::Result<()>,
) -> Result<()> {
    let atomic = create(path)?;
    let mut writer = BufWriter::with_capacity(1 << 16, handle(&atomic)?);
    body(&mut writer)
        .and_then(|()| writer.flush())
        .map_err(Error::io("write", path))?;
    commit(atomic)
}
