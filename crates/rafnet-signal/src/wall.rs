//! A wall around the decoders of other crates: a panic of theirs is damage of the file, and the program goes on.
//!
//! Decoders promise errors, and mean it; fuzzing still finds a file now and then over which one stumbles.

use crate::error::{Error, Result};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What `decode` answers, or that the file is damaged.
pub(crate) fn walled<T>(format: &'static str, decode: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(decode)).unwrap_or_else(|_| {
        let reason = "the decoder stumbled over it".to_owned();
        Err(Error::Damaged { format, reason })
    })
}
