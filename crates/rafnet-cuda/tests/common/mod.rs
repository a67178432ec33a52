//! What tests of this crate share.

use std::io::Write;

/// Says that the running test left something out: on stderr, and in the file that `RAFNET_SKIPPED` names.
pub(crate) fn skipped(what: &str) {
    let thread = std::thread::current();
    let line = format!("{}: {what}\n", thread.name().unwrap_or("a test"));
    let mut stderr = std::io::stderr();
    let _ = stderr.write_all(format!("skipped: {line}").as_bytes());
    if let Some(path) = std::env::var_os("RAFNET_SKIPPED") {
        let file = std::fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(path);
        let written = file.and_then(|mut file| file.write_all(line.as_bytes()));
        assert!(
            written.is_ok(),
            "RAFNET_SKIPPED cannot be written: {written:?}"
        );
    }
}
