//! PNG decoding: every colour type and bit depth, expanded to whole 8- or 16-bit channels.
//!
//! The decoder itself is the `png` crate. Checksums are verified, and the file must be complete up to its last chunk, so
//! that a damaged picture is never taken for a sound one.

use super::read::check_plausible;
use super::{Channels, Image, Samples, require, sample_count};
use crate::error::{Error, Result};
use ::png::{BitDepth, ColorType, DecodingError, Transformations};
use std::io::Cursor;

pub(super) const MARK: &[u8] = b"\x89PNG\r\n\x1a\n";

pub(super) const FORMAT: &str = "PNG";

/// Deflate makes at most 1,032 bytes of one, eight samples of 1 bit are in a byte.
const MOST_PER_BYTE: usize = 8 * 1032;

pub(super) fn decode(bytes: &[u8]) -> Result<Image> {
    let mut decoder = ::png::Decoder::new(Cursor::new(bytes));
    decoder.set_transformations(Transformations::EXPAND);
    let mut reader = decoder.read_info().map_err(translate)?;
    if let Some(palette) = &reader.info().palette
        && !palette.len().is_multiple_of(3)
    {
        // the decoder takes it for granted and panics
        let why = format!("its palette has {} bytes, no multiple of 3", palette.len());
        return Err(damaged(why));
    }
    let (width, height) = (reader.info().width as usize, reader.info().height as usize);
    let (colour, depth) = reader.output_color_type();
    let channels = match colour {
        ColorType::Grayscale => Channels::Grey,
        ColorType::GrayscaleAlpha => Channels::GreyAlpha,
        ColorType::Rgb => Channels::Rgb,
        ColorType::Rgba => Channels::Rgba,
        ColorType::Indexed => return Err(damaged("the palette is missing".to_owned())),
    };
    let n_samples = sample_count(width, height, channels)?;
    check_plausible(FORMAT, n_samples, bytes.len(), MOST_PER_BYTE)?;

    let sample_bytes = if depth == BitDepth::Sixteen { 2 } else { 1 };
    // a list that grows by doubling, and the samples made of it
    require(width, height, channels, 3 * sample_bytes)?;
    let n_bytes = n_samples * sample_bytes;
    let raw = if reader.info().interlaced {
        let mut raw = vec![0; n_bytes];
        reader.next_frame(&mut raw).map_err(translate)?;
        raw
    } else {
        // row by row, so that memory grows with what was really decoded
        let mut raw = Vec::new();
        while let Some(row) = reader.next_row().map_err(translate)? {
            raw.extend_from_slice(row.data());
            if raw.len() == n_bytes {
                break;
            }
        }
        raw
    };
    if raw.len() != n_bytes {
        let what = format!("{} of {n_bytes} bytes of pixels are there", raw.len());
        return Err(Error::Truncated {
            format: FORMAT,
            what,
        });
    }
    reader.finish().map_err(translate)?;

    let samples = match depth {
        BitDepth::Sixteen => Samples::Sixteen(
            raw.chunks_exact(2)
                .map(|pair| u16::from_be_bytes([pair[0], pair[1]]))
                .collect(),
        ),
        _ => Samples::Eight(raw),
    };
    Image::new(width, height, channels, samples)
}

fn damaged(reason: String) -> Error {
    Error::Damaged {
        format: FORMAT,
        reason,
    }
}

fn translate(error: DecodingError) -> Error {
    match error {
        DecodingError::IoError(_) => Error::Truncated {
            format: FORMAT,
            what: "the file ends inside the picture".to_owned(),
        },
        other => damaged(other.to_string()),
    }
}
