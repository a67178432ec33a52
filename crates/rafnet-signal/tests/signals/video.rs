//! Videos.

use crate::folder::{Folder, golden, golden_values};
use rafnet_signal::video::{Clip, Frame, VideoReader, VideoWriter};
use rafnet_signal::{metrics, sample};

#[cfg(feature = "video")]
use rafnet_signal::video::{ColourMatrix, ColourRange, Mp4Reader, Planes};

/// The SHA-256 over all planes of a video, and the number of frames.
#[cfg(feature = "video")]
pub(crate) fn planes_hash(path: &std::path::Path) -> (usize, String) {
    use sha2::Digest;
    let mut reader = Mp4Reader::open(path).unwrap();
    let mut hash = sha2::Sha256::new();
    let mut n_frames = 0;
    while let Some(planes) = reader.next_planes().unwrap() {
        [&planes.y, &planes.u, &planes.v]
            .iter()
            .for_each(|plane| hash.update(plane));
        n_frames += 1;
    }
    (n_frames, format!("{:x}", hash.finalize()))
}

#[cfg(feature = "video")]
#[test]
fn h264_decodes_to_the_planes_of_ffmpeg() {
    for line in std::fs::read_to_string(golden("videos.txt"))
        .unwrap()
        .lines()
    {
        let parts: Vec<&str> = line.split(' ').collect();
        let found = planes_hash(&golden(&format!("{}.mp4", parts[0])));
        assert_eq!(
            found,
            (parts[1].parse().unwrap(), parts[2].to_owned()),
            "{line}"
        );
    }
}

#[cfg(feature = "video")]
#[test]
fn the_index_tells_size_rate_and_colours() {
    let reader = VideoReader::open(golden("high.mp4")).unwrap();
    assert_eq!(
        (reader.width(), reader.height(), reader.n_frames()),
        (50, 38, 24)
    );
    assert!((reader.frames_per_second() - 30.0).abs() < 1e-9);
    let colours = |name: &str| Mp4Reader::open(golden(name)).unwrap().colours();
    assert_eq!(
        colours("high.mp4"),
        (ColourMatrix::Bt601, ColourRange::Limited)
    );
    assert_eq!(
        colours("bt709.mp4"),
        (ColourMatrix::Bt709, ColourRange::Limited)
    );
}

#[cfg(feature = "video")]
#[test]
fn other_codecs_and_containers_are_named() {
    for (name, text) in [
        (
            "mpeg4.mp4",
            "MP4 with MPEG-4 part 2 video is not supported; convert it with `ffmpeg",
        ),
        (
            "fragments.mp4",
            "MP4 with fragments is not supported; rewrite it with `ffmpeg",
        ),
        (
            "chroma444.mp4",
            "MP4 with 4:4:4 colours is not supported; convert it with `ffmpeg",
        ),
    ] {
        let error = VideoReader::open(golden(name)).err().unwrap().to_string();
        assert!(error.contains(text), "{error}");
    }
}

fn write(path: &std::path::Path, frames: &[Frame]) {
    let mut writer =
        VideoWriter::create(path, frames[0].width(), frames[0].height(), 30.0).unwrap();
    frames
        .iter()
        .for_each(|frame| writer.write_frame(frame).unwrap());
    writer.finish().unwrap();
}

#[cfg(feature = "video")]
#[test]
fn an_mp4_comes_back_alike() {
    for (width, height) in [(64, 48), (50, 38), (31, 17), (2, 2), (1, 1)] {
        let folder = Folder::new();
        let path = folder.path("scene.mp4");
        let frames: Vec<Frame> = sample::scene(width, height, 60).unwrap().collect();
        write(&path, &frames);
        assert_eq!(folder.names(), ["scene.mp4"]);
        let clip = Clip::open(&path).unwrap();
        assert_eq!(
            clip.sizes(),
            [60, height.next_multiple_of(2), width.next_multiple_of(2)]
        );
        assert!((clip.frames_per_second() - 30.0).abs() < 1e-9);
        let mut reader = Mp4Reader::open(&path).unwrap();
        for (k, frame) in frames.iter().enumerate() {
            let (found, expected) = (
                reader.next_planes().unwrap().unwrap(),
                Planes::from_frame(frame),
            );
            for (found, expected) in [
                (found.y, expected.y),
                (found.u, expected.u),
                (found.v, expected.v),
            ] {
                let psnr = metrics::psnr(&found, &expected, 255.0).unwrap();
                // a plane of one sample has no average to hide in
                assert!(
                    psnr > if width < 16 { 28.0 } else { 38.0 },
                    "{width} x {height}, frame {k}: {psnr} dB"
                );
            }
        }
        assert!(reader.next_planes().unwrap().is_none());
    }
}

