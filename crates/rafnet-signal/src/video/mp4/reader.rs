//! Reading an MP4 file picture by picture.
//!
//! Coded pictures are stored in the order in which they must be decoded, which is not the order in which they are shown:
//! a picture may be predicted from a later one. Decoded pictures wait here until all that are shown before them are
//! decoded too; that is a few, however long the film is.

use super::codec::Decoder;
use super::sequence::Sequence;
use super::track::{Track, unit_kind};
use super::{damaged, truncated};
use crate::error::{Error, Result};
use crate::video::{ColourMatrix, ColourRange, Frame, Planes, Source};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

const START: [u8; 4] = [0, 0, 0, 1];

/// More pictures than this never wait for an earlier one (the standard allows 16).
const MOST_WAITING: usize = 64;

/// The pictures of an MP4 or QuickTime file with H.264, in the order of display.
pub struct Mp4Reader {
    path: PathBuf,
    file: File,
    track: Track,
    decoder: Decoder,
    next_coded: usize,
    next_shown: usize,
    waiting: BTreeMap<usize, Option<Planes>>, // by place in the order of display
}

impl Mp4Reader {
    /// Opens a file and reads its index.
    ///
    /// # Errors
    /// If the file cannot be read, is damaged, or its video is not 8-bit 4:2:0 H.264.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let mut file = File::open(path).map_err(Error::io("read", path))?;
        let track = Track::read(&mut file, path).map_err(|error| error.within(path))?;
        Ok(Self {
            path: path.to_owned(),
            file,
            track,
            decoder: Decoder::new(),
            next_coded: 0,
            next_shown: 0,
            waiting: BTreeMap::new(),
        })
    }

    /// The luma weights and the range that the file names, or BT.601 and limited range.
    pub fn colours(&self) -> (ColourMatrix, ColourRange) {
        (self.track.matrix, self.track.range)
    }

    /// The next picture as the codec made it; none after the last.
    ///
    /// # Errors
    /// If the file cannot be read, or the coded picture is damaged or uses an unknown coding tool.
    pub fn next_planes(&mut self) -> Result<Option<Planes>> {
        self.advance().map_err(|error| error.within(&self.path))
    }

    fn advance(&mut self) -> Result<Option<Planes>> {
        loop {
            while let Some(picture) = self.waiting.remove(&self.next_shown) {
                self.next_shown += 1;
                if picture.is_some() {
                    return Ok(picture);
                }
            }
            let Some(coded) = self.track.coded.get(self.next_coded) else {
                return Ok(None);
            };
            let (shown, offset, size) = (coded.shown, coded.offset, coded.size);
            let units = self.read_units(offset, size)?;
            let picture = self.decoder.decode(&units)?;
            if let Some(found) = &picture {
                let (width, height) = (self.track.sequence.width, self.track.sequence.height);
                if (found.width, found.height) != (width, height) {
                    let (found_width, found_height) = (found.width, found.height);
                    return Err(Error::FrameSize {
                        index: shown,
                        found_width,
                        found_height,
                        width,
                        height,
                    });
                }
            }
            self.next_coded += 1;
            self.waiting.insert(shown, picture);
            if self.waiting.len() > MOST_WAITING {
                return Err(damaged("the order of display cannot be followed"));
            }
        }
    }

    /// The units of one coded picture, each behind a start mark; the parameter sets go before the first.
    fn read_units(&mut self, offset: u64, size: u64) -> Result<Vec<u8>> {
        let file_length = self
            .file
            .metadata()
            .map_err(Error::io("read", &self.path))?
            .len();
        if offset.checked_add(size).is_none_or(|end| end > file_length) {
            return Err(truncated(format!(
                "picture {} lies beyond the end of the file",
                self.next_coded
            )));
        }
        let size = usize::try_from(size).unwrap_or(usize::MAX);
        // as it is stored, and with other marks
        rafnet_memory::require(format_args!("a coded picture of {size} bytes"), &[size, 2])?;
        let mut stored = vec![0; size];
        self.file
            .seek(SeekFrom::Start(offset))
            .map_err(Error::io("read", &self.path))?;
        self.file
            .read_exact(&mut stored)
            .map_err(Error::io("read", &self.path))?;

        let mut units = Vec::with_capacity(stored.len() + 64);
        if self.next_coded == 0 {
            for parameter in &self.track.parameters {
                append(&mut units, parameter)?;
            }
        }
        let mut rest = &stored[..];
        while !rest.is_empty() {
            let cut = || {
                damaged(format!(
                    "the parts of picture {} do not fit its size",
                    self.next_coded
                ))
            };
            let (length, behind) = rest
                .split_at_checked(self.track.length_bytes)
                .ok_or_else(cut)?;
            let length = length
                .iter()
                .fold(0usize, |length, &byte| length << 8 | usize::from(byte));
            let (unit, behind) = behind.split_at_checked(length).ok_or_else(cut)?;
            append(&mut units, unit)?;
            rest = behind;
        }
        Ok(units)
    }
}

/// Appends a unit, after a look at its size if it changes the parameters.
fn append(units: &mut Vec<u8>, unit: &[u8]) -> Result<()> {
    if unit_kind(unit) == 7 {
        Sequence::parse(unit)?;
    }
    units.extend_from_slice(&START);
    units.extend_from_slice(unit);
    Ok(())
}

impl Source for Mp4Reader {
    fn width(&self) -> usize {
        self.track.sequence.width
    }

    fn height(&self) -> usize {
        self.track.sequence.height
    }

    fn frames_per_second(&self) -> f64 {
        self.track.frames_per_second
    }

    fn n_frames(&self) -> usize {
        self.track.coded.len()
    }

    fn next_frame(&mut self) -> Result<Option<Frame>> {
        let (matrix, range) = self.colours();
        self.next_planes()?
            .map(|planes| planes.to_frame(matrix, range))
            .transpose()
    }
}
