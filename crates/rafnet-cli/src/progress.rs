//! Progress on stderr: one line that rewrites itself on a terminal, a plain line every few seconds elsewhere.

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

/// Seconds between lines where stderr is no terminal.
const PLAIN: Duration = Duration::from_secs(5);
/// Between repaints on a terminal.
const REPAINT: Duration = Duration::from_millis(100);
/// Cells of the bar.
const BAR: usize = 24;

pub(crate) struct ProgressLine {
    terminal: bool,
    last: Instant,
    begun: bool,
}

impl ProgressLine {
    pub(crate) fn new() -> Self {
        Self {
            terminal: std::io::stderr().is_terminal(),
            last: Instant::now(),
            begun: false,
        }
    }

    /// Shows a line when it is time; `done` of it, from 0 to 1, as a bar.
    pub(crate) fn show(&mut self, done: Option<f64>, text: impl FnOnce() -> String) {
        let wait = if self.terminal { REPAINT } else { PLAIN };
        if self.last.elapsed() < wait {
            return;
        }
        self.last = Instant::now();
        let bar = done.filter(|_| self.terminal).map_or_else(String::new, bar);
        let line = format!("{bar}{}", text());
        let mut stderr = std::io::stderr();
        let _ = if self.terminal {
            self.begun = true;
            write!(stderr, "\r\x1b[K{line}")
        } else {
            writeln!(stderr, "{line}")
        };
    }

    /// Takes the line away.
    pub(crate) fn clear(&mut self) {
        if self.begun {
            let _ = write!(std::io::stderr(), "\r\x1b[K");
        }
    }
}

fn bar(done: f64) -> String {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "clamped"
    )]
    let full = (done.clamp(0.0, 1.0) * BAR as f64) as usize;
    format!(
        "[{}{}] {:3.0} %  ",
        "=".repeat(full),
        " ".repeat(BAR - full),
        100.0 * done.clamp(0.0, 1.0)
    )
}

/// `5.2 s`, `3 min 20 s`, `1 h 5 min`.
pub(crate) fn duration(seconds: f64) -> String {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a time in seconds, not negative"
    )]
    let whole = if seconds > 0.0 {
        seconds.min(1e9) as u64
    } else {
        0
    };
    match whole {
        0..60 => format!("{seconds:.1} s"),
        60..3600 => format!("{} min {} s", whole / 60, whole % 60),
        _ => format!("{} h {} min", whole / 3600, whole / 60 % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::{bar, duration};

    #[test]
    fn bars_and_durations_read_well() {
        assert_eq!(bar(0.5), "[============            ]  50 %  ");
        assert_eq!(bar(7.0), "[========================] 100 %  ");
        assert_eq!(duration(5.25), "5.2 s");
        assert_eq!(duration(200.0), "3 min 20 s");
        assert_eq!(duration(3900.0), "1 h 5 min");
    }
}
