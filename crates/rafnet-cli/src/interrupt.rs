//! Ctrl-C, and being told to end by the system: the first time the running command is asked to save and end, the second time it
//! ends at once.
//!
//! | signal | exit status |
//! |---|---|
//! | SIGINT (Ctrl-C) | 130 |
//! | SIGTERM (`kill`, a batch system at its time limit) | 143 |
//! | SIGHUP (the terminal is gone; not under `nohup`) | 129 |

#[cfg(unix)]
use std::sync::Arc;
#[cfg(unix)]
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The exit status of a command that Ctrl-C ended.
const CTRL_C: u8 = 130;

/// The number of the signal that came; 0 before.
#[cfg(unix)]
static CAME: OnceLock<Arc<AtomicUsize>> = OnceLock::new();
#[cfg(not(unix))]
static CAME: AtomicUsize = AtomicUsize::new(0);

/// Listens from now on.
#[cfg(unix)]
pub(crate) fn listen() {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::flag;
    use std::sync::atomic::AtomicBool;

    CAME.get_or_init(|| {
        let (asked, came) = (
            Arc::new(AtomicBool::new(false)),
            Arc::new(AtomicUsize::new(0)),
        );
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            if signal == SIGHUP && is_hangup_ignored() {
                continue;
            }
            let number = usize::try_from(signal).unwrap_or(0);
            // in this order: the first signal finds nothing asked yet. Without a handler a signal ends the command at once,
            // which loses nothing that was written
            let _ = flag::register_conditional_shutdown(signal, 128 + signal, asked.clone());
            let _ = flag::register(signal, asked.clone());
            let _ = flag::register_usize(signal, came.clone(), number);
        }
        came
    });
}

/// Whether the command was started with `nohup`: the mask of ignored signals, whose first bit is SIGHUP. Systems without this
/// file are taken to mean no.
#[cfg(unix)]
fn is_hangup_ignored() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|l| l.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|m| u64::from_str_radix(m.trim(), 16).ok());
    mask.is_some_and(|mask| mask & 1 == 1)
}

/// Listens from now on.
#[cfg(not(unix))]
pub(crate) fn listen() {
    let asked = || {
        if CAME.swap(usize::from(CTRL_C - 128), Ordering::SeqCst) != 0 {
            #[expect(clippy::exit, reason = "asked for twice")]
            std::process::exit(i32::from(CTRL_C));
        }
    };
    let _ = ctrlc::set_handler(asked);
}

fn came() -> usize {
    #[cfg(unix)]
    return CAME.get().map_or(0, |came| came.load(Ordering::SeqCst));
    #[cfg(not(unix))]
    CAME.load(Ordering::SeqCst)
}

/// Whether the command was asked to end.
pub(crate) fn asked() -> bool {
    came() != 0
}

/// The exit status of an interrupted command.
pub(crate) fn status() -> u8 {
    match came() {
        0 => CTRL_C,
        signal => u8::try_from(128 + signal).unwrap_or(CTRL_C),
    }
}
