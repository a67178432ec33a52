//! What a user of `raf` meets: exit status, stdout and stderr, compared with the files in `tests/snapshots`.
//!
//! `RAF_SNAPSHOTS=write cargo test -p rafnet-cli --test commands cli` writes them anew; read the difference before you keep it.

use crate::common::raf;
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

/// Compares a whole run with its snapshot.
fn snapshot(name: &str, arguments: &[&str]) {
    let run = raf(arguments);
    let found = format!(
        "$ raf {}\nexit status: {}\n--- stdout\n{}--- stderr\n{}",
        arguments.join(" "),
        run.status.code().expect("an exit status"),
        text(&run.stdout),
        text(&run.stderr)
    );
    // the help pads empty lines with spaces
    let found: String = found
        .lines()
        .flat_map(|line| [line.trim_end(), "\n"])
        .collect();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/snapshots/{name}.txt"));
    if std::env::var("RAF_SNAPSHOTS").is_ok_and(|v| v == "write") {
        std::fs::write(&path, &found).expect("a writable snapshot");
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(found, expected, "differs from {}", path.display());
}

/// The one JSON object on stdout.
fn object(run: &Output) -> Value {
    let stdout = text(&run.stdout);
    assert_eq!(
        stdout.trim_end().lines().count(),
        1,
        "one line on stdout: `{stdout}`"
    );
    let value: Value = serde_json::from_str(&stdout).expect("JSON");
    assert!(value.is_object(), "an object: {stdout}");
    value
}

#[test]
fn without_arguments() {
    snapshot("nothing", &[]);
}

#[test]
fn help() {
    snapshot("help", &["--help"]);
}

#[test]
fn bench_help() {
    snapshot("bench-help", &["bench", "--help"]);
}

#[test]
fn export_help() {
    snapshot("export-help", &["export", "--help"]);
}

#[test]
fn export_under_another_ending() {
    let arguments = ["export", "model.safetensors", "--to", "onnx", "-o", "u.png"];
    snapshot("export-ending", &arguments);
}

#[test]
fn solve_help() {
    snapshot("solve-help", &["solve", "--help"]);
}

#[test]
fn fit_help() {
    snapshot("fit-help", &["fit", "--help"]);
}

#[test]
fn fit_of_an_unknown_kind() {
    snapshot("fit-kind", &["fit", "picture.png"]);
}

#[test]
fn render_help() {
    snapshot("render-help", &["render", "--help"]);
}

#[test]
fn demo_help() {
    snapshot("demo-help", &["demo", "--help"]);
}

#[test]
fn ntk_help() {
    snapshot("ntk-help", &["ntk", "--help"]);
}

#[test]
fn new_help() {
    snapshot("new-help", &["new", "--help"]);
}

#[test]
fn eval_help() {
    snapshot("eval-help", &["eval", "--help"]);
}

#[test]
fn plot_help() {
    snapshot("plot-help", &["plot", "--help"]);
}

#[test]
fn unknown_mode() {
    snapshot("unknown-mode", &["ntk", "heat", "--mode", "f16"]);
}

#[test]
fn unknown_command() {
    snapshot("unknown-command", &["bnech"]);
}

#[test]
fn unknown_work() {
    snapshot("unknown-work", &["bench", "--work", "nonsense"]);
}

#[test]
fn no_threads() {
    snapshot("no-threads", &["bench", "--threads", "0"]);
}

#[test]
fn no_steps() {
    snapshot("no-steps", &["bench", "--steps", "0"]);
}

#[test]
fn version() {
    let run = raf(&["--version"]);
    assert_eq!(
        text(&run.stdout),
        format!("raf {}\n", env!("CARGO_PKG_VERSION"))
    );
    assert!(run.status.success() && run.stderr.is_empty());
}

/// A reader that goes away is no failure and no panic.
#[test]
fn closed_pipe() {
    let mut run = Command::new(env!("CARGO_BIN_EXE_raf"))
        .args(["bench", "--threads", "0", "--json"])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("raf starts");
    drop(run.stdout.take());
    let run = run.wait_with_output().expect("raf ends");
    assert_eq!(run.status.code(), Some(2));
    assert!(!text(&run.stderr).contains("panicked"));
}

#[test]
fn bench_as_json() {
    let run = raf(&[
        "bench", "--work", "poisson", "--steps", "1", "--seed", "7", "--json",
    ]);
    assert_eq!(run.status.code(), Some(0), "{}", text(&run.stderr));
    let found = object(&run);
    for key in [
        "works",
        "gemm_gflops_f32",
        "gemm_gflops_f64",
        "seed",
        "device",
        "precision",
        "version",
        "outcome",
    ] {
        assert!(found.get(key).is_some(), "no `{key}` in {found}");
    }
    assert_eq!(found["seed"], 7);
    assert_eq!(found["device"], "cpu");
    assert_eq!(found["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(found["works"].as_array().map(Vec::len), Some(1));
    let work = &found["works"][0];
    assert_eq!(work["work"], "poisson");
    for key in ["seconds_per_step", "gflops", "gemm_share"] {
        assert!(
            work[key].as_f64().is_some_and(|v| v > 0.0),
            "`{key}` in {work}"
        );
    }
    assert!(
        work["peak_rss_mb"].is_null() || work["peak_rss_mb"].as_f64().is_some_and(|v| v > 0.0),
        "`peak_rss_mb` in {work}"
    );
}

#[test]
fn bench_as_table() {
    let run = raf(&["bench", "--work", "poisson", "--steps", "1"]);
    assert_eq!(run.status.code(), Some(0), "{}", text(&run.stderr));
    let table = text(&run.stdout);
    let last = table.lines().last().expect("a row");
    assert!(last.starts_with("poisson") && last.contains('%'), "{table}");
    assert_eq!(table.lines().count(), 4, "{table}");
}

/// The same seed gives the same loss, whatever the number of threads.
#[test]
fn bench_repeats() {
    let loss = |threads: &str| {
        let run = raf(&[
            "bench",
            "--work",
            "poisson",
            "--steps",
            "1",
            "--threads",
            threads,
            "--json",
        ]);
        object(&run)["works"][0]["loss"].clone()
    };
    assert!(loss("1").is_f64());
    assert_eq!(loss("1"), loss("2"));
}

/// An error with `--json`: one object with these two keys and no more, exit status 2.
fn could_not_run(arguments: &[&str]) {
    let run = raf(arguments);
    assert_eq!(run.status.code(), Some(2), "{arguments:?}");
    let found = object(&run);
    assert_eq!(found["outcome"], "could not run", "{arguments:?}");
    assert!(
        found["message"].as_str().is_some_and(|m| m.len() > 10),
        "{arguments:?}: {found}"
    );
    assert_eq!(found.as_object().map(serde_json::Map::len), Some(2));
}

#[test]
fn an_error_as_json() {
    could_not_run(&["bench", "--threads", "0", "--json"]);
}

#[test]
fn a_mistyped_command_as_json() {
    could_not_run(&["bench", "--work", "nonsense", "--json"]);
    could_not_run(&["bench", "--json", "--steps", "0"]);
    could_not_run(&["bench", "--json", "--speed", "3"]);
    could_not_run(&["bnech", "--json"]);
}
