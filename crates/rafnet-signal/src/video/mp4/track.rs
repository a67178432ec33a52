//! The video track of an MP4 file: the codec's parameters and the list of coded pictures.

use super::boxes::{Bytes, child, children, required};
use super::sequence::{Sequence, matrix_of};
use super::tables::{self, Coded};
use super::{CONVERT, damaged, truncated, unsupported};
use crate::error::{Error, Result};
use crate::video::{ColourMatrix, ColourRange};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

/// A longer index belongs to no real film.
const LARGEST_INDEX: u64 = 1 << 28;

pub(super) struct Track {
    pub(super) coded: Vec<Coded>,
    pub(super) frames_per_second: f64,
    /// Bytes of the length before each unit of a picture.
    pub(super) length_bytes: usize,
    /// Parameter sets, to be given to the codec before the first picture.
    pub(super) parameters: Vec<Vec<u8>>,
    pub(super) sequence: Sequence,
    pub(super) matrix: ColourMatrix,
    pub(super) range: ColourRange,
}

impl Track {
    pub(super) fn read(file: &mut File, path: &Path) -> Result<Self> {
        let file_length = file.metadata().map_err(Error::io("read", path))?.len();
        let moov = read_index(file, file_length, path)?;
        let mut other_tracks = Vec::new();
        for (_, trak) in children(&moov)?
            .into_iter()
            .filter(|(kind, _)| kind == b"trak")
        {
            let mdia = required(trak, b"mdia")?;
            let handler = required(mdia, b"hdlr")?.get(8..12).unwrap_or_default();
            if handler == b"vide" {
                let fragmented = child(&moov, b"mvex")?.is_some();
                return Self::from_media(mdia, file_length, fragmented);
            }
            other_tracks.push(String::from_utf8_lossy(handler).into_owned());
        }
        Err(damaged(format!(
            "there is no video track (found: {})",
            other_tracks.join(", ")
        )))
    }

    fn from_media(mdia: &[u8], file_length: u64, fragmented: bool) -> Result<Self> {
        let mut mdhd = Bytes::new(required(mdia, b"mdhd")?);
        let version = mdhd.u32()? >> 24;
        mdhd.take(if version == 1 { 16 } else { 8 })?;
        let ticks_per_second = mdhd.u32()?;
        let stbl = required(required(mdia, b"minf")?, b"stbl")?;
        let (coded, ticks) = tables::read(stbl, file_length)?;
        if coded.is_empty() && fragmented {
            return Err(unsupported(
                "fragments",
                "rewrite it with `ffmpeg -i INPUT -c copy OUTPUT.mp4`",
            ));
        }
        if coded.is_empty() {
            return Err(truncated("the video track has no pictures"));
        }
        let seconds = ticks as f64 / f64::from(ticks_per_second);
        let frames_per_second = coded.len() as f64 / seconds;
        // a still picture may last no time
        let frames_per_second = if frames_per_second.is_finite() {
            frames_per_second.clamp(0.001, 1e5)
        } else {
            25.0
        };

        let stsd = required(stbl, b"stsd")?;
        let (kind, entry) = *children(stsd.get(8..).unwrap_or_default())?
            .first()
            .ok_or_else(|| damaged("the video track has no description"))?;
        check_codec(kind)?;
        let inside = entry
            .get(78..)
            .ok_or_else(|| truncated("the description of the video is cut off"))?;
        let (length_bytes, parameters) = read_configuration(required(inside, b"avcC")?)?;
        let first = parameters.iter().find(|unit| unit_kind(unit) == 7);
        let sequence =
            Sequence::parse(first.ok_or_else(|| damaged("the parameters of H.264 are missing"))?)?;
        let (box_matrix, box_range) = read_colour_box(inside)?;
        Ok(Self {
            coded,
            frames_per_second,
            length_bytes,
            parameters,
            sequence,
            matrix: sequence
                .matrix
                .or(box_matrix)
                .unwrap_or(ColourMatrix::Bt601),
            range: sequence.range.or(box_range).unwrap_or(ColourRange::Limited),
        })
    }
}

