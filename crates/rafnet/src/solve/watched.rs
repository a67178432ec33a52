//! Work and whoever watches it, on two threads: one works, the caller's hears what it says and asks at least every tenth of a second whether
//! to go on.
//!
//! ```text
//! the work     works …  progress ┐        works …             works … │hears it inside the product it is in
//! the caller   waits             └ asks, answers    waits   asks ─────┘ raises the halt
//! ```
//!
//! So it ends soon after its time is over or it was told to stop, whatever it is doing. It waits for each answer: what it does next never
//! depends on how fast the two threads are.

use super::Progress;
use crate::halt::{Halt, Why};
use crate::run::{Outcome, Watch};
use std::ops::ControlFlow;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

/// How long the caller's thread waits before it asks by itself.
const TICK: Duration = Duration::from_millis(100);

/// What ends work: a watcher who is told of it, a clock, and the halt that either raises.
pub(super) struct Attended<'a> {
    pub(super) watch: &'a mut dyn Watch,
    pub(super) halt: &'a Halt,
    pub(super) started: Instant,
    /// Seconds from the start on.
    pub(super) limit: f64,
    /// What was said last.
    pub(super) last: Progress,
}

impl Attended<'_> {
    /// Asks whether to go on; a watcher who said no is not asked again.
    fn ask(&mut self) {
        let stopped = self.halt.why() == Some(Why::Stopped);
        if !stopped && self.watch.progress(&self.last).is_break() {
            self.halt.raise(Why::Stopped);
        }
    }

    /// Seconds that are left; raises the halt where there are none.
    fn left(&self) -> f64 {
        let left = self.limit - self.started.elapsed().as_secs_f64();
        if left <= 0.0 {
            self.halt.raise(Why::Expired);
        }
        left
    }

    /// What `work` makes on a thread of its own. It may say how far it is, which the watcher hears, and hear whether that wants it stopped.
    pub(super) fn during<T: Send>(
        mut self,
        work: impl FnOnce(&mut dyn FnMut(&Progress) -> ControlFlow<()>) -> T + Send,
    ) -> T {
        let halt = self.halt;
        std::thread::scope(|scope| {
            let (news, said) = mpsc::channel::<Progress>();
            let (answer, heard) = mpsc::channel::<()>();
            let mut say = move |progress: &Progress| {
                if news.send(*progress).is_err() || heard.recv().is_err() {
                    halt.raise(Why::Stopped); // nobody watches any more
                }
                match halt.why() {
                    Some(Why::Stopped) => ControlFlow::Break(()),
                    _ => ControlFlow::Continue(()),
                }
            };
            let worker = scope.spawn(move || work(&mut say));
            let mut at = Instant::now();
            loop {
                let left = Duration::try_from_secs_f64(self.left());
                let soon = left.ok().filter(|_| !halt.is_raised());
                match said.recv_timeout(soon.map_or(TICK, |left| left.min(TICK))) {
                    Ok(progress) => {
                        (self.last, at) = (progress, Instant::now());
                        self.ask();
                        // work that has ended needs no answer
                        let _ = answer.send(());
                    }
                    Err(RecvTimeoutError::Timeout) => {
                        self.last.seconds += at.elapsed().as_secs_f64();
                        at = Instant::now();
                        self.ask();
                    }
                    Err(RecvTimeoutError::Disconnected) => break,
                }
            }
            match worker.join() {
                Ok(made) => made,
                Err(panic) => std::panic::resume_unwind(panic),
            }
        })
    }
}

/// A run on the caller's own thread, step after step: it asks whether to go on by itself.
pub(super) struct Pulse<'a> {
    pub(super) watch: &'a mut dyn Watch,
    pub(super) halt: &'a Halt,
    started: Instant,
    limit: f64,
    /// What was said last, and when it was asked whether to go on.
    said: Progress,
    asked: Instant,
}

impl<'a> Pulse<'a> {
    /// For a run that began at `started` and has `limit` seconds.
    pub(super) fn new(
        watch: &'a mut dyn Watch,
        halt: &'a Halt,
        started: Instant,
        limit: f64,
    ) -> Self {
        let (said, asked) = (Progress::START, Instant::now());
        Self {
            watch,
            halt,
            started,
            limit,
            said,
            asked,
        }
    }

