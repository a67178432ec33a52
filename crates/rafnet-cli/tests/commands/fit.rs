//! `raf fit` and `raf render`: from a file to a model and back, killed and resumed, many at once, and files that are no signals.

mod hostile;

use crate::common::{Folder, printed, raf, wait_for_checkpoint};
use rafnet_signal::audio::{Audio, WavFormat};
use rafnet_signal::image::{Channels, Image, Samples};
use rafnet_signal::video::Clip;
use serde_json::Value;
use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// One that must succeed, with `--json`.
fn object(arguments: &[&str]) -> Value {
    let run = raf(&[arguments, &["--json"]].concat());
    let (out, err) = (
        String::from_utf8_lossy(&run.stdout),
        String::from_utf8_lossy(&run.stderr),
    );
    assert!(run.status.success(), "{arguments:?}\n{out}{err}");
    printed(&run)
}

fn number(object: &Value, key: &str) -> f64 {
    object[key]
        .as_f64()
        .unwrap_or_else(|| panic!("{key} in {object}"))
}

const SMALL: [&str; 10] = [
    "--size", "24x20", "--width", "48", "--depth", "3", "--steps", "1500", "--lr", "1e-3",
];

/// A picture becomes a network that gives its steps back, bit for bit, at its own size, and is smooth in between.
#[test]
fn a_small_picture_is_reproduced_bit_for_bit() {
    let folder = Folder::new("lossless");
    let (run, out) = (folder.join("run"), folder.join("again.png"));
    let fit = object(&[&["fit", "image", "--colour", "--out", &run][..], &SMALL].concat());
    assert_eq!(fit["lossless"], true, "{fit}");
    assert!(number(&fit, "psnr") > 60.0 && number(&fit, "ssim") > 0.999);
    let model = fit["model"].as_str().expect("a path").to_owned();
    object(&["render", &model, "-o", &out]);
    let target = Image::open(Path::new(&run).join("target.png")).expect("the target");
    assert_eq!(Image::open(&out).expect("the render"), target);
    assert_eq!(
        Image::open(Path::new(&run).join("fit.png")).expect("the fit"),
        target
    );
    for name in ["error.png", "training.png", "config.toml", "metrics.jsonl"] {
        assert!(Path::new(&run).join(name).exists(), "{name}");
    }
    // every second pixel of a render at nearly twice the size is a pixel of the picture
    let twice = folder.join("twice.png");
    object(&["render", &model, "--size", "47x39", "-o", &twice]);
    let twice = Image::open(&twice).expect("the render");
    for (i, j) in [(0, 0), (3, 7), (19, 23)] {
        let at = |image: &Image, i: usize, j: usize| image.target_at((i * image.width() + j) * 3);
        assert_eq!(
            at(&twice, 2 * i, 2 * j).to_bits(),
            at(&target, i, j).to_bits(),
            "({i}, {j})"
        );
    }
    let detail = folder.join("detail.npy");
    let shape = object(&["render", &model, "--region", "4,5,9,7", "-o", &detail]);
    assert_eq!(shape["shape"], "6 x 3");
    for quantity in ["gradient", "laplacian"] {
        object(&[
            "render",
            &model,
            "--quantity",
            quantity,
            "-o",
            &folder.join("d.png"),
        ]);
    }
}

/// The network's gradient is that of the picture: central differences of a fit to derivatives rebuild it.
#[test]
fn a_picture_from_its_gradient() {
    let folder = Folder::new("gradient");
    let (path, run) = (folder.join("hill.png"), folder.join("run"));
    let step = |k: usize| {
        let (i, j) = ((k / 24) as f64 / 23.0, (k % 24) as f64 / 23.0);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "0 to 255"
        )]
        let step = (60.0 + 120.0 * (3.0 * i).sin() * (1.0 - j * j)) as u8;
        step
    };
    let hill = Image::new(
        24,
        24,
        Channels::Grey,
        Samples::Eight((0..576).map(step).collect()),
    );
    hill.and_then(|h| h.save(&path)).expect("a picture");
    let fit = object(&[
        "fit",
        "image",
        &path,
        "--supervise",
        "gradient",
        "--activation",
        "tanh",
        "--width",
        "32",
        "--depth",
        "2",
        "--steps",
        "1500",
        "--lr",
        "5e-3",
        "--batch",
        "all",
        "--out",
        &run,
    ]);
    assert!(number(&fit, "psnr") > 35.0, "{fit}");
}

