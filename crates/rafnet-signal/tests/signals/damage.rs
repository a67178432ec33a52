//! Whatever is in a file, a reader answers with data or with one clear error.

use crate::folder::{Folder, golden};
use rafnet_signal::audio::{Audio, WavFormat};
use rafnet_signal::image::Image;
use rafnet_signal::table::npy::Array;
use rafnet_signal::video::Clip;
use rafnet_signal::{Error, sample};
use std::path::Path;

/// Reads a file as the kind that its name says.
fn read(name: &str, bytes: &[u8], scratch: &Path) -> Result<(), Error> {
    match name.rsplit_once('.').unwrap().1 {
        "png" | "jpg" => Image::from_bytes(bytes).map(drop),
        "wav" => Audio::from_bytes(bytes).map(drop),
        "npy" => Array::from_bytes(bytes).map(drop),
        _ => {
            std::fs::write(scratch, bytes).unwrap();
            Clip::open(scratch).map(drop)
        }
    }
}

const SMALL: [&str; 21] = [
    "resize_l.png",
    "resize_la.png",
    "resize_rgba.png",
    "resize_i16.png",
    "rgb16.png",
    "interlaced.png",
    "palette_alpha.png",
    "one_bit.png",
    "colour.jpg",
    "progressive.jpg",
    "grey.jpg",
    "preview.jpg",
    "animated.png",
    "f64.wav",
    "stereo_i16.wav",
    "u8.wav",
    "array_f8.npy",
    "array_version2.npy",
    "array_fortran.npy",
    "disposal_2.gif",
    "disposal_3.gif",
];

/// All names to be tried, the videos among them if they can be read.
fn names() -> Vec<&'static str> {
    let mut names = SMALL.to_vec();
    if cfg!(feature = "video") {
        names.extend(["high.mp4", "baseline.mp4"]);
    }
    names
}

/// Every one with the checks of a build for tests, every seventh in one for use.
#[test]
fn every_truncation_is_an_error() {
    let apart = if cfg!(debug_assertions) { 1 } else { 7 };
    let folder = Folder::new();
    let scratch = folder.path("cut");
    for name in names() {
        let whole = std::fs::read(golden(name)).unwrap();
        read(name, &whole, &scratch).unwrap();
        for length in (0..whole.len()).step_by(apart) {
            let outcome = read(name, &whole[..length], &scratch);
            let error = outcome.err().unwrap_or_else(|| {
                panic!("{name} was read from {length} of {} bytes", whole.len())
            });
            let text = error.to_string();
            assert!(
                text.len() > 20 && !text.contains('\n'),
                "{name} cut at {length}: {text}"
            );
        }
    }
}

#[test]
fn altered_files_never_panic() {
    let folder = Folder::new();
    let scratch = folder.path("altered");
    // a small generator of its own, so that a failure can be repeated
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut draw = |n: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state % n as u64).unwrap()
    };
    for name in names() {
        let whole = std::fs::read(golden(name)).unwrap();
        for round in 0..400 {
            let mut bytes = whole.clone();
            for _ in 0..=round % 4 {
                let at = draw(bytes.len());
                bytes[at] = match draw(4) {
                    0 => 0,
                    1 => 255,
                    2 => bytes[at] ^ 1 << draw(8),
                    _ => u8::try_from(draw(256)).unwrap(),
                };
            }
            // most of these are errors, some are not; neither may panic
            let _ = read(name, &bytes, &scratch);
        }
    }
}

#[test]
fn foreign_files_are_named() {
    let folder = Folder::new();
    let scratch = folder.path("foreign");
    sample::chord(8000, 0.01)
        .unwrap()
        .save(folder.path("s.wav"), WavFormat::F32)
        .unwrap();
    let sound = std::fs::read(folder.path("s.wav")).unwrap();
    let picture = std::fs::read(golden("resize_l.png")).unwrap();
    for (kind, bytes, found) in [
        (
            "a.png",
            &sound,
            "this is not a PNG or JPEG picture: the file begins with the mark of a WAV sound; convert the picture to PNG",
        ),
        (
            "a.wav",
            &picture,
            "this is not a WAV sound: the file begins with the mark of a PNG picture; convert the sound to WAV",
        ),
        (
            "a.npy",
            &picture,
            "this is not a NumPy array (.npy): the file begins with the mark of a PNG picture",
        ),
        (
            "a.mp4",
            &picture,
            "this is not an MP4 or GIF video: the file begins with the mark of a PNG picture",
        ),
        ("a.png", &b"hello".to_vec(), "the bytes 68 65 6c 6c 6f"),
    ] {
        let error = read(kind, bytes, &scratch).unwrap_err().to_string();
        assert!(error.contains(found), "{error}");
    }
}

#[test]
fn an_empty_file_and_a_missing_file_are_told_apart() {
    let folder = Folder::new();
    let path = folder.path("empty");
    std::fs::write(&path, b"").unwrap();
    for error in [
        Image::open(&path).err().unwrap(),
        Audio::open(&path).err().unwrap(),
        Array::open(&path).err().unwrap(),
        Clip::open(&path).err().unwrap(),
    ] {
        assert!(error.to_string().contains("the file is empty"), "{error}");
    }
    let missing = folder.path("missing");
    for error in [
        Image::open(&missing).err().unwrap(),
        Audio::open(&missing).err().unwrap(),
        Array::open(&missing).err().unwrap(),
        Clip::open(&missing).err().unwrap(),
    ] {
        assert!(error.to_string().starts_with("cannot read"), "{error}");
    }
}

#[test]
fn a_header_that_promises_too_much_asks_for_no_memory() {
    // a PNG of 2³¹ − 1 pixels a side in 100 bytes
    let mut png = std::fs::read(golden("resize_l.png")).unwrap();
    png[16..24].copy_from_slice(&[0x7f, 0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff]);
    assert!(Image::from_bytes(&png).is_err());
    let npy = b"\x93NUMPY\x01\0\x40\0{'descr': '<f8', 'fortran_order': True, 'shape': (99999999999, 2)}\n";
    assert!(Array::from_bytes(npy).is_err());
}

/// A box of 2⁶⁴ − 1 bytes: the index is missed, and nothing overflows on the way.
#[test]
fn a_box_that_reaches_beyond_everything() {
    let path = std::env::temp_dir().join(format!("rafnet-box-{}.mp4", std::process::id()));
    let mut bytes = b"\0\0\0\x10ftypisom\0\0\0\0\0\0\0\x01mdat".to_vec();
    bytes.extend([0xff; 8]);
    bytes.extend(b"more than eight bytes of nothing");
    std::fs::write(&path, &bytes).unwrap();
    let error = Clip::open(&path).err().unwrap().to_string();
    let _ = std::fs::remove_file(&path);
    assert!(error.contains("moov"), "{error}");
}
