//! Sounds.

use crate::folder::{Folder, golden, golden_values};
use proptest::prelude::*;
use rafnet_signal::audio::{Audio, WavFormat};

/// A WAV file made by hand: format tag, bits, channels, extended or not.
fn wav(tag: u16, bits: u16, n_channels: u16, extended: bool, data: &[u8]) -> Vec<u8> {
    let block = n_channels * bits / 8;
    let mut format = Vec::new();
    format.extend(if extended { 0xfffeu16 } else { tag }.to_le_bytes());
    format.extend(n_channels.to_le_bytes());
    format.extend(8000u32.to_le_bytes());
    format.extend((8000 * u32::from(block)).to_le_bytes());
    format.extend(block.to_le_bytes());
    format.extend(bits.to_le_bytes());
    if extended {
        format.extend(22u16.to_le_bytes());
        format.extend(bits.to_le_bytes());
        format.extend(0u32.to_le_bytes());
        format.extend(tag.to_le_bytes());
        format.extend([0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xaa, 0, 0x38, 0x9b, 0x71]);
    }
    let mut body = b"WAVE".to_vec();
    // a chunk that nobody knows, of odd length
    for (kind, chunk) in [(b"LIST", &b"odd"[..]), (b"fmt ", &format), (b"data", data)] {
        body.extend(kind);
        body.extend(u32::try_from(chunk.len()).unwrap().to_le_bytes());
        body.extend(chunk);
        body.extend(vec![0; chunk.len() % 2]);
    }
    let mut file = b"RIFF".to_vec();
    file.extend(u32::try_from(body.len()).unwrap().to_le_bytes());
    file.extend(body);
    file
}

#[test]
fn every_sample_format_is_read_exactly() {
    let cases: [(u16, u16, Vec<u8>, [f64; 2]); 6] = [
        (1, 8, vec![0, 192], [-1.0, 0.5]),
        (
            1,
            16,
            [(-32_768i16).to_le_bytes(), 16_384i16.to_le_bytes()].concat(),
            [-1.0, 0.5],
        ),
        (1, 24, vec![0, 0, 0x80, 1, 0, 0], [-1.0, 1.0 / 8_388_608.0]),
        (
            1,
            32,
            [i32::MIN.to_le_bytes(), 1i32.to_le_bytes()].concat(),
            [-1.0, 1.0 / 2_147_483_648.0],
        ),
        (
            3,
            32,
            [0.1f32.to_le_bytes(), (-2.5f32).to_le_bytes()].concat(),
            [f64::from(0.1f32), -2.5],
        ),
        (
            3,
            64,
            [0.1f64.to_le_bytes(), (-2.5f64).to_le_bytes()].concat(),
            [0.1, -2.5],
        ),
    ];
    for (tag, bits, data, expected) in cases {
        for extended in [false, true] {
            let mono = Audio::from_bytes(&wav(tag, bits, 1, extended, &data)).unwrap();
            assert_eq!(
                (mono.samples(), mono.n_channels(), mono.rate()),
                (&expected[..], 1, 8000)
            );
            let stereo = Audio::from_bytes(&wav(tag, bits, 2, extended, &data)).unwrap();
            assert_eq!((stereo.samples(), stereo.n_channels()), (&expected[..], 2));
        }
    }
}

