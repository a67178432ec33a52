//! Reading WAV: the RIFF container, and samples of every common format.
//!
//! A file is a list of chunks; `fmt ` says how samples are stored and `data` holds them, everything else is passed over.
//! A `data` chunk whose length was never filled in (all bits set, as programs that write to a pipe leave it) reaches to
//! the end of the file.

use super::Audio;
use crate::error::{Error, Result};
use crate::file::{describe_start, read_with};
use std::path::Path;

const FORMAT: &str = "WAV";
const EXPECTED: &str = "a WAV sound";

/// The tail of the GUIDs of the extensible format, which begin with a plain format tag.
const GUID_TAIL: [u8; 14] = [0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xaa, 0, 0x38, 0x9b, 0x71];

/// How a sample is stored.
#[derive(Clone, Copy)]
enum Storage {
    U8,
    I16,
    I24,
    I32,
    F32,
    F64,
}

impl Storage {
    fn bytes(self) -> usize {
        match self {
            Self::U8 => 1,
            Self::I16 => 2,
            Self::I24 => 3,
            Self::I32 | Self::F32 => 4,
            Self::F64 => 8,
        }
    }

    /// The amplitude in the first bytes of `b`, which has at least [`Storage::bytes`].
    fn amplitude(self, b: &[u8]) -> f64 {
        match self {
            Self::U8 => (f64::from(b[0]) - 128.0) / 128.0,
            Self::I16 => f64::from(i16::from_le_bytes([b[0], b[1]])) / 32_768.0,
            // the three bytes above an empty one are the sample times 2⁸
            Self::I24 => f64::from(i32::from_le_bytes([0, b[0], b[1], b[2]])) / 2_147_483_648.0,
            Self::I32 => f64::from(i32::from_le_bytes([b[0], b[1], b[2], b[3]])) / 2_147_483_648.0,
            Self::F32 => f64::from(f32::from_le_bytes([b[0], b[1], b[2], b[3]])),
            Self::F64 => f64::from_le_bytes([b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7]]),
        }
    }
}

struct Header {
    storage: Storage,
    n_channels: usize,
    rate: u32,
}

impl Audio {
    /// Reads a WAV file.
    ///
    /// # Errors
    /// If the file cannot be read or is not a complete and sound WAV file of a known sample format.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        read_with(path.as_ref(), EXPECTED, Self::from_bytes)
    }

    /// Reads a WAV file that is in memory.
    ///
    /// # Errors
    /// If the bytes are not a complete and sound WAV file of a known sample format.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        if bytes.is_empty() {
            return Err(Error::Empty { expected: EXPECTED });
        }
        if bytes.starts_with(b"RF64") || bytes.starts_with(b"RIFX") {
            return Err(unsupported(format!(
                "the container `{}`",
                String::from_utf8_lossy(&bytes[..4])
            )));
        }
        if !b"RIFF".starts_with(&bytes[..bytes.len().min(4)]) {
            return Err(not_recognised(bytes));
        }
        match bytes.get(8..12) {
            None => {
                return Err(truncated(
                    "the file ends inside the container's header".to_owned(),
                ));
            }
            Some(kind) if kind != b"WAVE" => return Err(not_recognised(bytes)),
            Some(_) => {}
        }
        let mut header = None;
        let mut rest = &bytes[12..];
        while let Some((head, body)) = rest.split_first_chunk::<8>() {
            let declared = u32::from_le_bytes([head[4], head[5], head[6], head[7]]);
            let length = usize::try_from(declared).unwrap_or(usize::MAX);
            match &head[..4] {
                b"fmt " => header = Some(read_format(body.get(..length).unwrap_or(body))?),
                b"data" => {
                    let header = header
                        .ok_or_else(|| damaged("the samples come before the format".to_owned()))?;
                    let open_ended = declared == u32::MAX;
                    if length > body.len() && !open_ended {
                        return Err(truncated(format!(
                            "{} of {length} bytes of samples are there",
                            body.len()
                        )));
                    }
                    return read_samples(&header, &body[..length.min(body.len())]);
                }
                _ => {}
            }
            // chunks begin at even places
            rest = body.get(length.saturating_add(length % 2)..).unwrap_or(&[]);
        }
        Err(truncated("there is no `data` chunk".to_owned()))
    }
}

