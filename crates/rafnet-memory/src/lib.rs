//! Memory: whether what is asked for fits into what is free, said before it is asked for.
//!
//! A size that a user can write (points, neurons, pixels, a shape in a header) is checked here first: asking the system for more
//! than there is ends the program, or another one, without a word. The library and the readers of signals share nothing but this,
//! so it is a crate of its own.
//!
//! ```
//! rafnet_memory::require("a grid of 1000 points", &[1000, 8])?;
//! let error = rafnet_memory::require("10^15 points in 2 coordinates", &[10usize.pow(15), 2, 8]).unwrap_err();
//! assert!(error.to_string().starts_with("10^15 points in 2 coordinates would take 16 PB of memory; "));
//! # Ok::<(), rafnet_memory::NotEnough>(())
//! ```

#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod file;
mod free;

pub use file::{read, read_to_string, required};
pub use free::free;

use std::fmt;

/// What is smaller than this is granted without a look at the system: steps that are taken a million times ask too.
const SMALL: u128 = 1 << 26;

/// Something that does not fit into the memory that is free.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what} would take {} of memory; {} are free", Bytes(*bytes), Bytes((*free).into()))]
pub struct NotEnough {
    /// What was to be held, with the number that makes it large.
    pub what: String,
    /// How many bytes it takes.
    pub bytes: u128,
    /// How many are free.
    pub free: u64,
}

/// Refuses what takes more bytes than are free: the product of `sizes`, the last of which is usually the bytes of one number.
///
/// # Errors
/// [`NotEnough`] says what was asked for and what there is.
pub fn require(what: impl fmt::Display, sizes: &[usize]) -> Result<(), NotEnough> {
    let bytes = sizes
        .iter()
        .fold(1u128, |bytes, &size| bytes.saturating_mul(size as u128));
    if bytes <= SMALL {
        return Ok(());
    }
    let free = free();
    if bytes <= u128::from(free) {
        return Ok(());
    }
    Err(NotEnough {
        what: what.to_string(),
        bytes,
        free,
    })
}

/// Bytes in the largest unit that leaves a whole number.
struct Bytes(u128);

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let units = ["bytes", "kB", "MB", "GB", "TB", "PB", "EB"];
        let (mut value, mut unit) = (self.0 as f64, 0);
        while value >= 999.5 && unit + 1 < units.len() {
            (value, unit) = (value / 1000.0, unit + 1);
        }
        match value {
            ..9.95 if unit > 0 && (value.fract() - 0.5).abs() < 0.45 => {
                write!(f, "{value:.1} {}", units[unit])
            }
            ..1e6 => write!(f, "{value:.0} {}", units[unit]),
            _ => write!(f, "{value:.0e} {}", units[unit]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_read_well() {
        let said = |n: u128| Bytes(n).to_string();
        assert_eq!(said(17), "17 bytes");
        assert_eq!(said(1_500_000), "1.5 MB");
        assert_eq!(said(16_000_000_000), "16 GB");
        assert_eq!(said(999_999), "1 MB");
        assert_eq!(said(u128::MAX), "3e20 EB");
    }

    #[test]
    fn what_overflows_is_refused_and_what_is_small_is_not() {
        assert_eq!(require("little", &[1 << 20, 64]), Ok(()));
        assert_eq!(require("nothing", &[usize::MAX, 0, usize::MAX]), Ok(()));
        let error = require("all", &[usize::MAX; 5]).expect_err("beyond all memory");
        assert_eq!((error.what.as_str(), error.bytes), ("all", u128::MAX));
        assert!(error.free > 0);
    }
}
