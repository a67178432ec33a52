//! Ctrl-C: the first one asks the running command to save and end, the second ends it at once.

use std::sync::atomic::{AtomicBool, Ordering};

static ASKED: AtomicBool = AtomicBool::new(false);

/// The exit status of an interrupted command.
pub(crate) const STATUS: u8 = 130;

/// Listens from now on.
pub(crate) fn listen() {
    let asked = || {
        if ASKED.swap(true, Ordering::SeqCst) {
            #[expect(clippy::exit, reason = "asked for twice")]
            std::process::exit(i32::from(STATUS));
        }
    };
    // without a handler Ctrl-C ends the command at once, which loses nothing that was written
    let _ = ctrlc::set_handler(asked);
}

/// Whether Ctrl-C was pressed.
pub(crate) fn asked() -> bool {
    ASKED.load(Ordering::SeqCst)
}
