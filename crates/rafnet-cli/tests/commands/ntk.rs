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

/// A trained model at given points: the kernel written is symmetric, its eigenvalues add up to its trace (sums of 4 terms in another
/// order), its cross kernel has a row for each other point; then the run is repeated step by step.
#[test]
fn a_trained_model_and_its_run() {
    let out = folder("trained");
    std::fs::create_dir_all(&out).expect("a folder");
    let run = out.join("run");
    let solved = Command::new(env!("CARGO_BIN_EXE_raf"))
        .args([
            "solve",
            "regression-jump",
            "--method",
            "adam",
            "--steps",
            "5",
        ])
        .args(["--width", "8", "--points", "50", "--json", "--out"])
        .arg(&run)
        .output()
        .expect("raf starts");
    // five steps: a model, and a poor one
    assert_eq!(solved.status.code(), Some(1));
    let (at, theta) = (out.join("at.csv"), out.join("theta.csv"));
    let dimension = rafnet::Problem::builtin("regression-jump").map(|p| p.coordinates.len());
    let dimension = dimension.expect("a problem");
    let rows: Vec<String> = [0.1, 0.2, 0.3, 0.4]
        .map(|x| vec![x.to_string(); dimension].join(","))
        .to_vec();
    std::fs::write(&at, rows.join("\n")).expect("a file");
    let model = run.join("model.safetensors");
    let text = |path: &Path| path.display().to_string();
    let (model, at_text, theta_text) = (text(&model), text(&at), text(&theta));
    let taken = ["regression-jump", "--model", &model, "--at", &at_text];
    let with = |more: &[&str], name: &str| {
        let found = raf(&[&taken[..], more].concat(), &out.join(name));
        assert_eq!(found.status.code(), Some(0), "{more:?}");
        object(&found)
    };
    let found = with(&["--kernel", &theta_text, "--fourier", "3"], "whole");
    assert_eq!(
        (&found["points"], &found["kernel"]),
        (&4.into(), &theta_text.as_str().into())
    );
    let kernel = &found["kernels"][0];
    assert_eq!(kernel["activation"], model.as_str());
    assert_eq!(kernel["fourier"]["rate"].as_array().map(Vec::len), Some(4));
    let matrix = table(&theta);
    let trace: f64 = (0..4).map(|i| matrix[i][i]).sum();
    let values = kernel["eigenvalues"].as_array().expect("a list");
    let sum: f64 = values.iter().filter_map(Value::as_f64).sum();
    assert!((sum - trace).abs() < 1e-12 * trace, "{sum} {trace}");
    assert!((0..16).all(|k| matrix[k / 4][k % 4].to_bits() == matrix[k % 4][k / 4].to_bits()));
    let cross = ["--kernel", &theta_text, "--cross", &at_text];
    with(&cross, "cross");
    let rows = table(&theta);
    assert_eq!((rows.len(), rows[0].len()), (4, 4));

    let run = text(&run);
    let along = object(&raf(&["--along", &run], &out.join("along")));
    let steps: Vec<u64> = along["along"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|m| m["step"].as_u64())
        .collect();
    assert_eq!(steps, [1, 2, 4, 5]);
    assert_eq!(along["error_against"], "exact solution");
    assert!(out.join("along/frequencies.png").exists());
}

/// The numbers of a CSV file below its header.
fn table(path: &Path) -> Vec<Vec<f64>> {
    let text = std::fs::read_to_string(path).expect("a table");
    let row = |line: &str| {
        line.split(',')
            .map(|v| v.parse().expect("a number"))
            .collect()
    };
    text.lines().skip(1).map(row).collect()
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
            &["heat", "--device", "vulkan"],
            "`--device vulkan` cannot be used",
        ),
        (
            &["heat", "--precision", "f32"],
            "`--precision f32` cannot be used",
        ),
        (&["periodic"], "periodic axes"),
        (
            &["heat", "--fourier", "100000"],
            "the highest frequency is 100000",
        ),
        (&["heat", "--at", "nowhere.csv"], "nowhere.csv"),
        (
            &["heat", "--model", "nothing.safetensors"],
            "nothing.safetensors",
        ),
        (&["--along", "nowhere"], "nowhere"),
        (&["--along", "nowhere", "--seed", "3"], "--seed"),
        (
            &["heat", "--kernel", "k.npy", "--seeds", "2"],
            "writes one kernel",
        ),
        (
            &["heat", "--points", "100000", "--mode", "f32-theta"],
            "bytes; at most 8589934592 are taken",
        ),
    ] {
        let run = raf(arguments, &folder("nonsense"));
        assert_eq!(run.status.code(), Some(2), "{arguments:?}");
        let found = object(&run);
        assert_eq!(found["outcome"], "could not run", "{arguments:?}");
        let message = found["message"].as_str().expect("a message");
        assert!(message.contains(expected), "{arguments:?}: {message}");
    }
}