#[test]
fn gif_disposal_and_transparency_agree_with_pillow() {
    for disposal in 1..=3 {
        let clip = Clip::open(golden(&format!("disposal_{disposal}.gif"))).unwrap();
        assert_eq!(clip.sizes(), [4, 9, 12]);
        assert!((clip.frames_per_second() - 25.0).abs() < 1e-9);
        let found: Vec<f64> = clip.rgb().iter().map(|&step| step.into()).collect();
        assert_eq!(
            found,
            golden_values(&format!("disposal_{disposal}.npy")),
            "disposal {disposal}"
        );
    }
}

#[test]
fn a_gif_of_few_colours_comes_back_bit_for_bit() {
    let folder = Folder::new();
    let path = folder.path("few.gif");
    let frame = |k: usize| {
        Frame::new(
            20,
            10,
            (0..600)
                .map(|i| u8::try_from(i / 3 * 7 % 5 * 50 + k * (i % 3)).unwrap())
                .collect(),
        )
        .unwrap()
    };
    let frames: Vec<Frame> = (0..7).map(frame).collect();
    write(&path, &frames);
    assert_eq!(folder.names(), ["few.gif"]);
    let reader = VideoReader::open(&path).unwrap();
    // hundredths of a second are spread over the frames so that the whole is right
    assert!((reader.frames_per_second() - 700.0 / 23.0).abs() < 1e-9);
    let back: Vec<Frame> = reader.map(|frame| frame.unwrap()).collect();
    assert_eq!(back, frames);
}

#[test]
fn a_gif_of_many_colours_comes_back_alike() {
    let folder = Folder::new();
    let path = folder.path("many.gif");
    let frames: Vec<Frame> = sample::scene(64, 48, 4).unwrap().collect();
    write(&path, &frames);
    let clip = Clip::open(&path).unwrap();
    for (k, frame) in frames.iter().enumerate() {
        assert!(metrics::psnr(clip.frame(k), frame.rgb(), 255.0).unwrap() > 30.0);
    }
}

#[test]
fn a_folder_comes_back_bit_for_bit() {
    let folder = Folder::new();
    let path = folder.path("frames");
    let frames: Vec<Frame> = sample::scene(16, 12, 11).unwrap().collect();
    write(&path, &frames);
    std::fs::write(path.join("notes.txt"), "not a frame").unwrap();
    let back: Vec<Frame> = VideoReader::open(&path)
        .unwrap()
        .map(|frame| frame.unwrap())
        .collect();
    assert_eq!(back, frames);
    let error = VideoWriter::create(&path, 16, 12, 25.0)
        .err()
        .unwrap()
        .to_string();
    assert!(
        error.contains("the number of files in the folder for frames is 12, expected 0"),
        "{error}"
    );
}

#[test]
fn frames_of_different_sizes_are_refused() {
    let folder = Folder::new();
    sample::picture(8, 8)
        .unwrap()
        .save(folder.path("1.png"))
        .unwrap();
    sample::picture(8, 9)
        .unwrap()
        .save(folder.path("2.png"))
        .unwrap();
    let mut reader = VideoReader::open(folder.path("")).unwrap();
    assert!(reader.next().unwrap().is_ok());
    let error = reader.next().unwrap().unwrap_err().to_string();
    assert!(
        error.contains("frame 1 has 8 x 9 pixels, the first has 8 x 8"),
        "{error}"
    );
    assert!(reader.next().is_none());
    let mut writer = VideoWriter::create(folder.path("x.gif"), 8, 8, 25.0).unwrap();
    assert!(
        writer
            .write_frame(&Frame::new(1, 1, vec![0; 3]).unwrap())
            .is_err()
    );
    assert!(writer.finish().is_err());
}

#[test]
fn impossible_videos_are_refused() {
    let folder = Folder::new();
    for (name, width, height, rate) in [
        ("a.avi", 8, 8, 25.0),
        ("a.gif", 0, 8, 25.0),
        ("a.gif", 70_000, 8, 25.0),
        ("a.gif", 8, 8, 0.0),
        ("a.mp4", 8, 8, f64::NAN),
        ("a.mp4", 60_000, 60_000, 25.0),
    ] {
        assert!(
            VideoWriter::create(folder.path(name), width, height, rate).is_err(),
            "{name}"
        );
    }
    assert_eq!(folder.names(), [""; 0]);
    let error = VideoReader::open(folder.path(""))
        .err()
        .unwrap()
        .to_string();
    assert!(error.contains("no picture in this folder"), "{error}");
}