/// The kind of an H.264 unit; 7 is a sequence parameter set.
pub(super) fn unit_kind(unit: &[u8]) -> u8 {
    unit.first().map_or(0, |head| head & 31)
}

/// The body of the box `moov`, wherever it is among the boxes of the file.
fn read_index(file: &mut File, file_length: u64, path: &Path) -> Result<Vec<u8>> {
    let io = || Error::io("read", path);
    let mut at = 0u64;
    while file_length.saturating_sub(at) >= 8 {
        let mut head = [0; 16];
        let n = usize::try_from((file_length - at).min(16)).unwrap_or(16);
        file.seek(SeekFrom::Start(at)).map_err(io())?;
        file.read_exact(&mut head[..n]).map_err(io())?;
        let mut bytes = Bytes::new(&head[..n]);
        let (short, kind) = (u64::from(bytes.u32()?), bytes.take(4)?);
        let (head_length, length) = match short {
            0 => (8, file_length - at),
            1 => (16, bytes.u64()?),
            _ => (8, short),
        };
        if length < head_length {
            return Err(damaged("a box is shorter than its head"));
        }
        if kind == b"moov" {
            let body_length = length - head_length;
            if length > file_length - at {
                return Err(truncated("the file ends inside its index"));
            }
            if body_length > LARGEST_INDEX {
                let hint = "cut the video into shorter parts";
                let what = "the index of the video in bytes";
                return Err(Error::TooLarge {
                    what,
                    found: body_length,
                    limit: LARGEST_INDEX,
                    hint,
                });
            }
            let mut body = vec![0; usize::try_from(body_length).unwrap_or(usize::MAX)];
            file.seek(SeekFrom::Start(at + head_length)).map_err(io())?;
            file.read_exact(&mut body).map_err(io())?;
            return Ok(body);
        }
        at = at.saturating_add(length);
    }
    Err(truncated("the file ends before its index, the box `moov`"))
}

fn check_codec(kind: [u8; 4]) -> Result<()> {
    let name = match &kind {
        b"avc1" | b"avc3" => return Ok(()),
        b"hvc1" | b"hev1" => "HEVC (H.265) video",
        b"av01" => "AV1 video",
        b"vp08" | b"vp09" => "VP8 or VP9 video",
        b"mp4v" => "MPEG-4 part 2 video",
        b"jpeg" | b"mjpa" | b"mjpb" => "Motion JPEG video",
        b"encv" => "encrypted video",
        other => {
            return Err(unsupported(
                format!("the codec `{}`", String::from_utf8_lossy(other)),
                CONVERT,
            ));
        }
    };
    Err(unsupported(name, CONVERT))
}

/// The length of the lengths, and all parameter sets.
fn read_configuration(body: &[u8]) -> Result<(usize, Vec<Vec<u8>>)> {
    let mut bytes = Bytes::new(body);
    bytes.take(4)?;
    let length_bytes = usize::from(bytes.u8()? & 3) + 1;
    let mut parameters = Vec::new();
    for mask in [31, 255] {
        for _ in 0..bytes.u8()? & mask {
            let length = usize::from(bytes.u16()?);
            parameters.push(bytes.take(length)?.to_vec());
        }
    }
    Ok((length_bytes, parameters))
}

fn read_colour_box(inside: &[u8]) -> Result<(Option<ColourMatrix>, Option<ColourRange>)> {
    let Some(body) = child(inside, b"colr")? else {
        return Ok((None, None));
    };
    let mut bytes = Bytes::new(body);
    let kind = bytes.take(4)?;
    if kind != b"nclx" && kind != b"nclc" {
        return Ok((None, None));
    }
    bytes.u32()?;
    let matrix = matrix_of(u32::from(bytes.u16()?));
    // the older form ends here and means limited range
    let full = kind == b"nclx" && bytes.u8()? & 128 != 0;
    Ok((
        matrix,
        Some(if full {
            ColourRange::Full
        } else {
            ColourRange::Limited
        }),
    ))
}
