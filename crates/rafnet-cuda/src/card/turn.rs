//! One thread at a time, and the same thread as often as it likes: while one records, the others' work must not end up in the recording.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::ThreadId;

/// Who has the turn, and how often.
#[derive(Default)]
pub(crate) struct Turn {
    holder: Mutex<Option<(ThreadId, usize)>>,
    free: Condvar,
}

/// The turn, until it is dropped.
pub(crate) struct Taken<'a>(&'a Turn);

impl Turn {
    fn holder(&self) -> MutexGuard<'_, Option<(ThreadId, usize)>> {
        // a number and a thread are whole whatever happened to who held them
        self.holder.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for it.
    pub(crate) fn take(&self) -> Taken<'_> {
        let me = std::thread::current().id();
        let mut holder = self.holder();
        loop {
            match &mut *holder {
                Some((who, times)) if *who == me => {
                    *times += 1;
                    break;
                }
                Some(_) => {
                    let woken = self.free.wait(holder);
                    holder = woken.unwrap_or_else(PoisonError::into_inner);
                }
                none => {
                    *none = Some((me, 1));
                    break;
                }
            }
        }
        Taken(self)
    }
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        let mut holder = self.0.holder();
        match &mut *holder {
            Some((_, times)) if *times > 1 => *times -= 1,
            other => {
                *other = None;
                self.0.free.notify_one();
            }
        }
    }
}
