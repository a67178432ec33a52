//! The H.264 codec behind two small types, so that it can be exchanged.
//!
//! The codec promises errors instead of panics; a wall here keeps that promise for it, because its input is whatever was
//! in a file.

use super::{CONVERT, damaged, truncated, unsupported};
use crate::error::{Error, Result};
use crate::video::Planes;
use rusty_h264::{DecodeError, Encoder, EncoderConfig, YuvFrame};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// 0 is lossless, 51 the coarsest; differences at 18 are hard to see.
const QUANTISER: u8 = 18;

/// Coded pictures in, pictures out, in order of decoding.
pub(super) struct Decoder {
    inner: rusty_h264::Decoder,
}

impl Decoder {
    pub(super) fn new() -> Self {
        Self {
            inner: rusty_h264::Decoder::new(),
        }
    }

    /// Decodes the units of one coded picture, each behind a start mark.
    pub(super) fn decode(&mut self, units: &[u8]) -> Result<Option<Planes>> {
        let decoded = catch_unwind(AssertUnwindSafe(|| self.inner.decode(units)))
            .map_err(|_| damaged("the decoder stumbled over a picture"))?;
        let picture = decoded.map_err(|error| match error {
            DecodeError::Truncated => truncated("a coded picture is cut off"),
            DecodeError::MissingParameterSet => {
                damaged("a coded picture comes before its parameters")
            }
            DecodeError::Unsupported(tool) => {
                unsupported(format!("H.264 that uses {tool}"), CONVERT)
            }
            DecodeError::Internal(reason) => damaged(format!("the decoder gave up: {reason}")),
        })?;
        Ok(picture.map(
            |YuvFrame {
                 width,
                 height,
                 y,
                 u,
                 v,
             }| Planes {
                width,
                height,
                y,
                u,
                v,
            },
        ))
    }
}

/// Pictures in, coded pictures out, one for each.
pub(super) struct PictureEncoder {
    inner: Encoder,
}

impl PictureEncoder {
    /// Both sides are even.
    pub(super) fn new(width: usize, height: usize, frames_per_second: f64) -> Result<Self> {
        let mut config = EncoderConfig::baseline(width, height);
        config.qp = QUANTISER;
        config.gop_size = 50;
        config.min_keyint = 1;
        config.level_idc = level(width, height, frames_per_second)?;
        let inner = Encoder::new(config).map_err(|error| Error::Unsupported {
            format: "MP4",
            feature: format!("{width} x {height} pixels ({error})"),
            hint: "choose another size, or write a folder of PNG pictures",
        })?;
        Ok(Self { inner })
    }

    /// Codes a picture; the result is a list of units, each behind a start mark.
    pub(super) fn encode(&mut self, planes: &Planes) -> Result<Vec<u8>> {
        let Planes {
            width,
            height,
            y,
            u,
            v,
        } = planes.clone();
        let frame = YuvFrame {
            width,
            height,
            y,
            u,
            v,
        };
        self.inner
            .try_encode(&frame)
            .map_err(|error| damaged(format!("the encoder refused a frame: {error}")))
    }
}

/// The lowest level of the standard that admits this size and rate, times ten.
fn level(width: usize, height: usize, frames_per_second: f64) -> Result<u8> {
    // level, macroblocks a frame, macroblocks a second (ITU-T H.264, Table A-1)
    const LEVELS: [(u8, usize, f64); 12] = [
        (30, 1_620, 40_500.0),
        (31, 3_600, 108_000.0),
        (32, 5_120, 216_000.0),
        (40, 8_192, 245_760.0),
        (42, 8_704, 522_240.0),
        (50, 22_080, 589_824.0),
        (51, 36_864, 983_040.0),
        (52, 36_864, 2_073_600.0),
        (60, 139_264, 4_177_920.0),
        (61, 139_264, 8_355_840.0),
        (62, 139_264, 16_711_680.0),
        (62, 139_264, f64::INFINITY),
    ];
    let (columns, rows) = (width.div_ceil(16), height.div_ceil(16));
    let n = columns.saturating_mul(rows);
    // a side may be at most √8 times that of a square of the same area
    let fits = |most: usize| n <= most && columns * columns <= 8 * most && rows * rows <= 8 * most;
    let level = LEVELS
        .iter()
        .find(|(_, most, a_second)| fits(*most) && n as f64 * frames_per_second <= *a_second);
    level.map(|(level, _, _)| *level).ok_or(Error::TooLarge {
        what: "a frame of an H.264 video in blocks of 16 x 16 pixels",
        found: n as u64,
        limit: 139_264,
        hint: "choose a smaller or less elongated size, or write a folder of PNG pictures",
    })
}
