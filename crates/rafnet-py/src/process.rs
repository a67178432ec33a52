//! What belongs to one process and is made anew after a fork: worker threads do not survive one.

use std::mem;
use std::sync::{Arc, Mutex, PoisonError};

/// Something with worker threads, which a forked child makes anew for itself.
///
/// Its lock is held for moments, with the interpreter attached; Python forks there too, so that no child finds it locked.
pub(crate) struct PerProcess<T>(Mutex<Owned<T>>);

struct Owned<T> {
    process: u32,
    value: Arc<T>,
}

impl<T> PerProcess<T> {
    pub(crate) fn new(value: T) -> Self {
        Self(Mutex::new(Owned {
            process: std::process::id(),
            value: Arc::new(value),
        }))
    }

    /// This process' own, made by `again` from the parent's where there is none yet.
    pub(crate) fn get(&self, again: impl FnOnce(&T) -> T) -> Arc<T> {
        let mut owned = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let here = std::process::id();
        if owned.process != here {
            let value = Arc::new(again(&owned.value));
            // the parent's threads cannot be joined here: theirs is left behind
            mem::forget(mem::replace(&mut owned.value, value));
            owned.process = here;
        }
        Arc::clone(&owned.value)
    }
}

impl<T> Drop for PerProcess<T> {
    fn drop(&mut self) {
        let owned = self.0.get_mut().unwrap_or_else(PoisonError::into_inner);
        if owned.process != std::process::id() {
            mem::forget(Arc::clone(&owned.value));
        }
    }
}
