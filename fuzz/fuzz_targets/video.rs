//! Any bytes as an MP4 and a GIF file: the frames that can be read, or an error, never a panic.
#![no_main]

use rafnet_signal::video::VideoReader;
use std::fs;

/// Frames that are looked at.
const FRAMES: usize = 4;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    for ending in ["mp4", "gif"] {
        let path = std::env::temp_dir().join(format!("rafnet-fuzz-{}.{ending}", std::process::id()));
        if fs::write(&path, bytes).is_err() {
            return;
        }
        if let Ok(reader) = VideoReader::open(&path) {
            let _ = reader.take(FRAMES).filter(Result::is_ok).count();
        }
        let _ = fs::remove_file(&path);
    }
});
