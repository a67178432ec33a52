//! Any text as the table of a `[[data]]`: a problem whose points and values fit together, or a message that stands on its own.
#![no_main]

#[path = "../checks.rs"]
mod checks;
#[path = "../scratch.rs"]
mod scratch;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    if let Some(path) = scratch::written("table.csv", bytes) {
        checks::table(&path, bytes);
    }
});
