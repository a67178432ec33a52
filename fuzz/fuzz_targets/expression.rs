//! Any text as an expression.
#![no_main]

#[path = "../checks.rs"]
mod checks;

libfuzzer_sys::fuzz_target!(|text: &str| {
    checks::expression(text);
});
