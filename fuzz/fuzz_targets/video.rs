//! Any bytes as an MP4 and a GIF file: the frames that can be read, or an error, never a panic of ours.
//!
//! The H.264 decoder overflows on some damaged pictures. `rafnet-signal` turns that into an error; here its place is named once
//! and the run goes on, while a panic from anywhere else ends it.
#![no_main]

#[path = "../scratch.rs"]
mod scratch;

use rafnet_signal::video::VideoReader;
use std::collections::BTreeSet;
use std::sync::Mutex;

/// Frames that are looked at.
const FRAMES: usize = 4;

/// The decoder whose panics are caught.
const DECODER: &str = "rusty_h264";

/// Where the decoder was seen to panic.
static SEEN: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

fn name_the_decoder() {
    let ours = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        match panic.location().filter(|place| place.file().contains(DECODER)) {
            Some(place) => {
                let place = format!("{}:{}", file_of_crate(place.file()), place.line());
                if SEEN.lock().is_ok_and(|mut seen| seen.insert(place.clone())) {
                    eprintln!("caught in a dependency: {place}: {panic}");
                }
            }
            None => ours(panic),
        }
    }));
}

/// `rusty_h264-decoder-0.17.0/src/x.rs` of a path in the registry.
fn file_of_crate(path: &str) -> &str {
    &path[path.find(DECODER).unwrap_or(0)..]
}

libfuzzer_sys::fuzz_target!(init: name_the_decoder(), |bytes: &[u8]| {
    let Some(path) = scratch::written("video", bytes) else {
        return;
    };
    if let Ok(reader) = VideoReader::open(&path) {
        let _ = reader.take(FRAMES).filter(Result::is_ok).count();
    }
});
