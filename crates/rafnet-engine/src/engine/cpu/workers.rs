//! A few threads that wait for numbered jobs. Nothing is allocated after they are started.
#![allow(
    unsafe_code,
    reason = "a job's closure is lent to the threads for the length of one call"
)]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;

/// A job: called with (job number, worker number).
type Job = dyn Fn(usize, usize) + Sync;

#[derive(Clone, Copy)]
struct Lent(*const Job);
// SAFETY: the closure behind the pointer is `Sync`, and `Workers::run` keeps it alive until every thread is done with it.
unsafe impl Send for Lent {}

struct State {
    round: u64,
    job: Option<Lent>,
    jobs: usize,
    busy: usize,
    stop: bool,
    panicked: bool,
}

struct Shared {
    state: Mutex<State>,
    start: Condvar,
    done: Condvar,
    next: AtomicUsize,
}

/// The calling thread and `n − 1` others.
pub(super) struct Workers {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
}

impl Workers {
    /// Starts the threads; fewer than asked for if the system gives no more.
    pub(super) fn new(n: usize) -> Self {
        let state = State {
            round: 0,
            job: None,
            jobs: 0,
            busy: 0,
            stop: false,
            panicked: false,
        };
        let shared = Arc::new(Shared {
            state: Mutex::new(state),
            start: Condvar::new(),
            done: Condvar::new(),
            next: AtomicUsize::new(0),
        });
        let spawn = |worker: usize| {
            let shared = Arc::clone(&shared);
            std::thread::Builder::new()
                .name(format!("raf-{worker}"))
                .spawn(move || serve(&shared, worker))
                .ok()
        };
        let threads = (1..n).map_while(spawn).collect();
        Self { shared, threads }
    }

    /// How many workers there are, the caller among them.
    pub(super) fn len(&self) -> usize {
        self.threads.len() + 1
    }

    /// Runs jobs 0..n, each once, on any worker, and waits for all.
    pub(super) fn run(&self, jobs: usize, job: &(dyn Fn(usize, usize) + Sync)) {
        if self.threads.is_empty() || jobs <= 1 {
            (0..jobs).for_each(|j| job(j, 0));
            return;
        }
        #[allow(
            clippy::transmute_ptr_to_ptr,
            reason = "a cast cannot lengthen a lifetime"
        )]
        // SAFETY: only the lifetime changes; this function does not return before `busy` is zero again, that is before every
        // thread has dropped its copy of the pointer.
        let lent = Lent(unsafe {
            std::mem::transmute::<*const (dyn Fn(usize, usize) + Sync + '_), *const Job>(job)
        });
        self.shared.next.store(0, Ordering::Relaxed);
        {
            let mut state = self
                .shared
                .state
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            (state.job, state.jobs, state.busy) = (Some(lent), jobs, self.threads.len());
            state.round += 1;
        }
        self.shared.start.notify_all();
        let mine = catch_unwind(AssertUnwindSafe(|| work(&self.shared, job, jobs, 0)));
        let mut state = self
            .shared
            .state
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        while state.busy > 0 {
            state = self
                .shared
                .done
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
        state.job = None;
        let theirs = std::mem::take(&mut state.panicked);
        drop(state);
        if let Err(panic) = mine {
            std::panic::resume_unwind(panic);
        }
        assert!(
            !theirs,
            "a worker thread panicked; its message stands above"
        );
    }
}

fn work(shared: &Shared, job: &(dyn Fn(usize, usize) + Sync), jobs: usize, worker: usize) {
    loop {
        let j = shared.next.fetch_add(1, Ordering::Relaxed);
        if j >= jobs {
            return;
        }
        job(j, worker);
    }
}

fn serve(shared: &Shared, worker: usize) {
    let mut seen = 0;
    loop {
        let mut state = shared.state.lock().unwrap_or_else(PoisonError::into_inner);
        while state.round == seen && !state.stop {
            state = shared
                .start
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
        if state.stop {
            return;
        }
        seen = state.round;
        let (job, jobs) = (state.job, state.jobs);
        drop(state);
        let ended = catch_unwind(AssertUnwindSafe(|| {
            if let Some(Lent(job)) = job {
                // SAFETY: `run` keeps the closure alive until `busy` is zero, which this thread's share below prevents.
                work(shared, unsafe { &*job }, jobs, worker);
            }
        }));
        let mut state = shared.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.panicked |= ended.is_err();
        state.busy -= 1;
        if state.busy == 0 {
            shared.done.notify_all();
        }
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        self.shared
            .state
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .stop = true;
        self.shared.start.notify_all();
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Workers;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn every_job_runs_once() {
        let workers = Workers::new(4);
        for jobs in [0, 1, 2, 3, 100] {
            let counts: Vec<AtomicUsize> = (0..jobs).map(|_| AtomicUsize::new(0)).collect();
            workers.run(jobs, &|j, _| {
                counts[j].fetch_add(1, Ordering::Relaxed);
            });
            assert!(counts.iter().all(|c| c.load(Ordering::Relaxed) == 1));
        }
    }

    #[test]
    fn a_panic_in_a_job_reaches_the_caller_and_the_workers_go_on() {
        let workers = Workers::new(2);
        let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            workers.run(8, &|j, _| assert!(j != 5, "on purpose"));
        }));
        assert!(caught.is_err());
        let sum = AtomicUsize::new(0);
        workers.run(8, &|j, _| {
            sum.fetch_add(j, Ordering::Relaxed);
        });
        assert_eq!(sum.load(Ordering::Relaxed), 28);
    }
}
