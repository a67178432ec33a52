//! Several files, activations and seeds in one call.

use super::{number, object};
use crate::common::{Folder, raf};
use std::path::Path;

/// Activations × seeds: a folder each, a table, a picture; what is finished is not repeated.
#[test]
fn many_runs_are_summarised_and_not_repeated() {
    let folder = Folder::new("many");
    let out = folder.join("all");
    let command = [
        "fit",
        "image",
        "--size",
        "16x12",
        "--grey",
        "--width",
        "8",
        "--depth",
        "2",
        "--steps",
        "20",
        "--activation",
        "psg",
        "--activation",
        "siren-scaled",
        "--seeds",
        "2",
        "--jobs",
        "2",
        "--holdout",
        "grid:2",
        "--out",
        &out,
    ];
    let first = object(&command);
    assert_eq!(first["runs"].as_array().map(Vec::len), Some(4));
    let csv = std::fs::read_to_string(Path::new(&out).join("summary.csv")).expect("the table");
    assert_eq!(csv.lines().count(), 5);
    assert!(csv.starts_with("file,activation,seed,psnr,ssim,psnr_heldout,seconds,parameters\n"));
    assert!(Path::new(&out).join("comparison.png").exists());
    std::fs::remove_file(Path::new(&out).join("image-psg-1/result.json")).expect("a result");
    let second = object(&command);
    assert_eq!(second["runs"][0]["seconds"], first["runs"][0]["seconds"]);
    assert_eq!(second["runs"][1]["psnr"], first["runs"][1]["psnr"]);
}

/// Any text is an activation, and the baselines of others have names: each run is its own, learns, and its model is read again.
#[test]
fn texts_and_baselines_are_activations() {
    let folder = Folder::new("texts");
    let out = folder.join("all");
    let text = "a*sin(b*x) + exp(-abs(x)); b = 30";
    let other = "a*sin(b*x) - exp(-abs(x)); b = 30";
    let names = [text, other, "finer", "wire", "fourier", "gaussian"];
    let mut command = vec![
        "fit", "image", "--size", "16x12", "--width", "24", "--depth", "3", "--steps", "120",
        "--lr", "1e-3", "--out", &out,
    ];
    command.extend(names.iter().flat_map(|name| ["--activation", name]));
    let all = object(&command);
    let runs = all["runs"].as_array().expect("runs");
    for (run, name) in runs.iter().zip(names) {
        assert_eq!(run["activation"], name);
        assert!(number(run, "psnr") > 17.0, "{run}");
        let model = run["model"].as_str().expect("a path");
        let table = folder.join("values.csv");
        let eval = raf(&[
            "eval",
            model,
            "--grid",
            "4x4",
            "--derivatives",
            "laplacian",
            "-o",
            &table,
        ]);
        assert!(eval.status.success(), "{name}");
    }
    assert_ne!(runs[0]["model"], runs[1]["model"]);
    // 3 layers with two names a neuron
    let plain = number(&runs[2], "parameters");
    assert!((number(&runs[0], "parameters") - plain - 3.0 * 24.0 * 2.0).abs() < 0.5);
    let config =
        Path::new(runs[0]["model"].as_str().expect("a path")).with_file_name("config.toml");
    let again = folder.join("again");
    let repeated = object(&["fit", &config.display().to_string(), "--out", &again]);
    assert_eq!(repeated["psnr"], runs[0]["psnr"]);
}

/// Two files of one name in two folders are two runs.
#[test]
fn files_of_one_name_are_kept_apart() {
    let folder = Folder::new("names");
    let paths = ["a", "b"].map(|place| {
        std::fs::create_dir_all(folder.join(place)).expect("a folder");
        folder.join(&format!("{place}/picture.png"))
    });
    for (path, size) in paths.iter().zip([8, 9]) {
        let picture = rafnet_signal::sample::picture(size, 8).expect("a picture");
        picture.save(path).expect("a file");
    }
    let out = folder.join("all");
    let all = object(&[
        "fit", "image", &paths[0], &paths[1], "--width", "8", "--depth", "2", "--steps", "3",
        "--out", &out,
    ]);
    assert_ne!(all["runs"][0]["model"], all["runs"][1]["model"]);
    assert_ne!(all["runs"][0]["psnr"], all["runs"][1]["psnr"]);
}
