//! Long work on a thread of its own, while the calling one listens to the interpreter.
//!
//! Signals are looked at ten times a second where Python lets them be looked at, on its main thread; nothing is installed. A signal, or an
//! exception of whoever is told of progress, asks the work to stop, and what it had by then comes back with it.

use crate::errors::broken;
use pyo3::prelude::*;
use rafnet::run::{Progress, Watch};
use serde_json::json;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Between two looks at signals.
const LOOK: Duration = Duration::from_millis(100);
/// What the work's thread may keep on its stack.
const STACK: usize = 16 << 20;

/// What the work and its watcher share.
#[derive(Default)]
struct Shared {
    stop: AtomicBool,
    last: Mutex<Option<Progress>>,
}

/// The work's side: it says how far it is and hears whether to go on.
pub(crate) struct Listener(Arc<Shared>);

impl Watch for Listener {
    fn progress(&mut self, progress: &Progress) -> ControlFlow<()> {
        let mut last = self.0.last.lock().unwrap_or_else(PoisonError::into_inner);
        *last = Some(*progress);
        if self.0.stop.load(Ordering::Relaxed) {
            return progress.stop();
        }
        progress.go_on()
    }
}

/// What work came to: its answer, and what asked it to stop.
pub(crate) struct Ended<T> {
    pub(crate) answer: T,
    pub(crate) asked: Option<PyErr>,
}

/// Runs `work`; `told` is called with each news of it, as JSON.
pub(crate) fn watched<T: Send + 'static>(
    py: Python<'_>,
    told: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(&mut Listener) -> T + Send + 'static,
) -> PyResult<Ended<T>> {
    let shared = Arc::new(Shared::default());
    let (done, mut ended) = channel();
    let mut listener = Listener(Arc::clone(&shared));
    let thread = std::thread::Builder::new()
        .name("rafnet".to_owned())
        .stack_size(STACK)
        .spawn(move || {
            let answer = work(&mut listener);
            // the receiver waits until it has heard
            let _ = done.send(());
            answer
        })
        .map_err(|e| broken(&format!("no thread could be started: {e}")))?;
    let mut asked: Option<PyErr> = None;
    loop {
        let (heard, receiver) = py.detach(move || (ended.recv_timeout(LOOK), ended));
        ended = receiver;
        match heard {
            Ok(()) | Err(RecvTimeoutError::Disconnected) => break,
            Err(RecvTimeoutError::Timeout) => {}
        }
        if asked.is_none() {
            asked = py.check_signals().and_then(|()| news(&shared, told)).err();
            if asked.is_some() {
                shared.stop.store(true, Ordering::Relaxed);
            }
        }
    }
    let answer = py.detach(move || thread.join()).map_err(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or(panic.downcast_ref::<&str>().copied());
        broken(text.unwrap_or("a panic"))
    })?;
    Ok(Ended { answer, asked })
}

/// Tells what is new.
fn news(shared: &Shared, told: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
    let Some(told) = told else { return Ok(()) };
    let last = shared
        .last
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .take();
    if let Some(p) = last {
        let finite = |v: f64| v.is_finite().then_some(v);
        let news = json!({
            "seconds": p.seconds, "step": p.step, "steps": p.steps, "width": p.width, "loss": p.loss, "error": p.error,
            "residual": finite(p.residual), "best": finite(p.best), "heldout": p.look.and_then(|look| look.held_out),
        });
        told.call1((news.to_string(),))?;
    }
    Ok(())
}
