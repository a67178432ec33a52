//! Any bytes as a picture, a sound, a NumPy array and a CSV table: an answer or an error, never a panic.
#![no_main]

use rafnet_signal::audio::Audio;
use rafnet_signal::image::Image;
use rafnet_signal::table::Table;
use rafnet_signal::table::npy::Array;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let _ = Image::from_bytes(bytes);
    let _ = Audio::from_bytes(bytes);
    let _ = Array::from_bytes(bytes);
    let _ = Table::from_text(bytes, &[], &[]);
});
