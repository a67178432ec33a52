//! JPEG decoding, baseline and progressive, grey and colour.
//!
//! The decoder is the `zune-jpeg` crate in its strict mode: what is missing or contradictory is an error, not a grey
//! area. Decoders may differ from each other by a step or two (the standard leaves the rounding of the cosine transform
//! and the interpolation of chroma open), so a JPEG target is exactly defined only together with this decoder.

use super::read::check_plausible;
use super::{Channels, Image, Samples, require, sample_count};
use crate::error::{Error, Result};
use std::io::Cursor;
use zune_jpeg::JpegDecoder;
use zune_jpeg::errors::DecodeErrors;
use zune_jpeg::zune_core::colorspace::ColorSpace;
use zune_jpeg::zune_core::options::DecoderOptions;

pub(super) const MARK: &[u8] = b"\xff\xd8\xff";

pub(super) const FORMAT: &str = "JPEG";

/// A run of empty blocks in a progressive file is the densest there is; this is far above it for real pictures.
const MOST_PER_BYTE: usize = 1 << 14;

pub(super) fn decode(bytes: &[u8]) -> Result<Image> {
    // without its end mark the last rows may be missing, which no decoder can tell from a dark sky
    if !has_end(bytes) {
        let what = "the end mark is missing".to_owned();
        return Err(Error::Truncated {
            format: FORMAT,
            what,
        });
    }
    let options = DecoderOptions::default()
        .set_strict_mode(true)
        .set_max_width(usize::from(u16::MAX))
        .set_max_height(usize::from(u16::MAX));
    let mut decoder = JpegDecoder::new_with_options(Cursor::new(bytes), options);
    decoder.decode_headers().map_err(translate)?;
    let (colour, channels) = match decoder.input_colorspace() {
        Some(ColorSpace::Luma) => (ColorSpace::Luma, Channels::Grey),
        Some(ColorSpace::YCbCr | ColorSpace::RGB) => (ColorSpace::RGB, Channels::Rgb),
        other => {
            let name = other.map_or_else(|| "unknown".to_owned(), |space| format!("{space:?}"));
            return Err(Error::Unsupported {
                format: FORMAT,
                feature: format!("{name} colours"),
                hint: "convert the picture to RGB",
            });
        }
    };
    decoder.set_options(options.jpeg_set_out_colorspace(colour));
    let info = decoder
        .info()
        .ok_or_else(|| damaged("there is no frame header".to_owned()))?;
    let (width, height) = (usize::from(info.width), usize::from(info.height));
    let n_samples = sample_count(width, height, channels)?;
    check_plausible(FORMAT, n_samples, bytes.len(), MOST_PER_BYTE)?;
    // the coefficients of a progressive file, 16 bits each, and the samples
    require(width, height, channels, 4)?;
    let samples = decoder.decode().map_err(translate)?;
    Image::new(width, height, channels, Samples::Eight(samples))
}

/// Whether the end mark follows the pixels. Segments before them are passed over: a preview has an end mark too.
fn has_end(bytes: &[u8]) -> bool {
    let mut rest = bytes.get(2..).unwrap_or_default();
    while let [0xff, kind, high, low, ..] = rest
        && *kind != 0xda
    {
        rest = rest
            .get(2 + usize::from(u16::from_be_bytes([*high, *low]))..)
            .unwrap_or_default();
    }
    rest.windows(2).any(|pair| pair == [0xff, 0xd9])
}

fn damaged(reason: String) -> Error {
    Error::Damaged {
        format: FORMAT,
        reason,
    }
}

fn translate(error: DecodeErrors) -> Error {
    match error {
        DecodeErrors::ExhaustedData | DecodeErrors::IoErrors(_) => Error::Truncated {
            format: FORMAT,
            what: "the file ends inside the picture".to_owned(),
        },
        DecodeErrors::Unsupported(scheme) => Error::Unsupported {
            format: FORMAT,
            feature: format!("{scheme:?} coding"),
            hint: "save the picture as a baseline JPEG or as PNG",
        },
        other => damaged(format!("{other:?}").replace('\n', " ").trim().to_owned()),
    }
}
