//! A file of the target's own, for readers that take a path.

use std::path::PathBuf;

/// Its path; the folder is this process's own.
pub(crate) fn file(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("rafnet-fuzz-{}", std::process::id()));
    let _ = std::fs::create_dir_all(&folder);
    folder.join(name)
}

/// Writes it and says where it is.
pub(crate) fn written(name: &str, bytes: &[u8]) -> Option<PathBuf> {
    let path = file(name);
    std::fs::write(&path, bytes).is_ok().then_some(path)
}
