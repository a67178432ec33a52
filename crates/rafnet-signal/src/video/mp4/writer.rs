//! Writing an MP4 file picture by picture: coded pictures as they come, the index at the end.

use super::codec::PictureEncoder;
use super::damaged;
use super::layout::{Index, wrap};
use super::track::unit_kind;
use crate::error::{Error, Result};
use crate::file::{commit, create, handle};
use crate::video::{Frame, Planes, Sink};
use rafnet_table::AtomicFile;
use std::fs::File;
use std::io::{BufWriter, Seek, SeekFrom, Write};
use std::path::Path;

/// Enough to say 29.97 frames a second exactly enough for hours.
const TICKS_PER_FRAME: u32 = 1000;

pub(in crate::video) struct Mp4Writer {
    // before the file, so that its handle is closed before the temporary file is removed
    out: BufWriter<File>,
    file: AtomicFile,
    encoder: PictureEncoder,
    width: u16,
    height: u16,
    ticks_per_second: u32,
    /// Where the box of the pictures begins.
    start: u64,
    sizes: Vec<u32>,
    independent: Vec<u32>,
    sequence: Vec<u8>,
    picture: Vec<u8>,
}

impl Mp4Writer {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the rate is at most 1e5"
    )]
    pub(in crate::video) fn create(
        path: &Path,
        width: usize,
        height: usize,
        frames_per_second: f64,
    ) -> Result<Self> {
        let (width, height) = (even(width)?, even(height)?);
        let encoder =
            PictureEncoder::new(usize::from(width), usize::from(height), frames_per_second)?;
        let file = create(path)?;
        let mut out = BufWriter::with_capacity(1 << 16, handle(&file)?);
        let ftyp = wrap(b"ftyp", &[b"isom", &[0, 0, 2, 0], b"isomiso2avc1mp41"]);
        // the length 1 announces the real one in the eight bytes behind, filled in at the end
        let mdat = [&1u32.to_be_bytes()[..], b"mdat", &[0; 8]].concat();
        out.write_all(&ftyp)
            .and_then(|()| out.write_all(&mdat))
            .map_err(Error::io("write", path))?;
        Ok(Self {
            out,
            file,
            encoder,
            width,
            height,
            ticks_per_second: (frames_per_second * f64::from(TICKS_PER_FRAME))
                .round()
                .max(1.0) as u32,
            start: ftyp.len() as u64,
            sizes: Vec::new(),
            independent: Vec::new(),
            sequence: Vec::new(),
            picture: Vec::new(),
        })
    }
}

impl Sink for Mp4Writer {
    fn write_frame(&mut self, frame: &Frame) -> Result<()> {
        let coded = self.encoder.encode(&Planes::from_frame(frame))?;
        let mut size = 0u32;
        let mut independent = false;
        for unit in units(&coded) {
            match unit_kind(unit) {
                7 => self.sequence = unit.to_vec(),
                8 => self.picture = unit.to_vec(),
                9 => {} // a mark between pictures, which the container makes superfluous
                kind => {
                    independent |= kind == 5;
                    let length = u32::try_from(unit.len())
                        .map_err(|_| damaged("a coded picture is too long"))?;
                    let written = self
                        .out
                        .write_all(&length.to_be_bytes())
                        .and_then(|()| self.out.write_all(unit));
                    written.map_err(Error::io("write", self.file.path()))?;
                    size = size.saturating_add(4).saturating_add(length);
                }
            }
        }
        self.sizes.push(size);
        if independent {
            self.independent
                .push(u32::try_from(self.sizes.len()).unwrap_or(u32::MAX));
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<()> {
        let Self { mut out, file, .. } = *self;
        let index = Index {
            width: self.width,
            height: self.height,
            ticks_per_second: self.ticks_per_second,
            ticks_per_frame: TICKS_PER_FRAME,
            offset: self.start + 16,
            sizes: &self.sizes,
            independent: &self.independent,
            sequence: &self.sequence,
            picture: &self.picture,
        };
        let length = 16 + self.sizes.iter().map(|&size| u64::from(size)).sum::<u64>();
        let mut complete = || {
            out.write_all(&index.to_bytes())?;
            out.seek(SeekFrom::Start(self.start + 8))?;
            out.write_all(&length.to_be_bytes())?;
            out.flush()
        };
        complete().map_err(Error::io("write", file.path()))?;
        commit(file)
    }
}

/// The units between start marks (0, 0, 1), without the zeros that fill up to the next mark.
fn units(coded: &[u8]) -> Vec<&[u8]> {
    let marks: Vec<usize> = (0..coded.len().saturating_sub(2))
        .filter(|&at| coded[at..at + 3] == [0, 0, 1])
        .collect();
    let ends = marks.iter().skip(1).copied().chain([coded.len()]);
    let units = marks.iter().zip(ends).map(|(&mark, end)| {
        let unit = &coded[mark + 3..end];
        let length = unit
            .iter()
            .rposition(|&byte| byte != 0)
            .map_or(0, |last| last + 1);
        &unit[..length]
    });
    units.filter(|unit| !unit.is_empty()).collect()
}

fn even(pixels: usize) -> Result<u16> {
    pixels
        .checked_next_multiple_of(2)
        .and_then(|n| u16::try_from(n).ok())
        .ok_or(Error::TooLarge {
            what: "a side of an MP4 video",
            found: pixels as u64,
            limit: u64::from(u16::MAX) - 1,
            hint: "choose a smaller size, or write a folder of PNG pictures",
        })
}
