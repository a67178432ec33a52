//! Fits in hostile hands: results of other options, tables that make no model, odd names, options that mean nothing.

use super::{number, object};
use crate::common::{Folder, raf};
use rafnet_signal::sample;
use std::path::Path;
use std::process::Output;

fn err(run: &Output) -> String {
    String::from_utf8_lossy(&run.stderr).into_owned()
}

fn refused(command: &[&str], message: &str, hint: &str) {
    let run = raf(command);
    let said = err(&run);
    assert_eq!(run.status.code(), Some(2), "{command:?}\n{said}");
    assert!(said.contains(message), "{command:?}\n{said}");
    let given = said.split_once("hint: ").map_or("", |(_, hint)| hint);
    assert!(given.contains(hint), "{command:?}\n{said}");
}

/// `--lr 1e-5` after `--lr 1e-3` printed the numbers of the first, and so did another picture of the same name.
#[test]
fn results_of_other_options_are_not_taken_for_these() {
    let folder = Folder::new("stale");
    let (picture, out) = (folder.join("p.png"), folder.join("all"));
    let draw = |size: usize| sample::picture(size, 8).and_then(|p| p.save(&picture));
    draw(8).expect("a picture");
    let command = |lr: &'static str| {
        vec![
            "fit", "image", &picture, "--width", "8", "--depth", "1", "--steps", "4", "--seeds",
            "2", "--out", &out, "--lr", lr,
        ]
    };
    let first = object(&command("1e-3"));
    let seconds = |all: &serde_json::Value| number(&all["runs"][1], "seconds").to_bits();
    let repeated = object(&[&command("1e-3")[..], &["--checkpoint", "9"]].concat());
    assert_eq!(seconds(&repeated), seconds(&first), "run again for nothing");
    refused(
        &command("1e-5"),
        "holds another run: `--lr 0.001`, not `--lr 1e-5`",
        "--force",
    );
    let forced = object(&[&command("1e-5")[..], &["--force"]].concat());
    assert_ne!(forced["runs"][0]["psnr"], first["runs"][0]["psnr"]);
    draw(9).expect("another picture");
    refused(&command("1e-5"), "other content of the file", "--out");
    // one that was not finished is gone on with as itself only
    draw(8).expect("the first picture");
    let result = Path::new(&out).join("p-usual-0/result.json");
    std::fs::remove_file(&result).expect("a result");
    refused(&command("1e-3"), "`--lr 1e-5`, not `--lr 0.001`", "--force");
    assert_eq!(
        object(&command("1e-5"))["runs"][0]["psnr"],
        forced["runs"][0]["psnr"]
    );
}

/// A table was trained to the end before its names were refused, with a hint about `--lr`.
#[test]
fn tables_that_make_no_model_are_refused_before_the_first_step() {
    let folder = Folder::new("tables");
    let (path, out) = (folder.join("t.csv"), folder.join("run"));
    let command = ["fit", "table", &path, "--steps", "100000000", "--out", &out];
    for (text, message, hint) in [
        ("my col,u\n1,2\n3,4\n", "`my col` of", "--inputs"),
        ("x,x,u\n1,2,3\n4,5,7\n", "are called `x`", "--inputs"),
        ("x,,u\n1,2,3\n4,5,7\n", "has no name", "first line"),
        ("1,2,3\n4,5,6\n", "has no header", "x,y,u"),
        ("x,x\n1,2\n3,4\n", "are called `x`", "--outputs"),
        ("x,u\n0,1e300\n1,-1e300\n2,0\n", "`u` of", "logarithm"),
        ("x,u\n-1.7e308,1\n1.7e308,2\n", "`x` of", "logarithm"),
    ] {
        std::fs::write(&path, text).expect("a table");
        refused(&command, message, hint);
        assert!(!Path::new(&out).exists(), "{text}");
    }
    // other columns of the same table can be fitted
    std::fs::write(&path, "my col,x,u\n1,2,3\n4,5,7\n").expect("a table");
    let chosen = [
        "fit", "table", &path, "--inputs", "x", "--steps", "3", "--out", &out,
    ];
    object(&chosen);
}

/// `--inputs` and `--mono` were ignored for pictures.
#[test]
fn options_that_mean_nothing_are_refused() {
    let folder = Folder::new("nothing");
    let video = folder.join("frames");
    std::fs::create_dir_all(&video).expect("a folder");
    let frame = sample::picture(4, 4).and_then(|p| p.save(folder.join("frames/1.png")));
    frame.expect("a frame");
    for (command, message, hint) in [
        (
            &["image", "--inputs", "x"][..],
            "`--inputs x` names the input columns",
            "raf fit table",
        ),
        (
            &["image", "--outputs", "x"],
            "this is an image",
            "raf fit table",
        ),
        (
            &["image", "--mono"],
            "`--mono` takes the mean of a sound",
            "raf fit audio --mono",
        ),
        (
            &["audio", "--grey"],
            "this is a sound",
            "raf fit image --grey",
        ),
        (&["audio", "--colour"], "`--colour`", "raf fit image"),
        (&["audio", "--size", "8x8"], "`--size 8x8`", "raf fit image"),
        (
            &["audio", "--displaced", "0.5"],
            "`--displaced 0.5`",
            "raf fit image",
        ),
        (
            &["video", &video, "--size", "8x8"],
            "a video from a file",
            "leave it out",
        ),
        (
            &["image", "--mono", "--seeds", "2"],
            "`--mono`",
            "raf fit audio",
        ),
    ] {
        let out = folder.join("run");
        refused(
            &[&["fit"], command, &["--out", &out]].concat(),
            message,
            hint,
        );
        assert!(!Path::new(&out).exists());
    }
}

/// A picture whose name is not UTF-8 could not be repeated from its own `config.toml`.
#[cfg(target_os = "linux")]
#[test]
fn a_name_that_is_not_utf8_is_repeated() {
    use std::os::unix::ffi::OsStrExt;
    let folder = Folder::new("latin");
    let plain = folder.join("plain.png");
    sample::picture(8, 8)
        .and_then(|p| p.save(&plain))
        .expect("a picture");
    let name = [folder.join("").as_bytes(), b"caf\xe9 100%.png"].concat();
    let odd = Path::new(std::ffi::OsStr::from_bytes(&name));
    std::fs::rename(&plain, odd).expect("a picture");
    let [first, second] = ["first", "second"].map(|n| folder.join(n));
    let run = std::process::Command::new(env!("CARGO_BIN_EXE_raf"))
        .args(["fit", "image"])
        .arg(odd)
        .args([
            "--width", "8", "--depth", "1", "--steps", "3", "--out", &first,
        ])
        .output()
        .expect("raf starts");
    assert!(run.status.success(), "{}", err(&run));
    object(&["fit", &format!("{first}/config.toml"), "--out", &second]);
    let model = |run: &str| std::fs::read(format!("{run}/model.safetensors")).expect("a model");
    assert!(model(&first) == model(&second), "another run");
}
