//! Writing WAV, as 16-bit integers or 32-bit floats.
//!
//! Integers are rounded to the nearest step and clamped at full scale, so that a 16-bit file that was read comes out bit
//! for bit; floats are written as they are.

use super::Audio;
use crate::error::{Error, Result};
use crate::file::write_with;
use std::io::Write;
use std::path::Path;

/// How samples are stored in a WAV file.
///
/// ```
/// use rafnet_signal::audio::{Audio, WavFormat};
/// # let path = std::env::temp_dir().join(format!("rafnet-doc-wav-{}.wav", std::process::id()));
///
/// Audio::new(8_000, 1, vec![0.1, 2.0])?.save(&path, WavFormat::I16)?;
/// assert_eq!(Audio::open(&path)?.samples(), [3_277.0 / 32_768.0, 32_767.0 / 32_768.0]); // rounded, clamped
/// # std::fs::remove_file(&path).ok();
/// # Ok::<(), rafnet_signal::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WavFormat {
    /// 16-bit integers, what every player knows.
    I16,
    /// 32-bit floats, without clipping.
    F32,
}

impl Audio {
    /// Writes the sound as a WAV file.
    ///
    /// # Errors
    /// If the sound is longer than a WAV file can be (4 GiB), or the file cannot be written.
    pub fn save(&self, path: impl AsRef<Path>, format: WavFormat) -> Result<()> {
        // a format other than integers states the number of moments in a chunk of 12 bytes
        let (tag, width, fact) = match format {
            WavFormat::I16 => (1u16, 2u16, 0),
            WavFormat::F32 => (3, 4, 12),
        };
        let too_large = |what, found: usize, limit: u32| Error::TooLarge {
            what,
            found: found as u64,
            limit: u64::from(limit),
            hint: "write a shorter sound with fewer channels",
        };
        let header = 36 + fact;
        let size = self.samples.len().saturating_mul(usize::from(width));
        let limit = u32::MAX - header;
        let data_size = u32::try_from(size)
            .ok()
            .filter(|&n| n <= limit)
            .ok_or_else(|| too_large("the data of a WAV file in bytes", size, limit))?;
        let limit = u16::MAX / 8;
        let n_channels = u16::try_from(self.n_channels)
            .ok()
            .filter(|&n| n <= limit)
            .ok_or_else(|| {
                too_large(
                    "the number of channels of a WAV file",
                    self.n_channels,
                    u32::from(limit),
                )
            })?;
        let block = n_channels * width;
        write_with(path.as_ref(), |out| {
            out.write_all(b"RIFF")?;
            out.write_all(&(header + data_size).to_le_bytes())?;
            out.write_all(b"WAVEfmt ")?;
            out.write_all(&16u32.to_le_bytes())?;
            out.write_all(&tag.to_le_bytes())?;
            out.write_all(&n_channels.to_le_bytes())?;
            out.write_all(&self.rate.to_le_bytes())?;
            out.write_all(&self.rate.wrapping_mul(u32::from(block)).to_le_bytes())?;
            out.write_all(&block.to_le_bytes())?;
            out.write_all(&(8 * width).to_le_bytes())?;
            if fact > 0 {
                out.write_all(b"fact")?;
                out.write_all(&4u32.to_le_bytes())?;
                out.write_all(&(data_size / u32::from(block)).to_le_bytes())?;
            }
            out.write_all(b"data")?;
            out.write_all(&data_size.to_le_bytes())?;
            for &sample in &self.samples {
                match format {
                    WavFormat::I16 => out.write_all(&to_i16(sample).to_le_bytes())?,
                    WavFormat::F32 => out.write_all(&to_f32(sample).to_le_bytes())?,
                }
            }
            Ok(())
        })
    }
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "clamped to the range of i16"
)]
fn to_i16(amplitude: f64) -> i16 {
    (amplitude * 32_768.0).round().clamp(-32_768.0, 32_767.0) as i16
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "f32 is the format asked for"
)]
fn to_f32(amplitude: f64) -> f32 {
    // beyond the range of f32 the largest amplitude is nearer than infinity
    amplitude.clamp(f64::from(f32::MIN), f64::from(f32::MAX)) as f32
}