fn read_format(body: &[u8]) -> Result<Header> {
    let Some(b) = body.first_chunk::<16>() else {
        return Err(truncated(format!(
            "the format has {} of 16 bytes",
            body.len()
        )));
    };
    let word = |at: usize| u16::from_le_bytes([b[at], b[at + 1]]);
    let (mut tag, n_channels, block, bits) = (
        word(0),
        usize::from(word(2)),
        usize::from(word(12)),
        word(14),
    );
    let rate = u32::from_le_bytes([b[4], b[5], b[6], b[7]]);
    if tag == 0xfffe {
        let guid = body
            .get(24..40)
            .ok_or_else(|| truncated("the extended format is cut off".to_owned()))?;
        if guid[2..] != GUID_TAIL {
            return Err(unsupported("an unknown extended sample format".to_owned()));
        }
        tag = u16::from_le_bytes([guid[0], guid[1]]);
    }
    let storage = match (tag, bits) {
        (1, 8) => Storage::U8,
        (1, 16) => Storage::I16,
        (1, 24) => Storage::I24,
        (1, 32) => Storage::I32,
        (3, 32) => Storage::F32,
        (3, 64) => Storage::F64,
        (1, _) => return Err(unsupported(format!("{bits}-bit integer samples"))),
        (3, _) => return Err(unsupported(format!("{bits}-bit float samples"))),
        (2 | 17, _) => return Err(unsupported("ADPCM compression".to_owned())),
        (6 | 7, _) => return Err(unsupported("A-law or µ-law compression".to_owned())),
        (85, _) => return Err(unsupported("MP3 compression".to_owned())),
        _ => return Err(unsupported(format!("the sample format {tag}"))),
    };
    if rate == 0 || n_channels == 0 {
        return Err(damaged(format!(
            "{n_channels} channels at {rate} samples a second"
        )));
    }
    if block != n_channels * storage.bytes() {
        return Err(damaged(format!(
            "{n_channels} channels of {bits} bits in blocks of {block} bytes"
        )));
    }
    Ok(Header {
        storage,
        n_channels,
        rate,
    })
}

fn read_samples(header: &Header, data: &[u8]) -> Result<Audio> {
    let n = header.storage.bytes();
    if !data.len().is_multiple_of(n * header.n_channels) {
        let what = format!(
            "the last moment has {} bytes",
            data.len() % (n * header.n_channels)
        );
        return Err(truncated(what));
    }
    if data.is_empty() {
        return Err(truncated("there are no samples".to_owned()));
    }
    let n_samples = data.len() / n;
    rafnet_memory::require(
        format_args!("a sound of {n_samples} samples"),
        &[n_samples, 8],
    )?;
    let samples = data
        .chunks_exact(n)
        .map(|bytes| header.storage.amplitude(bytes))
        .collect();
    Audio::new(header.rate, header.n_channels, samples)
}

fn not_recognised(bytes: &[u8]) -> Error {
    let hint = "convert the sound to WAV";
    Error::NotRecognised {
        expected: EXPECTED,
        found: describe_start(bytes),
        hint,
    }
}

fn truncated(what: String) -> Error {
    Error::Truncated {
        format: FORMAT,
        what,
    }
}

fn damaged(reason: String) -> Error {
    Error::Damaged {
        format: FORMAT,
        reason,
    }
}

fn unsupported(feature: String) -> Error {
    Error::Unsupported {
        format: FORMAT,
        feature,
        hint: "export the sound as 16-bit or 32-bit float WAV",
    }
}
