//! Signals against independent implementations, round trips, and what damaged files give.
//!
//! One binary, so that it links once; a new test goes into the module of its signal.

#![expect(
    clippy::float_cmp,
    reason = "bit for bit is what these tests are about"
)]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

/// WAV files against `hound` and SciPy, and their round trips.
mod audio;
/// Truncated, altered, empty and foreign files of every kind.
mod damage;
/// The sample files of the benchmarks, where they are at hand.
mod data;
/// Golden files and temporary folders.
mod folder;
/// Decoding, resizing, grey conversion and writing of pictures against Pillow and scikit-image.
mod image;
/// MSE, PSNR and SSIM against scikit-image.
mod metrics;
/// What a test leaves out is said.
#[path = "../../../rafnet/tests/common/skipped.rs"]
mod skipped;
/// CSV tables and NumPy arrays.
mod table;
/// MP4, GIF and folders against FFmpeg and Pillow, and their round trips.
mod video;
