//! `raf build` as a user meets it: keys, files that `raf eval` reads, refusals with exit status 2.

mod evaluated;

use crate::common::raf;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// A folder of its own for each test.
fn folder(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("raf-build-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&path);
    path
}

/// Builds into a folder and gives the one object on stdout.
fn build(out: &Path, arguments: &[&str]) -> Value {
    let mut all = vec!["build"];
    all.extend(arguments);
    let out = out.to_str().expect("UTF-8");
    all.extend(["--json", "--out", out, "--force"]);
    let run = raf(&all);
    let stderr = String::from_utf8_lossy(&run.stderr);
    assert_eq!(run.status.code(), Some(0), "{arguments:?}: {stderr}");
    serde_json::from_slice(&run.stdout).expect("one JSON object")
}

/// What `raf eval` says of the model at points.
fn eval(out: &Path, points: &str) -> Vec<Vec<f64>> {
    let (at, to) = (out.join("points.csv"), out.join("values.csv"));
    std::fs::write(&at, points).expect("points");
    let model = out.join("model.safetensors");
    let paths = [&model, &at, &to].map(|p| p.to_str().expect("UTF-8").to_owned());
    let run = raf(&["eval", &paths[0], "--at", &paths[1], "-o", &paths[2]]);
    assert_eq!(
        run.status.code(),
        Some(0),
        "{}",
        String::from_utf8_lossy(&run.stderr)
    );
    let text = std::fs::read_to_string(&to).expect("values");
    let row = |line: &str| {
        line.split(',')
            .map(|v| v.trim().parse().expect("a number"))
            .collect()
    };
    text.lines().skip(1).map(row).collect()
}

#[test]
fn keys_and_values() {
    let out = folder("keys");
    let found = build(&out, &["polynomial", "x^3*y - 2*x", "--seed", "5"]);
    let keys = [
        "width",
        "depth",
        "parameters",
        "bound",
        "max_error",
        "model",
        "seed",
        "device",
        "precision",
        "version",
        "outcome",
    ];
    for key in keys {
        assert!(!found[key].is_null(), "no `{key}` in {found}");
    }
    assert_eq!(found["outcome"], "done");
    assert_eq!(
        (&found["seed"], &found["bound"]),
        (&Value::from(5), &Value::from(0.0))
    );
    assert!(
        found["max_error"].as_f64().expect("a number")
            <= found["rounding"].as_f64().expect("a number")
    );
    assert!(Path::new(found["model"].as_str().expect("a path")).exists());
    assert_eq!(eval(&out, "x,y\n3,2\n-1,4\n"), [[48.0], [-2.0]]);
    std::fs::remove_dir_all(&out).expect("a folder");
}

#[test]
fn what_stands_beside_the_model() {
    let out = folder("beside");
    let found = build(
        &out,
        &[
            "polynomial",
            "x^2*y + 1",
            "--diagram",
            "--relu-twin",
            "1e-3",
        ],
    );
    assert!(found["relu_twin"]["parameters"].as_u64() > found["parameters"].as_u64());
    let svg = std::fs::read_to_string(out.join("polynomial.svg")).expect("a picture");
    assert!(svg.starts_with("<svg"));
    build(&out, &["monomial", "--powers", "5", "--diagram"]);
    assert!(out.join("monomial.svg").exists());
    build(
        &out,
        &["gabor", "--wave", "3", "--centre", "0", "--sigma", "1"],
    );
    assert!(out.join("complex.json").exists());
    let found = build(&out, &["sine-relu", "piecewise-linear", "exp(x)"]);
    assert_eq!(found["rate"].as_array().map(Vec::len), Some(7));
    let found = build(
        &out,
        &[
            "bandlimited",
            "--density",
            "1/6",
            "--band",
            "3",
            "--terms",
            "64",
            "--seed",
            "3",
        ],
    );
    assert!(found["expected_l2_error"].as_f64() <= found["bound"].as_f64());
    assert_eq!(found["width"], 64);
    let fresh = folder("digits");
    let found = build(&fresh, &["floor-exponential", "sin(3*x)*y", "--width", "7"]);
    assert!(found["model"].is_null() && !fresh.join("model.safetensors").exists());
    assert!(fresh.join("digits.json").exists());
    build(&out, &["square"]);
    let model = out.join("model.safetensors");
    let wide = folder("wide");
    let found = build(&wide, &["expand", model.to_str().expect("UTF-8")]);
    assert_eq!(found["width"], 1);
    assert_eq!(eval(&wide, "x\n3\n"), [[9.0]]);
    for used in [out, fresh, wide] {
        std::fs::remove_dir_all(used).expect("a folder");
    }
}

/// Exit status 2, a message that says what was found and what was expected, and with `--json` the object of two keys.
#[test]
fn nonsense() {
    let out = folder("nonsense");
    let cases: [(&[&str], &str); 17] = [
        (
            &["chebyshev", "exp(x)", "--degree", "-3"],
            "the degree is -3; expected a whole number from 0 to 2048",
        ),
        (&["monomial", "--powers", "2,-1"], "a power is -1"),
        (&["polynomial", "x^-2 + x"], "negative degree"),
        (&["polynomial", "x*foo"], "unknown variable `foo`"),
        (
            &["polynomial", "x*y", "--variables", "x"],
            "unknown variable `y`",
        ),
        (&["polynomial", "x + sin(x)"], "no polynomial"),
        (&["polynomial", "x + ("], "cannot read"),
        (
            &["polynomial", "x^2 + x", "--rows", "1", "--columns", "1"],
            "rows times columns is 1",
        ),
        (&["polynomial", "x^2", "--interval", "1,-1"], "ascending"),
        (
            &["chebyshev", "exp(x)", "--tolerance", "1e-20"],
            "below the rounding of f64",
        ),
        (&["chebyshev", "1/x"], "pole"),
        (&["chebyshev", "1/(x - 0.3)"], "near x = 0.3"),
        (
            &["chebyshev", "1/(1 + 25*x^2)", "--ellipse", "2"],
            "ellipse with parameter 2 is too large",
        ),
        (
            &["floor-exponential", "x*y*z", "--width", "2"],
            "at least the dimension, 3",
        ),
        (&["sine-relu"], "no construction"),
        (&["rbf", "--centre", "0", "--sigma", "-1"], "width is -1"),
        (
            &["dct", "--size", "4", "--frequency", "9"],
            "frequency is 9",
        ),
    ];
    for (arguments, words) in cases {
        let mut all = vec!["build"];
        all.extend(arguments);
        all.extend(["--json", "--out", out.to_str().expect("UTF-8")]);
        let run = raf(&all);
        assert_eq!(run.status.code(), Some(2), "{arguments:?}");
        let object: Value = serde_json::from_slice(&run.stdout).expect("one JSON object");
        assert_eq!(object["outcome"], "could not run");
        let message = object["message"].as_str().expect("a message");
        assert!(message.contains(words), "{arguments:?}: `{message}`");
        let stderr = String::from_utf8_lossy(&run.stderr);
        assert!(stderr.contains("\nhint: "), "{arguments:?}: {stderr}");
    }
    assert!(!out.exists(), "a refusal leaves nothing behind");
}

#[test]
fn a_used_folder_is_refused() {
    let out = folder("used");
    build(&out, &["square"]);
    let run = raf(&["build", "product", "--out", out.to_str().expect("UTF-8")]);
    assert_eq!(run.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&run.stderr).contains("holds another run"));
    std::fs::remove_dir_all(&out).expect("a folder");
}

/// The same seed gives the same file, another seed another one.
#[test]
fn seeds() {
    let out = folder("seeds");
    let bytes = |seed: &str| {
        build(
            &out,
            &[
                "bandlimited",
                "--density",
                "exp(-w^2)",
                "--band",
                "3",
                "--terms",
                "16",
                "--seed",
                seed,
            ],
        );
        std::fs::read(out.join("model.safetensors")).expect("a model")
    };
    assert_eq!(bytes("1"), bytes("1"));
    assert_ne!(bytes("1"), bytes("2"));
    std::fs::remove_dir_all(&out).expect("a folder");
}