/// Sounds at another rate, a table with its own units.
#[test]
fn sounds_and_tables() {
    let folder = Folder::new("sound");
    let (wav, run, out) = (
        folder.join("tone.wav"),
        folder.join("run"),
        folder.join("fine.wav"),
    );
    let tone: Vec<f64> = (0..800)
        .map(|k| 0.4 * (f64::from(k) * 0.05).sin())
        .collect();
    Audio::new(8_000, 1, tone.clone())
        .and_then(|a| a.save(&wav, WavFormat::F32))
        .expect("a sound");
    let fit = object(&[
        "fit", "audio", &wav, "--width", "32", "--depth", "2", "--steps", "400", "--lr", "1e-3",
        "--out", &run,
    ]);
    assert!(number(&fit, "mse") < 1e-3, "{fit}");
    object(&[
        "render",
        fit["model"].as_str().expect("a path"),
        "--rate",
        "16000",
        "-o",
        &out,
    ]);
    let fine = Audio::open(&out).expect("the render");
    assert_eq!((fine.rate(), fine.samples().len()), (16_000, 1_600));
    let middle = fine.samples()[800] - 0.4 * (799.0 * 800.0 / 1599.0 * 0.05f64).sin();
    assert!(middle.abs() < 0.05, "{middle}");

    let csv = folder.join("plane.csv");
    let mut rows = String::new();
    for k in 0..200 {
        let (a, b) = (f64::from(k % 20) * 50.0, f64::from(k / 20) * 0.01);
        let _ = writeln!(rows, "{a},{b},{}", 1000.0 + 2.0 * a - 3000.0 * b);
    }
    std::fs::write(&csv, format!("a,b,u\n{rows}")).expect("a table");
    let table = object(&[
        "fit",
        "table",
        &csv,
        "--steps",
        "1500",
        "--width",
        "16",
        "--depth",
        "2",
        "--batch",
        "all",
        "--holdout",
        "random:0.2",
        "--out",
        &folder.join("table"),
    ]);
    assert!(
        number(&table, "mse") < 1e-3 && number(&table, "mse_heldout") < 3e-3,
        "{table}"
    );
    assert_eq!(table["psnr"], Value::Null);
    let (at, values) = (folder.join("at.csv"), folder.join("values.csv"));
    std::fs::write(&at, "a,b\n500,0.05\n").expect("points");
    object(&[
        "eval",
        table["model"].as_str().expect("a path"),
        "--at",
        &at,
        "-o",
        &values,
    ]);
    let text = std::fs::read_to_string(&values).expect("values");
    let found: f64 = text
        .lines()
        .nth(1)
        .and_then(|l| l.trim().parse().ok())
        .expect("a number");
    assert!((found - 1850.0).abs() < 60.0, "{found}");
}

/// A video is fitted in part, far better than by a network that was not trained, rendered in whole, and read back.
#[test]
fn a_video_plays_again() {
    let folder = Folder::new("video");
    let fitted = |name: &str, training: [&str; 4]| {
        let setting = [
            "fit", "video", "--size", "16x12", "--width", "24", "--depth", "2", "--batch", "512",
        ];
        object(&[&setting[..], &training, &["--out", &folder.join(name)]].concat())
    };
    let untrained = fitted("untrained", ["--steps", "1", "--lr", "1e-12"]);
    let fit = fitted("run", ["--steps", "60", "--lr", "3e-3"]);
    let gained = number(&fit, "psnr_frames") - number(&untrained, "psnr_frames");
    assert!(gained > 4.0, "{gained} dB gained: {fit}");
    for name in ["out.mp4", "out.gif"] {
        let out = folder.join(name);
        object(&[
            "render",
            fit["model"].as_str().expect("a path"),
            "--frames",
            "7",
            "-o",
            &out,
        ]);
        assert_eq!(Clip::open(&out).expect("a video").sizes(), [7, 12, 16]);
    }
}

