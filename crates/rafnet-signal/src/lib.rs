//! Signals: images, sounds, videos and tables as arrays of numbers, and back.
//!
//! Files come in, plain slices go out: samples in row-major order, targets in [−1, 1] and the coordinates that belong to
//! them. Each room is responsible for one kind of signal; a frame of a video is an image, else no kind knows another:
//!
//! | room | what it does |
//! |---|---|
//! | [`image`] | PNG and JPEG, grey conversion, antialiased resizing, cropping, targets, a streaming PNG writer |
//! | [`audio`] | WAV of every common sample format, targets, a WAV writer |
//! | [`video`] | MP4 with H.264, animated GIF and folders of pictures, frame by frame, both ways |
//! | [`table`] | CSV with named columns, NumPy arrays |
//! | [`metrics`] | mean squared error, PSNR and SSIM |
//! | [`grid`] | the coordinates of samples on a regular grid |
//! | [`sample`] | a picture, a chord and a moving scene made on the spot, for use without any file |
//!
//! Whatever is in a file, a reader answers with data or with one [`Error`] that says what was found, what was expected
//! and what to do; it does not panic. Files are written beside their final place and renamed when complete, so that a
//! reader never sees half of one.
//!
//! ```
//! use rafnet_signal::image::{Depth, Filter};
//! use rafnet_signal::{grid, metrics, sample};
//!
//! let picture = sample::picture(64, 48)?.to_grey().resize(32, 32, Filter::Bilinear)?;
//! let target = picture.to_target(); // one value a pixel, in [−1, 1]
//! let points = grid::points(&[32, 32], -1.0, 1.0); // (row, column), the row first
//! assert_eq!((target.len(), points.len()), (1024, 2048));
//! assert_eq!(points[..2], [-1.0, -1.0]);
//!
//! let back = rafnet_signal::image::Image::from_target(32, 32, picture.channels(), Depth::Sixteen, &target)?;
//! assert!(metrics::psnr(&back.to_unit(), &picture.to_unit(), 1.0)? > 100.0);
//! # Ok::<(), rafnet_signal::Error>(())
//! ```

#![forbid(unsafe_code)]
#![deny(missing_docs)]

pub mod audio;
mod error;
mod file;
pub mod grid;
pub mod image;
pub mod metrics;
pub mod sample;
pub mod table;
pub mod video;
mod wall;

pub use error::{Error, Result};
