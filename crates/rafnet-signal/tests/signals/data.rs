//! The benchmarks' sample files: targets as the paper's code makes them. Skipped where the files are not at hand.

use crate::folder::data;
use rafnet_signal::audio::Audio;
use rafnet_signal::image::{Filter, Image, Samples};

/// Minimum, maximum, mean, standard deviation, and the values at (0, 0), (0, 255), (128, 64), (200, 200), (255, 255).
fn check(name: &str, expected: [f64; 9]) -> Option<Image> {
    let picture = Image::open(data(name)?)
        .unwrap()
        .to_grey()
        .resize(256, 256, Filter::Bilinear)
        .unwrap();
    let target: Vec<f64> = picture.to_target().into_iter().map(f64::from).collect();
    let n = target.len() as f64;
    let mean = target.iter().sum::<f64>() / n;
    let variance = target.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n;
    let (low, high) = target
        .iter()
        // without NaN: the mean has it
        .fold((f64::MAX, f64::MIN), |(a, b), &v| (a.min(v), b.max(v)));
    let at = |row: usize, column: usize| target[row * 256 + column];
    let found = [
        low,
        high,
        mean,
        variance.sqrt(),
        at(0, 0),
        at(0, 255),
        at(128, 64),
        at(200, 200),
        at(255, 255),
    ];
    for (found, expected) in found.into_iter().zip(expected) {
        // the reference values have eight to nine digits, and are those of f32 arithmetic
        assert!(
            (found - expected).abs() < 6e-9,
            "{name}: {found} instead of {expected}"
        );
    }
    Some(picture)
}

#[test]
fn astronaut() {
    check(
        "astronaut.png",
        [
            -1.0,
            0.99417162,
            -0.1160895647,
            0.5802181893,
            0.110130191,
            -0.077000856,
            -0.035244107,
            -1.0,
            -0.997049630,
        ],
    );
}

#[test]
fn chelsea() {
    check(
        "chelsea.png",
        [
            -0.96513927,
            0.50628388,
            -0.0794821505,
            0.2466752952,
            -0.026587963,
            -0.763036966,
            -0.103652537,
            -0.261593819,
            0.120441079,
        ],
    );
}

#[test]
fn coins() {
    let expected = [
        -0.96078432,
        0.83529413,
        -0.2403827626,
        0.4020795314,
        -0.349019587,
        -0.929411769,
        -0.576470613,
        -0.803921580,
        -0.937254906,
    ];
    let Some(picture) = check("coins.png", expected) else {
        return;
    };
    let Samples::Eight(steps) = picture.samples() else {
        panic!("an 8-bit file stays 8-bit")
    };
    let at = [0, 255, 128 * 256 + 64, 200 * 256 + 200, 65_535].map(|index: usize| steps[index]);
    assert_eq!(at, [83, 9, 54, 25, 8]);
}

#[test]
fn sounds() {
    for (name, n, mean_square) in [
        ("gt_bach.wav", 308_207, 2.4203424320e-2),
        ("gt_counting.wav", 537_936, 7.4289488817e-3),
    ] {
        let Some(path) = data(name) else { continue };
        let sound = Audio::open(path).unwrap();
        let target = sound.to_target();
        assert_eq!(
            (
                sound.n_moments(),
                sound.rate(),
                sound.n_channels(),
                target.peak
            ),
            (n, 44_100, 1, 1.0)
        );
        let found = target
            .values
            .iter()
            .map(|&v| f64::from(v).powi(2))
            .sum::<f64>()
            / n as f64;
        assert!((found / mean_square - 1.0).abs() < 1e-9, "{name}: {found}");
    }
}

#[cfg(feature = "video")]
#[test]
fn bikes() {
    use rafnet_signal::video::VideoReader;
    use sha2::Digest;
    let Some(path) = data("bikes.mp4") else {
        return;
    };
    let expected = "ae6c5793baac3fb50f0fe17c2b85f8cf59706636de957807085531ca8a857bab";
    assert_eq!(crate::video::planes_hash(&path), (250, expected.to_owned()));
    let reader = VideoReader::open(&path).unwrap();
    assert_eq!(
        (reader.width(), reader.height(), reader.n_frames()),
        (640, 272, 250)
    );
    assert!((reader.frames_per_second() - 25.0).abs() < 1e-9);
    // the conversion to RGB is frozen: FFmpeg's default
    let mut hash = sha2::Sha256::new();
    reader.for_each(|frame| hash.update(frame.unwrap().rgb()));
    assert_eq!(
        format!("{:x}", hash.finalize()),
        "8e3c7ab1938e18b0aa0f61ffec5bfcf8385725bd35dd582e87c287096acb5ecf"
    );
}
