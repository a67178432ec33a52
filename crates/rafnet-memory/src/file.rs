//! Files that are read whole, if they fit.

use crate::{NotEnough, require};
use std::io;
use std::path::Path;

/// The bytes of a file, like [`std::fs::read`]; one that is larger than the memory that is free is refused unread.
///
/// # Errors
/// Those of the system, and [`NotEnough`] as one of kind [`OutOfMemory`](io::ErrorKind::OutOfMemory).
pub fn read(path: impl AsRef<Path>) -> io::Result<Vec<u8>> {
    let path = path.as_ref();
    fits(path)?;
    std::fs::read(path)
}

/// The text of a file, like [`std::fs::read_to_string`]; one that is larger than the memory that is free is refused unread.
///
/// # Errors
/// As [`read`].
pub fn read_to_string(path: impl AsRef<Path>) -> io::Result<String> {
    let path = path.as_ref();
    fits(path)?;
    std::fs::read_to_string(path)
}

fn fits(path: &Path) -> io::Result<()> {
    let length = std::fs::metadata(path)?.len();
    required(length).map_err(|error| io::Error::new(io::ErrorKind::OutOfMemory, error))
}

/// Refuses a file of so many bytes if they are more than are free.
///
/// # Errors
/// [`NotEnough`] says how large it is and what there is.
pub fn required(length: u64) -> Result<(), NotEnough> {
    let length = usize::try_from(length).unwrap_or(usize::MAX);
    require(format_args!("a file of {length} bytes"), &[length])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Four terabytes of nothing, which take no room on the disk.
    #[test]
    fn a_file_larger_than_memory_is_refused_unread() -> io::Result<()> {
        let path = std::env::temp_dir().join(format!("rafnet-memory-{}", std::process::id()));
        let file = std::fs::File::create(&path)?;
        file.set_len(1 << 42)?;
        let found = [read(&path).err(), read_to_string(&path).err()];
        file.set_len(0)?;
        let empty = read(&path);
        std::fs::remove_file(&path)?;
        assert!(empty?.is_empty());
        for error in found {
            let error = error.expect("more than there is");
            assert_eq!(error.kind(), io::ErrorKind::OutOfMemory);
            let said = error.to_string();
            assert!(
                said.starts_with("a file of 4398046511104 bytes would take 4.4 TB of memory; "),
                "{said}"
            );
        }
        assert_eq!(
            read("no such file").map_err(|e| e.kind()),
            Err(io::ErrorKind::NotFound)
        );
        Ok(())
    }
}