#[test]
fn files_written_by_scipy_are_read_exactly() {
    let expected: Vec<f64> = (0..20).map(|t| 0.9 * (0.7 * f64::from(t)).sin()).collect();
    assert_eq!(Audio::open(golden("f64.wav")).unwrap().samples(), expected);
    let stereo = Audio::open(golden("stereo_i16.wav")).unwrap();
    let steps: Vec<f64> = stereo.samples().iter().map(|s| s * 32_768.0).collect();
    assert_eq!(
        (steps, stereo.rate()),
        (golden_values("stereo.npy"), 22_050)
    );
    let target: Vec<f64> = stereo
        .mono()
        .to_target()
        .values
        .into_iter()
        .map(f64::from)
        .collect();
    assert_eq!(target, golden_values("stereo_target.npy"));
    for (name, error) in [
        ("u8.wav", 2.0 / 128.0),
        ("f32.wav", 1e-7),
        ("i32.wav", 1e-9),
    ] {
        let sound = Audio::open(golden(name)).unwrap();
        let first: Vec<f64> = sound
            .samples()
            .chunks_exact(sound.n_channels())
            .map(|moment| moment[0])
            .collect();
        assert!(
            first
                .iter()
                .zip(&expected)
                .all(|(a, b)| (a - b).abs() <= error),
            "{name}"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn integers_come_back_bit_for_bit_and_hound_reads_them(
        steps in proptest::collection::vec(any::<i16>(), 1..200), rate in 1u32..200_000,
    ) {
        let folder = Folder::new();
        let path = folder.path("sound.wav");
        let sound = Audio::new(rate, 1, steps.iter().map(|&s| f64::from(s) / 32_768.0).collect()).unwrap();
        sound.save(&path, WavFormat::I16).unwrap();
        prop_assert_eq!(&Audio::open(&path).unwrap(), &sound);
        let mut reader = hound::WavReader::open(&path).unwrap();
        prop_assert_eq!(reader.spec().sample_rate, rate);
        let heard: Vec<i16> = reader.samples::<i16>().map(|s| s.unwrap()).collect();
        prop_assert_eq!(heard, steps);
    }

    #[test]
    fn floats_come_back_bit_for_bit_and_hound_reads_them(
        amplitudes in proptest::collection::vec(-2.0f32..2.0, 1..100),
    ) {
        let folder = Folder::new();
        let path = folder.path("sound.wav");
        let doubled: Vec<f64> = amplitudes.iter().flat_map(|&a| [f64::from(a), -f64::from(a)]).collect();
        let sound = Audio::new(44_100, 2, doubled).unwrap();
        sound.save(&path, WavFormat::F32).unwrap();
        prop_assert_eq!(&Audio::open(&path).unwrap(), &sound);
        let heard: Vec<f64> =
            hound::WavReader::open(&path).unwrap().samples::<f32>().map(|s| s.unwrap().into()).collect();
        prop_assert_eq!(heard, sound.samples());
    }
}

#[test]
fn files_written_by_hound_are_read_exactly() {
    let folder = Folder::new();
    for bits in [8u16, 16, 24, 32] {
        let path = folder.path(&format!("{bits}.wav"));
        let spec = hound::WavSpec {
            channels: 2,
            sample_rate: 48_000,
            bits_per_sample: bits,
            sample_format: hound::SampleFormat::Int,
        };
        let most = i64::pow(2, u32::from(bits) - 1);
        let steps = [0, 1, -1, most - 1, -most, most / 3];
        let mut writer = hound::WavWriter::create(&path, spec).unwrap();
        steps
            .iter()
            .for_each(|&s| writer.write_sample(i32::try_from(s).unwrap()).unwrap());
        writer.finalize().unwrap();
        let sound = Audio::open(&path).unwrap();
        let expected: Vec<f64> = steps.iter().map(|&s| s as f64 / most as f64).collect();
        assert_eq!(sound.samples(), expected, "{bits} bits");
    }
}

#[test]
fn loud_sounds_are_clamped_when_written_as_integers() {
    let folder = Folder::new();
    let path = folder.path("loud.wav");
    Audio::new(8000, 1, vec![1.0, -1.0, 9.0, -9.0])
        .unwrap()
        .save(&path, WavFormat::I16)
        .unwrap();
    let most = 32_767.0 / 32_768.0;
    assert_eq!(
        Audio::open(&path).unwrap().samples(),
        [most, -1.0, most, -1.0]
    );
}

#[test]
fn what_is_not_supported_is_said_plainly() {
    let error = |bytes: &[u8]| Audio::from_bytes(bytes).unwrap_err().to_string();
    assert_eq!(
        error(&wav(7, 8, 1, false, &[1, 2])),
        "WAV with A-law or µ-law compression is not supported; export the sound as 16-bit or 32-bit float WAV"
    );
    assert!(error(&wav(1, 12, 1, false, &[1, 2])).contains("12-bit integer samples"));
    assert!(error(&wav(3, 32, 1, false, &f32::NAN.to_le_bytes())).contains("NaN at sample 0"));
    assert!(error(&wav(1, 16, 1, false, &[1])).contains("the last moment has 1 bytes"));
    assert!(error(&wav(1, 16, 0, false, &[1, 2])).contains("0 channels"));
    assert!(error(b"fLaC....").contains("the mark of a FLAC sound"));
}

#[test]
fn a_length_that_was_never_filled_in_reaches_to_the_end() {
    let mut file = wav(1, 16, 1, false, &[0, 64, 0, 192]);
    let at = file.len() - 8;
    file[at..at + 4].copy_from_slice(&u32::MAX.to_le_bytes());
    assert_eq!(Audio::from_bytes(&file).unwrap().samples(), [0.5, -0.5]);
}
