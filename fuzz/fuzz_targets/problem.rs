//! Any text as a problem file.
#![no_main]

#[path = "../checks.rs"]
mod checks;

libfuzzer_sys::fuzz_target!(|text: &str| {
    checks::problem(text);
});