/// Killed at several moments and resumed, a run ends in the bits of the unbroken one; so does its own `config.toml`.
#[test]
fn killed_fits_resume_to_the_same_bits() {
    let folder = Folder::new("killed");
    let setting = [
        "fit",
        "image",
        "--size",
        "40x30",
        "--width",
        "24",
        "--depth",
        "3",
        "--steps",
        "1200",
        "--batch",
        "256",
        "--holdout",
        "grid:2",
        "--lr",
        "1e-4",
        "--checkpoint",
        "0.02",
    ];
    let whole = folder.join("whole");
    object(&[&setting[..], &["--out", &whole]].concat());
    let bytes =
        |run: &str| std::fs::read(Path::new(run).join("model.safetensors")).expect("a model");
    let lines = |run: &str| {
        let text = std::fs::read_to_string(Path::new(run).join("metrics.jsonl")).expect("metrics");
        let step = |l: &str| {
            serde_json::from_str::<Value>(l)
                .ok()
                .and_then(|r| r["step"].as_u64())
        };
        text.lines().filter_map(step).collect::<Vec<u64>>()
    };
    assert_eq!(lines(&whole), (1..=1200).collect::<Vec<u64>>());
    let broken = folder.join("broken");
    for (round, wait) in [3u64, 47, 90, 11].into_iter().enumerate() {
        let mut command = Command::new(env!("CARGO_BIN_EXE_raf"));
        if round == 0 {
            command.args(setting).args(["--out", &broken]);
        } else {
            command.args(["fit", "--resume", &broken]);
        }
        let mut child = command
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("raf starts");
        wait_for_checkpoint(&broken);
        std::thread::sleep(Duration::from_millis(wait));
        let _ = child.kill();
        let _ = child.wait();
    }
    object(&["fit", "--resume", &broken]);
    assert!(
        bytes(&broken) == bytes(&whole),
        "the resumed run ends elsewhere"
    );
    assert_eq!(lines(&broken), lines(&whole));
    let again = folder.join("again");
    let config = Path::new(&whole).join("config.toml").display().to_string();
    object(&["fit", &config, "--threads", "1", "--out", &again]);
    assert!(
        bytes(&again) == bytes(&whole),
        "the repeated run ends elsewhere"
    );
}

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

/// Both channels of a sound are fitted and rendered; `--mono` takes their mean; the dB of the steps are those of the end.
#[test]
fn both_channels_of_a_sound() {
    let folder = Folder::new("stereo");
    let path = folder.join("two.wav");
    let moments = (0..400u16).map(|k| f64::from(k) * 0.05);
    let samples = moments.flat_map(|t| [0.4 * t.sin(), 0.2 * (0.7 * t).cos()]);
    let sound = Audio::new(8000, 2, samples.collect()).expect("a sound");
    sound.save(&path, WavFormat::F32).expect("a file");
    let settings = [
        "--width", "32", "--depth", "2", "--steps", "400", "--lr", "1e-3", "--batch", "all",
        "--target", "35",
    ];
    let run = folder.join("run");
    let fit = object(&[&["fit", "audio", &path, "--out", &run][..], &settings].concat());
    assert!((number(&fit, "psnr") - 35.0).abs() < 3.0, "{fit}");
    let out = folder.join("again.wav");
    object(&["render", fit["model"].as_str().expect("a path"), "-o", &out]);
    let again = Audio::open(&out).expect("a sound");
    assert_eq!((again.n_channels(), again.n_moments()), (2, 400));
    let pairs = again.samples().iter().zip(sound.samples());
    let square: f64 = pairs.map(|(a, b)| (a - b).powi(2)).sum::<f64>() / 800.0;
    // dB over the range of ±0.4
    let expected = 10.0 * (0.8f64.powi(2) / square).log10();
    assert!(
        (expected - number(&fit, "psnr")).abs() < 0.1,
        "{expected} {fit}"
    );
    let mono = folder.join("mono");
    let fit = object(
        &[
            &["fit", "audio", &path, "--mono", "--out", &mono][..],
            &settings,
        ]
        .concat(),
    );
    object(&["render", fit["model"].as_str().expect("a path"), "-o", &out]);
    assert_eq!(Audio::open(&out).expect("a sound").n_channels(), 1);
}

