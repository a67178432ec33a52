//! Any bytes as an MP4 and a GIF file: the frames that can be read, or an error, never a panic of ours.
//!
//! The H.264 decoder overflows on some damaged pictures. `rafnet-signal` turns that into an error; here its place is named once
//! and the run goes on, while a panic from anywhere else ends it.
#![no_main]

#[path = "../decoders.rs"]
mod decoders;
#[path = "../scratch.rs"]
mod scratch;

use rafnet_signal::video::VideoReader;

/// Frames that are looked at.
const FRAMES: usize = 4;

libfuzzer_sys::fuzz_target!(init: decoders::name_the_decoders(), |bytes: &[u8]| {
    let Some(path) = scratch::written("video", bytes) else {
        return;
    };
    if let Ok(reader) = VideoReader::open(&path) {
        let _ = reader.take(FRAMES).filter(Result::is_ok).count();
    }
});
