//! Blocks of the card's memory that were given back and are kept for the next who asks: the driver waits for all work before it frees one.

use std::collections::{BTreeMap, HashMap};

/// Bytes that are kept at most.
const KEPT: usize = 1 << 30;
/// Blocks above this size are multiples of it, as they are for the driver.
const LARGE: usize = 2 << 20;
/// The others are multiples of this.
const SMALL: usize = 512;

/// Which blocks are lent, and which are kept.
#[derive(Default)]
pub(crate) struct Pool {
    lent: HashMap<u64, usize>,
    kept: BTreeMap<usize, Vec<u64>>,
    kept_bytes: usize,
}

impl Pool {
    /// The size of the block for so many bytes.
    pub(crate) fn size(bytes: usize) -> usize {
        let step = if bytes < LARGE { SMALL } else { LARGE };
        bytes.max(1).checked_next_multiple_of(step).unwrap_or(bytes)
    }

    /// A kept block of exactly that size, lent again.
    pub(crate) fn again(&mut self, size: usize) -> Option<u64> {
        let at = self.kept.get_mut(&size)?.pop()?;
        self.kept_bytes -= size;
        self.lent.insert(at, size);
        Some(at)
    }

    /// A new block is lent.
    pub(crate) fn lend(&mut self, at: u64, size: usize) {
        self.lent.insert(at, size);
    }

    /// Takes a block back; true if it should be freed, false if it is kept (or was never lent). With `keep` it is kept in any case.
    pub(crate) fn back(&mut self, at: u64, keep: bool) -> bool {
        let Some(size) = self.lent.remove(&at) else {
            return false;
        };
        if !keep && self.kept_bytes.saturating_add(size) > KEPT {
            return true;
        }
        self.kept.entry(size).or_default().push(at);
        self.kept_bytes += size;
        false
    }

    /// All that is kept, to be freed.
    pub(crate) fn drain(&mut self) -> Vec<u64> {
        self.kept_bytes = 0;
        let kept = std::mem::take(&mut self.kept);
        kept.into_values().flatten().collect()
    }

    /// Bytes that are kept.
    pub(crate) fn kept_bytes(&self) -> usize {
        self.kept_bytes
    }
}