    /// Says how far it is; whether the watcher wants it stopped.
    pub(super) fn says_stop(&mut self, progress: &Progress) -> bool {
        (self.said, self.asked) = (*progress, Instant::now());
        if self.watch.progress(progress).is_break() {
            self.halt.raise(Why::Stopped);
        }
        self.halt.why() == Some(Why::Stopped)
    }

    /// Within a step: whether the run is to end before the step is done. Asks only where that was a while ago.
    pub(super) fn is_ended(&mut self) -> bool {
        if !self.halt.is_raised() && self.asked.elapsed() >= TICK {
            let seconds = self.started.elapsed().as_secs_f64();
            let said = self.said;
            self.says_stop(&Progress { seconds, ..said });
            if seconds > self.limit {
                self.halt.raise(Why::Expired);
            }
        }
        self.halt.is_raised()
    }

    /// What long work within a step makes; of no use once it is ended.
    pub(super) fn during<T: Send>(&mut self, work: impl FnOnce() -> T + Send) -> T {
        let seconds = self.started.elapsed().as_secs_f64();
        let attended = Attended {
            watch: &mut *self.watch,
            halt: self.halt,
            started: self.started,
            limit: self.limit,
            last: Progress {
                seconds,
                ..self.said
            },
        };
        attended.during(|_| work())
    }

    /// How a run ends that was not done.
    pub(super) fn outcome(&self) -> Option<Outcome> {
        self.halt.why().map(|why| match why {
            Why::Stopped => Outcome::Stopped,
            Why::Expired => Outcome::BudgetSpent,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Attended, Progress};
    use crate::halt::{Halt, Why};
    use crate::run::Callback;
    use std::ops::ControlFlow;
    use std::time::Instant;

    fn attended<T: Send>(
        halt: &Halt,
        limit: f64,
        watch: impl FnMut(&Progress) -> ControlFlow<()>,
        work: impl FnOnce(&mut dyn FnMut(&Progress) -> ControlFlow<()>) -> T + Send,
    ) -> T {
        let attended = Attended {
            watch: &mut Callback(watch),
            halt,
            started: Instant::now(),
            limit,
            last: Progress::START,
        };
        attended.during(work)
    }

    /// Work that says nothing is stopped too, and whoever stopped it is left alone.
    #[test]
    fn silent_work_hears_a_stop() {
        let (halt, mut asked) = (Halt::default(), 0);
        let watch = |p: &Progress| {
            asked += 1;
            if asked == 2 { p.stop() } else { p.go_on() }
        };
        let waits = |_: &mut dyn FnMut(&Progress) -> ControlFlow<()>| {
            while !halt.is_raised() {
                std::thread::yield_now();
            }
            7
        };
        assert_eq!(attended(&halt, f64::INFINITY, watch, waits), 7);
        assert_eq!((asked, halt.why()), (2, Some(Why::Stopped)));
    }

    /// Every word is heard, and answered before the next.
    #[test]
    fn words_are_heard_one_by_one() {
        let (halt, mut heard) = (Halt::default(), Vec::new());
        let watch = |p: &Progress| {
            heard.push(p.step);
            if p.step == 3 { p.stop() } else { p.go_on() }
        };
        let said = attended(&halt, f64::INFINITY, watch, |say| {
            let step = |step| Progress {
                step,
                ..Progress::START
            };
            (1..9).take_while(|k| say(&step(*k)).is_continue()).count()
        });
        heard.dedup(); // a slow machine asks again by itself
        heard.retain(|step| *step > 0);
        assert_eq!((said, heard), (2, vec![1, 2, 3]));
    }

    #[test]
    fn time_that_is_over_is_no_stop() {
        let halt = Halt::default();
        let why = attended(&halt, 0.0, Progress::go_on, |say| {
            say(&Progress::START).is_continue() && halt.why() == Some(Why::Expired)
        });
        assert!(why);
    }

    #[test]
    #[should_panic(expected = "of its own making")]
    fn panics_are_handed_on() {
        let halt = Halt::default();
        attended(&halt, 1.0, Progress::go_on, |_| panic!("of its own making"));
    }
}