/// Files that are no signals, and options that make no sense: exit status 2, a message and a hint, no folder left.
#[test]
fn what_cannot_be_fitted_is_said() {
    let folder = Folder::new("refused");
    let [empty, text, missing, out] =
        ["empty.png", "text.png", "missing.png", "run"].map(|n| folder.join(n));
    std::fs::write(&empty, "").expect("a file");
    std::fs::write(&text, "not a picture at all").expect("a file");
    let truncated = folder.join("truncated.png");
    let whole = rafnet_signal::sample::picture(20, 20).expect("a picture");
    whole.save(&truncated).expect("a file");
    let bytes = std::fs::read(&truncated).expect("bytes");
    std::fs::write(&truncated, &bytes[..bytes.len() / 2]).expect("a file");
    let cases: &[&[&str]] = &[
        &["fit", "image", &empty],
        &["fit", "image", &text],
        &["fit", "image", &missing],
        &["fit", "image", &truncated],
        &["fit", "audio", &text],
        &["fit", "video", &text],
        &["fit", "table", &text],
        &["fit", "table"],
        &["fit", "picture"],
        &["fit", "image", "--activation", "sinus"],
        &["fit", "image", "--activation", "a*sinn(b*x)"],
        &["fit", "image", "--activation", "a + 2"],
        &["fit", "image", "--activation", "a*x; c = 2"],
        &["fit", "image", "--optimiser", "sgd"],
        &["fit", "image", "--displaced", "2"],
        &["fit", "image", "--holdout", "grid:1"],
        &["fit", "image", "--holdout", "half"],
        &["fit", "image", "--size", "0x5"],
        &["fit", "image", "--steps", "-3"],
        &["fit", "image", "--lr", "nan"],
        &["fit", "image", "--device", "cuda"],
        &["fit", "audio", "--supervise", "gradient"],
        &[
            "fit",
            "image",
            "--size",
            "1x1",
            "--holdout",
            "random:0.99",
            "--seed",
            "5",
        ],
        &["fit", "--resume", &missing],
        &["render", &text, "-o", "x.png"],
    ];
    for case in cases {
        let run = raf(
            &[case, &["--out", &out][..]].concat()[..if case[0] == "render" || case[1] == "--resume"
            {
                case.len()
            } else {
                case.len() + 2
            }],
        );
        let err = String::from_utf8_lossy(&run.stderr).into_owned();
        assert_eq!(run.status.code(), Some(2), "{case:?}\n{err}");
        assert!(
            err.contains("error:") && !err.contains("panicked"),
            "{case:?}\n{err}"
        );
        assert!(
            !Path::new(&out).join("model.safetensors").exists(),
            "{case:?}"
        );
    }
}

/// One pixel, one colour, silence: nothing to divide by, and a right answer.
#[test]
fn signals_without_content() {
    let folder = Folder::new("flat");
    let [flat, silent] = ["flat.png", "silent.wav"].map(|n| folder.join(n));
    let grey = Image::new(9, 8, Channels::Grey, Samples::Eight(vec![77; 72]));
    grey.and_then(|g| g.save(&flat)).expect("a picture");
    Audio::new(8_000, 1, vec![0.0; 50])
        .and_then(|a| a.save(&silent, WavFormat::I16))
        .expect("a sound");
    let small = [
        "--width", "16", "--depth", "2", "--steps", "600", "--lr", "1e-3",
    ];
    for (k, case) in [
        ["fit", "image", &flat],
        ["fit", "audio", &silent],
        ["fit", "image", "--size=1x1"],
        ["fit", "image", "--size=1x9"],
    ]
    .iter()
    .enumerate()
    {
        let fit = object(
            &[
                &case[..],
                &small,
                &["--out", &folder.join(&format!("run{k}"))],
            ]
            .concat(),
        );
        assert!(number(&fit, "mse") < 1e-3, "{case:?}: {fit}");
    }
}
