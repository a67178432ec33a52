//! Any bytes as the points of `raf eval --at`, NumPy arrays and CSV: rows of finite numbers, or an error.
#![no_main]

#[path = "../scratch.rs"]
mod scratch;
#[expect(dead_code, unused_imports, reason = "tables are read here, not written")]
#[path = "../../crates/rafnet-cli/src/table_file/mod.rs"]
mod table_file;

/// What the command prints when it cannot run.
mod output {
    pub(crate) struct Failure {
        pub(crate) message: String,
        pub(crate) hint: String,
    }
}

use table_file::PointsFile;

/// Points of a block: fewer than most files have, so that there are several.
const BLOCK: usize = 7;

/// Rows that are looked at.
const ROWS: usize = 10_000;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let coordinates = ["x".to_owned(), "t".to_owned()];
    let name = if bytes.starts_with(b"\x93NUMPY") {
        "points.npy"
    } else {
        "points.csv"
    };
    let Some(path) = scratch::written(name, bytes) else {
        return;
    };
    for d in 1..=coordinates.len() {
        let read = PointsFile::open(&path, &coordinates[..d]).and_then(|mut points| {
            let mut rows = 0;
            while rows < ROWS {
                let block = points.next_block(BLOCK)?;
                if block.is_empty() {
                    break;
                }
                assert!(block.len() % d == 0 && block.len() <= BLOCK * d);
                assert!(block.iter().all(|x| x.is_finite()));
                rows += block.len() / d;
            }
            Ok(())
        });
        if let Err(failure) = read {
            assert!(!failure.message.is_empty() && !failure.hint.is_empty());
        }
    }
});
