//! Independent jobs on several threads.

use crate::halt::Crew;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What `job` makes of 0, 1, … on several threads, in this order. Once it is ended nothing more is begun, and what comes back has gaps.
pub(crate) fn each<T: Send>(
    count: usize,
    crew: Crew<'_>,
    job: &(dyn Fn(usize) -> T + Sync),
) -> Vec<T> {
    let threads = crew.threads.min(count);
    if threads < 2 {
        let begun = (0..count).take_while(|_| !crew.halt.is_raised());
        return begun.map(job).collect();
    }
    let next = AtomicUsize::new(0);
    let places: Vec<Mutex<Option<T>>> = (0..count).map(|_| Mutex::new(None)).collect();
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let k = next.fetch_add(1, Ordering::Relaxed);
                    let place = places.get(k).filter(|_| !crew.halt.is_raised());
                    let Some(place) = place else { return };
                    let made = job(k);
                    if let Ok(mut place) = place.lock() {
                        *place = Some(made);
                    }
                }
            });
        }
    });
    let made = places.into_iter().map(|p| p.into_inner().ok().flatten());
    made.flatten().collect()
}
