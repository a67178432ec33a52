//! Any bytes as a picture, a sound, a NumPy array and a CSV table: an answer or an error, never a panic.
#![no_main]

#[path = "../decoders.rs"]
mod decoders;

use rafnet_signal::audio::Audio;
use rafnet_signal::image::Image;
use rafnet_signal::table::Table;
use rafnet_signal::table::npy::Array;

libfuzzer_sys::fuzz_target!(init: decoders::name_the_decoders(), |bytes: &[u8]| {
    let _ = Image::from_bytes(bytes);
    let _ = Audio::from_bytes(bytes);
    let _ = Array::from_bytes(bytes);
    let _ = Table::from_text(bytes, &[], &[]);
});
