//! Broken problem files through the command: exit status 2, one message with its line, one hint, nothing on stdout.
//!
//! The words themselves are snapshots of the library's tests, whose files and messages are used here.

#[cfg(unix)]
mod signal_sizes;
#[cfg(unix)]
mod sizes;

use std::path::PathBuf;
use std::process::{Command, Output};

fn folder() -> PathBuf {
    PathBuf::from(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../rafnet/tests/problem"
    ))
}

/// Name and message of every broken file, as written down.
fn messages() -> Vec<(String, String)> {
    let text = std::fs::read_to_string(folder().join("broken.txt")).expect("the snapshot");
    let entries = text.split("── ").skip(1);
    let pair = |entry: &str| {
        let (name, message) = entry.split_once('\n').expect("a name and a message");
        (name.to_owned(), message.trim_end().to_owned())
    };
    entries.map(pair).collect()
}

/// Solves a file from its own folder, so that messages name it as written down.
fn solve(name: &str, further: &[&str]) -> Output {
    let out = std::env::temp_dir().join(format!("raf-broken-{}", std::process::id()));
    let run = Command::new(env!("CARGO_BIN_EXE_raf"))
        .current_dir(folder().join("broken"))
        .args(["solve", name, "--out"])
        .arg(&out)
        .args(further)
        .output()
        .expect("raf starts");
    assert!(
        !out.exists(),
        "{name}: a folder was made for a run that never was"
    );
    run
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

#[test]
fn every_broken_file_gives_one_message() {
    let messages = messages();
    assert!(messages.len() >= 20, "{} files", messages.len());
    for (name, message) in messages {
        let run = solve(&name, &[]);
        assert_eq!(run.status.code(), Some(2), "{name}");
        assert_eq!(text(&run.stdout), "", "{name}");
        assert_eq!(text(&run.stderr), format!("error: {message}\n"), "{name}");
    }
}

#[test]
fn the_same_as_json() {
    for (name, message) in messages().into_iter().step_by(4) {
        let run = solve(&name, &["--json"]);
        assert_eq!(run.status.code(), Some(2), "{name}");
        let object: serde_json::Value = serde_json::from_str(&text(&run.stdout)).expect("JSON");
        assert_eq!(object["outcome"], "could not run", "{name}");
        let said = object["message"].as_str().expect("a message");
        assert!(message.starts_with(said), "{name}: {said}");
    }
}
