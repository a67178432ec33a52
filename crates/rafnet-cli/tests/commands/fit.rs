//! `raf fit` and `raf render`: from a file to a model and back, killed and resumed, many at once, and files that are no signals.

mod hostile;
mod many;
mod refused;
mod resumed;

use crate::common::{Folder, printed, raf};
use rafnet_signal::audio::{Audio, WavFormat};
use rafnet_signal::image::{Channels, Image, Samples};
use rafnet_signal::video::Clip;
use serde_json::Value;
use std::fmt::Write as _;
use std::path::Path;

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
