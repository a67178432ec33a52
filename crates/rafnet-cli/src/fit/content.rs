//! A fingerprint of what a fitted file holds, so that a run is known by its data and not by their name.

use crate::output::Failure;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Sixteen hexadecimal digits of a file, or of all files of a folder of frames in the order of their names.
pub(super) fn fingerprint(path: &Path) -> Result<String, Failure> {
    let read = || {
        let mut hash = Hash::new();
        if path.is_dir() {
            let entries = std::fs::read_dir(path)?.map(|entry| Ok(entry?.path()));
            let mut files = entries.collect::<io::Result<Vec<PathBuf>>>()?;
            files.retain(|file| file.is_file());
            files.sort();
            for file in files {
                let name = file.file_name().unwrap_or_default();
                hash.add(name.as_encoded_bytes());
                hash.add_file(&file)?;
            }
        } else {
            hash.add_file(path)?;
        }
        Ok(format!("{:016x}", hash.0))
    };
    read().map_err(|e: io::Error| {
        let message = format!("cannot read `{}`: {e}", path.display());
        Failure::new(message, "check the path")
    })
}

/// FNV-1a in 64 bits: the same bytes, the same number, in every version.
struct Hash(u64);

impl Hash {
    const fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    fn add(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn add_file(&mut self, path: &Path) -> io::Result<()> {
        let (mut file, mut block) = (File::open(path)?, vec![0; 1 << 16]);
        loop {
            let n = file.read(&mut block)?;
            if n == 0 {
                return Ok(());
            }
            self.add(&block[..n]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Hash;

    /// Values of the algorithm's own page (Fowler, Noll, Vo).
    #[test]
    fn it_is_the_one_that_others_compute() {
        for (text, value) in [
            ("", 0xcbf2_9ce4_8422_2325_u64),
            ("a", 0xaf63_dc4c_8601_ec8c),
            ("foobar", 0x8594_4171_f739_67e8),
        ] {
            let mut hash = Hash::new();
            hash.add(text.as_bytes());
            assert_eq!(hash.0, value, "{text}");
        }
    }
}
