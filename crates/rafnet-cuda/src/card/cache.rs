//! Machine code that was compiled before, on disk.
//!
//! An entry's name is the SHA-256 of everything it depends on, and it begins with the SHA-256 of its content: an entry is right or is not used.
//! Entries are written under another name and then renamed, so that two processes do not meet; where the folder cannot be used, the only loss
//! is the time of compiling again, and a note says so.

use sha2::{Digest, Sha256};
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

/// Bytes of all entries together; beyond it those that were not used for longest go.
const LIMIT: u64 = 256 << 20;
/// What an entry begins with.
const MARK: &[u8; 16] = b"rafnet cubin 1\n\0";
/// After so long, a file that was never renamed belongs to a process that ended.
const ABANDONED: Duration = Duration::from_hours(1);

const HEX: [&str; 16] = [
    "0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "a", "b", "c", "d", "e", "f",
];

/// What an entry depends on, as one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Key([u8; 32]);

impl Key {
    /// Of these parts, in this order.
    pub(crate) fn of(parts: &[&str]) -> Self {
        let mut hash = Sha256::new();
        for part in parts {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part.as_bytes());
        }
        Self(hash.finalize().into())
    }

    fn file(self) -> String {
        self.0.iter().fold(String::new(), |name, byte| {
            name + HEX[usize::from(byte >> 4)] + HEX[usize::from(byte & 15)]
        }) + ".cubin"
    }
}

/// A folder of entries.
pub(crate) struct Cache {
    folder: Option<PathBuf>,
    limit: u64,
    note: Mutex<Option<String>>,
}

impl Cache {
    /// In the user's own folder: `RAFNET_CACHE`, or `rafnet` in `XDG_CACHE_HOME` or in `.cache`.
    pub(crate) fn of_user() -> Self {
        Self::new(folder(&|name| std::env::var_os(name)), LIMIT)
    }

    /// In a folder, up to so many bytes; without one nothing is kept.
    pub(crate) fn new(folder: Option<PathBuf>, limit: u64) -> Self {
        let note = folder.is_none().then(|| {
            "compiled kernels are not kept: there is no home folder; name one in RAFNET_CACHE"
                .to_owned()
        });
        Self {
            folder,
            limit,
            note: Mutex::new(note),
        }
    }

    /// What the user should know, said once.
    pub(crate) fn note(&self) -> Option<String> {
        self.note.lock().ok().and_then(|note| note.clone())
    }

    /// The entry, if it is there and whole.
    pub(crate) fn get(&self, key: Key) -> Option<Vec<u8>> {
        let path = self.folder.as_ref()?.join(key.file());
        let mut bytes = std::fs::read(&path).ok()?;
        let head = MARK.len() + 32;
        let whole = bytes.len() > head
            && bytes.starts_with(MARK)
            && Sha256::digest(&bytes[head..])[..] == bytes[MARK.len()..head];
        if !whole {
            return None;
        }
        bytes.drain(..head);
        // used now: it goes last
        let used = std::fs::File::options().append(true).open(&path);
        let _ = used.and_then(|file| file.set_modified(SystemTime::now()));
        Some(bytes)
    }

    /// Keeps an entry, in the place of one under the same key.
    pub(crate) fn put(&self, key: Key, content: &[u8]) {
        let Some(folder) = &self.folder else {
            return;
        };
        match Self::write(folder, key, content) {
            Ok(()) => self.bound(folder),
            Err(error) => {
                if let Ok(mut note) = self.note.lock() {
                    note.get_or_insert_with(|| {
                        format!(
                            "compiled kernels cannot be kept in {} ({error}), so they are compiled in every run; name another folder in RAFNET_CACHE",
                            folder.display()
                        )
                    });
                }
            }
        }
    }

    fn write(folder: &Path, key: Key, content: &[u8]) -> io::Result<()> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        std::fs::create_dir_all(folder)?;
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("{}.{}-{number}.new", key.file(), std::process::id());
        let new = folder.join(name);
        let written = (|| {
            let mut file = std::fs::File::create(&new)?;
            file.write_all(MARK)?;
            file.write_all(&Sha256::digest(content))?;
            file.write_all(content)?;
            drop(file);
            std::fs::rename(&new, folder.join(key.file()))
        })();
        if written.is_err() {
            let _ = std::fs::remove_file(&new);
        }
        written
    }

    /// Takes the oldest away until the others fit, and what ended processes left.
    fn bound(&self, folder: &Path) {
        let Ok(listed) = std::fs::read_dir(folder) else {
            return;
        };
        let now = SystemTime::now();
        let mut entries = Vec::new();
        for entry in listed.flatten() {
            let (path, Ok(about)) = (entry.path(), entry.metadata()) else {
                continue;
            };
            let used = about.modified().unwrap_or(now);
            match path.extension().and_then(|e| e.to_str()) {
                Some("cubin") => entries.push((used, about.len(), path)),
                Some("new") if now.duration_since(used).is_ok_and(|age| age > ABANDONED) => {
                    let _ = std::fs::remove_file(path);
                }
                _ => {}
            }
        }
        let mut total: u64 = entries.iter().map(|entry| entry.1).sum();
        entries.sort();
        for (_, bytes, path) in entries {
            if total <= self.limit {
                break;
            }
            let _ = std::fs::remove_file(path);
            total -= bytes;
        }
    }
}

/// The folder for what can be made again.
pub(crate) fn folder(variable: &dyn Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let path = |name: &str| {
        let value = variable(name).filter(|value| !value.is_empty());
        value.map(PathBuf::from)
    };
    path("RAFNET_CACHE")
        .or_else(|| path("XDG_CACHE_HOME").map(|at| at.join("rafnet")))
        .or_else(|| path("HOME").map(|at| at.join(".cache").join("rafnet")))
        .or_else(|| path("LOCALAPPDATA").map(|at| at.join("rafnet").join("cache")))
}
