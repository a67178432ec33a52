//! Attempts side by side, while someone watches.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::Duration;

/// Makes attempts 0, 1, … on several threads. `hear` is called here with each answer as it comes, and with none at least every tenth of
/// a second; once it says no, `stop` is set and nothing more is begun.
pub(super) fn side_by_side<A: Send>(
    count: usize,
    threads: usize,
    stop: &AtomicBool,
    attempt: &(dyn Fn(usize) -> A + Sync),
    hear: &mut dyn FnMut(Option<(usize, A)>) -> bool,
) {
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        let (sender, receiver) = mpsc::channel();
        for _ in 0..threads.clamp(1, count.max(1)) {
            let (sender, next) = (sender.clone(), &next);
            scope.spawn(move || {
                loop {
                    let i = next.fetch_add(1, Ordering::Relaxed);
                    let over = i >= count || stop.load(Ordering::Relaxed);
                    if over || sender.send((i, attempt(i))).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        loop {
            let news = match receiver.recv_timeout(Duration::from_millis(100)) {
                Ok(news) => Some(news),
                Err(mpsc::RecvTimeoutError::Timeout) => None,
                Err(mpsc::RecvTimeoutError::Disconnected) => break,
            };
            if !hear(news) {
                stop.store(true, Ordering::Relaxed);
            }
        }
    });
}
