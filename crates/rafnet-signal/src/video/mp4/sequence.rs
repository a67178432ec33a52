//! The sequence parameters of an H.264 stream: the picture's size and colours, read before the codec sees them.
//!
//! Sizes are checked here, so that a damaged number cannot ask for more memory than any level of the standard allows
//! (ITU-T H.264, 7.3.2.1.1 and Annex E).

use super::bits::Bits;
use super::{CONVERT, damaged, unsupported};
use crate::error::Result;
use crate::video::{ColourMatrix, ColourRange};

/// The macroblocks of a frame at the highest level, 6.2.
const MOST_MACROBLOCKS: u64 = 139_264;

/// What a stream says of its pictures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sequence {
    pub(super) width: usize,
    pub(super) height: usize,
    pub(super) matrix: Option<ColourMatrix>,
    pub(super) range: Option<ColourRange>,
}

impl Sequence {
    /// Reads a sequence parameter set, its one-byte unit head included.
    pub(super) fn parse(unit: &[u8]) -> Result<Self> {
        let mut bits = Bits::new(unit.get(1..).unwrap_or_default());
        let profile = bits.bits(8)?;
        bits.bits(16)?; // constraints and level
        bits.unsigned()?; // the set's number
        if [100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135].contains(&profile) {
            read_high_profile(&mut bits)?;
        }
        bits.unsigned()?; // length of frame numbers
        match bits.unsigned()? {
            0 => {
                bits.unsigned()?;
            }
            1 => {
                bits.bit()?;
                bits.signed()?;
                bits.signed()?;
                for _ in 0..bits.unsigned()?.min(255) {
                    bits.signed()?;
                }
            }
            _ => {}
        }
        bits.unsigned()?; // reference frames
        bits.bit()?;
        let (columns, rows) = (
            u64::from(bits.unsigned()?) + 1,
            u64::from(bits.unsigned()?) + 1,
        );
        let frames_only = bits.bit()?;
        let rows = if frames_only { rows } else { rows * 2 };
        if columns * rows > MOST_MACROBLOCKS {
            return Err(damaged(format!(
                "a frame of {} x {} pixels",
                columns * 16,
                rows * 16
            )));
        }
        if !frames_only {
            bits.bit()?;
        }
        bits.bit()?;
        let (mut width, mut height) = (columns * 16, rows * 16);
        if bits.bit()? {
            let [left, right, top, bottom] = [
                bits.unsigned()?,
                bits.unsigned()?,
                bits.unsigned()?,
                bits.unsigned()?,
            ];
            let across = 2 * (u64::from(left) + u64::from(right));
            let down = if frames_only { 2 } else { 4 } * (u64::from(top) + u64::from(bottom));
            if across >= width || down >= height {
                return Err(damaged(format!(
                    "{across} x {down} pixels are cropped from {width} x {height}"
                )));
            }
            (width, height) = (width - across, height - down);
        }
        let (matrix, range) = if bits.bit()? {
            read_colours(&mut bits)?
        } else {
            (None, None)
        };
        let side = |pixels: u64| usize::try_from(pixels).unwrap_or(usize::MAX);
        Ok(Self {
            width: side(width),
            height: side(height),
            matrix,
            range,
        })
    }
}

/// Chroma format, bit depths and scaling lists.
fn read_high_profile(bits: &mut Bits) -> Result<()> {
    let chroma = bits.unsigned()?;
    if chroma != 1 {
        let name = ["grey pictures", "", "4:2:2 colours", "4:4:4 colours"].get(chroma as usize);
        return Err(unsupported(
            *name.unwrap_or(&"an unknown colour format"),
            CONVERT,
        ));
    }
    let (luma, colour) = (
        8 + u64::from(bits.unsigned()?),
        8 + u64::from(bits.unsigned()?),
    );
    if (luma, colour) != (8, 8) {
        return Err(unsupported(format!("{luma}-bit pictures"), CONVERT));
    }
    bits.bit()?;
    if bits.bit()? {
        for list in 0..8 {
            if !bits.bit()? {
                continue;
            }
            let (mut last, mut next) = (8i64, 8i64);
            for _ in 0..if list < 6 { 16 } else { 64 } {
                if next != 0 {
                    next = (last + bits.signed()?).rem_euclid(256);
                }
                last = if next == 0 { last } else { next };
            }
        }
    }
    Ok(())
}

/// The colour marks of the usability information; what is unknown or absent is none.
fn read_colours(bits: &mut Bits) -> Result<(Option<ColourMatrix>, Option<ColourRange>)> {
    if bits.bit()? && bits.bits(8)? == 255 {
        bits.bits(32)?; // a pixel's sides
    }
    if bits.bit()? {
        bits.bit()?;
    }
    if !bits.bit()? {
        return Ok((None, None));
    }
    bits.bits(3)?;
    let range = if bits.bit()? {
        ColourRange::Full
    } else {
        ColourRange::Limited
    };
    let matrix = if bits.bit()? {
        matrix_of(bits.bits(24)? & 255)
    } else {
        None
    };
    Ok((matrix, Some(range)))
}

/// The matrix of a code point of ITU-T H.273.
pub(super) fn matrix_of(code: u32) -> Option<ColourMatrix> {
    match code {
        1 => Some(ColourMatrix::Bt709),
        5 | 6 => Some(ColourMatrix::Bt601),
        9 | 10 => Some(ColourMatrix::Bt2020),
        _ => None,
    }
}
