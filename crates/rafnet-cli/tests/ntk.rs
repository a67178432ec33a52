//! `raf ntk` from the outside: what it reports, where it writes, how it refuses nonsense.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A folder of its own for a test, empty.
fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("ntk-{name}"));
    let _ = std::fs::remove_dir_all(&path);
    path
}

fn raf(arguments: &[&str], out: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_raf"))
        .arg("ntk")
        .args(arguments)
        .args(["--json", "--out"])
        .arg(out)
        .output()
        .expect("raf starts")
}

fn object(run: &Output) -> Value {
    serde_json::from_slice(&run.stdout).expect("one JSON object on stdout")
}

#[test]
fn activations_and_seeds_in_one_call() {
    let out = folder("compared");
    let arguments = [
        "poisson-smooth",
        "--points",
        "20",
        "--width",
        "12",
        "--activation",
        "psg",
        "--activation",
        "poly",
        "--seeds",
        "3",
        "--seed",
        "5",
        "--linearised",
    ];
    let run = raf(&arguments, &out);
    assert_eq!(run.status.code(), Some(0));
    let found = object(&run);
    for (key, expected) in [
        ("outcome", "done"),
        ("device", "cpu"),
        ("precision", "f64"),
        ("mode", "f64-svd"),
        ("way", "singular values of J"),
        ("version", env!("CARGO_PKG_VERSION")),
    ] {
        assert_eq!(found[key], expected, "{key}");
    }
    assert_eq!((&found["seed"], &found["points"]), (&5.into(), &20.into()));
    let kernels = found["kernels"].as_array().expect("a list");
    assert_eq!(kernels.len(), 2);
    for (kernel, name) in kernels.iter().zip(["psg", "poly"]) {
        assert_eq!(kernel["activation"], name);
        let values = kernel["eigenvalues"].as_array().expect("a list");
        let values: Vec<f64> = values.iter().filter_map(Value::as_f64).collect();
        assert!(values.len() == 20 && values.is_sorted_by(|a, b| a >= b));
        let rank = kernel["effective_rank"].as_f64().expect("a number");
        assert!((1.0..=20.0).contains(&rank));
        let range: Vec<f64> = kernel["condition_number_range"]
            .as_array()
            .expect("a pair")
            .iter()
            .filter_map(Value::as_f64)
            .collect();
        let condition = kernel["condition_number"].as_f64().expect("a number");
        assert!((range[0]..=range[1]).contains(&condition));
        let seeds: Vec<u64> = kernel["by_seed"]
            .as_array()
            .expect("a list")
            .iter()
            .filter_map(|s| s["seed"].as_u64())
            .collect();
        assert_eq!(seeds, [5, 6, 7]);
        assert!(kernel["linearised"]["relative_loss"].is_array());
    }
    assert!(out.join("spectrum.png").exists() && out.join("linearised.png").exists());
    let again = raf(&arguments, &out);
    assert_eq!(again.status.code(), Some(2));
    assert!(
        object(&again)["message"]
            .to_string()
            .contains("holds another run")
    );
}

/// The same numbers with another number of threads.
#[test]
fn threads_change_nothing() {
    let found = ["1", "2"].map(|threads| {
        let out = folder(&format!("threads-{threads}"));
        let arguments = [
            "heat",
            "--points",
            "30",
            "--width",
            "8",
            "--threads",
            threads,
        ];
        object(&raf(&arguments, &out))["kernels"].clone()
    });
    assert_eq!(found[0], found[1]);
    let terms = found[0][0]["terms"].as_array().expect("a list");
    assert!(terms.len() > 1 && terms[0]["term"] == "equations");
}

#[test]
fn the_papers_precision() {
    let out = folder("single");
    let arguments = ["poisson-smooth", "--points", "20", "--mode", "f32-theta"];
    let found = object(&raf(&arguments, &out));
    assert_eq!(found["mode"], "f32-theta");
    assert_eq!(found["way"], "eigenvalues of the Gram matrix in f32");
}

#[test]
fn nonsense_is_refused() {
    for (arguments, expected) in [
        (&["poisson-smoth"][..], "poisson-smoth"),
        (&["no-such-file.toml"], "no-such-file.toml"),
        (&["heat", "--points", "0"], "`--points 0` cannot be used"),
        (&["heat", "--points", "-5"], "`--points -5` cannot be used"),
        (
            &["heat", "--points", "1000000"],
            "number of points is 1000000",
        ),
        (&["heat", "--seeds", "0"], "`--seeds 0` cannot be used"),
        (&["heat", "--mode", "f16"], "expected f64-svd or f32-theta"),
        (
            &["heat", "--activation", "rleu"],
            "unknown activation `rleu`",
        ),
        (
            &["heat", "--gaussian-width", "-1"],
            "width of Gaussians is -1",
        ),
        (&["heat", "--width", "1"], "more inputs than neurons"),
        (
            &["heat", "--device", "cuda"],
            "`--device cuda` cannot be used",
        ),
        (
            &["heat", "--precision", "f32"],
            "`--precision f32` cannot be used",
        ),
        (&["periodic"], "periodic axes"),
    ] {
        let run = raf(arguments, &folder("nonsense"));
        assert_eq!(run.status.code(), Some(2), "{arguments:?}");
        let found = object(&run);
        assert_eq!(found["outcome"], "could not run", "{arguments:?}");
        let message = found["message"].as_str().expect("a message");
        assert!(message.contains(expected), "{arguments:?}: {message}");
    }
}
