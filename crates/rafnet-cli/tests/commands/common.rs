//! What the tests of runs share: a folder of their own, and the program itself.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// A folder of the test's own, taken away at the end.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new(name: &str) -> Self {
        static MADE: AtomicUsize = AtomicUsize::new(0);
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let name = format!("raf-test-{name}-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).expect("a folder");
        Self(path)
    }
    pub(crate) fn join(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

pub(crate) fn raf(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_raf"))
        .args(arguments)
        .output()
        .expect("raf starts")
}

/// What a run printed with `--json`.
pub(crate) fn printed(run: &Output) -> Value {
    let text = String::from_utf8_lossy(&run.stdout);
    serde_json::from_str(&text).unwrap_or_else(|e| panic!("{e}: {text}"))
}

/// Waits until a run has written its first checkpoint (or a minute has passed).
pub(crate) fn wait_for_checkpoint(folder: &str) {
    let begun = Instant::now();
    let there = || Path::new(folder).join("checkpoint.safetensors").exists();
    while !there() && begun.elapsed() < Duration::from_mins(1) {
        std::thread::sleep(Duration::from_millis(1));
    }
}
