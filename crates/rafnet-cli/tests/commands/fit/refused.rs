//! What cannot be fitted, and what hardly can.

use super::{number, object};
use crate::common::{Folder, raf};
use rafnet_signal::audio::{Audio, WavFormat};
use rafnet_signal::image::{Channels, Image, Samples};
use std::path::Path;

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
        &["fit", "image", "--device", "vulkan"],
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

/// A run that is repeated is one run, of options that there are, each of which can be changed once.
#[test]
fn what_a_config_cannot_say() {
    let folder = Folder::new("fit-config");
    let (first, second) = (folder.join("first"), folder.join("second"));
    let mut fit = vec!["fit", "image", "--holdout", "grid:2", "--out", &first];
    fit.extend("--size 12x10 --width 8 --depth 2 --steps 20".split(' '));
    assert!(raf(&fit).status.success());
    let config = format!("{first}/config.toml");
    let again = raf(&["fit", &config, "--seeds", "2"]);
    let said = String::from_utf8_lossy(&again.stderr);
    assert!(
        said.contains("is one run, and several are asked for"),
        "{said}"
    );
    let changed = ["--holdout", "grid:3", "--activation", "sine"];
    let changed = [&["fit", &config, "--out", &second][..], &changed].concat();
    assert!(raf(&changed).status.success());
    let text = std::fs::read_to_string(format!("{second}/config.toml")).expect("a config");
    assert!(text.contains("activation = \"sine\""), "{text}");
    assert_eq!(text.matches("holdout").count(), 1, "{text}");
    std::fs::write(&config, text + "widht = \"3\"\n").expect("a config");
    let said = String::from_utf8_lossy(&raf(&["fit", &config]).stderr).into_owned();
    assert!(said.contains("`widht` is no option of a fit"), "{said}");
}
